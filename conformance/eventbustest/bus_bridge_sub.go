package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// asking is one subscription of the bridge and the ask that may be open on it.
type asking struct {
	sub    Subscription
	signal *signal
	open   chan answer // of the ask, nil when none is open
	done   bool        // the last ask said that the stream is over
}

// answer is what an ask came to.
type answer struct {
	frame any
	err   error
}

// settled is how long an ask may neither end nor wait before the bus is at fault.
const settled = 5 * time.Second

// lookEvery is how often an ask that has not come back is looked at: an answer wakes the bridge by itself, waiting does not.
const lookEvery = 50 * time.Microsecond

func (g *bridge) subscribe(q subscribeRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	if _, ok := g.subs[q.Sub]; ok || q.Sub == "" {
		return nil, fmt.Errorf("subscription name %q is empty or taken", q.Sub)
	}
	queued, err := goNumber("maxQueued", q.MaxQueued)
	if err != nil {
		return nil, err
	}
	o := SubscribeOptions{MaxQueued: int(queued)}
	if q.LastEventID != nil {
		var after int64
		if err := json.Unmarshal(q.LastEventID, &after); err != nil || string(q.LastEventID) == "null" {
			return nil, &adapter.UnsupportedError{Reason: fmt.Sprintf("lastEventId %s is no integer: Go does not let a caller pass it", q.LastEventID)}
		}
		o.After = &after
	}
	if q.Epoch != nil {
		if *q.Epoch == "" {
			return nil, &adapter.UnsupportedError{Reason: "an empty epoch stands for none in Go"}
		}
		o.Epoch = *q.Epoch
	}
	if o.Diagnose, err = g.callback(q.Sub, q.Diagnose); err != nil {
		return nil, err
	}
	s := newSignal(q.Aborted)
	o.Signal = s
	sub, err := bus.Subscribe(o)
	if err != nil {
		return nil, thrown(err)
	}
	g.subs[q.Sub] = &asking{sub: sub, signal: s}
	return nil, nil
}

// callback makes the diagnostic callback of a subscription.
func (g *bridge) callback(sub, what string) (func(string, any) bool, error) {
	switch what {
	case "":
		return nil, nil
	case "true", "false", "throw":
	default:
		return nil, fmt.Errorf("diagnose %q is none of true, false and throw", what)
	}
	return func(kind string, data any) bool {
		text, err := encode(data)
		if err != nil {
			text = []byte("null")
		}
		g.mu.Lock()
		g.diagnostics.Callbacks = append(g.diagnostics.Callbacks, callback{sub, kind, text})
		g.mu.Unlock()
		if what == "throw" {
			panic("diagnostic callback")
		}
		return what == "true"
	}, nil
}

func (g *bridge) sub(name string) (*asking, error) {
	s, ok := g.subs[name]
	if !ok {
		return nil, fmt.Errorf("no subscription %q", name)
	}
	return s, nil
}

func (g *bridge) with(q subRequest, f func(Subscription)) (any, error) {
	s, err := g.sub(q.Sub)
	if err != nil {
		return nil, err
	}
	f(s.sub)
	return nil, nil
}

func (g *bridge) listeners(q subRequest) (any, error) {
	s, err := g.sub(q.Sub)
	if err != nil {
		return nil, err
	}
	n, ever := s.signal.count()
	if !ever {
		return nil, &adapter.UnsupportedError{Reason: "the bus does not watch the signal with context.AfterFunc"}
	}
	return countReply{n}, nil
}

// ask asks a subscription up to n times: until it would wait if n is negative, and not at all anew if it is 0.
func (g *bridge) ask(q subRequest, n int) (any, error) {
	s, err := g.sub(q.Sub)
	if err != nil {
		return nil, err
	}
	var found []any
	reply := func(state string) (any, error) {
		return map[string]any{"items": items(found), "state": state}, nil
	}
	for n != 0 || s.open != nil {
		if s.open == nil {
			s.open = g.next(s.sub)
		}
		a, ok, err := s.settle(g.ctx)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return reply(stateParked)
		}
		s.open = nil
		if errors.Is(a.err, io.EOF) {
			s.done = true
			return reply(stateDone)
		}
		if a.err != nil {
			return nil, a.err
		}
		s.done = false
		found = append(found, a.frame)
		if n > 0 {
			n--
		}
	}
	if s.done {
		return reply(stateDone)
	}
	return reply(stateReady)
}

// next makes one ask.
func (g *bridge) next(sub Subscription) chan answer {
	open := make(chan answer, 1)
	g.asks.Go(func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.err = &adapter.TargetError{Name: "panic", Message: fmt.Sprint(v)}
			}
			open <- a
		}()
		a.frame, a.err = sub.Next(g.ctx)
	})
	return open
}

// settle waits until the open ask has been answered, or is waiting: then ok is false.
func (s *asking) settle(ctx context.Context) (a answer, ok bool, err error) {
	start := time.Now()
	again := time.NewTimer(lookEvery)
	defer again.Stop()
	runtime.Gosched()
	for {
		select {
		case a := <-s.open:
			return a, true, nil
		default:
		}
		if s.sub.Waiting() {
			return answer{}, false, nil
		}
		select {
		case a := <-s.open:
			return a, true, nil
		case <-ctx.Done():
			return answer{}, false, context.Cause(ctx)
		case <-again.C:
			again.Reset(lookEvery)
		}
		if time.Since(start) > settled {
			return answer{}, false, fmt.Errorf("next has neither come back nor is it waiting after %v", settled)
		}
	}
}

// A signal is the abort signal of one subscription: a context that counts who listens. It is done from the start or
// never, because Subscription.Abort stands for aborting it later.
type signal struct {
	done chan struct{}

	mu        sync.Mutex
	listening int
	ever      bool
}

func newSignal(aborted bool) *signal {
	s := &signal{done: make(chan struct{})}
	if aborted {
		close(s.done)
	}
	return s
}

// Deadline implements [context.Context].
func (s *signal) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (s *signal) Done() <-chan struct{} { return s.done }

// Err implements [context.Context].
func (s *signal) Err() error {
	select {
	case <-s.done:
		return context.Canceled
	default:
		return nil
	}
}

// Value implements [context.Context].
func (s *signal) Value(any) any { return nil }

// AfterFunc is what context.AfterFunc calls on a context that has it.
func (s *signal) AfterFunc(f func()) (stop func() bool) {
	if s.Err() != nil {
		go f()
		return func() bool { return false }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listening++
	s.ever = true
	stopped := false
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if stopped {
			return false
		}
		stopped = true
		s.listening--
		return true
	}
}

func (s *signal) count() (n int, ever bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listening, s.ever
}
