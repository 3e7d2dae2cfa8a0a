package substrate

import (
	"context"
	"errors"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A Call is an op of this side that is queued. Nobody has to wait for it.
type Call struct {
	verb, obj string
	id        string
	durable   chan struct{} // closed when it is written, or cannot be
	done      chan struct{} // closed when it is settled
	result    engine.Settle
	err       error
	object    *Object // of an open that was accepted
}

func newCall(verb, obj string) *Call {
	return &Call{verb: verb, obj: obj, durable: make(chan struct{}), done: make(chan struct{})}
}

// ID returns the id of the op, which it keeps for ever (SUBSTRATE-OUTBOX-003).
func (c *Call) ID() string { return c.id }

// Done is closed when it is known how the call has ended: for a send or a close when the other side has committed it, for an open or a req
// when the answer has come.
func (c *Call) Done() <-chan struct{} { return c.done }

// Err returns how the call has ended: nil before Done is closed, and after a good end; an [*Error] otherwise.
func (c *Call) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Body returns the answer to a req, when Done is closed: nil for none, for an end, and for all else.
func (c *Call) Body() []byte {
	select {
	case <-c.done:
		return c.result.Body
	default:
		return nil
	}
}

// Wait waits for Done and returns Err. If ctx ends first the op stays queued, and the error says that the outcome is not known.
func (c *Call) Wait(ctx context.Context) error {
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return &Error{Verb: c.verb, Obj: c.obj, ID: c.id, Unknown: true, Err: context.Cause(ctx)}
	}
}

// settle ends the call as the engine says.
func (c *Call) settle(s *engine.Settle) {
	c.result = *s
	switch {
	case s.Err != nil:
		c.err = failed(c.verb, c.obj, s.Err)
	case s.Code != "":
		c.err = &Error{
			Verb: c.verb, Obj: c.obj, ID: c.id, Code: s.Code, Msg: s.Msg, Remote: true, Retryable: s.Retryable, Unknown: s.Unknown,
		}
	}
	close(c.done)
}

// abandon ends a call that nobody settles any more.
func (c *Call) abandon() {
	c.err = &Error{Verb: c.verb, Obj: c.obj, ID: c.id, Unknown: true, Err: ErrClosed}
	close(c.done)
}

// enlist makes a call that the engine has taken one to wait for. It is called by the loop.
func (p *Peer) enlist(c *Call, made engine.Call) {
	c.id = made.ID
	p.waiting[made.ID] = c
	p.round = append(p.round, c)
	if made.Kind == wire.Close {
		p.ours[made.Obj] = true
	}
}

// call has the engine make a call, and returns once it is durable.
func (p *Peer) call(ctx context.Context, verb, obj string, do func(now time.Time) (engine.Call, error)) (*Call, error) {
	c := newCall(verb, obj)
	if p.isClosing() {
		return nil, &Error{Verb: verb, Obj: obj, Err: ErrClosed}
	}
	err := p.post(ctx, func(now time.Time) {
		made, err := do(now)
		if err != nil {
			c.err = failed(verb, obj, err)
			close(c.done)
			close(c.durable) // whoever waits for this looks at how the call has ended
			return
		}
		p.enlist(c, made)
	})
	if err != nil {
		return nil, &Error{Verb: verb, Obj: obj, Err: err}
	}
	select {
	case <-c.durable:
	case <-p.stopped:
		// The loop may have got to it at last.
		select {
		case <-c.durable:
		default:
			return nil, &Error{Verb: verb, Obj: obj, Err: ErrClosed}
		}
	case <-ctx.Done():
		return nil, &Error{Verb: verb, Obj: obj, Unknown: true, Err: context.Cause(ctx)}
	}
	// One that was not taken, or could not be written, is settled by now, and was not queued.
	var refused *Error
	if errors.As(c.Err(), &refused) && !refused.Remote && !refused.Unknown {
		return nil, refused
	}
	return c, nil
}

func (p *Peer) isClosing() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}
