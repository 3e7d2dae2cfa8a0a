package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// take commits an op or an answer: what it changes, its entry in the ledger and its row in the inbox are written together
// (SUBSTRATE-DEDUPE-007). The ack leaves when they are, and waits for no handler (SUBSTRATE-ACK-001, SUBSTRATE-ACK-002).
func (e *Engine) take(now time.Time, f *wire.Frame) {
	o := e.object(f.Obj)
	e.touch(o).seq.next = f.Seq + 1
	e.enter(now, f)
	e.ack(f, "")
	e.apply(now, o, f, false)
}

// apply does what an op or an answer says.
func (e *Engine) apply(now time.Time, o *object, f *wire.Frame, fed bool) {
	switch f.Kind {
	case wire.Open:
		e.opened(now, o, f, fed)
	case wire.Close:
		e.closedBy(now, o, f, fed)
	case wire.Send, wire.Req:
		e.hand(o, f, fed)
	default:
		e.answer(now, o, f)
	}
}

// opened begins an incarnation that the peer opens, or rejects it (SUBSTRATE-OBJ-006, SUBSTRATE-OBJ-007).
func (e *Engine) opened(now time.Time, o *object, f *wire.Frame, fed bool) {
	if code := e.rejects(o); code != "" {
		if fed {
			return
		}
		e.enqueue(now, o, store.Row{
			ObjKind: f.ObjKind, Class: store.Answer, Kind: wire.Reject, ID: f.ID, Incarnation: refusal, Code: code,
		})
		return
	}
	e.setRecord(o, e.begins(o, f.ObjKind, e.cfg.Remote, f.ID))
	e.hand(o, f, fed)
}

// closedBy ends an object that the peer closes. One that has ended already stays as it is (SUBSTRATE-FINALITY-009). So does one whose open by
// this side is not answered: the peer answers an open with accept or reject (SUBSTRATE-VERB-001), so that its close is about an incarnation
// before that, and was under way when this one began.
func (e *Engine) closedBy(now time.Time, o *object, f *wire.Frame, fed bool) {
	r := e.record(o)
	if !alive(r) || e.glares(o) {
		return
	}
	e.kill(now, o, r.Incarnation, wire.Closed)
	e.reopen(o)
	e.advance(now, o)
	e.hand(o, f, fed)
}

// fits reports whether an answer of one kind can be one to an op of the other (SUBSTRATE-VERB-001, SUBSTRATE-VERB-003).
func fits(answer, op string) bool {
	switch answer {
	case wire.Accept, wire.Reject:
		return op == wire.Open
	case wire.Res, wire.End:
		return op == wire.Req
	}
	return true
}

// waiter returns the call that an answer settles, or nil.
func (e *Engine) waiter(o *object, f *wire.Frame) *call {
	c := e.calls[f.ID]
	if c == nil || o == nil || classOf(f.Kind) != store.Answer || c.Obj != f.Obj || !fits(f.Kind, c.Kind) || !o.sent(c.seq) {
		return nil
	}
	return c
}

// answer settles the call that an answer is keyed to, on whatever connection it comes (SUBSTRATE-ANSWER-001). If the row of the op is still
// in flight the answer proves that the peer has it (SUBSTRATE-ANSWER-004).
func (e *Engine) answer(now time.Time, o *object, f *wire.Frame) {
	c, there := e.waiter(o, f), false
	if o.transmitted() {
		if r := o.rows[0]; r.ID == f.ID && r.Class == store.Op && fits(f.Kind, r.Kind) {
			there = true
			e.free(now, o, byAnswer)
		}
	}
	e.answerObject(now, o, f)
	switch {
	case c == nil:
		// SUBSTRATE-ANSWER-005
		e.happen(observe.EventOrphanAnswer, observe.Info, observe.Fields{Obj: f.Obj, ObjKind: f.ObjKind, Verb: f.Kind, ID: f.ID, Code: f.Code})
	default:
		// SUBSTRATE-OBSERVE-005
		if c.answered() {
			e.mark(mark{kind: sample, name: observe.AnswerLatency, d: now.Sub(c.at)})
		}
		e.settle(c.ID, Settle{Kind: f.Kind, Code: f.Code, Msg: f.Msg, Body: f.Body})
	}
	if terminal, _ := wire.ClassOf(f.Code); f.Kind == wire.Err && terminal && (c != nil || there) {
		// SUBSTRATE-FINALITY-006, SUBSTRATE-FINALITY-008: once. Of an op of which neither caller nor row is left it may have been said before.
		e.futile(f.Obj, f.ObjKind, f.ID, f.Code, false)
	}
	if e.kills(o, f) {
		e.kill(now, o, e.record(o).Incarnation, f.Code)
		e.reopen(o)
	}
	e.advance(now, o)
}

// answerObject moves an object that this side has opened, if the answer is the one to its open. The record says so, also after a restart
// (SUBSTRATE-OBJ-001, SUBSTRATE-OBJ-002).
func (e *Engine) answerObject(now time.Time, o *object, f *wire.Frame) {
	r := e.record(o)
	if !e.glares(o) || r.OpenID != f.ID || e.kills(o, f) {
		return
	}
	switch f.Kind {
	case wire.Accept:
		x := *r
		x.State = live
		e.setRecord(o, x)
	case wire.Reject, wire.Err:
		e.setRecord(o, ended(r, rejected, now))
	}
}

// sent reports whether the row with a seq has left, or at least was sent.
func (o *object) sent(seq uint64) bool {
	return len(o.rows) == 0 || seq < o.rows[0].Seq || seq == o.rows[0].Seq && o.transmitted()
}
