package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busQueueForcedCases are about the frames that no cap counts.
func busQueueForcedCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/queue/warning-taken-gives-no-room",
			Title:    "fill to the warning, drain past it, refill to the cap",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(8))
				bus.Burst(6)
				b.Sees("", "a warning comes behind 6 of 8", sub.Next(7), "1..6 slow_client_warning ready")
				bus.Burst(8)
				b.Equal("EVENTBUS-QUEUE-002", "eight fit again", 1, bus.Subscribers())
				bus.Burst(1)
				got := sub.Drain()
				end := b.The("EVENTBUS-QUEUE-002", "a ninth does not fit", got, "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-002", "taking the warning changed no count", end, "queueSize", 8, "droppedAfter", 15)
				b.Equal("EVENTBUS-QUEUE-002", "eight were buffered", upTo(7, 14), got.IDs())
			}),
		},
		{
			ID:       "eventbus/bus/queue/warning-in-front-takes-no-room",
			Title:    "a warning that is still queued, in front and in the middle",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, taken := range []int{3, 6} {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(8))
					bus.Burst(6)
					sub.Next(taken)
					bus.Burst(2 + taken)
					b.Equal("EVENTBUS-QUEUE-002", fmt.Sprintf("eight live frames and a warning fit, %d having been taken", taken), 1, bus.Subscribers())
					bus.Burst(1)
					end := b.The("EVENTBUS-QUEUE-002", "a ninth does not fit", sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-002", "the warning is not in the count", end, "queueSize", 8, "droppedAfter", 9+taken)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/replay-in-front-takes-no-room",
			Title:    "five replayed frames nobody took, then live ones up to cap 2",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Burst(5)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(2))
				bus.Burst(2)
				b.Equal("EVENTBUS-QUEUE-002", "two live frames fit behind a replay", 1, bus.Subscribers())
				bus.Burst(1)
				got := sub.Drain()
				end := b.The("EVENTBUS-QUEUE-002", "a third does not fit", got, "client_evicted")
				octets := 0
				for _, f := range got.Frames {
					if f.ID() == 6 || f.ID() == 7 {
						octets += f.Size()
					}
				}
				b.Numbers("EVENTBUS-QUEUE-002", "only the live ones are measured", end, "queueSize", 2, "queuedBytes", octets, "droppedAfter", 8)
			}),
		},
		{
			ID:       "eventbus/bus/queue/replay-taken-gives-no-room",
			Title:    "live frames behind a replay, of which the replay is taken",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 10_000})
				sub := bus.Subscribe(resumeAfter(6), maxQueued(4))
				bus.BurstOf(data(200), data(300))
				b.Sees("", "the replay is taken", sub.Next(4), "7 8 9 replay_complete ready")
				bus.BurstOf(data(200), data(200))
				b.Equal("EVENTBUS-QUEUE-002", "four live frames fit", 1, bus.Subscribers())
				bus.BurstOf(data(200))
				end := b.The("EVENTBUS-QUEUE-002", "a fifth does not fit", sub.Drain(), "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-002", "what was forced gave nothing back", end, "queueSize", 4, "queuedBytes", 900, "droppedAfter", 14)
			}),
		},
		{
			ID:       "eventbus/bus/queue/forced-frames-use-no-octets",
			Title:    "replay and resync in front of a byte cap for two events",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 400, RingSize: 4})
				bus.BurstOf(data(1000), data(1000), data(1000))
				sub := bus.Subscribe(resumeAfter(3))
				bus.BurstOf(data(200), data(200))
				b.Equal("EVENTBUS-QUEUE-002", "twice 200 octets fit into 400 behind a large replay", 1, bus.Subscribers())
				b.Sees("EVENTBUS-QUEUE-002", "everything forced stands in front", sub.Next(6), "ring_evicted 9..12 replay_complete ready")
				bus.BurstOf(data(100))
				end := b.The("EVENTBUS-QUEUE-002", "one more does not fit", sub.Drain(), "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-002", "taking it gave no octets back", end, "queueSize", 2, "queuedBytes", 400, "eventBytes", 100)
			}),
		},
		{
			ID:       "eventbus/bus/queue/epoch-reset-and-replay-take-no-room",
			Title:    "a resync of a foreign cursor and 300 replayed frames before a cap of 1",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Burst(300)
				sub := bus.Subscribe(resumeAfter(1000), maxQueued(1))
				bus.Burst(1)
				b.Equal("EVENTBUS-QUEUE-002", "one live frame fits", 1, bus.Subscribers())
				bus.Burst(1)
				b.Sees("EVENTBUS-QUEUE-002", "the second does not", sub.Drain(), "epoch_reset 1..300 replay_complete 301 slow_client_warning client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/queue/budget-resync-takes-no-room",
			Title:    "a resync behind a cut-off replay before a cap of 2",
			Laws:     []string{"EVENTBUS-QUEUE-002"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.New(options{ReplayBudgetBytes: 1})
				bus.Burst(3)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(2))
				bus.Burst(3)
				got := sub.Drain()
				end := b.The("EVENTBUS-QUEUE-002", "the third live frame does not fit", got, "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-002", "no resync is in the count", end, "queueSize", 2, "droppedAfter", 6)
				b.Equal("EVENTBUS-QUEUE-002", "two live frames were buffered", "[1 4 5]", got.IDs())
			}),
		},
	}
}
