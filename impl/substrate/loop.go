package substrate

import (
	"context"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const (
	// mailbox is how many calls and frames may wait while the loop writes.
	mailbox = 256
	// gathered is how many of them go into one transaction at most.
	gathered = 256
)

// A loop is what belongs to the one goroutine that drives the engine of a peer, or to whom it has lent it.
type loop struct {
	eng     *engine.Engine
	waiting map[string]*Call // by id, until they are settled
	round   []*Call          // those that the next transaction makes durable
	answers []*answer        // the same for answers
	turn    uint64           // of the latest connection
	quiet   bool             // nothing is started any more
	queues  map[string]bool  // objects whose inbox is with the host
	ours    map[string]bool  // objects that this side has just closed
	feeds   map[string]context.CancelFunc

	delivered map[string]string // ids of opens of the peer that were handed over, of objects that have not ended
}

// An answer is one of the application that waits to be written.
type answer struct {
	delivery engine.Delivery
	err      error
	done     chan error // one slot
}

func (l *loop) init(eng *engine.Engine) {
	l.eng = eng
	l.waiting, l.queues, l.ours = map[string]*Call{}, map[string]bool{}, map[string]bool{}
	l.feeds = map[string]context.CancelFunc{}
	l.delivered = map[string]string{}
}

// post has the loop do something. It fails if ctx ends, or the peer has, before the loop has room for it.
func (p *Peer) post(ctx context.Context, do func(now time.Time)) error {
	select {
	case p.in <- do:
		return nil
	case <-p.stopped:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run is the loop: it gathers the calls and frames that wait, has them written in one transaction, and does what follows from them. It
// waits for the store and for nothing else.
func (p *Peer) run() {
	defer close(p.stopped)
	p.perform()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if due, ok := p.eng.Next(); ok {
			timer.Reset(time.Until(due))
		}
		select {
		case do := <-p.in:
			do(time.Now())
			p.gather(gathered - 1)
		case <-timer.C:
		case <-p.stop:
			p.gather(mailbox)
			p.commit(time.Now())
			p.abandon()
			return
		}
		now := time.Now()
		p.eng.Tick(now)
		p.commit(now)
	}
}

// gather does what waits, at most so much.
func (p *Peer) gather(most int) {
	for range most {
		select {
		case do := <-p.in:
			do(time.Now())
		default:
			return
		}
	}
}

// commit writes what was gathered and does what follows.
func (p *Peer) commit(now time.Time) {
	if err := p.eng.Commit(now, nil); err != nil {
		p.log(observe.Error, "a transaction failed", observe.Fields{Err: err})
	}
	p.perform()
}

// perform does what the engine has released, and tells those whose calls and answers are written.
func (p *Peer) perform() {
	for _, x := range p.eng.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			if c := p.carrierOf(x.Conn); c != nil {
				c.push(x.Bytes)
			}
		case engine.EndConn:
			if c := p.carrierOf(x.Conn); c != nil {
				c.end(x.Code)
			}
		case engine.Deliver:
			p.deliver(x.Delivery)
		case engine.Arrive:
			p.arrived(x.Obj)
		case engine.Settle:
			p.settle(&x)
		case engine.Refuse:
			p.refuse(&x)
		case engine.Event:
			p.happened(x.Event)
		case engine.StoreOp:
			p.storeOp(&x)
		case engine.Resume:
			p.resumeFeed(&x)
		}
	}
	for i, c := range p.round {
		close(c.durable)
		p.round[i] = nil
	}
	for i, a := range p.answers {
		a.done <- a.err
		p.answers[i] = nil
	}
	p.round, p.answers = p.round[:0], p.answers[:0]
}

// settle tells how a call ended.
func (p *Peer) settle(s *engine.Settle) {
	c := p.waiting[s.Call.ID]
	if c == nil {
		return
	}
	delete(p.waiting, s.Call.ID)
	if s.OK() && s.Kind == wire.Accept {
		c.object = p.opened(s.Call.Obj, s.Call.ID)
	}
	c.settle(s)
}

// refuse marks the answer that could not be written.
func (p *Peer) refuse(x *engine.Refuse) {
	for _, a := range p.answers {
		if a.err == nil && a.delivery.Obj == x.Delivery.Obj && a.delivery.N == x.Delivery.N && a.delivery.Feed == x.Delivery.Feed {
			a.err = &storeError{x.Err}
			return
		}
	}
}

// A storeError is a failure to write, which may pass.
type storeError struct{ err error }

func (e *storeError) Error() string { return "store_unavailable: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// happened passes an event on, and acts upon those that end objects.
func (p *Peer) happened(e Event) {
	if e.Name == observe.EventClosed {
		ours, queue := p.ours[e.Obj], p.queues[e.Obj]
		delete(p.ours, e.Obj)
		delete(p.queues, e.Obj)
		p.finish(e.Obj, e.ID, e.Code)
		if p.delivered[e.Obj] == e.ID {
			delete(p.delivered, e.Obj)
		}
		// A close of the peer is handed over in its turn, after what came before it, but for that of a queue.
		if ours || queue || e.Code != wire.Closed {
			p.lane(e.Obj, func() { p.tellClosed(e.Obj, e.Code) })
		}
	}
	p.emit(e)
}

// emit leaves an event for the handler. It does not wait for one that is slow.
func (p *Peer) emit(e Event) {
	if p.cfg.Handler.Event == nil || p.quiet {
		return
	}
	select {
	case p.events <- e:
	default:
		p.log(observe.Warn, "the handler of events is too slow: one is dropped", observe.Fields{Obj: e.Obj, ID: e.ID, Code: e.Code})
	}
}

// eventBacklog is how many events may wait for their handler.
const eventBacklog = 1024

// tell hands events over until the peer is closed.
func (p *Peer) tell() {
	for {
		select {
		case e := <-p.events:
			p.cfg.Handler.Event(e)
		case <-p.closing:
			return
		}
	}
}

// abandon tells all who wait that nothing comes any more.
func (p *Peer) abandon() {
	for _, c := range p.waiting {
		c.abandon()
	}
	clear(p.waiting)
}
