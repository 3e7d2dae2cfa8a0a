package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busReplayCompleteCases are about the frame that ends a replay.
func busReplayCompleteCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/replay/complete-in-every-cursor-case",
			Title:    "cursors absent, 0, mid-ring, last, evicted and beyond the end, with a live event behind",
			Laws:     []string{"EVENTBUS-REPLAY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for cursor, replayed := range map[int64]int{-1: 0, 0: 4, 1: 4, 5: 4, 6: 4, 7: 3, 8: 2, 9: 1, 10: 0, 11: 4, 12: 4, farthest: 4} {
					bus := b.filled(options{RingSize: 4}, 10)
					name, want := "absent", 0
					options := []subOption{}
					if cursor >= 0 {
						name, want, options = fmt.Sprint(cursor), 1, append(options, resumeAfter(cursor))
					}
					sub := bus.Subscribe(options...)
					bus.PublishN(1)
					got := sub.Drain()
					if !b.Equal("EVENTBUS-REPLAY-002", "how many replay_complete for cursor "+name, want, len(got.Of("replay_complete"))) || want == 0 {
						continue
					}
					at := slices.IndexFunc(got.Frames, func(f *frame) bool { return f.Type() == "replay_complete" })
					before, behind := handedItems{Frames: got.Frames[:at]}, handedItems{Frames: got.Frames[at:]}
					b.Equal("EVENTBUS-REPLAY-002", "it is behind the last replayed frame, for cursor "+name, replayed, len(before.IDs()))
					b.Equal("EVENTBUS-REPLAY-002", "and before the first live one", numbers(11, 11), behind.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-when-nothing-was-replayed",
			Title:    "cursors on a bus that holds nothing: 0, 1 and the largest",
			Laws:     []string{"EVENTBUS-REPLAY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, cursor := range []int64{0, 1, farthest} {
					bus := b.New(options{})
					sub := bus.Subscribe(resumeAfter(cursor))
					bus.PublishN(2)
					got := sub.Drain()
					b.Equal("EVENTBUS-REPLAY-002", fmt.Sprintf("one replay_complete for cursor %d", cursor), 1, len(got.Of("replay_complete")))
					if len(got.Frames) > 2 {
						b.Equal("EVENTBUS-REPLAY-002", "before the first live event", "replay_complete 1 2", fmt.Sprint(got.Frames[len(got.Frames)-3].Type(), " 1 2"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-in-order-of-subscriptions",
			Title:    "many subscriptions to one bus, with and without cursors",
			Laws:     []string{"EVENTBUS-REPLAY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				var subs []*drivenSub
				for i := range 12 {
					if i%4 == 3 {
						subs = append(subs, bus.Subscribe())
					} else {
						subs = append(subs, bus.Subscribe(resumeAfter(int64(i%4))))
					}
				}
				bus.Burst(2)
				for i, sub := range subs {
					want := []string{"1..3 replay_complete 4 5 parked", "2 3 replay_complete 4 5 parked", "3 replay_complete 4 5 parked", "4 5 parked"}[i%4]
					b.Sees("EVENTBUS-REPLAY-002", "each gets the end of its own replay, and of no other", sub.Drain(), want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-shape",
			Title:    "the whole replay_complete frame after clean replays and after resyncs",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range []struct {
					ring, published int
					cursor          int64
					count           int
				}{
					{3, 5, 0, 3}, {3, 5, 1, 3}, {3, 5, 2, 3}, {3, 5, 3, 2}, {3, 5, 4, 1}, {3, 5, 6, 3}, {3, 5, farthest, 3}, {8, 5, 0, 5}, {8, 5, 99, 5}, {1, 9, 0, 1}, {1, 1, 0, 1},
				} {
					got := b.filled(options{RingSize: c.ring}, c.published).Subscribe(resumeAfter(c.cursor)).Drain()
					b.completes("EVENTBUS-REPLAY-003", fmt.Sprintf("ring of %d, %d events, cursor %d", c.ring, c.published, c.cursor), got, c.count, c.published)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-counts-frames",
			Title:    "replayedCount where ids were seeded, and after a reset",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Seeding}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`, `3`)
				bus.PublishN(2)
				for _, cursor := range []int64{0, 1, 3, 6, farthest} {
					b.completes("EVENTBUS-REPLAY-003", fmt.Sprintf("two frames are pushed for cursor %d", cursor), bus.Subscribe(resumeAfter(cursor)).Drain(), 2, 5)
				}
				b.completes("EVENTBUS-REPLAY-003", "one frame is pushed for cursor 4", bus.Subscribe(resumeAfter(4)).Drain(), 1, 5)
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-tells-its-own-moment",
			Title:    "events that come before the replay_complete is taken",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 4)
				sub := bus.Subscribe(resumeAfter(1))
				bus.Burst(10)
				b.completes("EVENTBUS-REPLAY-003", "live events are not in it", sub.Drain(), 3, 4)
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-of-a-large-replay",
			Title:    "the default ring is replayed",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				b.completes("EVENTBUS-REPLAY-003", "8001 events, of which 8000 are kept", b.filled(options{}, 8001).Subscribe(resumeAfter(0)).Drain(), 8000, 8001)
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-of-nothing",
			Title:    "data of replay_complete when nothing was replayed",
			Laws:     []string{"EVENTBUS-REPLAY-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				empty := func(got handedItems, how string) {
					f := b.The("EVENTBUS-REPLAY-004", "one replay_complete, "+how, got, "replay_complete")
					b.Data("EVENTBUS-REPLAY-004", "replayedCount is the only member, "+how, f, `{"replayedCount":0}`)
				}
				empty(b.New(options{}).Subscribe(resumeAfter(0)).Drain(), "on a new bus")
				empty(b.New(options{}).Subscribe(resumeAfter(7)).Drain(), "after a reset on a new bus")
				empty(b.filled(options{}, 3).Subscribe(resumeAfter(3)).Drain(), "with the last id")
				empty(b.filled(options{RingSize: 1}, 3).Subscribe(resumeAfter(3)).Drain(), "with the last id on a ring of 1")
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-of-an-empty-ring",
			Title:    "data of replay_complete behind seeded history",
			Laws:     []string{"EVENTBUS-REPLAY-004", "EVENTBUS-REPLAY-002"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Seeding}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`, `3`)
				for _, cursor := range []int64{0, 2, 3, 4} {
					f := b.The("EVENTBUS-REPLAY-002", "one replay_complete", bus.Subscribe(resumeAfter(cursor)).Drain(), "replay_complete")
					b.Data("EVENTBUS-REPLAY-004", fmt.Sprintf("nothing was replayed for cursor %d", cursor), f, `{"replayedCount":0}`)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/complete-alias",
			Title:    "the deprecated member lastEventId of replay_complete",
			Laws:     []string{"EVENTBUS-REPLAY-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				for _, cursor := range []int64{0, 2, 3, 4, 6, farthest} {
					f := b.The("EVENTBUS-REPLAY-005", "one replay_complete", bus.Subscribe(resumeAfter(cursor)).Drain(), "replay_complete")
					if !f.DataHas("lastEventId") {
						b.Note("alias", "replay_complete has no data.lastEventId for cursor %d", cursor)
						continue
					}
					b.Equal("EVENTBUS-REPLAY-005", "the alias equals lastReplayedEventId", string(f.DataGet("lastReplayedEventId")), string(f.DataGet("lastEventId")))
				}
			}),
		},
	}
}

// completes compares a whole replay_complete; the deprecated alias may be absent (EVENTBUS-REPLAY-005).
func (b *busT) completes(law, reason string, got handedItems, count, last int) {
	f := b.The(law, reason, got, "replay_complete")
	alias := ""
	if f.DataHas("lastEventId") {
		alias = fmt.Sprintf(`,"lastEventId":%d`, last)
	}
	b.Exactly(law, reason, f, fmt.Sprintf(`{"v":1,"type":"replay_complete","data":{"replayedCount":%d,"lastReplayedEventId":%d%s}}`, count, last, alias))
}
