package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// refusal is the incarnation of a reject that the engine itself answers an open with: it belongs to no object and dies with none.
const refusal = 1 << 62

// A row is one of the outbox. It is never changed.
type row struct {
	store.Row
	n  uint64    // order in this process
	at time.Time // when it was enqueued; zero: before this process
}

// The causes for which a row leaves the outbox (SUBSTRATE-OUTBOX-006). Each is counted, and nothing else removes one (SUBSTRATE-OBSERVE-011).
type cause uint8

const (
	byAck cause = iota + 1
	byAnswer
	byPurge
)

// admits returns why no further row can be queued for an object, or nil. Answers and close are exempt from the cap (SUBSTRATE-LIMIT-002).
func (e *Engine) admits(o *object, name, verb string) error {
	exempt := verb != wire.Open && verb != wire.Send && verb != wire.Req
	if o == nil {
		return nil
	}
	if !exempt && len(o.rows) >= e.limits.Outbox {
		return &Error{Verb: verb, Obj: name, Code: wire.QueueFull, Limit: e.limits.Outbox, Found: len(o.rows) + 1}
	}
	// SUBSTRATE-SEQ-012
	if o.cnt.LastAssigned >= wire.MaxSeq {
		return &Error{Verb: verb, Obj: name, Code: SeqExhausted}
	}
	return nil
}

// enqueue queues a row, with the next seq of its object (SUBSTRATE-SEQ-001), and sends it if nothing is before it (SUBSTRATE-OUTBOX-002).
// The effects wait until the row is written (SUBSTRATE-OUTBOX-001).
func (e *Engine) enqueue(now time.Time, o *object, r store.Row) {
	s := e.touch(o)
	s.cnt.LastAssigned++
	o.dirtyCounter = true
	r.Obj, r.Seq = o.name, s.cnt.LastAssigned
	first := len(s.rows) == 0
	// SUBSTRATE-OUTBOX-008: the time of the first transmission is written before it.
	if first && e.up() {
		r.FirstSent = wall(now)
	}
	e.batch.Rows = append(e.batch.Rows, r)
	e.batch.Durable = true
	s.rows = append(s.rows, &row{Row: r, n: next(&e.order), at: now})
	if r.Incarnation == refusal {
		e.refusals++
	}
	if r.Class == store.Answer {
		s.answers++
	}
	e.mark(mark{kind: count, name: observe.OpsEnqueued, n: 1})
	e.markDepth(o)
	if first {
		e.seat(o)
		e.transmit(now, o)
	}
}

// free removes the head of an object that the peer has taken, which makes it a predecessor (SUBSTRATE-SEQ-009). The caller advances.
func (e *Engine) free(now time.Time, o *object, why cause) {
	s := e.touch(o)
	r, h := s.rows[0], s.head
	s.cnt.LastPred = r.Seq
	o.dirtyCounter = true
	e.drop(o, 0)
	if why == byAck {
		// SUBSTRATE-OBSERVE-003, SUBSTRATE-OBSERVE-005
		e.mark(mark{kind: count, name: observe.OpsAcked, n: 1})
		// Of a row that an earlier process has sent there is the wall clock alone, which may have been set back since.
		e.mark(mark{kind: sample, name: observe.AckLatency, d: max(now.Sub(h.first), 0)})
	} else {
		e.mark(mark{kind: count, name: observe.OpsAnswered, n: 1})
	}
}

// drop removes a row from memory and stages its removal from the store, which need not be on the disk: a row that comes back is sent
// again and found to be a duplicate.
func (e *Engine) drop(o *object, i int) {
	s := e.touch(o)
	r := s.rows[i]
	e.batch.DropRows = append(e.batch.DropRows, store.Place{Obj: o.name, Seq: r.Seq})
	if r.Incarnation == refusal {
		e.refusals--
	}
	if r.Class == store.Answer {
		s.answers--
	}
	if i == 0 {
		s.head = head{}
	}
	switch {
	case len(s.rows) == 1:
		s.rows = nil
	case i == 0:
		s.rows = s.rows[1:]
	default:
		s.rows = append(append(make([]*row, 0, len(s.rows)), s.rows[:i]...), s.rows[i+1:]...)
	}
	e.markDepth(o)
}

// advance makes the first row the head, unless it is, and sends it.
func (e *Engine) advance(now time.Time, o *object) {
	if len(o.rows) > 0 && !o.head.seated {
		e.seat(o)
		e.transmit(now, o)
	}
}

// purge removes row i, which has come to a terminal end, and tells the application once (SUBSTRATE-FINALITY-006, SUBSTRATE-FINALITY-008).
// The caller advances.
func (e *Engine) purge(o *object, i int, s Settle) {
	r := o.rows[i]
	if i == 0 && o.head.mode == waiting {
		e.owe(o, r.ID)
	}
	e.drop(o, i)
	e.batch.Durable = true // a row that came back would be said to be futile once more
	e.mark(mark{kind: count, name: observe.OpsPurged, n: 1})
	if r.Class == store.Op {
		e.settle(r.ID, s)
	}
	e.futile(r.Obj, r.ObjKind, r.ID, s.Code, s.Unknown)
}

// futile says that an op will not take effect.
func (e *Engine) futile(obj, objKind, id, code string, unknown bool) {
	e.mark(mark{kind: count, name: observe.Futile, labels: observe.Labels{Code: code}, n: 1})
	e.happen(observe.EventFutile, observe.Warn, observe.Fields{Obj: obj, ObjKind: objKind, ID: id, Code: code, Unknown: unknown})
}
