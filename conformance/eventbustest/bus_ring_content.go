package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busRingContentCases are about what is kept, and what is not.
func busRingContentCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/ring/needs-no-subscriber",
			Title:    "what is kept does not depend on who was there",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				alone, watched, left := b.New(options{RingSize: 3}), b.New(options{RingSize: 3}), b.New(options{RingSize: 3})
				sub, gone := watched.Subscribe(), left.Subscribe()
				sub.Park()
				gone.Abort()
				for _, bus := range []*drivenBus{alone, watched, left} {
					bus.PublishN(5)
				}
				for who, bus := range map[string]*drivenBus{"nobody": alone, "a consumer that waited": watched, "one that left": left} {
					b.Equal("EVENTBUS-RING-001", "the newest three are kept with "+who, numbers(3, 5), bus.Subscribe(resumeAfter(0)).Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/delivery-takes-nothing-out",
			Title:    "events that were delivered and replayed are still in the ring",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 4})
				live := bus.Subscribe()
				bus.PublishN(4)
				live.Drain()
				for range 3 {
					b.Equal("EVENTBUS-RING-001", "a replay leaves the ring as it was", numbers(1, 4), bus.Subscribe(resumeAfter(0)).Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/synthetic-frames-stay-out",
			Title:    "a replay after another subscription got frames of all four kinds",
			Laws:     []string{"EVENTBUS-RING-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 20})
				other := bus.Subscribe(resumeAfter(99), maxQueued(2))
				bus.Burst(3)
				b.Sees("", "another subscription gets every kind of frame", other.Drain(), "epoch_reset replay_complete 1 2 slow_client_warning client_evicted done")
				b.Sees("EVENTBUS-RING-003", "only published events are replayed", bus.Subscribe(resumeAfter(0)).Drain(), "1..3 replay_complete parked")
				b.Sees("EVENTBUS-RING-003", "nor is the replay_complete of the one before", bus.Subscribe(resumeAfter(2)).Drain(), "3 replay_complete parked")
			}),
		},
		{
			ID:       "eventbus/bus/ring/frames-of-those-attached",
			Title:    "a resume while others have synthetic frames that they did not take yet",
			Laws:     []string{"EVENTBUS-RING-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Subscribe(maxQueued(4))
				bus.Burst(3)
				bus.Subscribe(resumeAfter(0))
				b.Sees("EVENTBUS-RING-003", "a warning and a replay_complete of others are not replayed", bus.Subscribe(resumeAfter(0)).Drain(), "1..3 replay_complete parked")
			}),
		},
		{
			ID:       "eventbus/bus/ring/synthetic-frames-take-no-room",
			Title:    "warnings, evictions and replays of many subscriptions on a ring of 6",
			Laws:     []string{"EVENTBUS-RING-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 6})
				for range 3 {
					bus.Subscribe(maxQueued(1))
				}
				bus.Burst(2)
				b.Equal("", "three subscriptions are evicted", 0, bus.Subscribers())
				for range 5 {
					bus.Subscribe(resumeAfter(50)).Drain()
				}
				bus.Burst(4)
				b.Sees("EVENTBUS-RING-003", "six events fill the ring, whatever else was sent", bus.Subscribe(resumeAfter(0)).Drain(), "1..6 replay_complete parked")
				bus.Burst(1)
				b.Sees("EVENTBUS-RING-003", "the seventh drops the first", bus.Subscribe(resumeAfter(0)).Drain(), "ring_evicted 2..7 replay_complete parked")
			}),
		},
		{
			ID:       "eventbus/bus/ring/keeps-what-evicted-by-frames",
			Title:    "an event that was one too many for a subscriber, for caps 1 to 5",
			Laws:     []string{"EVENTBUS-RING-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for limit := 1; limit <= 5; limit++ {
					bus := b.New(options{})
					full, healthy := bus.Subscribe(maxQueued(limit)), bus.Subscribe()
					bus.Burst(limit + 1)
					end := b.The("", "the subscriber is evicted", full.Drain(), "client_evicted")
					b.Numbers("", "by the last event", end, "droppedAfter", limit+1)
					b.Equal("EVENTBUS-RING-004", "the others get it", numbers(1, limit+1), healthy.Drain().IDs())
					b.Sees("EVENTBUS-RING-004", "it is replayed to who comes back", bus.Subscribe(resumeAfter(int64(limit))).Drain(), fmt.Sprint(limit+1, " replay_complete parked"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/keeps-what-evicted-by-octets",
			Title:    "an event that was too large for a subscriber's backlog",
			Laws:     []string{"EVENTBUS-RING-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":1}`)
				bus := b.New(options{MaxQueuedBytes: 2 * s})
				full, healthy := bus.Subscribe(), bus.Subscribe()
				bus.PublishN(2)
				healthy.Next(2)
				large := bus.Publish(`{"k":1,"large":true}`)
				end := b.The("", "the subscriber is evicted", full.Drain(), "client_evicted")
				b.Numbers("", "by the large event", end, "droppedAfter", 3)
				b.Equal("EVENTBUS-RING-004", "the other gets it", numbers(3, 3), healthy.Drain().IDs())
				again := bus.Subscribe(resumeAfter(2)).Drain()
				b.Sees("EVENTBUS-RING-004", "it is replayed to who comes back", again, "3 replay_complete parked")
				b.Exactly("EVENTBUS-RING-004", "as it was published", again.first(), fmt.Sprint(large))
			}),
		},
		{
			ID:       "eventbus/bus/ring/keeps-what-evicted-everybody",
			Title:    "an event that evicts all subscribers, on a ring of 1",
			Laws:     []string{"EVENTBUS-RING-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 1})
				for range 4 {
					bus.Subscribe(maxQueued(1))
				}
				bus.Burst(2)
				b.Equal("", "all are evicted", 0, bus.Subscribers())
				b.Sees("EVENTBUS-RING-004", "the event that did it is the ring", bus.Subscribe(resumeAfter(1)).Drain(), "2 replay_complete parked")
			}),
		},
	}
}
