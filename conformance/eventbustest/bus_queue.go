package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busQueueCases() []conformance.Case {
	return slices.Concat(busQueueFrameCases(), busQueueForcedCases(), busQueueByteCases(), busQueueSizeCases(), busQueueOrderCases())
}

// busQueueFrameCases are about the cap on frames, and about consumers that wait.
func busQueueFrameCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/queue/frame-cap-in-every-size",
			Title:    "maxQueued events fit, for caps from 1 to 256, and the next one is refused",
			Laws:     []string{"EVENTBUS-QUEUE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{1, 2, 3, 4, 5, 7, 8, 16, 17, 100, 256} {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(limit))
					bus.Burst(limit)
					b.Equal("EVENTBUS-QUEUE-001", fmt.Sprintf("%d live frames fit under a cap of as many", limit), 1, bus.Subscribers())
					bus.Burst(1)
					b.Equal("EVENTBUS-QUEUE-001", fmt.Sprintf("event %d finds the cap of %d reached", limit+1, limit), 0, bus.Subscribers())
					got := sub.Drain()
					b.Equal("EVENTBUS-QUEUE-001", "what fitted is delivered, and nothing more", upTo(1, limit), got.IDs())
					end := b.The("EVENTBUS-QUEUE-001", "the refused event evicts", got, "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-001", "the cap is tested before the push", end, "droppedAfter", limit+1, "queueSize", limit)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/frame-cap-holds-event-by-event",
			Title:    "events that are published one by one meet the same cap as a burst",
			Laws:     []string{"EVENTBUS-QUEUE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(5))
				for n := 1; n <= 7; n++ {
					bus.PublishN(1)
					b.Equal("EVENTBUS-QUEUE-001", fmt.Sprintf("after %d of 5 events", n), min(1, max(0, 6-n)), bus.Subscribers())
				}
				got := sub.Drain()
				b.Numbers("EVENTBUS-QUEUE-001", "event 6 is refused", b.The("EVENTBUS-QUEUE-001", "it evicts", got, "client_evicted"), "droppedAfter", 6, "queueSize", 5)
				b.Equal("EVENTBUS-QUEUE-001", "five events were admitted", upTo(1, 5), got.IDs())
			}),
		},
		{
			ID:       "eventbus/bus/queue/cap-applies-to-each-subscriber",
			Title:    "subscribers with caps 1 to 5 on one bus, six events",
			Laws:     []string{"EVENTBUS-QUEUE-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				var subs []*drivenSub
				for limit := 1; limit <= 5; limit++ {
					subs = append(subs, bus.Subscribe(maxQueued(limit)))
				}
				for n := 1; n <= 6; n++ {
					bus.Burst(1)
					b.Equal("EVENTBUS-QUEUE-001", fmt.Sprintf("caps of at least %d still hold", n), 6-n, bus.Subscribers())
				}
				for i, sub := range subs {
					end := b.The("EVENTBUS-QUEUE-001", "each is evicted by its own cap", sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-001", "each cap is its own", end, "droppedAfter", i+2, "queueSize", i+1, "maxQueued", i+1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/waiting-consumer-cap-1",
			Title:    "three events in one tick, a consumer that waits, cap 1",
			Laws:     []string{"EVENTBUS-QUEUE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(1))
				sub.Park()
				bus.Burst(3)
				got := sub.Drain()
				b.Sees("EVENTBUS-QUEUE-003", "1 is handed over, 2 is buffered, 3 does not fit", got, "1 2 slow_client_warning client_evicted done")
				b.Numbers("EVENTBUS-QUEUE-003", "what was handed over does not count", b.The("EVENTBUS-QUEUE-003", "3 evicts", got, "client_evicted"), "queueSize", 1, "droppedAfter", 3)
			}),
		},
		{
			ID:       "eventbus/bus/queue/waiting-consumer-leaves-the-cap-whole",
			Title:    "behind a direct delivery exactly maxQueued events fit, for caps 2 to 17",
			Laws:     []string{"EVENTBUS-QUEUE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{2, 3, 4, 8, 16, 17} {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(limit))
					sub.Park()
					bus.Burst(1 + limit)
					b.Equal("EVENTBUS-QUEUE-003", fmt.Sprintf("one handed over and %d buffered fit", limit), 1, bus.Subscribers())
					bus.Burst(1)
					got := sub.Drain()
					end := b.The("EVENTBUS-QUEUE-003", "one more does not fit", got, "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-003", "what was handed over does not count", end, "queueSize", limit, "droppedAfter", limit+2)
					warning := b.The("EVENTBUS-QUEUE-003", "the buffered ones warn", got, "slow_client_warning")
					b.Numbers("EVENTBUS-QUEUE-003", "the threshold is counted without it", warning, "queueSize", (3*limit+3)/4, "lastEventId", 1+(3*limit+3)/4)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/waiting-consumer-uses-no-octets",
			Title:    "what is handed over takes none of the byte cap, however large",
			Laws:     []string{"EVENTBUS-QUEUE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 400})
				sub := bus.Subscribe()
				sub.Park()
				bus.BurstOf(data(5000), data(200), data(200))
				b.Equal("EVENTBUS-QUEUE-003", "5000 handed over and twice 200 buffered fit into 400", 1, bus.Subscribers())
				bus.BurstOf(data(100))
				end := b.The("EVENTBUS-QUEUE-003", "one more does not fit", sub.Drain(), "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-003", "the large one never was in the sum", end, "queueSize", 2, "queuedBytes", 400, "droppedAfter", 13)
			}),
		},
		{
			ID:       "eventbus/bus/queue/waiting-consumer-is-never-warned",
			Title:    "a consumer that always waits, cap 1 and a byte cap of 1",
			Laws:     []string{"EVENTBUS-QUEUE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxQueuedBytes: 1})
				sub := bus.Subscribe(maxQueued(1))
				for n := 1; n <= 20; n++ {
					sub.Park()
					bus.PublishN(1)
					b.Sees("EVENTBUS-QUEUE-003", "each event resolves the ask, and no threshold sees it", sub.Poll(), fmt.Sprint(n, " ready"))
				}
				b.Sees("EVENTBUS-QUEUE-003", "nothing is left behind", sub.Next(1), "parked")
			}),
		},
		{
			ID:       "eventbus/bus/queue/one-event-for-one-ask",
			Title:    "a consumer that asked once and gets three events",
			Laws:     []string{"EVENTBUS-QUEUE-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				sub.Park()
				bus.PublishN(3)
				b.Sees("EVENTBUS-QUEUE-003", "one ask is given one event", sub.Poll(), "1 ready")
				b.Equal("EVENTBUS-QUEUE-003", "the others are two, which fit", 1, bus.Subscribers())
				bus.Burst(1)
				b.Equal("EVENTBUS-QUEUE-003", "the ask was served and does not save event 4", 0, bus.Subscribers())
			}),
		},
	}
}

// upTo returns the numbers from first to last.
func upTo(first, last int) []int64 {
	out := []int64{}
	for n := first; n <= last; n++ {
		out = append(out, int64(n))
	}
	return out
}

// takeLive asks one by one until n frames with an id came, or nothing more comes, and returns their ids. Forced frames on the way
// are taken as well, one behind the last is not.
func (s *drivenSub) takeLive(n int) []int64 {
	ids := []int64{}
	for len(ids) < n {
		got := s.Next(1)
		if got.State != stateReady {
			break
		}
		ids = append(ids, got.IDs()...)
	}
	return ids
}
