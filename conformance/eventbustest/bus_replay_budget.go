package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busReplayBudgetCases are about the byte budget of a replay.
func busReplayBudgetCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/replay/budget-at-its-limits",
			Title:    "three events of size s under budgets of 1, s, 2s and 3s, and one below each",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				for _, c := range []struct{ budget, replayed int }{
					{1, 1}, {s - 1, 1}, {s, 1}, {s + 1, 1}, {2*s - 1, 1}, {2 * s, 2}, {2*s + 1, 2}, {3*s - 1, 2}, {3 * s, 3}, {3*s + 1, 3},
				} {
					got := b.filled(options{ReplayBudgetBytes: c.budget}, 3).Subscribe(resumeAfter(0)).Drain()
					what := fmt.Sprintf("three events of %d octets under a budget of %d", s, c.budget)
					b.Equal("EVENTBUS-REPLAY-010", what, numbers(1, c.replayed), got.IDs())
					want := "[replay_budget_exceeded]"
					if c.replayed == 3 {
						want = "[]"
					}
					b.Equal("EVENTBUS-REPLAY-010", "a cut is told, and nothing else: "+what, want, reasons(got))
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-skips-all-that-follow",
			Title:    "events of mixed sizes, with small ones behind a large one",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				data := b.fitting()
				for _, c := range []struct {
					sizes            []int
					budget, replayed int
				}{
					{[]int{200, 900, 100, 100}, 500, 1},
					{[]int{200, 100, 900, 100}, 400, 2},
					{[]int{900, 100, 100}, 500, 1},
					{[]int{900, 100, 100}, 1000, 2},
					{[]int{100, 100, 100, 701}, 1000, 3},
					{[]int{100, 100, 100, 700}, 1000, 4},
					{[]int{5000}, 100, 1},
					{[]int{5000, 100}, 5099, 1},
					{[]int{5000, 100}, 5100, 2},
				} {
					bus := b.New(options{ReplayBudgetBytes: c.budget})
					for _, size := range c.sizes {
						bus.Publish(data(size))
					}
					got := bus.Subscribe(resumeAfter(0)).Drain()
					b.Equal("EVENTBUS-REPLAY-010", fmt.Sprintf("sizes %d under a budget of %d", c.sizes, c.budget), numbers(1, c.replayed), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-at-random",
			Title:    "a hundred rings of random sizes, cursors and budgets against a plain sum",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				rand, data := b.Rand(), b.fitting()
				for range 100 {
					sizes := make([]int, 1+rand.IntN(9))
					texts := make([]string, len(sizes))
					for i := range sizes {
						sizes[i] = 100 + rand.IntN(200)
						texts[i] = data(sizes[i])
					}
					cursor := rand.IntN(len(sizes))
					// Budgets that some sum reaches exactly, or misses by one, are the ones that decide.
					budget := 1
					for _, size := range sizes[cursor : cursor+1+rand.IntN(len(sizes)-cursor)] {
						budget += size
					}
					budget = max(1, budget-rand.IntN(3))
					last, sum := cursor, 0
					for _, size := range sizes[cursor:] {
						if sum += size; sum > budget && last > cursor {
							break
						}
						last++
					}
					bus := b.New(options{ReplayBudgetBytes: budget})
					bus.BurstOf(texts...)
					got := bus.Subscribe(resumeAfter(int64(cursor))).Drain()
					b.Equal("EVENTBUS-REPLAY-010", fmt.Sprintf("sizes %d, cursor %d, budget %d", sizes, cursor, budget), numbers(cursor+1, last), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-is-of-octets",
			Title:    "events outside ASCII, whose octets are more than their characters",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				text := `"` + strings.Repeat("ä€😀\u2028<", 20) + `"`
				s := b.sizeWith(text)
				for budget, replayed := range map[int]int{2*s - 1: 1, 2 * s: 2} {
					bus := b.New(options{ReplayBudgetBytes: budget})
					bus.BurstOf(text, text, text)
					got := bus.Subscribe(resumeAfter(0)).Drain()
					b.Equal("EVENTBUS-REPLAY-010", fmt.Sprintf("events of %d octets under a budget of %d", s, budget), numbers(1, replayed), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-counts-what-is-replayed",
			Title:    "five events, a budget for two, and cursors in the middle",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				bus := b.filled(options{ReplayBudgetBytes: 2 * s}, 5)
				for cursor := range 6 {
					got := bus.Subscribe(resumeAfter(int64(cursor))).Drain()
					b.Equal("EVENTBUS-REPLAY-010", fmt.Sprint("events up to the cursor cost nothing: cursor ", cursor), numbers(cursor+1, min(5, cursor+2)), got.IDs())
					b.Equal("EVENTBUS-REPLAY-010", "each subscription has the whole budget", cursor < 3, len(reasons(got)) == 1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-is-of-the-replay-alone",
			Title:    "a budget of 1 and live events",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.New(options{ReplayBudgetBytes: 1})
				sub, plain := bus.Subscribe(resumeAfter(0)), bus.Subscribe()
				bus.Burst(5)
				b.Sees("EVENTBUS-REPLAY-010", "live events are not budgeted", sub.Drain(), "replay_complete 1..5 parked")
				b.Sees("EVENTBUS-REPLAY-010", "nor without a cursor", plain.Drain(), "1..5 parked")
				b.Equal("EVENTBUS-REPLAY-010", "a replay of one frame is never cut", "[]", reasons(bus.Subscribe(resumeAfter(4)).Drain()))
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-by-default",
			Title:    "events of together 8388608 octets, and of one octet more, on a default bus",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				const size = 1 << 20
				data := b.fitting()
				for more := range 2 {
					bus := b.New(options{})
					bus.BurstEv(7, ev{Data: data(size)})
					bus.Publish(data(size + more))
					sub := bus.Subscribe(resumeAfter(0))
					var got handedItems
					for len(got.Frames) < 20 {
						part := sub.Next(1)
						got.Frames, got.State = append(got.Frames, part.Frames...), part.State
						if part.State != stateReady {
							break
						}
					}
					want := []string{"1..8 replay_complete parked", "1..7 replay_budget_exceeded replay_complete parked"}[more]
					b.Sees("EVENTBUS-REPLAY-010", fmt.Sprintf("%d octets against the default of 8388608", 8*size+more), got, want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/budget-out-of-range",
			Title:    "replayBudgetBytes 0, negative, fractional, of another type, and beyond 2^53-1",
			Laws:     []string{"EVENTBUS-REPLAY-010"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				b.refuses("EVENTBUS-REPLAY-010", "replayBudgetBytes", "0", "-1", "-8388608", "0.5", "1.5", `"8388608"`, `""`, "true", "null", "[4]", "{}", "9007199254740992")
				_, err := b.TryNew(options{Raw: map[string]string{"replayBudgetBytes": "9007199254740991"}})
				b.Check(err == nil, "EVENTBUS-REPLAY-010", "2^53-1 is accepted", "a bus", fmt.Sprint(err))
			}),
		},
		{
			ID:       "eventbus/bus/replay/cut-off-order",
			Title:    "a ring of 3 after five events, a budget for two, a live event behind",
			Laws:     []string{"EVENTBUS-REPLAY-011"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				for cursor, want := range map[int64]string{
					0:        "ring_evicted 3 4 replay_budget_exceeded replay_complete 6 parked",
					2:        "3 4 replay_budget_exceeded replay_complete 6 parked",
					3:        "4 5 replay_complete 6 parked",
					6:        "epoch_reset 3 4 replay_budget_exceeded replay_complete 6 parked",
					farthest: "epoch_reset 3 4 replay_budget_exceeded replay_complete 6 parked",
				} {
					bus := b.filled(options{RingSize: 3, ReplayBudgetBytes: 2 * s}, 5)
					sub := bus.Subscribe(resumeAfter(cursor))
					bus.Burst(1)
					b.Sees("EVENTBUS-REPLAY-011", fmt.Sprintf("prefix, resync, replay_complete, live, for cursor %d", cursor), sub.Drain(), want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/cut-off-count",
			Title:    "replay_complete after cut-offs behind one, two and three frames",
			Laws:     []string{"EVENTBUS-REPLAY-011"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				for fit := 1; fit <= 3; fit++ {
					got := b.filled(options{ReplayBudgetBytes: fit * s}, 5).Subscribe(resumeAfter(1)).Drain()
					b.completes("EVENTBUS-REPLAY-011", "it counts the prefix alone", got, fit, 1+fit)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/cut-off-after-a-wrong-epoch",
			Title:    "another bus's epoch and a budget for one frame",
			Laws:     []string{"EVENTBUS-REPLAY-011"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{ReplayBudgetBytes: 1}, 3)
				sub := bus.Subscribe(resumeAfter(2), withEpoch("of-another-bus"))
				bus.Burst(1)
				b.Sees("EVENTBUS-REPLAY-011", "the budget holds for the replay of a reset, too", sub.Drain(), "epoch_reset 1 replay_budget_exceeded replay_complete 4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/replay/resumes-behind-a-cut",
			Title:    "a client that resumes at the last id it got, until a cut replay is whole",
			Laws:     []string{"EVENTBUS-REPLAY-010", "EVENTBUS-REPLAY-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				bus := b.filled(options{ReplayBudgetBytes: 2 * s}, 9)
				var all []int64
				for resumes := 1; resumes <= 5; resumes++ {
					got := bus.Subscribe(resumeAfter(int64(len(all)))).Drain()
					all = append(all, got.IDs()...)
					b.Equal("EVENTBUS-REPLAY-010", "the last part is whole", resumes < 5, len(reasons(got)) == 1)
				}
				b.Equal("EVENTBUS-REPLAY-008", "the parts join without a gap", numbers(1, 9), all)
			}),
		},
	}
}
