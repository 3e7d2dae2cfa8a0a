package eventbus

import "math"

// arrival is the event of the publication under way.
type arrival struct {
	event *Event
	place int64
	size  int64 // 0 if not known
	known bool
}

// admitAll offers a to every subscriber, and looks up anew from when on that is necessary again.
func (b *Bus) admitAll(a arrival, after *aftermath) {
	b.nextPlace, b.nextOctets = math.MaxInt64, math.MaxInt64
	for i := len(b.subs) - 1; i >= 0; i-- {
		s := b.subs[i]
		breathe()
		switch {
		case !s.waiters.empty():
			s.handOver(a.event, a.place, after)
			s.watch(a.place + 1)
		case s.warned:
			s.admit(a, after)
		default:
			// Consumers may go on meanwhile: that only lowers the backlog, and no threshold is reached from below by that.
			if s.watch(s.from(s.place())); a.place >= s.nextPlace || b.octets >= s.nextOctets {
				s.admit(a, after)
			}
		}
	}
}

// from returns the place of the first live frame that is left if the consumer has come as far as pos. Replayed events do not
// count (EVENTBUS-QUEUE-002).
func (s *Subscription) from(pos int64) int64 { return max(pos, s.liveFrom) }

// octetsBefore returns the size of all events ahead of place, which is retained or the next.
func (b *Bus) octetsBefore(place int64) int64 {
	if place > b.last {
		return b.octets
	}
	return b.retained.event(place).before
}

// watch notes the earliest publication that can take a backlog that begins at from to a warning. Draining only puts it off.
func (s *Subscription) watch(from int64) {
	b := s.bus
	s.nextPlace = from + threeQuarters(s.capacity) - 1
	s.nextOctets = b.octetsBefore(from) + threeQuarters(b.config.MaxQueuedBytes)
	b.nextPlace = min(b.nextPlace, s.nextPlace)
	b.nextOctets = min(b.nextOctets, s.nextOctets)
}

// threeQuarters returns the least integer that reachesWarning accepts.
func threeQuarters(limit int64) int64 { return (3*limit + 3) / 4 }

// reachesWarning says n >= 0.75*limit, unrounded.
//
// EVENTBUS-WARN-001, EVENTBUS-WARN-002
func reachesWarning(n, limit int64) bool { return 4*n >= 3*limit }

// allowsRearm says n <= 0.375*limit, unrounded.
//
// EVENTBUS-WARN-004
func allowsRearm(n, limit int64) bool { return 8*n <= 3*limit }

// admit queues a or evicts the subscriber, and warns it.
func (s *Subscription) admit(a arrival, after *aftermath) {
	b := s.bus
	from := s.from(s.freeze())
	breathe()
	// EVENTBUS-QUEUE-007: the sum of what was recorded when each was queued.
	frames, octets := a.place-from, a.event.before-b.octetsBefore(from)
	// EVENTBUS-QUEUE-001, EVENTBUS-QUEUE-006: the frame cap is asked first.
	if frames >= s.capacity {
		s.evict(a, queueOverflow, frames, octets, after)
		return
	}
	// EVENTBUS-QUEUE-004, EVENTBUS-QUEUE-005
	if a.known && frames > 0 && octets+a.size > b.config.MaxQueuedBytes {
		s.evict(a, bytesOverflow, frames, octets, after)
		return
	}
	frames, octets = frames+1, octets+a.size
	// EVENTBUS-WARN-004, EVENTBUS-WARN-005: only here, with the event counted.
	if s.warned && allowsRearm(frames, s.capacity) && allowsRearm(octets, b.config.MaxQueuedBytes) {
		s.rearm()
	}
	// EVENTBUS-WARN-003
	if !s.warned {
		byFrames, byOctets := reachesWarning(frames, s.capacity), reachesWarning(octets, b.config.MaxQueuedBytes)
		if byFrames || byOctets {
			s.warn(a, frames, octets, byFrames, byOctets)
			return
		}
		s.watch(from)
	}
}

// handOver gives a to the call of Next that has waited longest. It is neither counted nor sized (EVENTBUS-QUEUE-003), and
// leaves an empty queue, which ends a warning episode (EVENTBUS-WARN-006).
func (s *Subscription) handOver(e *Event, place int64, after *aftermath) {
	s.pos.Store(place + 1)
	if c := s.chunk.Load(); c != nil && place-c.base >= int64(len(c.slots)) {
		s.chunk.Store(nil)
	}
	s.serve(e, after)
	s.rearm()
}

func (s *Subscription) rearm() {
	if s.warned {
		s.warned = false
		s.bus.warned--
	}
}

// warn puts a warning behind a, for this subscriber only.
//
// EVENTBUS-WARN-007, EVENTBUS-WARN-010
func (s *Subscription) warn(a arrival, frames, octets int64, byFrames, byOctets bool) {
	b := s.bus
	s.warned = true
	b.warned++
	data := object{}
	// EVENTBUS-WARN-008
	data.number("queueSize", frames)
	data.number("maxQueued", int64(s.maxQueued))
	data.number("lastEventId", a.event.ID)
	// EVENTBUS-WARN-009
	if b.config.Dialect == Later {
		data.number("queuedBytes", octets)
		data.number("maxQueuedBytes", b.config.MaxQueuedBytes)
		switch {
		case byFrames && byOctets:
			data.text("threshold", "frames_and_bytes")
		case byOctets:
			data.text("threshold", "bytes")
		default:
			data.text("threshold", "frames")
		}
	}
	s.mark(mark{at: a.place + 1, frame: data.frame(typeWarning)})
	b.reportFor(s, SlowClientWarning, a, data)
}

// The reasons of an eviction.
const (
	queueOverflow = "queue_overflow"
	bytesOverflow = "queue_bytes_overflow"
)

// evict ends the subscription in front of a, with one frame that says why.
//
// EVENTBUS-EVICT-001, EVENTBUS-EVICT-002, EVENTBUS-EVICT-007, EVENTBUS-WARN-011; EVENTBUS-WARN-012: no warning need come first.
func (s *Subscription) evict(a arrival, reason string, frames, octets int64, after *aftermath) {
	b := s.bus
	data := object{}
	// EVENTBUS-EVICT-003, EVENTBUS-EVICT-005
	data.text("reason", reason)
	// EVENTBUS-EVICT-004
	data.number("droppedAfter", a.event.ID)
	data.number("queueSize", frames)
	data.number("maxQueued", int64(s.maxQueued))
	data.number("queuedBytes", octets)
	data.number("maxQueuedBytes", b.config.MaxQueuedBytes)
	if reason == bytesOverflow {
		data.number("eventBytes", a.size)
	}
	s.mark(mark{at: a.place, frame: data.frame(typeEvicted)})
	s.detach(a.place, after)
	b.reportFor(s, SubscriberEvicted, a, data)
}
