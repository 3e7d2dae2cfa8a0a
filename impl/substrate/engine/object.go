package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// The states of a record (SUBSTRATE-OBJ-001). An object without a record is idle.
const (
	opening  = "opening"
	live     = "live"
	rejected = "rejected"
	closed   = "closed"
)

// An object is a name and everything that is known of it. What may be rolled back is in state.
type object struct {
	name string
	state

	round                     uint64 // of the batch that has a copy of state
	dirtyRecord, dirtyCounter bool   // to be written with the batch
	stale                     bool
	due                       time.Time // zero: no timer
	at                        int       // in timers, from 1; 0: not there
	token                     uint64    // under which it is in stored
}

// A state is what an object is at one moment. See [Engine.touch].
type state struct {
	rec      *store.Object // nil: none
	cnt      store.Counter
	rows     []*row   // of the outbox, by seq
	answers  int      // how many of rows are answers
	head     head     // of the first of rows
	owed     []string // ids of rows that were purged in flight on this connection, whose reply is still to come; the slice is never changed
	seq      sequencer
	in       inbox
	chain    chain
	feed     feed
	answered time.Time // when a resync was last answered; zero: never
}

// find returns the object of a name, or nil.
func (e *Engine) find(name string) *object { return e.objects[name] }

// object returns the object of a name, and begins it if need be.
func (e *Engine) object(name string) *object {
	if o := e.objects[name]; o != nil {
		return o
	}
	o := &object{name: name, state: state{cnt: store.Counter{Obj: name}}}
	e.objects[name] = o
	e.undo.step(func() {
		if e.objects[name] == o {
			delete(e.objects, name)
		}
	})
	e.touch(o)
	return o
}

// record returns the record of an object if there is one that has not outlived the horizon (SUBSTRATE-BOUNCE-005).
func (e *Engine) record(o *object) *store.Object {
	if o == nil || o.rec == nil || outlived(e.now, o.rec.Ended) {
		return nil
	}
	return o.rec
}

// outlived reports whether what was written at the time is older than the horizon. A clock that steps back makes nothing older
// (SUBSTRATE-DEDUPE-003).
func outlived(now, at time.Time) bool {
	return !at.IsZero() && now.UnixMilli()-at.UnixMilli() > store.Horizon.Milliseconds()
}

// alive reports whether a record is opening or live.
func alive(r *store.Object) bool { return r != nil && (r.State == opening || r.State == live) }

// setRecord replaces the record of an object.
func (e *Engine) setRecord(o *object, r store.Object) {
	s := e.touch(o)
	if alive(s.rec) {
		e.live--
	}
	if alive(&r) {
		e.live++
	}
	s.rec = &r
	o.dirtyRecord = true
}

// begins returns the record of a new incarnation, opened by one of the two peers. Both are its participants from the start: who is to
// accept it is settled by the authenticated connection (SUBSTRATE-OBJ-002).
func (e *Engine) begins(o *object, kind, opener, openID string) store.Object {
	// SUBSTRATE-OBJ-007: rows of an incarnation that is forgotten may still be queued, and what it was asked may still wait for the application.
	n := uint64(0)
	if o.rec != nil {
		n = o.rec.Incarnation
	}
	for _, r := range o.rows {
		if r.Incarnation != refusal {
			n = max(n, r.Incarnation)
		}
	}
	for _, x := range o.in.queue {
		n = max(n, x.Incarnation)
	}
	parties := []string{opener, e.cfg.Local}
	if opener == e.cfg.Local {
		parties[1] = e.cfg.Remote
	}
	return store.Object{Obj: o.name, Kind: kind, State: opening, Opener: opener, OpenID: openID, Incarnation: n + 1, Participants: parties}
}

// ended returns a record that has come to one of its last two states.
func ended(r *store.Object, to string, now time.Time) store.Object {
	x := *r
	x.State, x.Ended = to, wall(now)
	return x
}

// incarnation returns the number under which rows of an object are queued; 0 if it has no record.
func (e *Engine) incarnation(o *object) uint64 {
	if r := e.record(o); r != nil {
		return r.Incarnation
	}
	return 0
}

// blank reports whether nothing is known of an object but its name.
func (o *object) blank() bool {
	s := &o.state
	return s.rec == nil && s.cnt.LastAssigned == 0 && s.seq.next == 0 && len(s.rows) == 0 && len(s.in.queue) == 0 &&
		len(s.chain.ops) == 0 && len(s.seq.gap) == 0 && !s.feed.on && len(s.in.asked) == 0
}

// objKind returns the kind of an object for a frame or an event about it.
func (o *object) objKind() string {
	if o.rec != nil {
		return o.rec.Kind
	}
	return wire.Session
}
