package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// A printer writes whole lines.
type printer struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *printer) line(format string, a ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, format+"\n", a...)
}

// A node is what is driven by hand.
type node struct {
	print    *printer
	listener *substrate.Listener
	waits    sync.WaitGroup // for calls
	learns   sync.WaitGroup // for who answers a dial
	failed   chan error     // nil: nothing can fail

	mu     sync.Mutex
	dialed *substrate.Peer
	chosen string // whom commands are for
}

// handler prints what comes, accepts all, and answers with what it was asked.
func (n *node) handler() substrate.Handler {
	return substrate.Handler{
		Open: func(ctx context.Context, o *substrate.Opening) {
			n.print.line("%s %s < open %s", o.Peer.ID(), o.Object.Address(), o.Kind)
			if err := o.Accept(ctx); err != nil {
				n.print.line("error: %v", err)
				return
			}
			n.print.line("%s %s live", o.Peer.ID(), o.Object.Address())
		},
		Send: func(_ context.Context, m *substrate.Message) error {
			n.print.line("%s %s < send %s", m.Peer.ID(), m.Object.Address(), quoted(m.Body))
			return nil
		},
		Req: func(_ context.Context, r *substrate.Request) ([]byte, error) {
			n.print.line("%s %s < req %s", r.Peer.ID(), r.Object.Address(), quoted(r.Body))
			return r.Body, nil
		},
		Closed: func(p *substrate.Peer, obj, code string) { n.print.line("%s %s closed (%s)", p.ID(), obj, code) },
		Event: func(e substrate.Event) {
			switch e.Name {
			case substrate.EventReady:
				n.choose(e.Peer, false)
				n.print.line("%s connected %s", e.Peer, e.Conn)
			case substrate.EventEnded:
				n.print.line("%s disconnected", e.Peer)
			case observe.EventFutile:
				n.print.line("%s %s futile %s (%s)", e.Peer, e.Obj, e.ID, e.Code)
			}
		},
	}
}

// quoted is a body for people.
func quoted(body []byte) string {
	const most = 200
	if len(body) > most {
		return fmt.Sprintf("%q and %d octets more", body[:most], len(body)-most)
	}
	return fmt.Sprintf("%q", body)
}

// choose makes a peer the one that commands are for, if there is none or it is wished.
func (n *node) choose(id string, wished bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.chosen == "" || wished {
		n.chosen = id
	}
}

// dial dials a node. One without a name is waited for in the background.
func (n *node) dial(ctx context.Context, url string, cfg substrate.Config) error {
	if cfg.Remote != "" {
		p, err := substrate.Dial(ctx, url, cfg)
		if err == nil {
			n.dialled(p)
		}
		return err
	}
	n.failed = make(chan error, 1)
	n.learns.Go(func() {
		p, err := substrate.Dial(ctx, url, cfg)
		if err != nil {
			if ctx.Err() == nil {
				n.failed <- err
			}
			return
		}
		n.dialled(p)
		n.print.line("%s answers at %s", p.ID(), url)
	})
	return nil
}

func (n *node) dialled(p *substrate.Peer) {
	n.mu.Lock()
	n.dialed = p
	n.mu.Unlock()
	n.choose(p.ID(), true)
}

// peers returns all peers. One that dials here and is dialled as well is there twice.
func (n *node) peers() []*substrate.Peer {
	all := n.listener.Peers()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dialed != nil {
		all = append([]*substrate.Peer{n.dialed}, all...)
	}
	return all
}

// errNobody is a command when there is no peer.
var errNobody = errors.New("nobody is there yet")

// peer returns whom commands are for.
func (n *node) peer() (*substrate.Peer, error) {
	n.mu.Lock()
	chosen := n.chosen
	n.mu.Unlock()
	for _, p := range n.peers() {
		if p.ID() == chosen {
			return p, nil
		}
	}
	return nil, errNobody
}

