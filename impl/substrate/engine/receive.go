package engine

import (
	"errors"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// Receive takes one message that came on a connection. It does not keep raw. What comes on another connection than the live one is dropped
// (SUBSTRATE-RECONNECT-004, SUBSTRATE-ACK-007).
func (e *Engine) Receive(now time.Time, conn string, raw []byte) {
	if !e.up() || conn != e.conn {
		return
	}
	f, err := wire.Decode(raw)
	in := input{what: inFrame, at: now, conn: conn, frame: &f}
	// SUBSTRATE-WIRE-006
	switch bad := (*wire.Error)(nil); {
	case errors.As(err, &bad):
		in = input{what: inBroken, at: now, conn: conn, code: bad.CloseCode()}
	case err != nil || f.Has&wire.FieldV != 0 && f.V != wire.Version:
		in = input{what: inBroken, at: now, conn: conn, code: wire.CloseProtocol}
	}
	_ = e.do(in)
}

// frame takes a frame up to where its kind decides. The order of the checks is that of the laws: verb, address and fields; the gate; who
// may end an object; then, in operate, the ledger, tombstones, the object, caps and the sequencer (SUBSTRATE-AUTHZ-002).
func (e *Engine) frame(now time.Time, f *wire.Frame) {
	check := (*wire.Frame).Check
	if e.cfg.Feeds {
		check = (*wire.Frame).CheckFeed
	}
	// SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003, SUBSTRATE-VERB-006: an address that is none is not named in the answer.
	if fault := check(f); fault != nil {
		if fault.Reply {
			e.bounce(now, f, fault.Code, fault.Echo)
		}
		return
	}
	// SUBSTRATE-OBSERVE-006
	e.mark(mark{kind: count, name: observe.IngressOp, labels: observe.Labels{Verb: f.Kind}, n: 1})
	switch f.Kind {
	case wire.Ack:
		e.acked(now, f)
		return
	case wire.EstablishOK, wire.EstablishFail:
		// SUBSTRATE-BOUNCE-003: nothing was established here.
		return
	case wire.Resync:
		if e.cfg.Relay != nil && f.Has&wire.FieldFromSeq != 0 {
			e.resumed(f)
			return
		}
		e.resynced(now, f)
		return
	case wire.Err:
		if f.Bounced() {
			e.bounced(now, f)
			return
		}
	default:
		// SUBSTRATE-AUTHZ-012: the ledger is not asked before.
		if code := e.denied(f); code != "" {
			e.refuse(now, f, code)
			return
		}
	}
	e.allowed(now, f)
}

// refuse answers what the gate has denied. Nothing else is done with it (SUBSTRATE-AUTHZ-003, SUBSTRATE-AUTHZ-004).
func (e *Engine) refuse(now time.Time, f *wire.Frame, code string) {
	if f.Kind == wire.Establish {
		// SUBSTRATE-AUTHZ-009
		e.establishFail(f, code)
		return
	}
	e.bounce(now, f, code, true)
}

// establishFail refuses a stream.
func (e *Engine) establishFail(f *wire.Frame, code string) {
	e.transmitFrame(&wire.Frame{
		V: wire.Version, Kind: wire.EstablishFail, Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID, Code: code,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldCode,
	})
}

// allowed takes an operation on that the gate has let pass.
func (e *Engine) allowed(now time.Time, f *wire.Frame) {
	switch {
	case f.Kind == wire.Establish:
		// SUBSTRATE-VERB-006: there are no streams here.
		e.establishFail(f, wire.Unsupported)
	case f.Kind == wire.Chunk:
		// SUBSTRATE-VERB-004
		e.bounce(now, f, wire.Unsupported, true)
	case (f.Kind == wire.Close || f.Kind == wire.Err) && !e.mayEnd(f):
		// SUBSTRATE-FINALITY-004, SUBSTRATE-FINALITY-005: an err is not answered.
		e.bounce(now, f, wire.NotParticipant, true)
	case e.cfg.Relay != nil:
		e.relay(now, f, false)
	case f.Has&wire.FieldReceipt == 0:
		e.fed(now, f)
	default:
		e.operate(now, f)
	}
}

// mayEnd reports whether the peer takes part in the object of a frame, as far as there is one.
func (e *Engine) mayEnd(f *wire.Frame) bool {
	o := e.find(f.Obj)
	return o == nil || e.participates(o)
}

// acked frees the row that an ack is for, if it is in flight under that receipt. Any other ack is stale and changes nothing
// (SUBSTRATE-ACK-004).
func (e *Engine) acked(now time.Time, f *wire.Frame) {
	o := e.find(f.Obj)
	if o == nil || len(o.rows) == 0 || !o.head.sent || o.rows[0].ID != f.ID || string(o.head.receipt[:]) != string(f.Receipt) {
		e.repaid(o, f.ID)
		e.happen(observe.EventStaleReceipt, observe.Debug, observe.Fields{Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID})
		return
	}
	r := o.rows[0]
	e.free(now, o, byAck)
	// SUBSTRATE-VERB-002
	if c := e.calls[r.ID]; r.Class == store.Op && c != nil && !c.answered() {
		e.settle(r.ID, Settle{Kind: wire.Ack})
	}
	e.advance(now, o)
}

// operate looks an op or an answer up in the ledger, and goes on with it if it is fresh (SUBSTRATE-DEDUPE-004).
func (e *Engine) operate(now time.Time, f *wire.Frame) {
	x, known, err := e.committed(keyOf(f))
	switch {
	case err != nil:
		// SUBSTRATE-STORE-008
		e.bounce(now, f, wire.StoreUnavailable, true)
	case known:
		e.duplicate(f, &x)
	default:
		if e.uncommitted(now, f, false) {
			e.drain(now, e.find(f.Obj))
		}
	}
}

// resume goes on with a frame that has waited. turn says that it is in sequence now.
func (e *Engine) resume(now time.Time, f *wire.Frame, turn bool) bool {
	if e.cfg.Relay != nil {
		return e.relay(now, f, true)
	}
	x, known, err := e.committed(keyOf(f))
	switch {
	case err != nil:
		e.bounce(now, f, wire.StoreUnavailable, true)
		return false
	case known:
		e.duplicate(f, &x)
		return true
	}
	return e.uncommitted(now, f, turn)
}

// uncommitted judges a fresh op or answer and commits it if it is in sequence. turn says that it is known to be. It reports whether the
// frontier may have moved.
func (e *Engine) uncommitted(now time.Time, f *wire.Frame, turn bool) bool {
	if old := e.tombs.find(now, keyOf(f)); old != nil {
		e.rebounce(f, old)
		return false
	}
	o := e.find(f.Obj)
	if code := e.refuses(o, f); code != "" {
		if f.Kind == wire.Err {
			e.unroutable(o, f)
			return o != nil
		}
		e.bounce(now, f, code, true)
		return false
	}
	if o != nil && !turn {
		switch o.seq.judge(f, e.limits.Window) {
		case below:
			// SUBSTRATE-SEQ-005
			e.mark(mark{kind: count, name: observe.DedupeDuplicate, n: 1})
			e.ack(f, "")
			return false
		case ahead:
			e.buffer(now, o, f)
			return false
		case beyond:
			e.bounce(now, f, wire.OutOfSeq, true)
			return false
		}
	}
	e.take(now, f)
	return true
}

// unroutable acks an err that is an answer and has no object that is alive, so that the peer stops sending it. It is acked without being
// committed, and so it counts as a predecessor (SUBSTRATE-BOUNCE-004, SUBSTRATE-SEQ-009).
func (e *Engine) unroutable(o *object, f *wire.Frame) {
	if o != nil && o.seq.next != 0 && o.seq.judge(f, e.limits.Window) == inSequence {
		e.touch(o).seq.next = f.Seq + 1
	}
	e.ack(f, "")
}
