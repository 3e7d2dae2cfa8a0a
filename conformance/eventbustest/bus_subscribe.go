package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busSubscribeCases() []conformance.Case {
	return slices.Concat(busSubscribeStartCases(), busSubscribeCapCases(), busSubscribeCountCases())
}

// busSubscribeStartCases are about how a subscription begins, and what it shares with others.
func busSubscribeStartCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/subscribe/registers-at-once",
			Title:    "publishes right after subscribe, before the first ask",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				for n := 1; n <= 5; n++ {
					sub := bus.Subscribe()
					b.Equal("EVENTBUS-SUBSCRIBE-001", "the subscription counts before its first ask", n, bus.Subscribers())
					bus.PublishN(1)
					b.Sees("EVENTBUS-SUBSCRIBE-001", "what was published before the first ask is there", sub.Next(1), fmt.Sprint(n, " ready"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/registers-with-a-cursor-at-once",
			Title:    "a subscription with a cursor, a burst, and then the first ask",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 2}, 2)
				sub := bus.Subscribe(resumeAfter(1))
				b.Equal("EVENTBUS-SUBSCRIBE-001", "the subscription counts", 1, bus.Subscribers())
				bus.Burst(4)
				b.Sees("EVENTBUS-SUBSCRIBE-001", "the replay is that of the moment of subscribing, the rest is live", sub.Drain(), "2 replay_complete 3..6 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/live-only-without-a-cursor",
			Title:    "five events, a subscription without a cursor, a sixth event",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.PublishN(5)
				sub := bus.Subscribe()
				b.Sees("EVENTBUS-SUBSCRIBE-002", "nothing older comes, and nothing synthetic", sub.Next(1), "parked")
				bus.PublishN(1)
				b.Sees("EVENTBUS-SUBSCRIBE-002", "the sixth event is the first item", sub.Drain(), "6 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/live-only-on-any-ring",
			Title:    "subscriptions without a cursor on an empty bus, a full ring and one that has dropped events",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, published := range []int{0, 1, 2, 3, 9} {
					bus := b.New(options{RingSize: 2})
					bus.PublishN(published)
					sub := bus.Subscribe()
					bus.Burst(2)
					b.Sees("EVENTBUS-SUBSCRIBE-002", fmt.Sprintf("no frame opens the stream after %d events", published), sub.Drain(), fmt.Sprintf("%d..%d parked", published+1, published+2))
				}
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/live-only-behind-history",
			Title:    "a subscription without a cursor on a bus whose history was seeded",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-002"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Seeding}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`, `3`)
				sub := bus.Subscribe()
				b.Sees("EVENTBUS-SUBSCRIBE-002", "no frame opens the stream", sub.Next(1), "parked")
				bus.PublishN(1)
				b.Sees("EVENTBUS-SUBSCRIBE-002", "the first live event is the first item", sub.Drain(), "4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/cursor-0-is-a-cursor",
			Title:    "subscriptions with cursor 0 and with none, on a bus of three events",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				b.Sees("EVENTBUS-SUBSCRIBE-003", "0 asks for everything", bus.Subscribe(resumeAfter(0)).Drain(), "1..3 replay_complete parked")
				b.Sees("EVENTBUS-SUBSCRIBE-003", "leaving it out does not", bus.Subscribe().Drain(), "parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/cursor-0-on-an-empty-bus",
			Title:    "subscriptions with cursor 0 and with none, on a new bus",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				with, without := bus.Subscribe(resumeAfter(0)), bus.Subscribe()
				bus.PublishN(1)
				b.Sees("EVENTBUS-SUBSCRIBE-003", "0 asks for a replay_complete", with.Drain(), "replay_complete 1 parked")
				b.Sees("EVENTBUS-SUBSCRIBE-003", "leaving it out does not", without.Drain(), "1 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/draining-one-leaves-the-other",
			Title:    "two subscribers of which one is drained",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				one, other := bus.Subscribe(), bus.Subscribe()
				bus.Burst(4)
				b.Sees("EVENTBUS-SUBSCRIBE-006", "the one", one.Next(4), "1..4 ready")
				bus.Burst(2)
				b.Sees("EVENTBUS-SUBSCRIBE-006", "the other yields all events in order", other.Next(3), "1..3 ready")
				b.Sees("EVENTBUS-SUBSCRIBE-006", "each has its own position", one.Drain(), "5 6 parked")
				b.Sees("EVENTBUS-SUBSCRIBE-006", "also where they meet", other.Drain(), "4..6 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/stalling-one-does-not-delay-the-other",
			Title:    "a consumer that takes each event beside one that never asks",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				first, prompt, last := bus.Subscribe(), bus.Subscribe(), bus.Subscribe(resumeAfter(0))
				for n := 1; n <= 20; n++ {
					prompt.Park()
					bus.PublishN(1)
					b.Sees("EVENTBUS-SUBSCRIBE-006", "who asks is served at once", prompt.Poll(), fmt.Sprint(n, " ready"))
				}
				b.Sees("EVENTBUS-SUBSCRIBE-006", "who stalls has everything", first.Drain(), "1..20 parked")
				b.Sees("EVENTBUS-SUBSCRIBE-006", "behind its replay too", last.Drain(), "replay_complete 1..20 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/losing-one-takes-nothing-from-the-other",
			Title:    "one subscriber aborts, one returns, one is evicted; a fourth has lagged all along",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 2)
				aborts, returns, full, stays := bus.Subscribe(), bus.Subscribe(), bus.Subscribe(maxQueued(2)), bus.Subscribe(resumeAfter(1))
				bus.Burst(2)
				aborts.Abort()
				bus.Burst(1)
				returns.Return()
				bus.Burst(1)
				full.Drain()
				b.Sees("EVENTBUS-SUBSCRIBE-006", "the fourth lost nothing", stays.Drain(), "2 replay_complete 3..6 parked")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/same-cursor-twice",
			Title:    "two subscriptions with the same cursor, taken in turn",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 4)
				one, other := bus.Subscribe(resumeAfter(2)), bus.Subscribe(resumeAfter(2))
				for _, want := range []string{"3 ready", "4 ready", "replay_complete ready", "parked"} {
					b.Sees("EVENTBUS-SUBSCRIBE-006", "the one", one.Next(1), want)
					b.Sees("EVENTBUS-SUBSCRIBE-006", "the other", other.Next(1), want)
				}
			}),
		},
	}
}
