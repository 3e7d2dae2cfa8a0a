package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busReplayCases() []conformance.Case {
	return slices.Concat(busReplayRangeCases(), busReplayCapCases(), busReplayCompleteCases(), busReplayBudgetCases())
}

// farthest is the largest cursor that a JSON number carries.
const farthest = 1<<53 - 1

// busReplayRangeCases are about which events are replayed, and how live ones join on.
func busReplayRangeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/replay/strictly-behind-the-cursor",
			Title:    "ten events and cursors 0 to 10",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 10)
				for cursor := range 11 {
					got := bus.Subscribe(resumeAfter(int64(cursor))).Drain()
					b.Equal("EVENTBUS-REPLAY-001", fmt.Sprint("ids above the cursor, in order, each once, for cursor ", cursor), numbers(cursor+1, 10), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/of-rings-that-dropped-events",
			Title:    "rings of 1, 2, 3 and 8 that dropped events, and every cursor up to the last id",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, size := range []int{1, 2, 3, 8} {
					last := size + 4
					bus := b.filled(options{RingSize: size}, last)
					for cursor := range last + 1 {
						got := bus.Subscribe(resumeAfter(int64(cursor))).Drain()
						b.Equal("EVENTBUS-REPLAY-001", fmt.Sprintf("what a ring of %d has above cursor %d", size, cursor), numbers(max(cursor, last-size)+1, last), got.IDs())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/of-the-default-ring",
			Title:    "8001 events and cursors at the ends and in the middle of the default ring",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 8001)
				for _, cursor := range []int{1, 2, 4000, 7999, 8000, 8001} {
					got := bus.Subscribe(resumeAfter(int64(cursor))).Drain()
					b.Equal("EVENTBUS-REPLAY-001", fmt.Sprint("ids above cursor ", cursor), numbers(cursor+1, 8001), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/comes-before-live-events",
			Title:    "events that are published before the replay is taken",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 5)
				sub := bus.Subscribe(resumeAfter(2))
				bus.Burst(2)
				b.Sees("EVENTBUS-REPLAY-001", "live events wait behind the replay", sub.Next(2), "3 4 ready")
				bus.Burst(1)
				b.Equal("EVENTBUS-REPLAY-001", "however long it takes", numbers(5, 8), sub.Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/replay/is-of-this-bus",
			Title:    "two buses with events of their own",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				one, other := b.New(options{}), b.New(options{})
				one.BurstOf(`"one"`, `"one"`)
				other.BurstOf(`"other"`, `"other"`, `"other"`)
				for name, bus := range map[string]*drivenBus{"one": one, "other": other} {
					for _, f := range bus.Subscribe(resumeAfter(0)).Drain().Of(plain) {
						b.Data("EVENTBUS-REPLAY-001", "a bus replays its own events", f, `"`+name+`"`)
					}
				}
				b.Equal("EVENTBUS-REPLAY-001", "all of them", "[2] [3]", fmt.Sprint(one.Subscribe(resumeAfter(1)).Drain().IDs(), other.Subscribe(resumeAfter(2)).Drain().IDs()))
			}),
		},
		{
			ID:       "eventbus/bus/replay/resumes-while-events-come",
			Title:    "a consumer that leaves and resumes thirty times while a producer publishes",
			Laws:     []string{"EVENTBUS-REPLAY-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				rand, bus := b.Rand(), b.New(options{})
				var all []int64
				var cursor int64
				for range 30 {
					bus.Burst(rand.IntN(4))
					sub := bus.Subscribe(resumeAfter(cursor))
					bus.Burst(rand.IntN(4))
					var got []int64
					for range 1 + rand.IntN(3) {
						got = append(got, sub.Next(rand.IntN(4)).IDs()...)
						// In ops of their own, so that an ask that waits is served in between.
						bus.PublishN(rand.IntN(3))
					}
					got = append(got, sub.Poll().IDs()...)
					sub.Abort()
					all = append(all, got...)
					if len(got) > 0 {
						cursor = got[len(got)-1]
					}
				}
				all = append(all, bus.Subscribe(resumeAfter(cursor)).Drain().IDs()...)
				b.Equal("EVENTBUS-REPLAY-008", "over all resumes there is neither gap nor duplicate", numbers(1, int(bus.LastEventID())), all)
			}),
		},
		{
			ID:       "eventbus/bus/replay/joins-live-without-a-gap",
			Title:    "every cursor of a ring that dropped events, with live events behind the replay",
			Laws:     []string{"EVENTBUS-REPLAY-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, cursor := range []int{0, 1, 5, 6, 7, 8, 9, 10} {
					bus := b.filled(options{RingSize: 4}, 10)
					sub := bus.Subscribe(resumeAfter(int64(cursor)))
					bus.Burst(2)
					got := sub.Drain().IDs()
					bus.PublishN(3)
					got = append(got, sub.Drain().IDs()...)
					b.Equal("EVENTBUS-REPLAY-008", fmt.Sprintf("from max(%d, 7) on, step 1", cursor+1), numbers(max(cursor+1, 7), 15), got)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/joins-live-after-a-reset",
			Title:    "cursors from the future on a ring that dropped events, with live events behind",
			Laws:     []string{"EVENTBUS-REPLAY-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, cursor := range []int64{11, 12, 13, 1000, farthest} {
					bus := b.filled(options{RingSize: 4}, 10)
					sub := bus.Subscribe(resumeAfter(cursor))
					bus.Burst(4)
					b.Equal("EVENTBUS-REPLAY-008", fmt.Sprintf("from the earliest id on, though the cursor is %d", cursor), numbers(7, 14), sub.Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/is-as-old-as-the-subscription",
			Title:    "the ring turns over while a replay is waiting to be taken",
			Laws:     []string{"EVENTBUS-REPLAY-008", "EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 3)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(50))
				b.Sees("EVENTBUS-REPLAY-001", "the first of the replay", sub.Next(1), "1 ready")
				bus.Burst(20)
				got := sub.Drain()
				b.Equal("EVENTBUS-REPLAY-008", "what was to be replayed when it subscribed is replayed", numbers(2, 23), got.IDs())
				b.Equal("EVENTBUS-REPLAY-008", "no gap is told", "[]", reasons(got))
			}),
		},
		{
			ID:       "eventbus/bus/replay/up-to-date-cursor",
			Title:    "the cursor is the last id, on rings that do and do not reach it",
			Laws:     []string{"EVENTBUS-REPLAY-009"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, size := range []int{1, 2, 9, 100} {
					for _, last := range []int{1, 2, 9} {
						bus := b.filled(options{RingSize: size}, last)
						sub := bus.Subscribe(resumeAfter(int64(last)))
						got := sub.Drain()
						b.Sees("EVENTBUS-REPLAY-009", "an up-to-date cursor brings replay_complete alone", got, "replay_complete parked")
						b.Numbers("EVENTBUS-REPLAY-009", "nothing was replayed", b.The("EVENTBUS-REPLAY-009", "one", got, "replay_complete"), "replayedCount", 0)
						bus.PublishN(1)
						b.Sees("EVENTBUS-REPLAY-009", "the next item is the next event", sub.Poll(), fmt.Sprint(last+1, " ready"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/cursor-0-on-a-new-bus",
			Title:    "cursor 0 before anything was published",
			Laws:     []string{"EVENTBUS-REPLAY-009"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(resumeAfter(0))
				got := sub.Drain()
				b.Sees("EVENTBUS-REPLAY-009", "a new bus is up to date with 0", got, "replay_complete parked")
				b.Numbers("EVENTBUS-REPLAY-009", "nothing was replayed", b.The("EVENTBUS-REPLAY-009", "one", got, "replay_complete"), "replayedCount", 0)
				bus.PublishN(2)
				b.Sees("EVENTBUS-REPLAY-009", "live events follow", sub.Drain(), "1 2 parked")
			}),
		},
	}
}
