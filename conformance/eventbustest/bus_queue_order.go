package eventbustest

import "github.com/seed-6f28358b/assay/conformance"

// busQueueOrderCases are about the order of the queue, and about its end.
func busQueueOrderCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/queue/first-in-first-out",
			Title:    "all kinds of frames, taken one by one",
			Laws:     []string{"EVENTBUS-QUEUE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 2})
				bus.Burst(5)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(4))
				bus.Burst(5)
				for _, want := range []string{
					"ring_evicted", "4", "5", "replay_complete", "6", "7", "8", "slow_client_warning", "9", "client_evicted",
				} {
					b.Sees("EVENTBUS-QUEUE-010", "frames leave in the order they were put in", sub.Next(1), want+" ready")
				}
				b.Sees("EVENTBUS-QUEUE-010", "nothing is behind the end", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/queue/order-survives-draining",
			Title:    "taking some, publishing some, past a warning",
			Laws:     []string{"EVENTBUS-QUEUE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Burst(2)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(4))
				bus.Burst(2)
				b.Sees("EVENTBUS-QUEUE-010", "the replay goes first", sub.Next(2), "1 2 ready")
				bus.Burst(1)
				b.Sees("EVENTBUS-QUEUE-010", "then what closes it, then live events", sub.Next(2), "replay_complete 3 ready")
				bus.Burst(2)
				b.Sees("EVENTBUS-QUEUE-010", "the warning stands where it was put", sub.Next(5), "4 5 slow_client_warning 6 7 ready")
				b.Sees("EVENTBUS-QUEUE-010", "and that is all", sub.Drain(), "parked")
			}),
		},
		{
			ID:       "eventbus/bus/queue/order-equals-a-list",
			Title:    "random fills and drains, compared with a plain list",
			Laws:     []string{"EVENTBUS-QUEUE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for round := range 8 {
					for _, line := range b.queueStory(round%2 == 0).lines {
						if !b.Equal("EVENTBUS-QUEUE-010", "frames leave as from a plain list", expanded(line[0]), expanded(line[1])) {
							return
						}
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/aborted-takes-nothing",
			Title:    "events, a warning's worth and more, behind an abort",
			Laws:     []string{"EVENTBUS-QUEUE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(4))
				bus.Burst(2)
				sub.Abort()
				bus.Burst(8)
				b.Sees("EVENTBUS-QUEUE-011", "neither an event nor a warning nor an eviction is added", sub.Drain(), "done")
				bus.Burst(1)
				b.Sees("EVENTBUS-QUEUE-011", "nor later", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/queue/evicted-takes-nothing",
			Title:    "events behind an eviction, with the queue full and with room in it",
			Laws:     []string{"EVENTBUS-QUEUE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				bus.Burst(5)
				b.Sees("EVENTBUS-QUEUE-011", "what was buffered comes", sub.Next(2), "1 2 ready")
				bus.Burst(2)
				b.Sees("EVENTBUS-QUEUE-011", "no event is added, though there is room, and no second end", sub.Drain(), "slow_client_warning client_evicted done")
				bus.Burst(1)
				b.Sees("EVENTBUS-QUEUE-011", "nor when all was taken", sub.Drain(), "done")
			}),
		},
		{
			ID:       "eventbus/bus/queue/closed-takes-nothing",
			Title:    "events behind a close of the bus",
			Laws:     []string{"EVENTBUS-QUEUE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(3))
				bus.Burst(2)
				bus.Close()
				bus.Burst(5)
				b.Sees("EVENTBUS-QUEUE-011", "no event, no warning, no eviction", sub.Drain(), "1 2 done")
				bus.Burst(1)
				b.Sees("EVENTBUS-QUEUE-011", "nor later", sub.Drain(), "done")
			}),
		},
	}
}