// obey reads commands until there are no more, or one says quit.
func (n *node) obey(ctx context.Context, in io.Reader, quit func()) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && ctx.Err() == nil {
		verb, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if verb == "quit" {
			quit()
			return
		}
		if err := n.command(ctx, verb, strings.TrimSpace(rest)); err != nil {
			n.print.line("error: %v", err)
		}
	}
}

func (n *node) command(ctx context.Context, verb, rest string) error {
	switch verb {
	case "":
		return nil
	case "peers":
		n.listPeers()
		return nil
	case "to":
		n.choose(rest, true)
		return nil
	}
	p, err := n.peer()
	if err != nil {
		return err
	}
	name, text, _ := strings.Cut(rest, " ")
	switch verb {
	case "open":
		return n.open(ctx, p, rest)
	case "send":
		c, err := p.Object(name).Enqueue(ctx, []byte(text))
		return n.wait(ctx, p, name, fmt.Sprintf("send %q", text), "acked", c, err)
	case "req":
		c, err := p.Object(name).EnqueueReq(ctx, []byte(text))
		return n.wait(ctx, p, name, fmt.Sprintf("req %q", text), "answered", c, err)
	case "close":
		c, err := p.Object(name).EnqueueClose(ctx)
		return n.wait(ctx, p, name, "close", "acked", c, err)
	case "disconnect":
		p.Disconnect()
	case "connect":
		p.Connect()
	case "objects":
		return n.listObjects(ctx, p)
	default:
		return fmt.Errorf("%q is none of open, send, req, close, disconnect, connect, objects, peers, to, quit", verb)
	}
	return nil
}

func (n *node) open(ctx context.Context, p *substrate.Peer, rest string) error {
	kind, name := substrate.Session, rest
	if first, second, two := strings.Cut(rest, " "); two {
		kind, name = first, strings.TrimSpace(second)
	}
	c, err := p.EnqueueOpen(ctx, kind, name, substrate.OpenOptions{})
	return n.wait(ctx, p, name, "open "+kind, "live", c, err)
}

// wait prints that a call is queued, and in the background how it ends.
func (n *node) wait(ctx context.Context, p *substrate.Peer, name, what, end string, c *substrate.Call, err error) error {
	if err != nil {
		return err
	}
	n.print.line("%s %s > %s queued %s", p.ID(), name, what, c.ID())
	n.waits.Go(func() {
		err := c.Wait(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			n.print.line("%s %s > %s failed: %v", p.ID(), name, what, err)
		case end == "live":
			n.print.line("%s %s live", p.ID(), name)
		case end == "answered":
			n.print.line("%s %s > %s answered %s", p.ID(), name, what, quoted(c.Body()))
		default:
			n.print.line("%s %s > %s %s", p.ID(), name, what, end)
		}
	})
	return nil
}

func (n *node) listPeers() {
	n.mu.Lock()
	chosen := n.chosen
	n.mu.Unlock()
	for _, p := range n.peers() {
		mark, state := " ", "away"
		if p.ID() == chosen {
			mark = "*"
		}
		if _, up := p.Connected(); up {
			state = "connected"
		}
		n.print.line("%s %s %s", mark, p.ID(), state)
	}
}

func (n *node) listObjects(ctx context.Context, p *substrate.Peer) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	for _, o := range s.Objects {
		n.print.line("%s %s is %s %s, %d to send, %d to handle", p.ID(), o.Obj, o.State, o.Kind, o.Outbox, o.Inbox)
	}
	n.print.line("%s shares %d objects", p.ID(), len(s.Objects))
	return nil
}

// close closes all peers and waits for what waits for them. The context of dial has ended.
func (n *node) close(ctx context.Context) error {
	n.learns.Wait()
	var errs []error
	n.mu.Lock()
	dialed := n.dialed
	n.mu.Unlock()
	if dialed != nil {
		errs = append(errs, dialed.Close(ctx))
	}
	errs = append(errs, n.listener.Close(ctx))
	n.waits.Wait()
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
