package engine

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// An inbox is what an object has for the application.
type inbox struct {
	queue  []*item  // committed and not done with, in commit order
	handed bool     // the first of them is with the application
	asked  []string // ids of the reqs that were handed over and have no answer yet
	kept   int      // rows that the host takes itself, at most
}

// An item is an op that waits for the application, or is with it. It is never changed.
type item struct {
	store.Inbound
	redelivered, feed bool
}

// hand puts an op into the inbox of its object (SUBSTRATE-DEDUPE-007).
func (e *Engine) hand(o *object, f *wire.Frame, fed bool) {
	x := &item{Inbound: inboundOf(f), feed: fed}
	x.Incarnation = e.incarnation(o)
	s := e.touch(o)
	if fed {
		x.N = next(&e.feedN)
	} else if kept := s.rec != nil && s.rec.Queued; kept && f.Kind == wire.Close {
		// The rows of a queue are ops for the host to take. That it was closed is in its record, and an event.
		return
	} else {
		x.N = next(&e.lastN)
		e.batch.Inbound = append(e.batch.Inbound, x.Inbound)
		e.batch.Durable = true
		if kept {
			s.in.kept++
			e.emit(Arrive{Obj: o.name, N: x.N})
			return
		}
	}
	s.in.queue = append(s.in.queue, x)
	e.handNext(o)
}

// inboundOf returns the row of a frame.
func inboundOf(f *wire.Frame) store.Inbound {
	return store.Inbound{
		Obj: f.Obj, ObjKind: f.ObjKind, Class: classOf(f.Kind), Kind: f.Kind, ID: f.ID, Seq: f.Seq,
		Code: f.Code, Msg: f.Msg, Cap: f.Cap, Body: f.Body,
	}
}

// handNext hands the first op over if the application is done with the one before (SUBSTRATE-SEQ-003).
func (e *Engine) handNext(o *object) {
	s := e.touch(o)
	if s.in.handed || len(s.in.queue) == 0 {
		return
	}
	s.in.handed = true
	x := s.in.queue[0]
	if r := e.record(o); x.Kind == wire.Req && (x.feed || alive(r) && r.Incarnation == x.Incarnation) {
		s.in.asked = append(slices.Clone(s.in.asked), x.ID)
	}
	e.emit(Deliver{x.delivery()})
}

func (x *item) delivery() Delivery {
	return Delivery{
		N: x.N, Obj: x.Obj, ObjKind: x.ObjKind, Kind: x.Kind, ID: x.ID, Seq: x.Seq, Cap: x.Cap, Code: x.Code, Msg: x.Msg, Body: x.Body,
		Redelivered: x.redelivered, Feed: x.feed,
	}
}

// holds reports whether a delivery is with the application.
func (o *object) holds(d *Delivery) bool {
	return o.in.handed && o.in.queue[0].N == d.N && o.in.queue[0].feed == d.Feed
}

// done takes the op that is with the application out of the inbox. The mark need not be on the disk: without it the op is handed over
// again after a crash, as one whose handler was not done (SUBSTRATE-DEDUPE-008).
func (e *Engine) done(o *object) {
	s := e.touch(o)
	x := s.in.queue[0]
	if !x.feed {
		e.batch.DropInbound = append(e.batch.DropInbound, x.N)
	} else {
		s.feed.handled = x.Seq
	}
	s.in.handed = false
	if s.in.queue = s.in.queue[1:]; len(s.in.queue) == 0 {
		s.in.queue = nil
	}
	e.handNext(o)
}
