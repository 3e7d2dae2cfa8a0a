package engine

import (
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// participates reports whether the peer of the connection may end an object. An object without a record has nobody to ask
// (SUBSTRATE-FINALITY-003).
func (e *Engine) participates(o *object) bool {
	r := e.record(o)
	return r == nil || slices.Contains(r.Participants, e.cfg.Remote)
}

// kill ends an incarnation of an object by what the peer said: what is queued for it is purged, calls that wait are rejected, and the
// object is closed if it is alive (SUBSTRATE-FINALITY-008, SUBSTRATE-ANSWER-006). What was queued for a later open stays. The caller
// advances.
func (e *Engine) kill(now time.Time, o *object, incarnation uint64, code string) {
	for i := 0; i < len(o.rows); {
		if o.rows[i].Incarnation != incarnation {
			i++
			continue
		}
		// What has been sent may have been taken.
		e.purge(o, i, Settle{Code: code, Unknown: i == 0 && o.transmitted()})
	}
	e.failCalls(o.name, incarnation, incarnation, code)
	if r := e.record(o); alive(r) && r.Incarnation == incarnation {
		e.close(now, o, code)
	}
}

// close brings an object to closed (SUBSTRATE-OBJ-001, SUBSTRATE-FINALITY-009).
func (e *Engine) close(now time.Time, o *object, code string) {
	r := ended(o.rec, closed, now)
	e.setRecord(o, r)
	e.touch(o).in.asked = nil
	e.happen(observe.EventClosed, observe.Info, observe.Fields{Obj: o.name, ObjKind: r.Kind, ID: r.OpenID, Code: code})
}

// reopen goes back to the open of this side that gave way to one of the peer, which has ended now. The peer has closed its own before it saw
// the other, or it would have rejected that first (SUBSTRATE-OBJ-006).
func (e *Engine) reopen(o *object) {
	if r := e.record(o); r == nil || alive(r) || r.Opener != e.cfg.Remote {
		return
	}
	for _, c := range e.calls {
		if c.Obj != o.name || c.Kind != wire.Open {
			continue
		}
		r := e.begins(o, c.objKind, e.cfg.Local, c.ID)
		e.setRecord(o, r)
		again := *c
		again.incarnation = r.Incarnation
		e.wait(&again)
		return
	}
}

// kills reports whether an err that is an answer ends an object: its code says so, the peer may, and it is not about an incarnation before
// the one that this side has just opened (SUBSTRATE-FINALITY-003, SUBSTRATE-ANSWER-005).
func (e *Engine) kills(o *object, f *wire.Frame) bool {
	_, objectScope := wire.ClassOf(f.Code)
	r := e.record(o)
	if f.Kind != wire.Err || !objectScope || !alive(r) || !e.participates(o) {
		return false
	}
	return r.State == live || r.Opener != e.cfg.Local || r.OpenID == f.ID
}
