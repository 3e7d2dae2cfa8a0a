package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func busAbortCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/abort/drops-the-buffer",
			Title:    "three buffered events, then an abort",
			Laws:     []string{"EVENTBUS-ABORT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.Burst(3)
				sub.Abort()
				b.Sees("EVENTBUS-ABORT-001", "the next item is the end", sub.Next(1), "done")
				b.Sees("EVENTBUS-ABORT-001", "for ever", sub.Drain(), "done")
			}),
		},
		{
			ID:       "eventbus/bus/abort/drops-forced-frames",
			Title:    "an abort with a resync, a replay and a warning in the buffer, at once and after some were taken",
			Laws:     []string{"EVENTBUS-ABORT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, taken := range []int{0, 1, 3, 5, 7} {
					bus := b.New(options{RingSize: 2})
					bus.Burst(3)
					sub := bus.Subscribe(resumeAfter(0), maxQueued(3))
					bus.Burst(3)
					if taken > 0 {
						b.Equal("", "some are taken", taken, len(sub.Next(taken).Frames))
					}
					sub.Abort()
					b.Sees("EVENTBUS-ABORT-001", fmt.Sprintf("what is left of ring_evicted 2 3 replay_complete 4 5 6 slow_client_warning behind %d is dropped", taken), sub.Next(1), "done")
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/ends-a-pending-ask",
			Title:    "a consumer that waits, then an abort",
			Laws:     []string{"EVENTBUS-ABORT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.Burst(1)
				sub.Drain()
				sub.Abort()
				b.Sees("EVENTBUS-ABORT-001", "the ask is answered with the end", sub.Poll(), "done")
				bus.Burst(1)
				b.Sees("EVENTBUS-ABORT-001", "the ask is gone with it", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/abort/releases-the-slot-at-once",
			Title:    "subscriberCount right behind an abort, before any ask",
			Laws:     []string{"EVENTBUS-ABORT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 3})
				subs := []*drivenSub{bus.Subscribe(), bus.Subscribe(resumeAfter(0)), bus.Subscribe()}
				bus.Burst(2)
				for i, sub := range subs {
					sub.Abort()
					b.Equal("EVENTBUS-ABORT-002", "nobody asked for an item, and the slot is free", 2-i, bus.Subscribers())
				}
				_, thrown := bus.TrySubscribe()
				b.Check(thrown == nil, "EVENTBUS-ABORT-002", "a freed slot can be taken", "a subscription", fmt.Sprint(thrown))
			}),
		},
		{
			ID:       "eventbus/bus/abort/releases-the-slot-of-a-waiting-consumer",
			Title:    "an abort while the consumer waits, others go on",
			Laws:     []string{"EVENTBUS-ABORT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub, other := bus.Subscribe(), bus.Subscribe()
				sub.Park()
				sub.Abort()
				b.Equal("EVENTBUS-ABORT-002", "the slot is free though the end was not collected", 1, bus.Subscribers())
				bus.Burst(2)
				b.Sees("EVENTBUS-ABORT-002", "the other one has its own", other.Drain(), "1 2 parked")
			}),
		},
		{
			ID:       "eventbus/bus/abort/signal-aborted-before",
			Title:    "subscribing with a signal that is aborted already, with every kind of cursor",
			Laws:     []string{"EVENTBUS-ABORT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 3})
				bus.Burst(5)
				other := bus.Subscribe()
				for _, options := range [][]subOption{
					{aborted()}, {aborted(), resumeAfter(0)}, {aborted(), resumeAfter(3)}, {aborted(), resumeAfter(5)}, {aborted(), resumeAfter(99)}, {aborted(), maxQueued(1)},
				} {
					sub := bus.Subscribe(options...)
					b.Equal("EVENTBUS-ABORT-003", "the subscription takes no slot", 1, bus.Subscribers())
					bus.PublishN(1)
					b.Sees("EVENTBUS-ABORT-003", "no replay, no resync, no replay_complete, no event", sub.Next(1), "done")
				}
				b.Sees("EVENTBUS-ABORT-003", "others are as they were", other.Drain(), "6..11 parked")
			}),
		},
		{
			ID:       "eventbus/bus/abort/signal-aborted-before-frees-its-slot",
			Title:    "more subscriptions with an aborted signal than there are slots",
			Laws:     []string{"EVENTBUS-ABORT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 2})
				bus.Subscribe()
				for range 5 {
					_, thrown := bus.TrySubscribe(aborted(), resumeAfter(0))
					b.Check(thrown == nil, "EVENTBUS-ABORT-003", "each gave its slot back before subscribe returned", "a subscription", fmt.Sprint(thrown))
				}
				b.Equal("EVENTBUS-ABORT-003", "one is attached", 1, bus.Subscribers())
				sub, thrown := bus.TrySubscribe()
				if b.Check(thrown == nil, "EVENTBUS-ABORT-003", "the other slot is free", "a subscription", fmt.Sprint(thrown)) {
					bus.PublishN(1)
					b.Sees("EVENTBUS-ABORT-003", "and works", sub.Drain(), "1 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/all-pairs-of-exits",
			Title:    "abort, return, eviction and close, each behind each",
			Laws:     []string{"EVENTBUS-ABORT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, first := range exits {
					for _, second := range exits {
						b.leave(false, first, second)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/all-pairs-of-exits-of-a-waiting-consumer",
			Title:    "the same with a consumer that waits when the first exit comes",
			Laws:     []string{"EVENTBUS-ABORT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, first := range exits {
					for _, second := range exits {
						b.leave(true, first, second)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/all-exits-in-a-row",
			Title:    "every exit three times, in several orders",
			Laws:     []string{"EVENTBUS-ABORT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, order := range [][]string{
					{"abort", "return", "evict", "abort", "return", "evict", "abort", "return", "evict"},
					{"return", "return", "return", "abort", "abort", "abort", "evict", "evict", "evict"},
					{"evict", "abort", "return", "return", "abort", "evict", "return", "abort", "evict"},
					{"evict", "return", "abort", "close", "close", "abort", "return", "evict", "close"},
					{"close", "abort", "return", "evict", "close", "evict", "return", "abort", "abort"},
				} {
					b.leave(false, order...)
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/frees-no-slot-of-another",
			Title:    "exits of a subscription whose slot another has taken",
			Laws:     []string{"EVENTBUS-ABORT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, first := range exits[:3] {
					bus := b.New(options{MaxSubscribers: 2})
					bus.Subscribe()
					sub := bus.Subscribe(maxQueued(2))
					bus.Burst(1)
					b.exit(bus, sub, first)
					heir := bus.Subscribe()
					for _, again := range exits[:3] {
						b.exit(bus, sub, again)
						b.Equal("EVENTBUS-ABORT-004", "the slot was released once, by "+first+": "+again+" releases no other", 2, bus.Subscribers())
					}
					sub.Drain()
					b.Equal("EVENTBUS-ABORT-004", "nor does the end that it is told", 2, bus.Subscribers())
					_, thrown := bus.TrySubscribe()
					b.Check(thrown != nil, "EVENTBUS-ABORT-004", "both slots are taken", "a refusal", "a third subscription")
					last := bus.LastEventID()
					bus.Burst(1)
					b.Equal("EVENTBUS-ABORT-004", "the heir of the slot is served", last+1, maxID(heir.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/return-releases-the-slot",
			Title:    "leaving the loop before and after the first item",
			Laws:     []string{"EVENTBUS-ABORT-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for taken := range 3 {
					bus := b.New(options{})
					sub, other := bus.Subscribe(maxQueued(4)), bus.Subscribe()
					bus.Burst(2)
					b.Equal("", "some are taken", taken, len(sub.takeLive(taken)))
					sub.Return()
					b.Equal("EVENTBUS-ABORT-005", "the slot is released", 1, bus.Subscribers())
					bus.Burst(5)
					b.Sees("", "the other one is served", other.Next(7), "1..7 ready")
					got := sub.Drain()
					b.Equal("EVENTBUS-ABORT-005", "it ends", stateDone, got.State)
					b.Check(maxID(got) <= 2 && len(got.Of("slow_client_warning"))+len(got.Of("client_evicted")) == 0, "EVENTBUS-ABORT-005",
						"later publishes do not reach it: no event, no warning, no eviction", "at most what was buffered", got.String())
				}
			}),
		},
		{
			ID:       "eventbus/bus/abort/return-is-no-eviction",
			Title:    "what the side channel says of a subscription that was left",
			Laws:     []string{"EVENTBUS-ABORT-005"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{DiagnosticText}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				bus.Burst(1)
				sub.Next(1)
				sub.Return()
				b.Diagnostics()
				bus.Burst(10)
				b.Equal("EVENTBUS-ABORT-005", "nobody lags and nobody is evicted", "[]", fmt.Sprint(b.Diagnostics().Lines))
			}),
		},
		{
			ID:       "eventbus/bus/abort/return-keeps-the-buffer",
			Title:    "asking again behind a return",
			Laws:     []string{"EVENTBUS-ABORT-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.Burst(3)
				sub.Return()
				b.Sees("EVENTBUS-ABORT-006", "the queue closes in draining mode", sub.Drain(), "1..3 done")
				resumed := bus.Subscribe(resumeAfter(1), maxQueued(1))
				bus.Burst(1)
				resumed.Return()
				b.Sees("EVENTBUS-ABORT-006", "forced frames drain too", resumed.Drain(), "2 3 replay_complete 4 slow_client_warning done")
			}),
		},
	}
}
