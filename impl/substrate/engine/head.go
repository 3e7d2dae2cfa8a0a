package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// The schedule of the head of an outbox.
const (
	escalateAfter = 60 * time.Second // after the last retransmission (SUBSTRATE-OUTBOX-005)
	sendHorizon   = 601200000        // ms after the first transmission (SUBSTRATE-OUTBOX-008)
	storeRetry    = 1 * time.Second  // after the store refused to write what has to be written before a transmission
)

// resendAfter are the delays before the retransmissions on one connection (SUBSTRATE-OUTBOX-005).
func resendAfter(n int) (time.Duration, bool) {
	delays := [...]time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second}
	if n >= len(delays) {
		return escalateAfter, false
	}
	return delays[n], true
}

// retryAfter is the delay after the nth retryable bounce, from 1 (SUBSTRATE-FINALITY-007).
func retryAfter(n int) time.Duration {
	return min(time.Second<<min(n-1, 5), 30*time.Second)
}

// The modes of a head.
type mode uint8

const (
	resting mode = iota // not sent on this connection
	waiting             // for its ack
	backing             // off, after a retryable bounce
	held                // until the store works again
)

// A head is the first row of an outbox: the only one that is ever in flight (SUBSTRATE-OUTBOX-002).
type head struct {
	seated    bool
	receipt   [16]byte // minted when the row came to be the head in this process (SUBSTRATE-ACK-005)
	prev      uint64   // seq of the nearest earlier row that the peer has taken (SUBSTRATE-SEQ-009)
	firstSent time.Time
	first     time.Time // of the first transmission, by the monotonic clock if that was in this process
	sent      bool      // in this process
	mode      mode
	resends   int // on this connection
	copies    int // transmissions on this connection that no bounce was received for
	refusals  int // retryable bounces; a reconnect does not reset it
	due       time.Time
}

// seat makes the first row of an outbox its head.
func (e *Engine) seat(o *object) {
	s := e.touch(o)
	s.head = head{seated: true, prev: s.cnt.LastPred, firstSent: s.rows[0].FirstSent}
	e.random(s.head.receipt[:])
}

// transmitted reports whether the head has ever been sent, in this process or before it.
func (o *object) transmitted() bool { return len(o.rows) > 0 && !o.head.firstSent.IsZero() }

// transmit sends the head, if there is a connection, and stages the time if it is the first time.
func (e *Engine) transmit(now time.Time, o *object) {
	if !e.up() || len(o.rows) == 0 {
		return
	}
	s := e.touch(o)
	r, h := s.rows[0], &s.head
	first, late := h.firstSent.IsZero(), o.transmitted() && tooLate(now, h.firstSent)
	switch {
	case (first || late) && e.cautious:
		h.mode, h.due = held, now.Add(storeRetry)
		return
	case late:
		e.expire(now, o)
		return
	case first:
		h.firstSent = wall(now)
		e.batch.Sent = append(e.batch.Sent, store.Sent{Place: store.Place{Obj: o.name, Seq: r.Seq}, At: h.firstSent})
		e.batch.Durable = true
	}
	if h.first.IsZero() {
		h.first = now
		if r.at.IsZero() && !r.FirstSent.IsZero() {
			h.first = r.FirstSent
		}
	}
	h.sent, h.mode = true, waiting
	delay, _ := resendAfter(h.resends)
	h.due = now.Add(e.cfg.Jitter(delay))
	h.copies++
	e.transmitFrame(r.frame(h))
}

// tooLate reports whether a row that was first sent at the time may not be sent again (SUBSTRATE-OUTBOX-008).
func tooLate(now, firstSent time.Time) bool {
	return now.UnixMilli()-firstSent.UnixMilli() >= sendHorizon
}

// frame returns the frame of a row. It is the same every time in one process (SUBSTRATE-OUTBOX-004).
func (r *row) frame(h *head) *wire.Frame {
	f := &wire.Frame{
		V: wire.Version, Kind: r.Kind, Obj: r.Obj, ObjKind: r.ObjKind, ID: r.ID, Seq: r.Seq, Receipt: h.receipt[:], Body: r.Body,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldSeq | wire.FieldReceipt,
	}
	if h.prev != r.Seq-1 {
		f.Prev = h.prev
		f.Has |= wire.FieldPrev
	}
	if r.Cap != nil {
		f.Cap = r.Cap
		f.Has |= wire.FieldCap
	}
	if r.Code != "" {
		f.Code = r.Code
		f.Has |= wire.FieldCode
	}
	if r.Msg != "" {
		f.Msg = r.Msg
		f.Has |= wire.FieldMsg
	}
	return f
}

// transmitFrame leaves a frame to be sent on the live connection.
func (e *Engine) transmitFrame(f *wire.Frame) {
	b, err := wire.Append(nil, f)
	if err != nil {
		panic(err)
	}
	e.emit(Transmit{Conn: e.conn, Bytes: b})
}

// expire purges the head of an outbox: it has been sent for so long that the peer may have forgotten it (SUBSTRATE-OUTBOX-008).
func (e *Engine) expire(now time.Time, o *object) {
	r := o.rows[0]
	e.purge(o, 0, Settle{Code: Expired, Unknown: true})
	e.openFailed(now, o, &r.Row)
	e.advance(now, o)
}

// headDue returns when something is to be done about the head of an outbox.
func (e *Engine) headDue(o *object) time.Time {
	if len(o.rows) == 0 {
		return time.Time{}
	}
	h := &o.head
	var due time.Time
	if e.up() && h.mode != resting {
		due = h.due
	}
	if !h.firstSent.IsZero() {
		if end := h.firstSent.Add(sendHorizon * time.Millisecond); due.IsZero() || end.Before(due) {
			due = end
		}
	}
	return due
}

// tickHead does what is due about the head of an outbox.
func (e *Engine) tickHead(now time.Time, o *object) {
	if len(o.rows) == 0 {
		return
	}
	if h := &o.head; !h.firstSent.IsZero() && tooLate(now, h.firstSent) {
		e.expire(now, o)
		return
	}
	if !e.up() || o.head.mode == resting || now.Before(o.head.due) {
		return
	}
	h := &e.touch(o).head
	switch h.mode {
	case waiting:
		// SUBSTRATE-OUTBOX-005
		if _, again := resendAfter(h.resends); !again {
			e.endConn(now, CloseTimeout)
			return
		}
		h.resends++
	case backing:
		h.resends = 0
	}
	e.transmit(now, o)
}
