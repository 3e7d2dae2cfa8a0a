package eventbus

import (
	"context"
	"math"
	"sort"
)

// Cursor says after which event a subscription starts. The zero value is no cursor: live events only.
type Cursor struct {
	id  int64
	set bool
}

// After returns the cursor of a subscriber that has everything up to id. After(0) asks for all that is retained
// (EVENTBUS-SUBSCRIBE-003).
func After(id int64) Cursor { return Cursor{id: id, set: true} }

// ID returns the id, and whether there is a cursor.
func (c Cursor) ID() (id int64, ok bool) { return c.id, c.set }

// Options describe a subscription. The zero value works.
type Options struct {
	// After is where to resume.
	After Cursor
	// MaxQueued is how many live frames may be left undrained, 1 or more; 0: DefaultMaxQueued.
	MaxQueued int
	// Epoch is the token of the bus that After comes from, in the Later dialect; empty: not known.
	Epoch string
	// Diagnose, in the Later dialect, receives the diagnostics of this subscription and takes one over by returning true
	// (EVENTBUS-EVICT-008). It is called as Config.Diagnose is.
	Diagnose func(Diagnostic) bool
}

// Subscribe attaches a subscriber: every event published after it has returned is delivered (EVENTBUS-SUBSCRIBE-001). Its
// cost does not depend on how much is replayed.
//
// The end of ctx is the abort signal: it does what Subscription.Abort does, soon. Subscribe fails with
// a *SubscriberLimitError if the bus is full and with a *ConfigError if o.MaxQueued is negative. On a closed bus it returns
// a subscription that has ended, and no error.
func (b *Bus) Subscribe(ctx context.Context, o Options) (*Subscription, error) {
	if o.MaxQueued < 0 {
		return nil, &ConfigError{Field: "MaxQueued", Found: int64(o.MaxQueued), Min: 0, Max: math.MaxInt}
	}
	// EVENTBUS-SUBSCRIBE-004
	orDefault(&o.MaxQueued, DefaultMaxQueued)
	s, err := b.attach(ctx, o)
	if err != nil || ctx == nil || ctx.Done() == nil {
		return s, err
	}
	// Registering with a context may call anything, so the lock is not held over it.
	breathe()
	stop := context.AfterFunc(ctx, s.Abort)
	breathe()
	b.mu.Lock()
	gone := s.detached
	if !gone {
		s.stop = stop
	}
	b.mu.Unlock()
	if gone {
		stop()
	}
	return s, nil
}

func (b *Bus) attach(ctx context.Context, o Options) (*Subscription, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// EVENTBUS-CLOSE-003
	if b.closed {
		return endedSubscription(b), nil
	}
	// EVENTBUS-LIMIT-001, EVENTBUS-LIMIT-003
	if len(b.subs) >= b.config.MaxSubscribers {
		return nil, &SubscriberLimitError{Limit: b.config.MaxSubscribers}
	}
	// EVENTBUS-ABORT-003
	if ctx != nil && ctx.Err() != nil {
		return endedSubscription(b), nil
	}
	b.serial++
	s := &Subscription{
		bus:       b,
		id:        b.serial,
		index:     len(b.subs),
		waitIndex: -1,
		maxQueued: o.MaxQueued,
		capacity:  min(int64(o.MaxQueued), maxSafeInteger),
		liveFrom:  b.last + 1,
		end:       math.MaxInt64,
	}
	s.pos.Store(s.liveFrom)
	s.barrier.Store(math.MaxInt64)
	if b.config.Dialect == Later {
		s.diagnose = o.Diagnose
	}
	// EVENTBUS-SUBSCRIBE-002, EVENTBUS-RESYNC-010
	if o.After.set {
		b.resume(s, o)
	}
	b.subs = append(b.subs, s)
	b.needed = min(b.needed, s.place())
	s.watch(s.liveFrom)
	return s, nil
}

// The reasons of a state_resync_required frame.
const (
	epochReset      = "epoch_reset"
	epochMismatch   = "epoch_mismatch" // a detail of epochReset
	ringEvicted     = "ring_evicted"
	seededNotInRing = "seeded_replay_not_in_ring"
	budgetExceeded  = "replay_budget_exceeded"
)

// resume puts the replay that o asks for in front of the live events of s. None of it is copied: it is a range of places.
func (b *Bus) resume(s *Subscription, o Options) {
	cursor, next := o.After.id, b.lastID()+1
	empty, earliest := b.first > b.last, next
	if !empty {
		earliest = b.first + b.seeded
	}
	start := b.first
	// EVENTBUS-RESYNC-003, EVENTBUS-RESYNC-004: one frame at most, in front of what is replayed all the same.
	mismatch := b.config.Dialect == Later && o.Epoch != "" && o.Epoch != b.epoch
	switch {
	// EVENTBUS-RESYNC-008, EVENTBUS-RESYNC-009
	case mismatch:
		s.mark(mark{at: start, frame: resync(epochReset, epochMismatch, cursor, earliest)})
	// EVENTBUS-RESYNC-005, EVENTBUS-RESYNC-007
	case cursor >= next:
		s.mark(mark{at: start, frame: resync(epochReset, "", cursor, earliest)})
	// EVENTBUS-RESYNC-012
	case empty && cursor < next-1:
		s.mark(mark{at: start, frame: resync(seededNotInRing, "", cursor, earliest)})
	// EVENTBUS-RESYNC-001
	case earliest > cursor+1:
		s.mark(mark{at: start, frame: resync(ringEvicted, "", cursor, earliest)})
	// EVENTBUS-REPLAY-001, EVENTBUS-REPLAY-009
	default:
		start = cursor + 1 - b.seeded
	}
	// EVENTBUS-REPLAY-006, EVENTBUS-REPLAY-007, EVENTBUS-REPLAY-008: live events follow at liveFrom, where counting begins.
	s.pos.Store(start)
	end := b.withinBudget(start, s.liveFrom)
	if end < s.liveFrom {
		// EVENTBUS-REPLAY-011
		s.mark(mark{at: end, skipTo: s.liveFrom, frame: resync(budgetExceeded, "", end-1+b.seeded, end+b.seeded)})
	}
	// EVENTBUS-REPLAY-002
	s.mark(mark{at: s.liveFrom, frame: replayComplete(end-start, end-1+b.seeded)})
}

// withinBudget returns how far a replay of the places from..to-1 goes.
//
// EVENTBUS-REPLAY-010
func (b *Bus) withinBudget(from, to int64) int64 {
	if b.config.Dialect != Later || from >= to {
		return to
	}
	spent := b.octetsBefore(from)
	over := sort.Search(int(to-from), func(i int) bool {
		return b.octetsBefore(from+int64(i)+1)-spent > b.config.ReplayBudgetBytes
	})
	return from + max(int64(over), 1)
}
