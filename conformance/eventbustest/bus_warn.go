package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busWarnCases() []conformance.Case {
	return slices.Concat(busWarnLineCases(), busWarnEpisodeCases(), busWarnFrameCases())
}

// firstWarnings is how many live frames a cap warns at (EVENTBUS-WARN-001).
var firstWarnings = []struct{ limit, warns int }{
	{1, 1}, {2, 2}, {3, 3}, {4, 3}, {5, 4}, {7, 6}, {8, 6}, {16, 12}, {17, 13}, {100, 75}, {256, 192},
}

// busWarnLineCases are about where the line is.
func busWarnLineCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/warn/first-warning-in-every-size",
			Title:    "caps from 1 to 256 warn at 0.75 of the cap, rounded up",
			Laws:     []string{"EVENTBUS-WARN-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range firstWarnings {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(c.limit))
					bus.Burst(c.limit)
					warning := b.The("EVENTBUS-WARN-001", fmt.Sprintf("a full queue of %d has warned once", c.limit), sub.Next(c.limit+1), "slow_client_warning")
					b.Numbers("EVENTBUS-WARN-001", fmt.Sprintf("cap %d warns at %d", c.limit, c.warns), warning, "queueSize", c.warns, "lastEventId", c.warns)
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/silent-below-the-line",
			Title:    "one frame less than the first warning of each cap",
			Laws:     []string{"EVENTBUS-WARN-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range firstWarnings {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(c.limit))
					bus.Burst(c.warns - 1)
					b.Sees("EVENTBUS-WARN-001", fmt.Sprintf("%d of %d is below the line", c.warns-1, c.limit), sub.Drain(), fmt.Sprintf("1..%d parked", c.warns-1))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/default-cap",
			Title:    "the default cap warns at 192, not at 191",
			Laws:     []string{"EVENTBUS-WARN-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				below, at := bus.Subscribe(), bus.Subscribe()
				bus.Burst(191)
				b.Sees("EVENTBUS-WARN-001", "191 of 256 is below the line", below.Next(191), "1..191 ready")
				below.Abort()
				bus.Burst(1)
				b.Sees("EVENTBUS-WARN-001", "192 of 256 is the line", at.Drain(), "1..192 slow_client_warning parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/count-is-of-what-is-buffered-now",
			Title:    "frames that were taken do not count towards the line",
			Laws:     []string{"EVENTBUS-WARN-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(8))
				bus.Burst(2)
				for n := 0; n < 30; n += 3 {
					bus.Burst(3)
					b.Sees("EVENTBUS-WARN-001", "at most 5 of 8 are buffered at any time", sub.Next(3), fmt.Sprintf("%d..%d ready", n+1, n+3))
				}
				bus.Burst(4)
				warning := b.The("EVENTBUS-WARN-001", "then the line is reached", sub.Drain(), "slow_client_warning")
				b.Numbers("EVENTBUS-WARN-001", "by 6 that are buffered", warning, "queueSize", 6, "lastEventId", 36)
			}),
		},
		{
			ID:       "eventbus/bus/warn/bytes-of-four-events",
			Title:    "a byte cap of four events warns at the third",
			Laws:     []string{"EVENTBUS-WARN-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.New(options{}).Publish(`{"k":0}`).Size()
				bus := b.New(options{MaxQueuedBytes: 4 * s})
				sub := bus.Subscribe()
				bus.Burst(4)
				b.Sees("EVENTBUS-WARN-002", "3s is 0.75 of 4s, 2s is not", sub.Drain(), "1..3 slow_client_warning 4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/bytes-line-to-the-octet",
			Title:    "byte caps around multiples of an event's size",
			Laws:     []string{"EVENTBUS-WARN-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.twoDigits(options{}).Publish(`{"k":0}`).Size()
				for _, limit := range []int{s, 2 * s, 3 * s, 4*s - 1, 4 * s, 4*s + 1, 5 * s, 7 * s, 8*s - 1, 8 * s, 8*s + 1, 16 * s, 17 * s} {
					bus := b.twoDigits(options{MaxQueuedBytes: limit})
					sub := bus.Subscribe()
					// The smallest n with n*s >= 0.75*limit.
					n := (3*limit + 4*s - 1) / (4 * s)
					bus.Burst(n - 1)
					b.Equal("EVENTBUS-WARN-002", fmt.Sprintf("%d octets of %d are below the line", (n-1)*s, limit), "[]", fmt.Sprint(sub.Next(n-1).Of("slow_client_warning")))
					sub.Abort()
					bus = b.twoDigits(options{MaxQueuedBytes: limit})
					sub = bus.Subscribe()
					bus.Burst(n)
					warning := b.The("EVENTBUS-WARN-002", fmt.Sprintf("%d octets of %d reach the line", n*s, limit), sub.Drain(), "slow_client_warning")
					b.Numbers("EVENTBUS-WARN-002", "with the event that reached it", warning, "lastEventId", 9+n, "queueSize", n)
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/default-bytes-line",
			Title:    "1572864 octets warn by default, 1572863 do not",
			Laws:     []string{"EVENTBUS-WARN-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct {
					size int
					want string
				}{{1_572_864, "10 slow_client_warning parked"}, {1_572_863, "10 parked"}} {
					bus := b.twoDigits(options{})
					sub := bus.Subscribe()
					bus.Publish(data(c.size))
					b.Sees("EVENTBUS-WARN-002", fmt.Sprintf("%d octets against 0.75 of 2097152", c.size), sub.Drain(), c.want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/either-dimension-alone",
			Title:    "frames without octets, and octets without frames",
			Laws:     []string{"EVENTBUS-WARN-001", "EVENTBUS-WARN-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 4000})
				frames, octets := bus.Subscribe(maxQueued(4)), bus.Subscribe(maxQueued(100))
				bus.BurstOf(data(100), data(100), data(100))
				b.Sees("EVENTBUS-WARN-001", "3 of 4 frames are enough, at 300 of 4000 octets", frames.Drain(), "10..12 slow_client_warning parked")
				b.Sees("EVENTBUS-WARN-001", "3 of 100 frames are not", octets.Next(3), "10..12 ready")
				bus.BurstOf(data(2999))
				b.Sees("EVENTBUS-WARN-002", "2999 of 4000 octets are not", octets.Next(1), "13 ready")
				bus.BurstOf(data(3000))
				b.Sees("EVENTBUS-WARN-002", "3000 of 4000 octets are, at 1 of 100 frames", octets.Drain(), "14 slow_client_warning parked")
			}),
		},
	}
}
