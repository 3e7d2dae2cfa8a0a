package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func busCloseCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/close/buffered-events-drain",
			Title:    "three buffered events, then a close",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub, partly := bus.Subscribe(), bus.Subscribe()
				bus.Burst(3)
				b.Sees("", "one is taken", partly.Next(1), "1 ready")
				bus.Close()
				b.Sees("EVENTBUS-CLOSE-001", "what is buffered comes, and no frame at the end", sub.Drain(), "1..3 done")
				b.Sees("EVENTBUS-CLOSE-001", "done for ever", sub.Next(1), "done")
				b.Sees("EVENTBUS-CLOSE-001", "each subscriber has what it did not take", partly.Drain(), "2 3 done")
			}),
		},
		{
			ID:       "eventbus/bus/close/forced-frames-drain",
			Title:    "a close with a resync, a replay and a warning in the buffer",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 2})
				bus.Burst(3)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(2))
				bus.Burst(2)
				bus.Close()
				b.Sees("EVENTBUS-CLOSE-001", "everything that is buffered comes", sub.Drain(), "ring_evicted 2 3 replay_complete 4 5 slow_client_warning done")
			}),
		},
		{
			ID:       "eventbus/bus/close/pending-ask-ends",
			Title:    "consumers that wait, then a close",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				one, two := bus.Subscribe(), bus.Subscribe(resumeAfter(0))
				one.Park()
				b.Sees("", "the second one waits behind its replay", two.Drain(), "replay_complete parked")
				bus.Close()
				for _, sub := range []*drivenSub{one, two} {
					b.Sees("EVENTBUS-CLOSE-001", "the ask is answered with the end", sub.Poll(), "done")
					b.Sees("EVENTBUS-CLOSE-001", "and so is the next", sub.Next(1), "done")
				}
			}),
		},
		{
			ID:       "eventbus/bus/close/empty-subscription-ends",
			Title:    "a subscriber that got nothing, closed before its first ask",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.Close()
				b.Sees("EVENTBUS-CLOSE-001", "the first ask is told the end", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/close/evicted-keep-their-end",
			Title:    "a close behind an eviction",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				evicted, full := bus.Subscribe(maxQueued(1)), bus.Subscribe(maxQueued(2))
				bus.Burst(2)
				bus.Close()
				b.Sees("EVENTBUS-CLOSE-001", "who was evicted before still gets its end", evicted.Drain(), "1 slow_client_warning client_evicted done")
				b.Sees("EVENTBUS-CLOSE-001", "who was full gets none", full.Drain(), "1 2 slow_client_warning done")
			}),
		},
		{
			ID:       "eventbus/bus/close/empties-the-set-and-is-idempotent",
			Title:    "three closes of a bus with three subscribers and of one without any",
			Laws:     []string{"EVENTBUS-CLOSE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for subscribers := range 4 {
					bus := b.New(options{})
					var sub *drivenSub
					for range subscribers {
						sub = bus.Subscribe()
					}
					bus.Burst(1)
					for range 3 {
						thrown := b.Ask("close", busRequest{bus.name}, nil)
						b.Check(thrown == nil, "EVENTBUS-CLOSE-002", "close raises no error", "none", fmt.Sprint(thrown))
						b.Equal("EVENTBUS-CLOSE-002", "nobody is subscribed right behind it, though nobody asked", 0, bus.Subscribers())
					}
					b.Equal("EVENTBUS-CLOSE-002", "the ids are as they were", 1, bus.LastEventID())
					if sub != nil {
						b.Sees("EVENTBUS-CLOSE-002", "the second close takes nothing away", sub.Drain(), "1 done")
						b.Equal("EVENTBUS-CLOSE-002", "draining frees no slot below none", 0, bus.Subscribers())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/close/other-buses-stay-open",
			Title:    "one of two buses is closed",
			Laws:     []string{"EVENTBUS-CLOSE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				closed, open := b.New(options{}), b.New(options{})
				closed.Subscribe()
				sub := open.Subscribe()
				closed.Close()
				b.Equal("EVENTBUS-CLOSE-002", "the subscribers of the other are attached", 1, open.Subscribers())
				open.PublishN(2)
				b.Sees("EVENTBUS-CLOSE-002", "and served", sub.Drain(), "1 2 parked")
			}),
		},
		{
			ID:       "eventbus/bus/close/subscribe-afterwards-is-empty",
			Title:    "subscribing to a closed bus whose limit had been reached, with every kind of cursor",
			Laws:     []string{"EVENTBUS-CLOSE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 1, RingSize: 2})
				bus.Subscribe()
				bus.Burst(4)
				bus.Close()
				for _, options := range [][]subOption{{}, {resumeAfter(0)}, {resumeAfter(3)}, {resumeAfter(4)}, {resumeAfter(99)}, {resumeAfter(0), aborted()}, {maxQueued(1)}} {
					sub, thrown := bus.TrySubscribe(options...)
					if !b.Check(thrown == nil, "EVENTBUS-CLOSE-003", "subscribe does not throw", "a subscription", fmt.Sprint(thrown)) {
						continue
					}
					b.Equal("EVENTBUS-CLOSE-003", "nobody is attached", 0, bus.Subscribers())
					b.Sees("EVENTBUS-CLOSE-003", "no replay, no resync, no replay_complete", sub.Next(1), "done")
					b.Sees("EVENTBUS-CLOSE-003", "nor later", sub.Next(1), "done")
				}
			}),
		},
		{
			ID:       "eventbus/bus/close/subscribe-afterwards-knows-no-limit",
			Title:    "more subscriptions to a closed bus than its limit",
			Laws:     []string{"EVENTBUS-CLOSE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 2})
				bus.Close()
				for n := 1; n <= 5; n++ {
					sub, thrown := bus.TrySubscribe()
					if b.Check(thrown == nil, "EVENTBUS-CLOSE-003", fmt.Sprintf("subscription %d is not refused", n), "a subscription", fmt.Sprint(thrown)) {
						b.Sees("EVENTBUS-CLOSE-003", "it ends at once", sub.Next(1), "done")
						sub.Return()
						sub.Abort()
					}
				}
				b.Equal("EVENTBUS-CLOSE-003", "nobody is attached", 0, bus.Subscribers())
			}),
		},
		{
			ID:       "eventbus/bus/close/detaches-listeners",
			Title:    "abort listeners on the signals before and after a close",
			Laws:     []string{"EVENTBUS-CLOSE-005"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Listeners}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				idle, buffered := bus.Subscribe(), bus.Subscribe(resumeAfter(0))
				bus.Burst(2)
				for _, sub := range []*drivenSub{idle, buffered} {
					b.Equal("", "the subscription listens", 1, sub.Listeners())
				}
				bus.Close()
				for _, sub := range []*drivenSub{idle, buffered} {
					b.Equal("EVENTBUS-CLOSE-005", "the signal keeps nothing of the bus alive, though nobody drained", 0, sub.Listeners())
				}
			}),
		},
		{
			ID:       "eventbus/bus/close/buffer-survives-a-later-abort",
			Title:    "three buffered events, a close, an abort",
			Laws:     []string{"EVENTBUS-CLOSE-005"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.Burst(3)
				bus.Close()
				sub.Abort()
				b.Sees("EVENTBUS-CLOSE-005", "the frames still come", sub.Next(1), "1 ready")
				sub.Abort()
				b.Sees("EVENTBUS-CLOSE-005", "all of them", sub.Drain(), "2 3 done")
			}),
		},
	}
}
