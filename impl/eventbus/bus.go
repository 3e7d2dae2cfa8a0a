package eventbus

import (
	"crypto/rand"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Bus is the event bus of one session. All its methods may be called by any number of goroutines; each takes effect at one
// moment between its call and its return (EVENTBUS-CONCURRENCY-002), and none waits for a consumer (EVENTBUS-CONCURRENCY-003).
//
// Every published event has a place, counted from 1 without gaps; ids have gaps where history was seeded. What a subscriber
// has still to get is a range of places that ends with the newest, so a publication costs the same however many subscribers
// there are: it only looks at those that wait, that were warned, or that may by now have reached a threshold.
type Bus struct {
	config   Config
	epoch    string
	clock    clock
	pool     sync.Pool // of *encoder
	parallel bool      // a consumer may be served while it looks

	_ [64]byte // consumers poll newest: keep it off the lines that publishers write
	// newest is the last place that consumers may take. All that a publication does to other subscribers' fields is done
	// before it is stored here.
	newest atomic.Int64
	_      [56]byte

	mu     sync.Mutex
	closed bool
	// last is newest, but for the moment inside a publication; seeded is how much ids are ahead of places.
	last   int64
	seeded int64
	// octets is the size of all events published.
	octets int64
	// first is the oldest place in the ring; last+1: the ring is empty.
	first    int64
	retained retained
	// needed is at most the oldest place that an attached subscriber has still to get. It is looked up again when
	// a publication reaches nextLookup.
	needed     int64
	nextLookup int64

	subs    []*Subscription
	serial  int64
	waiting []*Subscription // those with a Next parked
	warned  int             // how many are in a warning episode
	frozen  []*Subscription // those whose consumers are held off until the publication is complete
	// Below both of these no subscriber outside a warning episode can reach a threshold.
	nextPlace  int64
	nextOctets int64

	diagnostics diagnostics
}

// New returns an open bus. It fails, with a *ConfigError, if c does not validate. A bus has no goroutine of its own: one that
// is no longer referred to needs no Close.
func New(c Config) (*Bus, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	b := &Bus{
		config:     c,
		parallel:   runtime.GOMAXPROCS(0) > 1,
		first:      1,
		retained:   newRetained(c.RingSize),
		needed:     1,
		nextPlace:  math.MaxInt64,
		nextOctets: math.MaxInt64,
	}
	b.clock.now = c.Now
	b.pool.New = func() any { return newEncoder() }
	if c.Dialect == Later {
		b.epoch = newEpoch()
	}
	return b, nil
}

// newEpoch returns a random UUID.
//
// EVENTBUS-ID-007
func newEpoch() string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Dialect returns the dialect of the bus.
func (b *Bus) Dialect() Dialect { return b.config.Dialect }

// Config returns the configuration with its defaults filled in.
func (b *Bus) Config() Config { return b.config }

// Epoch returns the token of this bus, constant and different for every bus (EVENTBUS-ID-007); empty in the Seed dialect,
// which has none.
func (b *Bus) Epoch() string { return b.epoch }

// LastEventID returns the highest id assigned so far, 0 before the first (EVENTBUS-ID-002).
func (b *Bus) LastEventID() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lastID()
}

func (b *Bus) lastID() int64 { return b.last + b.seeded }

// SubscriberCount returns how many subscriptions are attached (EVENTBUS-SUBSCRIBE-007).
func (b *Bus) SubscriberCount() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.subs)
}

// Close ends every subscription, which still yields what is buffered for it, and makes Publish and Subscribe do nothing from
// now on. It may be called again.
func (b *Bus) Close() {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	b.closed = true
	var after aftermath
	// EVENTBUS-CLOSE-001, EVENTBUS-CLOSE-002: without a frame of its own.
	for len(b.subs) > 0 {
		b.subs[len(b.subs)-1].detach(b.last+1, &after)
	}
	b.thaw()
	b.first, b.retained = b.last+1, retained{}
	b.mu.Unlock()
	after.run()
}

// Seed gives ids to events of the past and returns them. They reach no subscriber, and the ring is emptied: what was
// published before them can no longer be replayed either (EVENTBUS-RING-006). It returns nil if the bus is closed or in is
// empty.
func (b *Bus) Seed(in []Input) []*Event {
	if len(in) == 0 {
		return nil
	}
	events := make([]*Event, len(in))
	for i := range in {
		events[i] = b.event(in[i])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	for _, e := range events {
		b.seeded++
		e.ID = b.lastID()
	}
	b.first = b.last + 1
	b.release()
	return events
}

// release lets go what neither the ring nor an attached subscriber needs.
func (b *Bus) release() {
	for {
		end, ok := b.retained.oldestEnd()
		if !ok || end > b.first {
			return
		}
		if end > b.needed {
			if b.lookup(); end > b.needed {
				return
			}
		}
		b.retained.dropOldest()
	}
}

// lookup brings needed up to date.
func (b *Bus) lookup() {
	b.needed = b.last + 1
	for _, s := range b.subs {
		b.needed = min(b.needed, s.place())
	}
	b.nextLookup = b.last + 1 + int64(len(b.subs))
}

// aftermath is what has to be done once the lock is given back.
type aftermath struct {
	served   *waiter       // by link
	detached *Subscription // by link
}

// run wakes those who were served, and takes the abort signals off those who were detached.
func (a *aftermath) run() {
	for w := a.served; w != nil; {
		next := w.link
		w.link = nil
		breathe()
		w.ready <- struct{}{}
		w = next
	}
	for s := a.detached; s != nil; {
		next := s.link
		s.link = nil
		s.stop()
		s = next
	}
}
