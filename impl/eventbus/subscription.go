package eventbus

import (
	"context"
	"iter"
	"math"
	"sync/atomic"
)

// Subscription is one subscriber's queue and position (EVENTBUS-SUBSCRIBE-006). All its methods may be called by any number of
// goroutines.
//
// What is buffered is a range of places of the bus, from pos to the newest or, once detached, to end, with synthetic frames
// in front of some of them. A consumer takes the next place by moving pos, without a lock unless there is a frame, a new
// chunk or nothing in front of it.
type Subscription struct {
	bus *Bus
	// pos is the place to be taken next, with the bit heldOff while consumers must not move it.
	pos atomic.Int64
	// barrier is the first place that may only be taken under the lock. It is only ever set beyond the newest.
	barrier atomic.Int64
	// chunk holds pos, unless it is nil or a different one.
	chunk atomic.Pointer[chunk]

	// All below is guarded by the bus's lock.

	id        int64
	index     int // in Bus.subs
	waitIndex int // in Bus.waiting, -1: not there
	maxQueued int
	capacity  int64 // maxQueued, small enough to be multiplied
	liveFrom  int64 // the first place that is not a replay
	marks     []mark
	warned    bool
	// Outside a warning episode no threshold is reached below both of these.
	nextPlace  int64
	nextOctets int64
	diagnose   func(Diagnostic) bool
	stop       func() bool // takes the abort signal off
	waiters    waiters

	detached bool
	end      int64    // the first place that is not delivered
	chunks   []*chunk // of pos..end-1, once detached
	link     *Subscription
}

// mark is a synthetic frame in front of a place.
type mark struct {
	at     int64
	frame  *Event
	skipTo int64 // where to go on behind the frame; 0: at
}

const (
	// heldOff in pos keeps consumers from moving it.
	heldOff = 1 << 62
	// gone is the pos of a subscription that has nothing left.
	gone = 1 << 61
)

// endedSubscription returns one that never had anything.
func endedSubscription(b *Bus) *Subscription {
	s := &Subscription{bus: b, waitIndex: -1, detached: true, end: gone}
	s.pos.Store(gone)
	return s
}

// place returns pos.
func (s *Subscription) place() int64 { return s.pos.Load() &^ heldOff }

// freeze returns pos and keeps it as it is until the bus is thawed, which must be before the lock is given back.
func (s *Subscription) freeze() int64 {
	for {
		p := s.pos.Load()
		if p&heldOff != 0 {
			return p &^ heldOff
		}
		if s.pos.CompareAndSwap(p, p|heldOff) {
			s.bus.frozen = append(s.bus.frozen, s)
			return p
		}
	}
}

// moveTo sets pos of a frozen subscription.
func (s *Subscription) moveTo(place int64) { s.pos.Store(place | heldOff) }

// thaw lets consumers of frozen subscriptions go on.
func (b *Bus) thaw() {
	for i, s := range b.frozen {
		s.pos.Store(s.place())
		b.frozen[i] = nil
	}
	b.frozen = b.frozen[:0]
}

// mark puts a frame behind all that is buffered.
//
// EVENTBUS-QUEUE-010
func (s *Subscription) mark(m mark) {
	s.marks = append(s.marks, m)
	s.raise()
}

// raise sets the barrier.
func (s *Subscription) raise() {
	barrier := s.end
	if len(s.marks) > 0 {
		barrier = min(barrier, s.marks[0].at)
	}
	s.barrier.Store(barrier)
}

// detach takes the subscription off the bus; what is buffered in front of end can still be taken, and nothing is added any
// more (EVENTBUS-QUEUE-011). It leaves s frozen, and must not be called twice.
func (s *Subscription) detach(end int64, after *aftermath) {
	b := s.bus
	s.detached, s.end = true, end
	// Chunks of its own, so that a consumer that never comes back does not keep what is published later.
	if s.chunks = b.retained.span(s.freeze(), end); s.chunks == nil {
		s.chunk.Store(nil)
	}
	s.takeOff(after)
}

// takeOff is the part of detach that is the same whatever becomes of the buffer.
func (s *Subscription) takeOff(after *aftermath) {
	b := s.bus
	s.raise()
	s.rearm()
	last := len(b.subs) - 1
	b.subs[s.index] = b.subs[last]
	b.subs[s.index].index = s.index
	b.subs[last] = nil
	b.subs = b.subs[:last]
	for !s.waiters.empty() {
		s.serve(nil, after)
	}
	// EVENTBUS-EVICT-006, EVENTBUS-CLOSE-005
	if s.stop != nil {
		s.link, after.detached = after.detached, s
	}
	b.release()
}

// Abort ends the subscription at once: what is buffered is dropped, a parked Next returns, the slot is free. It does nothing
// to a subscription that was aborted, closed or evicted, or whose bus was closed (EVENTBUS-ABORT-004, EVENTBUS-EVICT-006).
//
// EVENTBUS-ABORT-001, EVENTBUS-ABORT-002
func (s *Subscription) Abort() { s.leave(true) }

// Close frees the slot and ends the subscription, as leaving a loop over it does. What is buffered can still be taken
// (EVENTBUS-ABORT-006). It may be called again.
//
// EVENTBUS-ABORT-005
func (s *Subscription) Close() { s.leave(false) }

func (s *Subscription) leave(drop bool) {
	b := s.bus
	b.mu.Lock()
	if s.detached {
		b.mu.Unlock()
		return
	}
	var after aftermath
	if drop {
		s.freeze()
		s.moveTo(gone)
		s.detached, s.end, s.marks = true, gone, nil
		s.chunk.Store(nil)
		s.takeOff(&after)
	} else {
		s.detach(b.last+1, &after)
	}
	b.thaw()
	b.mu.Unlock()
	after.run()
}

// Ended says that nothing is buffered and nothing will come.
func (s *Subscription) Ended() bool {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.detached && len(s.marks) == 0 && s.place() >= s.end
}

// Waiting says that a Next is parked: the next event is handed to it directly (EVENTBUS-QUEUE-003).
func (s *Subscription) Waiting() bool {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return !s.waiters.empty()
}

// All yields what Next returns until the subscription ends or ctx does. Leaving the loop, in whichever way, is Close.
func (s *Subscription) All(ctx context.Context) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		defer s.Close()
		for {
			e, err := s.Next(ctx)
			if err != nil || !yield(e) {
				return
			}
		}
	}
}

// behind returns how many frames are buffered.
func (s *Subscription) behind(pos int64) int64 {
	n := int64(len(s.marks))
	end := min(s.end, s.bus.last+1)
	for _, m := range s.marks {
		if m.skipTo > 0 {
			n -= m.skipTo - m.at
		}
	}
	if pos < end && end != math.MaxInt64 {
		n += end - pos
	}
	return n
}
