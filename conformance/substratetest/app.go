package substratetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
)

// An app is the application of the reference, which does what the package comment says.
type app struct {
	listener *substrate.Listener
	tasks    sync.WaitGroup // what the target does on a command
	stopped  context.Context
	end      context.CancelFunc

	mu     sync.Mutex
	logs   map[[2]string][]string      // by peer and object
	held   map[[2]string]chan struct{} // by peer and word
	closed map[[2]string]bool          // releases that were obeyed, by peer and id
	denied map[[2]string]bool          // by peer and object
}

// maxLog bounds a log, in lines.
const maxLog = 1 << 14

func newApp() *app {
	a := &app{logs: map[[2]string][]string{}, held: map[[2]string]chan struct{}{}, closed: map[[2]string]bool{}, denied: map[[2]string]bool{}}
	a.stopped, a.end = context.WithCancel(context.Background())
	return a
}

func (a *app) handler() substrate.Handler {
	return substrate.Handler{
		Open: a.open, Send: a.send, Req: a.req,
		Closed: func(p *substrate.Peer, obj, _ string) { a.note(p.ID(), obj, "close - -") },
	}
}

// note writes a line into the log of an object.
func (a *app) note(peer, obj, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := [2]string{peer, obj}
	if len(a.logs[at]) < maxLog {
		a.logs[at] = append(a.logs[at], text)
	}
}

func (a *app) log(peer, obj string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return []byte(strings.Join(a.logs[[2]string{peer, obj}], "\n"))
}

// gate denies what is on names that are denied, or was ordered to be.
func (a *app) gate(c *engine.OpContext) engine.Denial {
	a.mu.Lock()
	defer a.mu.Unlock()
	if strings.HasPrefix(c.Obj, "denied/") || a.denied[[2]string{c.Peer, c.Obj}] {
		return engine.Deny("unauthorized")
	}
	return engine.Denial{}
}

// deny has the gate deny what is on an object from now on, or allow it again.
func (a *app) deny(peer, obj string, denied bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied[[2]string{peer, obj}] = denied
}

// hold returns what is closed when a word is said.
func (a *app) hold(peer, word string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := [2]string{peer, word}
	if a.held[at] == nil {
		a.held[at] = make(chan struct{})
	}
	return a.held[at]
}

func (a *app) open(ctx context.Context, o *substrate.Opening) {
	name := o.Object.Address()
	a.note(o.Peer.ID(), name, noted("open", o.ID, o.Cap))
	// What cannot be answered has ended already.
	switch {
	case strings.HasPrefix(name, "reject/"):
		_ = o.Reject(ctx, "refused", "this name is refused")
	case strings.HasPrefix(name, "silent/"):
	case strings.HasPrefix(name, "queue/") && o.Kind == substrate.Queue:
		_ = o.AcceptQueue(ctx)
	default:
		_ = o.Accept(ctx)
	}
}

// noted is the line of an op.
func noted(kind, id string, body []byte) string {
	return line(frameOf("kind", kind, "id", id).carrying(body))
}

func (a *app) send(ctx context.Context, m *substrate.Message) error {
	peer := m.Peer.ID()
	a.note(peer, m.Object.Address(), noted("send", m.ID, m.Body))
	verb, rest, _ := strings.Cut(string(m.Body), " ")
	switch verb {
	case "assay:hold":
		return a.wait(ctx, peer, rest)
	case "assay:err":
		return &substrate.Failure{Code: rest}
	case "assay:release":
		a.release(peer, m.ID)
	}
	return nil
}

// wait waits for a word.
func (a *app) wait(ctx context.Context, peer, word string) error {
	select {
	case <-a.hold(peer, word):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// release forgets a peer but for its rows, once for each time that it is asked.
func (a *app) release(peer, id string) {
	a.mu.Lock()
	done := a.closed[[2]string{peer, id}]
	a.closed[[2]string{peer, id}] = true
	a.mu.Unlock()
	if !done {
		a.tasks.Go(func() { _ = a.listener.Release(a.stopped, peer) })
	}
}

func (a *app) req(ctx context.Context, r *substrate.Request) ([]byte, error) {
	peer := r.Peer.ID()
	verb, rest, _ := strings.Cut(string(r.Body), " ")
	if verb != "assay:log" {
		a.note(peer, r.Object.Address(), noted("req", r.ID, r.Body))
	}
	switch verb {
	case "assay:log":
		return a.log(peer, rest), nil
	case "assay:end":
		return nil, substrate.ErrEnd
	case "assay:err":
		return nil, &substrate.Failure{Code: rest}
	case "assay:hold":
		return r.Body, a.wait(ctx, peer, rest)
	case "assay:free":
		close(a.hold(peer, rest))
		return nil, nil
	case "assay:deny", "assay:allow":
		a.deny(peer, rest, verb == "assay:deny")
		return nil, nil
	case "assay:open", "assay:send", "assay:req", "assay:close":
		return nil, a.command(ctx, r.Peer, strings.TrimPrefix(verb, "assay:"), rest)
	}
	return r.Body, nil
}

// command has the target queue an op of its own. What becomes of it is written into the log of its object.
func (a *app) command(ctx context.Context, p *substrate.Peer, verb, rest string) error {
	first, second, _ := strings.Cut(rest, " ")
	switch verb {
	case "open":
		a.outcome(p, verb, second, func() error {
			_, err := p.Open(a.stopped, first, second, substrate.OpenOptions{})
			return err
		})
	case "req":
		a.outcome(p, verb, first, func() error {
			_, err := p.Object(first).Req(a.stopped, []byte(second))
			return err
		})
	case "close":
		a.outcome(p, verb, first, func() error { return p.Object(first).Close(a.stopped) })
	case "send":
		n, err := strconv.Atoi(second)
		if err != nil {
			return fmt.Errorf("send %q: %w", second, err)
		}
		for i := range n {
			c, err := p.Object(first).Enqueue(ctx, []byte(strconv.Itoa(i+1)))
			if err != nil {
				return err
			}
			a.outcome(p, verb, first, func() error { return c.Wait(a.stopped) })
		}
	}
	return nil
}

// outcome waits for what becomes of an op and writes it down.
func (a *app) outcome(p *substrate.Peer, verb, obj string, do func() error) {
	a.tasks.Go(func() {
		result := "ok"
		if err := do(); err != nil {
			result = "failed"
			var told *substrate.Error
			if errors.As(err, &told) && told.Code != "" {
				result = told.Code
			}
		}
		a.note(p.ID(), obj, "outcome "+verb+" "+result)
	})
}
