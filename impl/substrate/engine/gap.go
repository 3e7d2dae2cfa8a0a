package engine

import (
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const (
	// gapAge is how long a gap may last before each resync (SUBSTRATE-SEQ-006, SUBSTRATE-SEQ-007).
	gapAge = 30 * time.Second
	// gapResyncs is how many resyncs are sent for a gap before the connection is given up.
	gapResyncs = 3
	// answerEvery is how often a resync is answered for an object (SUBSTRATE-SEQ-008).
	answerEvery = 10 * time.Second
	// tick is the least that a clock moves on.
	tick = time.Millisecond
)

// An early frame waits for those before it. It is neither committed nor acked (SUBSTRATE-SEQ-013).
type early struct {
	f  *wire.Frame
	at time.Time
}

// buffer keeps a frame that is ahead, in the order of seqs. One that is there already is dropped, as is one that does not fit
// (SUBSTRATE-SEQ-004).
func (e *Engine) buffer(now time.Time, o *object, f *wire.Frame) {
	at, found := slices.BinarySearchFunc(o.seq.gap, f.Seq, func(x early, seq uint64) int {
		switch {
		case x.f.Seq < seq:
			return -1
		case x.f.Seq > seq:
			return 1
		}
		return 0
	})
	size := len(f.Body)
	if found || len(o.seq.gap) >= e.limits.Window || o.seq.gapBytes+size > e.limits.GapBytes || e.gapBytes+size > e.limits.PeerGapBytes {
		return
	}
	s := &e.touch(o).seq
	if len(s.gap) == 0 {
		s.since, s.resyncs, s.last = now, 0, time.Time{}
	}
	gap := make([]early, 0, len(s.gap)+1)
	gap = append(append(gap, s.gap[:at]...), early{f, now})
	s.gap = append(gap, o.seq.gap[at:]...)
	s.gapBytes += size
	e.gapBytes += size
	// SUBSTRATE-OBSERVE-007
	e.mark(mark{kind: count, name: observe.SeqDeferred, n: 1})
}

// unbuffer removes the first n frames that wait.
func (e *Engine) unbuffer(o *object, n int) {
	s := &e.touch(o).seq
	for _, x := range s.gap[:n] {
		s.gapBytes -= len(x.f.Body)
		e.gapBytes -= len(x.f.Body)
	}
	if s.gap = s.gap[n:]; len(s.gap) == 0 {
		s.gap = nil
	}
}

// clearGap forgets all frames that wait.
func (e *Engine) clearGap(o *object) { e.unbuffer(o, len(o.seq.gap)) }

// drain takes up the frames whose turn has come. What is left waits for another gap, which is as old as the first of them to come
// (SUBSTRATE-SEQ-007).
func (e *Engine) drain(now time.Time, o *object) {
	moved := false
	for len(o.seq.gap) > 0 {
		f := o.seq.gap[0].f
		v := o.seq.judge(f, e.limits.Window)
		if v == ahead || v == beyond {
			break
		}
		e.unbuffer(o, 1)
		moved = true
		// SUBSTRATE-SEQ-005, SUBSTRATE-DEDUPE-001: what has come to be below the frontier is acked like any other copy.
		if taken := e.resume(now, f, v == inSequence); v == inSequence && !taken {
			break
		}
	}
	if moved {
		e.ageGap(o)
	}
}

// ageGap begins the age of a new gap.
func (e *Engine) ageGap(o *object) {
	s := &e.touch(o).seq
	s.since, s.resyncs, s.last = time.Time{}, 0, time.Time{}
	for _, x := range s.gap {
		if s.since.IsZero() || x.at.Before(s.since) {
			s.since = x.at
		}
	}
}

// gapDue returns when something is to be done about a gap.
func (e *Engine) gapDue(o *object) time.Time {
	s := &o.seq
	if len(s.gap) == 0 || !e.up() {
		return time.Time{}
	}
	due := s.since.Add(time.Duration(s.resyncs+1)*gapAge + tick)
	if after := s.last.Add(gapAge); s.resyncs > 0 && due.Before(after) {
		return after
	}
	return due
}

// tickGap asks for what is missing, or gives the connection up (SUBSTRATE-SEQ-006, SUBSTRATE-SEQ-007).
func (e *Engine) tickGap(now time.Time, o *object) {
	if due := e.gapDue(o); due.IsZero() || now.Before(due) {
		return
	}
	s := &e.touch(o).seq
	if s.resyncs == gapResyncs {
		e.endConn(now, CloseTimeout)
		return
	}
	s.resyncs++
	s.last = now
	e.sendResync(o, wire.FieldFromSeq, s.next)
}

// sendResync sends a resync that names a seq in one of its two fields.
func (e *Engine) sendResync(o *object, field wire.Fields, seq uint64) {
	f := &wire.Frame{
		V: wire.Version, Kind: wire.Resync, Obj: o.name, ObjKind: o.wireKind(),
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | field,
	}
	if field == wire.FieldBase {
		f.Base = seq
	} else {
		f.FromSeq = seq
	}
	e.transmitFrame(f)
}

// resynced acts upon a resync of the peer. Nobody is told (SUBSTRATE-VERB-005).
func (e *Engine) resynced(now time.Time, f *wire.Frame) {
	o := e.find(f.Obj)
	switch {
	case o == nil:
	case f.Has&wire.FieldBase != 0 && o.feed.on:
		e.feedBase(o, f.Base)
	case f.Has&wire.FieldBase != 0:
		e.raise(now, o, f.Base)
	default:
		e.answerResync(now, o, f.FromSeq)
	}
}

// raise moves the frontier up to what the peer says is its first row, and never down (SUBSTRATE-SEQ-008).
func (e *Engine) raise(now time.Time, o *object, base uint64) {
	if o.seq.next == 0 || base <= o.seq.next {
		return
	}
	e.touch(o).seq.next = base
	e.drain(now, o)
}

// answerResync sends what there is of what a resync asks for: at most the frame in flight, unchanged (SUBSTRATE-SEQ-008).
func (e *Engine) answerResync(now time.Time, o *object, from uint64) {
	if from > o.cnt.LastAssigned+1 || !o.answered.IsZero() && now.Sub(o.answered) < answerEvery {
		return
	}
	s := e.touch(o)
	s.answered = now
	first := s.cnt.LastAssigned + 1
	if len(s.rows) > 0 {
		first = s.rows[0].Seq
	}
	if first > from {
		e.sendResync(o, wire.FieldBase, min(first, wire.MaxSeq))
	}
	if len(s.rows) > 0 && s.head.mode == waiting {
		s.head.copies++
		e.transmitFrame(s.rows[0].frame(&s.head))
	}
}

// wireKind returns the kind under which frames about an object go out.
func (o *object) wireKind() string {
	switch {
	case o.feed.on:
		return o.feed.kind
	case len(o.rows) > 0:
		return o.rows[0].ObjKind
	}
	return o.objKind()
}
