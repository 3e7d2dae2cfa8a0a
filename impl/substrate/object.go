package substrate

import (
	"context"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// The kinds of objects.
const (
	Session = wire.Session // has requests and answers besides messages
	Queue   = wire.Queue   // has messages only
)

// An Object is one that this side shares with a peer, or the name of one. Its methods may be called by several goroutines at once; what
// one goroutine queues is handed over in that order.
type Object struct {
	peer *Peer
	addr string

	openID string // of the open that began it; empty: it is but a name. Guarded by the lock of the peer
	done   chan struct{}
	once   sync.Once
	err    error
}

// OpenOptions are what goes with an open.
type OpenOptions struct {
	// Cap is a token for the gate of the peer, at most 4096 octets. It is passed on and never looked at (SUBSTRATE-AUTHZ-010).
	Cap []byte
}

// Open opens an object and waits until the peer has accepted it. If ctx ends first the open stays queued: the object may become live all
// the same, and [Object.Close] withdraws it.
func (p *Peer) Open(ctx context.Context, kind, addr string, o OpenOptions) (*Object, error) {
	c, err := p.EnqueueOpen(ctx, kind, addr, o)
	if err != nil {
		return nil, err
	}
	if err := c.Wait(ctx); err != nil {
		return nil, err
	}
	return c.object, nil
}

// EnqueueOpen queues an open and returns once it is durable. The call ends when the peer has accepted or rejected it.
func (p *Peer) EnqueueOpen(ctx context.Context, kind, addr string, o OpenOptions) (*Call, error) {
	return p.call(ctx, wire.Open, addr, func(now time.Time) (engine.Call, error) {
		return p.eng.Open(now, kind, addr, o.Cap)
	})
}

// Object returns the object of a name. It need not be open: what is called on it says so.
func (p *Peer) Object(addr string) *Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.objects[addr]
	if o == nil {
		o = &Object{peer: p, addr: addr, done: make(chan struct{})}
		p.objects[addr] = o
	}
	return o
}

// opened returns the object that an open begins. What has had the name before has ended, whether its end has been told or not.
func (p *Peer) opened(addr, openID string) *Object {
	p.mu.Lock()
	o := p.objects[addr]
	stale := o != nil && o.openID != "" && o.openID != openID
	if o == nil || stale {
		p.objects[addr] = &Object{peer: p, addr: addr, done: make(chan struct{})}
	}
	next := p.objects[addr]
	next.openID = openID
	p.mu.Unlock()
	if stale {
		o.end(wire.Closed)
	}
	return next
}

// of returns the object of an op of the peer. The peer may have closed it since: then it has ended, and its name may be another's.
func (p *Peer) of(d *engine.Delivery) *Object {
	switch {
	case d.Kind == wire.Open:
		p.delivered[d.Obj] = d.ID
		return p.opened(d.Obj, d.ID)
	case d.Feed:
		return p.Object(d.Obj)
	}
	p.mu.Lock()
	o := p.objects[d.Obj]
	p.mu.Unlock()
	if d.Kind == wire.Close {
		// The object may have been closed before its open was handed over.
		if id := p.delivered[d.Obj]; id != "" {
			delete(p.delivered, d.Obj)
			p.finish(d.Obj, id, wire.Closed)
		}
	}
	if o == nil {
		o = &Object{peer: p, addr: d.Obj, done: make(chan struct{})}
		o.end(wire.Closed)
	}
	return o
}

// finish ends the object that an open has begun, and forgets it. A later one of its name has another Object.
func (p *Peer) finish(addr, openID, code string) {
	p.mu.Lock()
	o := p.objects[addr]
	if o == nil || o.openID != "" && o.openID != openID {
		p.mu.Unlock()
		return
	}
	delete(p.objects, addr)
	p.mu.Unlock()
	o.end(code)
}

func (o *Object) end(code string) {
	o.once.Do(func() {
		o.err = &Error{Verb: "use", Obj: o.addr, Code: code}
		close(o.done)
	})
}

// Address returns the name.
func (o *Object) Address() string { return o.addr }

// Peer returns with whom the object is shared.
func (o *Object) Peer() *Peer { return o.peer }

// Done is closed when the object has come to its end: by a close of either side or by a code of object scope.
func (o *Object) Done() <-chan struct{} { return o.done }

// Err returns why the object has ended, and nil before Done is closed.
func (o *Object) Err() error {
	select {
	case <-o.done:
		return o.err
	default:
		return nil
	}
}

// Send queues a message and waits until the peer has committed it, which is before it has handled it (SUBSTRATE-ACK-001). If ctx ends
// first the message stays queued. The body must not be changed.
func (o *Object) Send(ctx context.Context, body []byte) error {
	c, err := o.Enqueue(ctx, body)
	if err != nil {
		return err
	}
	return c.Wait(ctx)
}

// Enqueue queues a message and returns once it is durable.
func (o *Object) Enqueue(ctx context.Context, body []byte) (*Call, error) {
	return o.peer.call(ctx, wire.Send, o.addr, func(now time.Time) (engine.Call, error) {
		return o.peer.eng.Send(now, o.addr, body)
	})
}

// Req asks something and waits for the answer: a body, nil for none and for an end. If ctx ends first the question stays asked.
func (o *Object) Req(ctx context.Context, body []byte) ([]byte, error) {
	c, err := o.EnqueueReq(ctx, body)
	if err != nil {
		return nil, err
	}
	if err := c.Wait(ctx); err != nil {
		return nil, err
	}
	return c.Body(), nil
}

// EnqueueReq queues a question and returns once it is durable. The call ends when the answer has come; see [Call.Body].
func (o *Object) EnqueueReq(ctx context.Context, body []byte) (*Call, error) {
	return o.peer.call(ctx, wire.Req, o.addr, func(now time.Time) (engine.Call, error) {
		return o.peer.eng.Req(now, o.addr, body)
	})
}

// Close closes the object, here at once, and waits until the peer has committed that. What was queued before is still sent.
func (o *Object) Close(ctx context.Context) error {
	c, err := o.EnqueueClose(ctx)
	if err != nil {
		return err
	}
	return c.Wait(ctx)
}

// EnqueueClose closes the object here and returns once that is durable. The call ends when the peer has committed it.
func (o *Object) EnqueueClose(ctx context.Context) (*Call, error) {
	return o.peer.call(ctx, wire.Close, o.addr, func(now time.Time) (engine.Call, error) {
		return o.peer.eng.Close(now, o.addr)
	})
}
