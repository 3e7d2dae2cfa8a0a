package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busWarnEpisodeCases are about when a second warning may come.
func busWarnEpisodeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/warn/one-warning-for-a-fill",
			Title:    "filling up to the cap warns once",
			Laws:     []string{"EVENTBUS-WARN-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{4, 8, 16, 100, 256} {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(limit))
					bus.Burst(limit)
					b.Equal("EVENTBUS-WARN-003", fmt.Sprintf("all events above the line of %d belong to one episode", limit), 1, warnings(sub.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/second-dimension-is-silent",
			Title:    "frames reach their line, then octets, and the other way round",
			Laws:     []string{"EVENTBUS-WARN-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct {
					first string
					sizes []int
					want  string
				}{
					{"frames", []int{100, 100, 100, 500}, "10..12 slow_client_warning 13 parked"},
					{"octets", []int{800, 100, 100}, "10 slow_client_warning 11 12 parked"},
				} {
					bus := b.twoDigits(options{MaxQueuedBytes: 1000})
					sub := bus.Subscribe(maxQueued(4))
					for _, size := range c.sizes {
						bus.Publish(data(size))
					}
					b.Sees("EVENTBUS-WARN-003", c.first+" reach their line first, the others later", sub.Drain(), c.want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/hovering-at-the-line",
			Title:    "a queue that goes below its line and back without coming down",
			Laws:     []string{"EVENTBUS-WARN-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(8))
				bus.Burst(6)
				sub.Next(1)
				seen := 0
				for range 20 {
					bus.Burst(2)
					seen += warnings(sub.Next(2))
				}
				b.Equal("EVENTBUS-WARN-003", "5 of 8 is below the line and above the line of re-arming", 1, seen+warnings(sub.Drain()))
			}),
		},
		{
			ID:       "eventbus/bus/warn/re-arms-at-the-reset-line",
			Title:    "cap 8, drained to 1, 2, 3 and 4, refilled",
			Laws:     []string{"EVENTBUS-WARN-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for left := 4; left >= 1; left-- {
					b.Equal("EVENTBUS-WARN-005", fmt.Sprintf("drained to %d of 8, the next publish makes %d", left, left+1),
						map[bool]int{true: 1, false: 0}[left+1 <= 3], b.secondWarnings(8, 6, left))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/re-arms-in-every-size",
			Title:    "caps 3 to 256, drained to just where the next publish re-arms, and one above",
			Laws:     []string{"EVENTBUS-WARN-004", "EVENTBUS-WARN-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range firstWarnings {
					// The largest count that is at most 0.375 of the cap.
					reset := 3 * c.limit / 8
					if reset == 0 {
						continue
					}
					b.Equal("EVENTBUS-WARN-004", fmt.Sprintf("cap %d re-arms at %d", c.limit, reset), 1, b.secondWarnings(c.limit, c.warns, reset-1))
					b.Equal("EVENTBUS-WARN-005", fmt.Sprintf("cap %d drained to %d does not: the publish makes %d", c.limit, reset, reset+1), 0, b.secondWarnings(c.limit, c.warns, reset))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/draining-all-re-arms-with-the-next-publish",
			Title:    "four episodes, each drained completely",
			Laws:     []string{"EVENTBUS-WARN-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(4))
				for n := 0; n < 16; n += 4 {
					bus.Burst(4)
					b.Sees("EVENTBUS-WARN-005", "each episode has its own warning", sub.Next(5), fmt.Sprintf("%d..%d slow_client_warning %d ready", n+1, n+3, n+4))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/octets-keep-it-armed-off",
			Title:    "few frames and too many octets, 3000 of 8000 and one octet above",
			Laws:     []string{"EVENTBUS-WARN-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct{ push, want int }{{1000, 1}, {1001, 0}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 8000})
					sub := bus.Subscribe(maxQueued(8))
					bus.BurstOf(append(slices.Repeat([]string{data(200)}, 5), data(2000))...)
					b.Sees("", "frames reach their line", sub.Next(5), "10..14 ready")
					bus.BurstOf(append([]string{data(c.push)}, slices.Repeat([]string{data(200)}, 4)...)...)
					b.Equal("EVENTBUS-WARN-004", fmt.Sprintf("2 of 8 frames with %d of 8000 octets, then 6 frames", 2000+c.push), 1+c.want, warnings(sub.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/frames-keep-it-armed-off",
			Title:    "few octets and too many frames, 3 of 8 and one above",
			Laws:     []string{"EVENTBUS-WARN-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct{ small, want int }{{2, 1}, {3, 0}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 8000})
					sub := bus.Subscribe(maxQueued(8))
					bus.BurstOf(append([]string{data(6000)}, slices.Repeat([]string{data(100)}, c.small)...)...)
					b.Sees("", "octets reach their line at once", sub.Next(2), "10 slow_client_warning ready")
					bus.BurstOf(data(100), data(6000))
					b.Equal("EVENTBUS-WARN-004", fmt.Sprintf("%d of 8 frames with %d of 8000 octets, then 6000 more octets", c.small+1, 100*(c.small+1)), c.want, warnings(sub.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/octets-re-arm-to-the-octet",
			Title:    "a second warning for octets, with the reset line at 3000 of 8000",
			Laws:     []string{"EVENTBUS-WARN-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct{ push, want int }{{3000, 1}, {3001, 0}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 8000})
					sub := bus.Subscribe(maxQueued(100))
					bus.BurstOf(data(6000))
					b.Sees("", "octets reach their line at once", sub.Next(2), "10 slow_client_warning ready")
					bus.BurstOf(data(c.push), data(3000))
					b.Equal("EVENTBUS-WARN-004", fmt.Sprintf("%d of 8000 octets, then at least 6000", c.push), c.want, warnings(sub.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/caps-1-and-2-re-arm-by-direct-delivery",
			Title:    "a full queue of 1 and 2, drained, refilled with and without a waiting consumer between",
			Laws:     []string{"EVENTBUS-WARN-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for limit := 1; limit <= 2; limit++ {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(limit))
					bus.Burst(limit)
					b.Equal("", "the first fill warns", 1, warnings(sub.Next(limit+1)))
					bus.Burst(limit)
					b.Equal("EVENTBUS-WARN-006", fmt.Sprintf("no buffered event is below 0.375 of %d", limit), 0, warnings(sub.Drain()))
					bus.Burst(1 + limit)
					b.Equal("EVENTBUS-WARN-006", "an event that is handed over leaves nothing buffered, which is", 1, warnings(sub.Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/warnings-equal-a-model",
			Title:    "random fills and drains with mixed sizes: where the warnings are",
			Laws:     []string{"EVENTBUS-WARN-001", "EVENTBUS-WARN-003", "EVENTBUS-WARN-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for round := range 8 {
					var want, seen string
					due := 0
					s := b.queueStory(round%2 == 0)
					for _, line := range s.lines {
						want, seen = want+" "+expanded(line[0]), seen+" "+expanded(line[1])
						due += countOf(tokens(line[0]), "slow_client_warning")
					}
					came := 0
					for _, got := range s.items {
						came += warnings(got)
					}
					law := "EVENTBUS-WARN-001"
					switch {
					case came > due:
						law = "EVENTBUS-WARN-003"
					case came < due:
						law = "EVENTBUS-WARN-004"
					}
					if !b.Equal(law, "warnings are where the thresholds put them", want, seen) {
						return
					}
				}
			}),
		},
	}
}

// secondWarnings fills a queue of a cap to its first warning, drains it until so many frames are left, refills it to the cap and
// returns how many further warnings came.
func (b *busT) secondWarnings(limit, warns, left int) int {
	bus := b.New(options{})
	sub := bus.Subscribe(maxQueued(limit))
	bus.Burst(warns)
	taken := sub.Next(warns - left)
	if left == 0 {
		// Behind the last event stands the warning.
		taken.Frames = append(taken.Frames, sub.Next(1).Frames...)
	}
	bus.Burst(limit - left)
	b.Equal("", "the refill fits", 1, bus.Subscribers())
	return warnings(taken) + warnings(sub.Drain()) - 1
}

// warnings returns how many warnings are among the items.
func warnings(got handedItems) int { return len(got.Of("slow_client_warning")) }

func countOf(words []string, word string) int {
	n := 0
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}
