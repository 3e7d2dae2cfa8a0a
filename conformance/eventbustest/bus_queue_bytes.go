package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busQueueByteCases are about the cap on octets.
func busQueueByteCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/queue/byte-cap-of-four-events",
			Title:    "four equal events against a cap of their sum and of one octet less",
			Laws:     []string{"EVENTBUS-QUEUE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.New(options{}).Publish(`{"k":0}`).Size()
				bus := b.New(options{MaxQueuedBytes: 4 * s})
				sub := bus.Subscribe()
				bus.Burst(4)
				b.Equal("EVENTBUS-QUEUE-004", "reaching the cap exactly is accepted", 1, bus.Subscribers())
				b.Equal("EVENTBUS-QUEUE-004", "all four are delivered", upTo(1, 4), sub.Drain().IDs())
				bus = b.New(options{MaxQueuedBytes: 4*s - 1})
				sub = bus.Subscribe()
				bus.Burst(3)
				b.Equal("EVENTBUS-QUEUE-004", "three are below the cap", 1, bus.Subscribers())
				bus.Burst(1)
				b.Equal("EVENTBUS-QUEUE-004", "one octet above the cap is refused", 0, bus.Subscribers())
				end := b.The("EVENTBUS-QUEUE-004", "the fourth evicts", sub.Drain(), "client_evicted")
				b.Equal("EVENTBUS-QUEUE-004", "the byte cap refused it", "queue_bytes_overflow", end.DataText("reason"))
				b.Numbers("EVENTBUS-QUEUE-004", "the sum is the sum of sizes", end, "queueSize", 3, "queuedBytes", 3*s, "eventBytes", s, "droppedAfter", 4)
			}),
		},
		{
			ID:       "eventbus/bus/queue/byte-cap-in-every-size",
			Title:    "byte caps of 2 to 17 events, exact and one octet less",
			Laws:     []string{"EVENTBUS-QUEUE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.twoDigits(options{}).Publish(`{"k":0}`).Size()
				for _, n := range []int{2, 3, 4, 5, 7, 8, 16, 17} {
					for less := range 2 {
						fits := n - less
						bus := b.twoDigits(options{MaxQueuedBytes: n*s - less})
						sub := bus.Subscribe()
						bus.Burst(fits)
						b.Equal("EVENTBUS-QUEUE-004", fmt.Sprintf("%d events of %d fit into %d", fits, s, n*s-less), 1, bus.Subscribers())
						bus.Burst(1)
						end := b.The("EVENTBUS-QUEUE-004", fmt.Sprintf("event %d does not", fits+1), sub.Drain(), "client_evicted")
						b.Numbers("EVENTBUS-QUEUE-004", "the sum counts", end, "queueSize", fits, "queuedBytes", fits*s, "eventBytes", s, "droppedAfter", 10+fits)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/byte-cap-with-unequal-events",
			Title:    "a small and a large event in both orders, at the cap and one octet above",
			Laws:     []string{"EVENTBUS-QUEUE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, sizes := range [][]int{{100, 900}, {900, 100}, {101, 899}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 1000})
					bus.Subscribe()
					bus.BurstOf(data(sizes[0]), data(sizes[1]))
					b.Equal("EVENTBUS-QUEUE-004", fmt.Sprintf("%v fit into 1000", sizes), 1, bus.Subscribers())
					bus = b.twoDigits(options{MaxQueuedBytes: 1000})
					sub := bus.Subscribe()
					bus.BurstOf(data(sizes[0]), data(sizes[1]+1))
					end := b.The("EVENTBUS-QUEUE-004", fmt.Sprintf("%v and one octet do not", sizes), sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-004", "both are measured", end, "queuedBytes", sizes[0], "eventBytes", sizes[1]+1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/default-byte-cap-to-the-octet",
			Title:    "2097152 octets in four events fit by default, 2097153 do not",
			Laws:     []string{"EVENTBUS-QUEUE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				const quarter = 524_288
				data := b.filling()
				for more := range 2 {
					bus := b.twoDigits(options{})
					sub := bus.Subscribe()
					for _, size := range []int{quarter, quarter, quarter, quarter + more} {
						bus.Publish(data(size))
					}
					b.Equal("EVENTBUS-QUEUE-004", fmt.Sprintf("%d octets against 2097152", 4*quarter+more), 1-more, bus.Subscribers())
					if more == 1 {
						end := b.The("EVENTBUS-QUEUE-004", "one octet above the cap evicts", sub.Drain(), "client_evicted")
						b.Numbers("EVENTBUS-QUEUE-004", "to the octet", end, "queuedBytes", 3*quarter, "eventBytes", quarter+1, "maxQueuedBytes", 2_097_152)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/oversized-on-an-empty-queue",
			Title:    "an event above caps of 1, 10 and its size less one, then another",
			Laws:     []string{"EVENTBUS-QUEUE-005", "EVENTBUS-WARN-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.New(options{}).Publish(`{"k":0}`).Size()
				for _, limit := range []int{1, 10, s - 1} {
					bus := b.New(options{MaxQueuedBytes: limit})
					sub := bus.Subscribe()
					bus.Burst(1)
					b.Equal("EVENTBUS-QUEUE-005", fmt.Sprintf("an event of %d is admitted under a cap of %d", s, limit), 1, bus.Subscribers())
					bus.Burst(1)
					b.Equal("EVENTBUS-QUEUE-005", "the next is not", 0, bus.Subscribers())
					got := sub.Drain()
					end := b.The("EVENTBUS-QUEUE-005", "the second evicts", got, "client_evicted")
					b.Equal("EVENTBUS-QUEUE-005", "by the byte cap", "queue_bytes_overflow", end.DataText("reason"))
					b.Numbers("EVENTBUS-QUEUE-005", "the first counts whole", end, "queueSize", 1, "queuedBytes", s, "eventBytes", s, "droppedAfter", 2)
					b.Equal("EVENTBUS-QUEUE-005", "the first is delivered", "[1]", got.IDs())
					warning := b.The("EVENTBUS-WARN-002", "what is above the cap is above its line", got, "slow_client_warning")
					b.Numbers("EVENTBUS-WARN-002", "the first event warns", warning, "lastEventId", 1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/oversized-behind-a-replay",
			Title:    "an event above the cap with three replayed frames in front",
			Laws:     []string{"EVENTBUS-QUEUE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxQueuedBytes: 10})
				bus.Burst(3)
				sub := bus.Subscribe(resumeAfter(0))
				bus.Burst(1)
				b.Equal("EVENTBUS-QUEUE-005", "forced frames leave the live queue empty", 1, bus.Subscribers())
				bus.Burst(1)
				got := sub.Drain()
				end := b.The("EVENTBUS-QUEUE-005", "the next live event evicts", got, "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-005", "one live frame was buffered", end, "queueSize", 1, "droppedAfter", 5)
				b.Equal("EVENTBUS-QUEUE-005", "all in front is delivered", upTo(1, 4), got.IDs())
			}),
		},
		{
			ID:       "eventbus/bus/queue/oversized-again-once-taken",
			Title:    "events above the cap one after the other, each taken before the next",
			Laws:     []string{"EVENTBUS-QUEUE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxQueuedBytes: 10})
				sub := bus.Subscribe()
				var ids []int64
				for range 4 {
					bus.Burst(1)
					b.Equal("EVENTBUS-QUEUE-005", "an empty live queue admits any size", 1, bus.Subscribers())
					ids = append(ids, sub.takeLive(1)...)
				}
				b.Equal("EVENTBUS-QUEUE-005", "each was delivered", upTo(1, 4), ids)
			}),
		},
		{
			ID:       "eventbus/bus/queue/oversized-by-default",
			Title:    "an event of 2097153 octets on a default bus, then a small one",
			Laws:     []string{"EVENTBUS-QUEUE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.twoDigits(options{})
				data := b.filling()
				sub := bus.Subscribe()
				bus.Publish(data(2_097_153))
				b.Equal("EVENTBUS-QUEUE-005", "one event above the cap is admitted", 1, bus.Subscribers())
				bus.Publish(data(100))
				got := sub.Drain()
				end := b.The("EVENTBUS-QUEUE-005", "a small one behind it is not", got, "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-005", "to the octet", end, "queueSize", 1, "queuedBytes", 2_097_153, "eventBytes", 100, "maxQueuedBytes", 2_097_152)
			}),
		},
		{
			ID:       "eventbus/bus/queue/frame-cap-goes-first",
			Title:    "an event that both caps refuse",
			Laws:     []string{"EVENTBUS-QUEUE-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.New(options{}).Publish(`{"k":0}`).Size()
				for _, c := range []struct {
					frames, octets int
					reason         string
				}{
					{2, 2 * s, "queue_overflow"},
					{3, 2 * s, "queue_bytes_overflow"},
					{2, 3 * s, "queue_overflow"},
					{1, 1, "queue_overflow"},
					{2, 1, "queue_bytes_overflow"},
				} {
					bus := b.New(options{MaxQueuedBytes: c.octets})
					sub := bus.Subscribe(maxQueued(c.frames))
					bus.Burst(3)
					end := b.The("EVENTBUS-QUEUE-006", "a cap refuses", sub.Drain(), "client_evicted")
					b.Equal("EVENTBUS-QUEUE-006", fmt.Sprintf("caps of %d frames and %d octets, events of %d", c.frames, c.octets, s), c.reason, end.DataText("reason"))
					b.Equal("EVENTBUS-QUEUE-006", "eventBytes comes with "+c.reason, c.reason == "queue_bytes_overflow", end.DataHas("eventBytes"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/draining-gives-back-what-was-stored",
			Title:    "large and small events, taken one by one, then filled up",
			Laws:     []string{"EVENTBUS-QUEUE-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				sizes := []int{500, 100, 300, 150}
				for taken := 1; taken <= 4; taken++ {
					bus := b.twoDigits(options{MaxQueuedBytes: 100_000})
					sub := bus.Subscribe(maxQueued(16))
					bus.BurstOf(data(sizes[0]), data(sizes[1]), data(sizes[2]), data(sizes[3]))
					b.Equal("", "they are taken", upTo(10, 9+taken), sub.Next(taken).IDs())
					bus.BurstOf(slices.Repeat([]string{data(120)}, 13+taken)...)
					left := 120 * (12 + taken)
					for _, size := range sizes[taken:] {
						left += size
					}
					end := b.The("EVENTBUS-QUEUE-007", "sixteen fit again", sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-QUEUE-007", fmt.Sprintf("%d taken of %v gave back their own sizes", taken, sizes), end, "queueSize", 16, "queuedBytes", left, "droppedAfter", 14+12+taken)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/draining-all-makes-the-queue-empty",
			Title:    "forty rounds of filling to both caps and taking everything",
			Laws:     []string{"EVENTBUS-QUEUE-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.twoDigits(options{}).Publish(`{"k":0}`).Size()
				bus := b.twoDigits(options{MaxQueuedBytes: 2 * s})
				sub := bus.Subscribe(maxQueued(2))
				var ids []int64
				for range 40 {
					bus.Burst(2)
					if !b.Equal("EVENTBUS-QUEUE-007", "both fit: nothing is left from the rounds before", 1, bus.Subscribers()) {
						return
					}
					ids = append(ids, sub.takeLive(2)...)
				}
				b.Equal("EVENTBUS-QUEUE-007", "every event was delivered", upTo(10, 89), ids)
			}),
		},
		{
			ID:       "eventbus/bus/queue/measures-equal-a-model",
			Title:    "random fills and drains with mixed sizes until the eviction",
			Laws:     []string{"EVENTBUS-QUEUE-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for round := range 8 {
					s := b.queueStory(round%2 == 1)
					b.Numbers("EVENTBUS-QUEUE-007", "the eviction measures what a plain sum says", s.end, s.want...)
				}
			}),
		},
	}
}
