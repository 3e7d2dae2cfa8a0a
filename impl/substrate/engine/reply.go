package engine

import (
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// handled is the verb of [Engine.Handled].
const handled = "handled"

// A reply is what the application says to a delivery.
type reply struct {
	verb      string
	d         Delivery
	code, msg string
	body      []byte
	queued    bool
}

// Accept accepts an open: the object is live (SUBSTRATE-OBJ-001). Like every answer it is an op of this side, queued and written before it
// is sent (SUBSTRATE-ANSWER-002); and it says that the delivery is handled, if that was not said before. The errors of the answers are
// [*Error]: nothing has changed then, and Handled is still to be called.
func (e *Engine) Accept(now time.Time, d Delivery) error {
	return e.replies(now, &reply{verb: wire.Accept, d: d})
}

// AcceptQueue accepts the open of a queue whose inbox the host takes from with its own store (SUBSTRATE-OBJ-008).
func (e *Engine) AcceptQueue(now time.Time, d Delivery) error {
	return e.replies(now, &reply{verb: wire.Accept, d: d, queued: true})
}

// Reject rejects an open.
func (e *Engine) Reject(now time.Time, d Delivery, code, msg string) error {
	return e.replies(now, &reply{verb: wire.Reject, d: d, code: code, msg: msg})
}

// Respond answers a req.
func (e *Engine) Respond(now time.Time, d Delivery, body []byte) error {
	return e.replies(now, &reply{verb: wire.Res, d: d, body: body})
}

// End answers a req with nothing (SUBSTRATE-VERB-003).
func (e *Engine) End(now time.Time, d Delivery) error {
	return e.replies(now, &reply{verb: wire.End, d: d})
}

// Fail answers a req, or a send that is being handled, with an error; an open it rejects. A code of object scope closes the object here as
// it does there (SUBSTRATE-FINALITY-002).
func (e *Engine) Fail(now time.Time, d Delivery, code, msg string) error {
	verb := wire.Err
	if d.Kind == wire.Open {
		verb = wire.Reject
	}
	return e.replies(now, &reply{verb: verb, d: d, code: code, msg: msg})
}

// Handled says that the application is done with a delivery, whether it has answered it or will. The next one of the object follows
// (SUBSTRATE-DEDUPE-008).
func (e *Engine) Handled(now time.Time, d Delivery) error {
	return e.replies(now, &reply{verb: handled, d: d})
}

func (e *Engine) replies(now time.Time, r *reply) error {
	return e.do(input{what: inReply, at: now, reply: r})
}

// reply does what the application says, or returns why not and changes nothing.
func (e *Engine) reply(now time.Time, r *reply) error {
	o := e.find(r.d.Obj)
	if code := e.refusesReply(o, r); code != "" {
		return &Error{Verb: r.verb, Obj: r.d.Obj, Code: code}
	}
	if r.verb == handled {
		e.done(o)
		return nil
	}
	if len(r.body) > wire.MaxBody {
		return &Error{Verb: r.verb, Obj: r.d.Obj, Code: wire.PayloadTooLarge, Limit: wire.MaxBody, Found: len(r.body)}
	}
	if err := e.admits(o, r.d.Obj, r.verb); err != nil {
		return err
	}
	incarnation := e.incarnation(o)
	e.settleReply(now, o, r)
	e.enqueue(now, o, store.Row{
		ObjKind: r.d.ObjKind, Class: store.Answer, Kind: r.verb, ID: r.d.ID, Incarnation: incarnation,
		Code: r.code, Msg: r.msg, Body: r.body,
	})
	if r.verb == wire.Reject {
		e.reopen(o)
	}
	if o.holds(&r.d) {
		e.done(o)
	}
	if _, objectScope := wire.ClassOf(r.code); r.verb == wire.Err && objectScope && alive(o.rec) {
		e.failCalls(o.name, 0, incarnation, r.code)
		e.close(now, o, r.code)
	}
	return nil
}

// settleReply changes the record of the object, or the list of what is still to be answered.
func (e *Engine) settleReply(now time.Time, o *object, r *reply) {
	switch r.verb {
	case wire.Accept:
		x := *o.rec
		x.State, x.Queued = live, r.queued
		e.setRecord(o, x)
	case wire.Reject:
		e.setRecord(o, ended(o.rec, rejected, now))
	default:
		s := e.touch(o)
		if i := slices.Index(s.in.asked, r.d.ID); i >= 0 {
			s.in.asked = slices.Delete(slices.Clone(s.in.asked), i, i+1)
		}
	}
}

// refusesReply returns the code with which a reply of the application is refused, or nothing. An op is answered once
// (SUBSTRATE-VERB-003).
func (e *Engine) refusesReply(o *object, r *reply) string {
	if o == nil || e.cfg.Relay != nil {
		return NotPending
	}
	rec := e.record(o)
	switch {
	case r.verb == handled && !o.holds(&r.d):
		return NotPending
	case r.verb == handled:
		return ""
	case (r.verb == wire.Reject || r.verb == wire.Err) && !wire.ValidCode(r.code), len(r.msg) > wire.MaxMsg:
		return wire.BadFrame
	case r.queued && (e.cfg.Journal || e.cfg.Feeds || r.d.ObjKind != wire.Queue):
		// SUBSTRATE-JOURNAL-007
		return wire.Unsupported
	}
	switch r.verb {
	case wire.Accept, wire.Reject:
		switch {
		case r.d.Kind != wire.Open || rec == nil || rec.OpenID != r.d.ID || rec.Opener != e.cfg.Remote:
			return NotPending
		case rec.State == closed:
			return wire.Closed
		case rec.State != opening:
			return NotPending
		}
		return ""
	}
	switch {
	case rec != nil && !alive(rec):
		return wire.Closed
	case slices.Contains(o.in.asked, r.d.ID):
		return ""
	case r.verb != wire.Err || r.d.Kind != wire.Send || !o.holds(&r.d):
		return NotPending
	case o.in.queue[0].Incarnation != e.incarnation(o):
		// It came before the object was closed and opened again.
		return wire.Closed
	}
	return ""
}
