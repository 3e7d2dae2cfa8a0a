package engine

import (
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// answerable reports whether an err may answer a frame: none answers an err (SUBSTRATE-BOUNCE-002) or what only controls
// (SUBSTRATE-BOUNCE-003).
func answerable(kind string) bool {
	switch kind {
	case wire.Ack, wire.Err, wire.Resync, wire.EstablishOK, wire.EstablishFail:
		return false
	}
	return true
}

// bounce answers a frame with an err that is no op: it is not stored, has no seq and moves nothing (SUBSTRATE-BOUNCE-003). A terminal one
// is sent once on a connection and remembered by the id of the op (SUBSTRATE-BOUNCE-001, SUBSTRATE-TOMBSTONE-003); a retryable one is
// forgotten (SUBSTRATE-TOMBSTONE-004). echo says whether the err may name the object (SUBSTRATE-ADDR-003).
func (e *Engine) bounce(now time.Time, f *wire.Frame, code string, echo bool) {
	if !answerable(f.Kind) {
		return
	}
	x := tombstone{key: keyOf(f), code: code, conn: e.conn, at: now}
	if echo {
		x.obj, x.kind = f.Obj, f.ObjKind
	}
	if terminal, _ := wire.ClassOf(code); terminal {
		if old := e.tombs.find(now, x.key); old != nil && old.conn == e.conn {
			return
		}
		e.bury(x)
	}
	e.sendErr(&x)
}

// rebounce deals with an op that was bounced before: it is swallowed on the connection that carried the err, and gets the same err once
// on a later one. It is never committed (SUBSTRATE-TOMBSTONE-003).
func (e *Engine) rebounce(f *wire.Frame, old *tombstone) {
	if old.conn == e.conn || !answerable(f.Kind) {
		return
	}
	x := *old
	x.conn = e.conn
	e.bury(x)
	e.sendErr(&x)
}

// sendErr sends the err of a bounce.
func (e *Engine) sendErr(x *tombstone) {
	f := &wire.Frame{
		V: wire.Version, Kind: wire.Err, ID: x.key.ID, Code: x.code,
		Has: wire.FieldV | wire.FieldKind | wire.FieldID | wire.FieldCode,
	}
	if x.obj != "" {
		f.Obj, f.ObjKind = x.obj, x.kind
		f.Has |= wire.FieldObj | wire.FieldObjKind
	}
	// SUBSTRATE-OBSERVE-009
	e.mark(mark{kind: count, name: observe.Bounce, n: 1})
	e.transmitFrame(f)
}

// bounced acts upon an err that is no op: on the row that it names, if that is in flight, and on nothing else (SUBSTRATE-FINALITY-008).
func (e *Engine) bounced(now time.Time, f *wire.Frame) {
	if e.repaid(e.find(f.Obj), f.ID) {
		return
	}
	o := e.inFlight(f)
	if o == nil {
		return
	}
	// SUBSTRATE-FINALITY-005
	if !e.participates(o) {
		return
	}
	r := &o.rows[0].Row
	// SUBSTRATE-FINALITY-001: the code alone decides.
	terminal, objectScope := wire.ClassOf(f.Code)
	if !terminal && e.yields(now, o, f) {
		return
	}
	if !terminal {
		e.backOff(now, o)
		return
	}
	e.purge(o, 0, Settle{Kind: wire.Err, Code: f.Code, Msg: f.Msg})
	e.repaid(o, f.ID)
	if objectScope && r.Incarnation != refusal {
		e.kill(now, o, r.Incarnation, f.Code)
		e.reopen(o)
	}
	e.openFailed(now, o, r)
	e.advance(now, o)
}

// maxOwed is how many replies to purged rows are awaited for an object.
const maxOwed = 16

// owe notes that the reply to a row that is purged is still to come. An op and an answer may have one id, and a bounce does not say which of
// them it is about; but the peer answers frames in their order, so that the reply to the one that went first comes first
// (SUBSTRATE-BOUNCE-003).
func (e *Engine) owe(o *object, id string) {
	s := e.touch(o)
	s.owed = append(slices.Clone(s.owed[max(0, len(s.owed)+1-maxOwed):]), id)
}

// repaid takes a reply for that to a purged row, if one of that id is awaited.
func (e *Engine) repaid(o *object, id string) bool {
	if o == nil {
		return false
	}
	at := slices.Index(o.owed, id)
	if at < 0 {
		return false
	}
	s := e.touch(o)
	s.owed = slices.Delete(slices.Clone(s.owed), at, at+1)
	return true
}

// inFlight returns the object whose head a bounce names, or nil. A bounce for a bad address does not name the object.
func (e *Engine) inFlight(f *wire.Frame) *object {
	if f.Has&wire.FieldObj != 0 {
		if o := e.find(f.Obj); o != nil && o.transmitted() && o.rows[0].ID == f.ID {
			return o
		}
		return nil
	}
	for o := range e.busy {
		if o.transmitted() && o.rows[0].ID == f.ID {
			return o
		}
	}
	return nil
}

// yields has the head of an object give way after a retryable bounce, if as many answers as may be wait behind it: two sides whose answers
// wait behind ops that the other refuses for its own answers would wait for each other for ever (SUBSTRATE-LIMIT-008). It reports whether it did. No tombstone keeps a copy of the op out that is still under way.
func (e *Engine) yields(now time.Time, o *object, f *wire.Frame) bool {
	h := &e.touch(o).head
	h.copies = max(h.copies-1, 0)
	r, copies := o.rows[0], h.copies
	if !e.indebted(o) || r.Class != store.Op || r.Kind == wire.Close {
		return false
	}
	e.purge(o, 0, Settle{Kind: wire.Err, Code: f.Code, Msg: f.Msg, Unknown: copies > 0})
	e.repaid(o, f.ID)
	for range copies {
		e.owe(o, f.ID)
	}
	e.openFailed(now, o, &r.Row)
	e.advance(now, o)
	return true
}

// backOff keeps the head where it is and sends it again later, each time after a longer while (SUBSTRATE-FINALITY-007). One transmission
// is refused once.
func (e *Engine) backOff(now time.Time, o *object) {
	if o.head.mode != waiting {
		return
	}
	h := &e.touch(o).head
	h.refusals++
	h.mode, h.due = backing, now.Add(e.cfg.Jitter(retryAfter(h.refusals)))
}

// openFailed ends an object whose open, if r is it, came to nothing (SUBSTRATE-OBJ-001).
func (e *Engine) openFailed(now time.Time, o *object, r *store.Row) {
	rec := e.record(o)
	if r.Kind != wire.Open || rec == nil || rec.State != opening || rec.OpenID != r.ID || rec.Opener != e.cfg.Local {
		return
	}
	e.setRecord(o, ended(rec, rejected, now))
}
