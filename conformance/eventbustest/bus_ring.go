package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busRingCases() []conformance.Case {
	return slices.Concat(busRingSizeCases(), busRingContentCases(), busRingSeedCases())
}

// busRingSizeCases are about how much is kept.
func busRingSizeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/ring/keeps-the-newest",
			Title:    "rings of 1, 2, 3, 4, 7 and 16 after every number of events up to twice their size",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, size := range []int{1, 2, 3, 4, 7, 16} {
					bus := b.New(options{RingSize: size})
					for p := 1; p <= 2*size+1; p++ {
						bus.PublishN(1)
						got := bus.Subscribe(resumeAfter(0))
						items := got.Drain()
						got.Abort()
						b.Equal("EVENTBUS-RING-001", fmt.Sprintf("what a ring of %d keeps of %d events", size, p), numbers(max(1, p-size+1), p), items.IDs())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/default-is-full-at-8000",
			Title:    "a ring of the default size holds all of 8000 events",
			Laws:     []string{"EVENTBUS-RING-001", "EVENTBUS-RING-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				got := b.filled(options{}, 8000).Subscribe(resumeAfter(0)).Drain()
				b.Equal("EVENTBUS-RING-001", "the default ring keeps 8000 events", numbers(1, 8000), got.IDs())
				b.Equal("EVENTBUS-RING-002", "a ring that is just full has dropped nothing", "[]", reasons(got))
			}),
		},
		{
			ID:       "eventbus/bus/ring/default-drops-at-8001",
			Title:    "a ring of the default size after 8001 events",
			Laws:     []string{"EVENTBUS-RING-001", "EVENTBUS-RING-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				got := b.filled(options{}, 8001).Subscribe(resumeAfter(0)).Drain()
				b.Equal("EVENTBUS-RING-001", "after 8001 publishes ids 2..8001 remain", numbers(2, 8001), got.IDs())
				b.Equal("EVENTBUS-RING-002", "one event too many drops one", "[ring_evicted]", reasons(got))
			}),
		},
		{
			ID:       "eventbus/bus/ring/of-8001",
			Title:    "a ring of 8001, one more than the default, at its limit and one past it",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 8001}, 8001)
				b.Equal("EVENTBUS-RING-001", "the size that was asked for is kept", numbers(1, 8001), bus.Subscribe(resumeAfter(0)).Drain().IDs())
				bus.Burst(1)
				b.Equal("EVENTBUS-RING-001", "the oldest goes, and only it", numbers(2, 8002), bus.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/ring/of-a-million",
			Title:    "a ring of 1000000 keeps 10000 events",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 1_000_000}, 10_000)
				b.Equal("EVENTBUS-RING-001", "nothing is dropped before the ring is full", numbers(1, 10_000), bus.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/ring/drops-only-beyond-its-size",
			Title:    "a ring of 3 after three events, and after the fourth",
			Laws:     []string{"EVENTBUS-RING-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 3})
				bus.PublishN(3)
				b.Sees("EVENTBUS-RING-002", "with as many events as the ring holds nothing is dropped", bus.Subscribe(resumeAfter(0)).Drain(), "1..3 replay_complete parked")
				bus.PublishN(1)
				got := bus.Subscribe(resumeAfter(0)).Drain()
				b.Sees("EVENTBUS-RING-002", "the fourth pushes out the first", got, "ring_evicted 2..4 replay_complete parked")
				b.Numbers("EVENTBUS-RING-002", "the second is the oldest", b.The("EVENTBUS-RING-002", "a gap is told", got, "state_resync_required"), "earliestAvailableId", 2)
			}),
		},
		{
			ID:       "eventbus/bus/ring/drops-one-for-each-event",
			Title:    "the oldest event moves by one with every publish, for rings of 1, 2, 3 and 8",
			Laws:     []string{"EVENTBUS-RING-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, size := range []int{1, 2, 3, 8} {
					bus := b.filled(options{RingSize: size}, size)
					for oldest := 2; oldest <= size+4; oldest++ {
						bus.PublishN(1)
						sub := bus.Subscribe(resumeAfter(0))
						got := sub.Next(2)
						sub.Abort()
						b.Numbers("EVENTBUS-RING-002", fmt.Sprintf("a ring of %d dropped exactly one event", size),
							b.The("EVENTBUS-RING-002", "a gap is told", got, "state_resync_required"), "earliestAvailableId", oldest)
						b.Equal("EVENTBUS-RING-002", "the oldest that is left comes first", numbers(oldest, oldest), got.IDs())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/burst-beyond-its-size",
			Title:    "one tick brings ten times what the ring holds",
			Laws:     []string{"EVENTBUS-RING-001", "EVENTBUS-RING-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 8}, 80)
				b.Equal("EVENTBUS-RING-001", "a burst is trimmed as single events are", numbers(73, 80), bus.Subscribe(resumeAfter(0)).Drain().IDs())
				bus.Burst(1)
				b.Equal("EVENTBUS-RING-002", "the next event drops one", numbers(74, 81), bus.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/ring/of-each-bus-is-its-own",
			Title:    "two buses of one process with rings of 2 and 5",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				small, large := b.New(options{RingSize: 2}), b.New(options{RingSize: 5})
				for range 4 {
					small.PublishN(1)
					large.PublishN(1)
				}
				b.Equal("EVENTBUS-RING-001", "the small ring", numbers(3, 4), small.Subscribe(resumeAfter(0)).Drain().IDs())
				b.Equal("EVENTBUS-RING-001", "the large ring", numbers(1, 4), large.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/ring/of-size-0",
			Title:    "a bus that is built with a ring of 0",
			Laws:     []string{"EVENTBUS-RING-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus, err := b.TryNew(options{Raw: map[string]string{"ringSize": "0"}})
				if err != nil {
					b.Unsupported("no bus with a ring of 0: %v", err)
				}
				bus.Burst(3)
				got := bus.Subscribe(resumeAfter(0)).Drain()
				b.Equal("EVENTBUS-RING-007", "such a ring keeps nothing", "[]", got.IDs())
				b.Equal("EVENTBUS-RING-007", "ids are assigned all the same", 3, bus.LastEventID())
			}),
		},
		{
			ID:       "eventbus/bus/ring/queue-of-size-0",
			Title:    "a subscription with maxQueued 0",
			Laws:     []string{"EVENTBUS-RING-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub, thrown := bus.TrySubscribe(maxQueued(0))
				if thrown != nil {
					b.Unsupported("no subscription with maxQueued 0: %s", thrown.Message)
				}
				for n := 1; n <= 2; n++ {
					sub.Park()
					bus.PublishN(1)
					got := sub.Next(2)
					b.Sees("EVENTBUS-RING-007", "an event that is handed over is warned of", got, fmt.Sprint(n, " slow_client_warning ready"))
					if warnings := got.Of("slow_client_warning"); len(warnings) == 1 {
						b.Numbers("EVENTBUS-RING-007", "nothing is buffered", warnings[0], "queueSize", 0)
					}
				}
				bus.PublishN(1)
				b.Equal("EVENTBUS-RING-007", "an event that would have to be buffered is refused", 0, bus.Subscribers())
			}),
		},
	}
}

// filled returns a bus on which that many events were published in one tick.
func (b *busT) filled(o options, count int) *drivenBus {
	bus := b.New(o)
	bus.Burst(count)
	return bus
}

// numbers returns the ids from first to last, none if last is the smaller.
func numbers(first, last int) []int64 {
	out := []int64{}
	for n := first; n <= last; n++ {
		out = append(out, int64(n))
	}
	return out
}

// reasons returns the reasons of the resyncs among the items, in order.
func reasons(got handedItems) []string {
	out := []string{}
	for _, f := range got.Of("state_resync_required") {
		out = append(out, f.DataText("reason"))
	}
	return out
}
