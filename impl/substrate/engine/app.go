package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// An Op is what [Engine.Enqueue] queues.
type Op struct {
	Kind    string // open, close, send or req
	Obj     string
	ObjKind string // of open; for the others empty, or the kind that the object is expected to have
	ID      string // empty: minted. One that is given must not be one of a call that waits, nor of an earlier op
	Cap     []byte // of open: a token for the gate of the peer (SUBSTRATE-AUTHZ-010); nil: none
	Body    []byte // nil: none; empty and not nil: one of no octets (SUBSTRATE-WIRE-004)
}

// Open opens an object. The call is settled by the accept or reject of the peer (SUBSTRATE-VERB-001).
func (e *Engine) Open(now time.Time, kind, obj string, token []byte) (Call, error) {
	return e.Enqueue(now, Op{Kind: wire.Open, Obj: obj, ObjKind: kind, Cap: token})
}

// Send sends a body on an object. The call is settled by the ack (SUBSTRATE-VERB-002).
func (e *Engine) Send(now time.Time, obj string, body []byte) (Call, error) {
	return e.Enqueue(now, Op{Kind: wire.Send, Obj: obj, Body: body})
}

// Req asks something on a session. The call is settled by the one answer (SUBSTRATE-VERB-003).
func (e *Engine) Req(now time.Time, obj string, body []byte) (Call, error) {
	return e.Enqueue(now, Op{Kind: wire.Req, Obj: obj, Body: body})
}

// Close closes an object: here at once, there once it is committed. What was queued before is still sent; calls that wait for an answer
// are rejected (SUBSTRATE-VERB-001, SUBSTRATE-ANSWER-006).
func (e *Engine) Close(now time.Time, obj string) (Call, error) {
	return e.Enqueue(now, Op{Kind: wire.Close, Obj: obj})
}

// Enqueue queues an op. Without a connection it waits for one (SUBSTRATE-RECONNECT-005). The error is an [*Error] or one of package wire,
// and says that nothing has changed; if the store refuses the op later, [Settle] says so. What the op leads to must not be changed.
//
// A send or a req may name an object that this side knows nothing of: the peer says what it thinks of it.
func (e *Engine) Enqueue(now time.Time, op Op) (Call, error) {
	e.now = now
	if op.ID == "" {
		op.ID = e.ids.Next()
	}
	c := &call{Call: Call{ID: op.ID, Kind: op.Kind, Obj: op.Obj}, at: now}
	if err := e.do(input{what: inOp, at: now, op: &op, call: c}); err != nil {
		return Call{}, err
	}
	return c.Call, nil
}

// enqueueOp queues an op, or returns why not and changes nothing.
func (e *Engine) enqueueOp(now time.Time, op *Op, c *call) error {
	// SUBSTRATE-ADDR-003
	if err := wire.ValidAddress(op.Obj); err != nil {
		return err
	}
	o := e.find(op.Obj)
	r := e.record(o)
	// SUBSTRATE-ADDR-005: the name says nothing of the kind.
	kind := op.ObjKind
	if r != nil && op.Kind != wire.Open {
		kind = r.Kind
	} else if kind == "" {
		kind = wire.Session
	}
	code := e.refusesLocal(op, r, kind)
	if code == "" && e.calls[op.ID] != nil {
		code = wire.AlreadyExists
	}
	if code != "" {
		return &Error{Verb: op.Kind, Obj: op.Obj, Code: code}
	}
	// SUBSTRATE-LIMIT-001
	if len(op.Body) > wire.MaxBody {
		return &Error{Verb: op.Kind, Obj: op.Obj, Code: wire.PayloadTooLarge, Limit: wire.MaxBody, Found: len(op.Body)}
	}
	if len(op.Cap) > wire.MaxCap {
		return &Error{Verb: op.Kind, Obj: op.Obj, Code: wire.PayloadTooLarge, Limit: wire.MaxCap, Found: len(op.Cap)}
	}
	if err := e.admits(o, op.Obj, op.Kind); err != nil {
		return err
	}
	e.launch(now, op, kind, c)
	return nil
}

// launch queues an op that nothing speaks against.
func (e *Engine) launch(now time.Time, op *Op, kind string, c *call) {
	o := e.object(op.Obj)
	if op.Kind == wire.Open {
		e.setRecord(o, e.begins(o, kind, e.cfg.Local, op.ID))
		if e.cfg.Feeds {
			e.follow(o, kind)
		}
	}
	c.objKind, c.incarnation, c.seq, c.n = kind, e.incarnation(o), o.cnt.LastAssigned+1, next(&e.order)
	e.wait(c)
	e.traceCall(c)
	e.enqueue(now, o, store.Row{
		ObjKind: kind, Class: store.Op, Kind: op.Kind, ID: op.ID, Incarnation: c.incarnation, Cap: op.Cap, Body: op.Body,
	})
	if op.Kind == wire.Close {
		// Whatever was asked before, the close is behind it.
		e.failCalls(o.name, 0, c.incarnation, wire.Closed)
		e.close(now, o, wire.Closed)
	}
}

// refusesLocal returns the code with which an op of the application is refused because of its kind or the record of its object, or
// nothing.
func (e *Engine) refusesLocal(op *Op, r *store.Object, kind string) string {
	known := kind == wire.Session || kind == wire.Queue
	switch {
	case e.cfg.Relay != nil || !known:
		return wire.Unsupported
	case !wire.ValidID(op.ID), op.Cap != nil && op.Kind != wire.Open:
		return wire.BadFrame
	}
	switch op.Kind {
	case wire.Open:
		switch {
		case alive(r):
			return wire.AlreadyExists
		case e.live >= e.limits.Objects:
			// SUBSTRATE-LIMIT-003
			return wire.RateLimited
		}
		return ""
	case wire.Send, wire.Req, wire.Close:
	default:
		// SUBSTRATE-VERB-004
		return wire.Unsupported
	}
	switch {
	case op.ObjKind != "" && op.ObjKind != kind:
		return wire.KindMismatch
	case op.Kind == wire.Req && kind == wire.Queue:
		// SUBSTRATE-OBJ-004
		return wire.Unsupported
	case r == nil && op.Kind == wire.Close, r != nil && r.State == rejected:
		return NotLive
	case r != nil && r.State == closed:
		return wire.Closed
	case r != nil && r.State == opening && (op.Kind != wire.Close || r.Opener != e.cfg.Local):
		// SUBSTRATE-OBJ-005: who has not opened it answers the open.
		return NotLive
	}
	return ""
}
