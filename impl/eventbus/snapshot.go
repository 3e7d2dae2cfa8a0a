package eventbus

import (
	"cmp"
	"slices"
)

// Snapshot is the state of a bus at one moment.
type Snapshot struct {
	LastEventID int64
	Closed      bool
	// RingLen is how many events can be replayed, RingFirst and RingLast the ids of the oldest and the newest; 0 if there
	// are none.
	RingLen             int
	RingFirst, RingLast int64
	Subscribers         []SubscriberSnapshot // those attached, in the order in which they came
}

// SubscriberSnapshot is the state of one subscriber.
type SubscriberSnapshot struct {
	// ID counts the subscriptions of the bus from 1.
	ID int64
	// Live and LiveBytes are what counts against the caps: the live frames undrained, and their size.
	Live      int
	LiveBytes int64
	// Buffered is the number of all frames undrained.
	Buffered int
	// Waiting says that a Next is parked.
	Waiting bool
	// Warned says that a warning episode is on.
	Warned    bool
	MaxQueued int
}

// Snapshot returns the state of the bus. It holds publishers and consumers up while it looks at each subscriber.
func (b *Bus) Snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.thaw()
	n := Snapshot{LastEventID: b.lastID(), Closed: b.closed, RingLen: int(b.last - b.first + 1)}
	if n.RingLen > 0 {
		n.RingFirst, n.RingLast = b.first+b.seeded, b.lastID()
	}
	for _, s := range b.subs {
		n.Subscribers = append(n.Subscribers, s.snapshot())
	}
	slices.SortFunc(n.Subscribers, func(x, y SubscriberSnapshot) int { return cmp.Compare(x.ID, y.ID) })
	return n
}

func (s *Subscription) snapshot() SubscriberSnapshot {
	pos := s.freeze()
	from := s.from(pos)
	return SubscriberSnapshot{
		ID:        s.id,
		Live:      int(s.bus.last + 1 - from),
		LiveBytes: s.bus.octets - s.bus.octetsBefore(from),
		Buffered:  int(s.behind(pos)),
		Waiting:   !s.waiters.empty(),
		Warned:    s.warned,
		MaxQueued: s.maxQueued,
	}
}
