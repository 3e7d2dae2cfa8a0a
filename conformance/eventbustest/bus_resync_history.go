package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busResyncHistoryCases are about the other reasons of dialect later: budget cuts and seeded history.
func busResyncHistoryCases() []conformance.Case {
	seeding := conformance.Needs{Options: []string{Seeding}}
	return []conformance.Case{
		{
			ID:       "eventbus/bus/resync/budget-frame",
			Title:    "the whole replay_budget_exceeded frame, for cuts behind one and two frames",
			Laws:     []string{"EVENTBUS-RESYNC-011"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				for _, c := range []struct {
					fit, ring        int
					cursor           int64
					last, firstSkips int64
				}{
					{1, 8, 0, 1, 2}, {2, 8, 0, 2, 3}, {1, 8, 1, 2, 3}, {3, 8, 1, 4, 5}, {2, 3, 0, 4, 5}, {1, 3, 0, 3, 4}, {2, 3, 99, 4, 5},
				} {
					got := b.filled(options{RingSize: c.ring, ReplayBudgetBytes: c.fit * s}, 5).Subscribe(resumeAfter(c.cursor)).Drain()
					var cut *frame
					for _, f := range got.Of("state_resync_required") {
						if f.DataText("reason") == "replay_budget_exceeded" {
							cut = f
						}
					}
					b.Exactly("EVENTBUS-RESYNC-011", fmt.Sprintf("room for %d, ring of %d, cursor %d", c.fit, c.ring, c.cursor), cut, resyncFrame("replay_budget_exceeded", c.last, c.firstSkips))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/budget-frame-after-a-wrong-epoch",
			Title:    "the detail of a wrong token is not that of the cut behind it",
			Laws:     []string{"EVENTBUS-RESYNC-011"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				got := b.filled(options{ReplayBudgetBytes: 1}, 3).Subscribe(resumeAfter(2), withEpoch("x")).Drain()
				if cuts := got.Of("state_resync_required"); b.Equal("EVENTBUS-RESYNC-011", "a reset and a cut", "[epoch_reset replay_budget_exceeded]", reasons(got)) {
					b.Exactly("EVENTBUS-RESYNC-011", "the cut counts from what was replayed", cuts[1], resyncFrame("replay_budget_exceeded", 1, 2))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/history-behind-the-cursor",
			Title:    "four seeded events and cursors below, at and above the last id",
			Laws:     []string{"EVENTBUS-RESYNC-012"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				for _, published := range []int{0, 2} {
					bus := b.filled(options{}, published)
					bus.Seed(`1`, `2`, `3`, `4`)
					last := int64(published + 4)
					for cursor := range last {
						got := bus.Subscribe(resumeAfter(cursor)).Drain()
						b.Sees("EVENTBUS-RESYNC-012", fmt.Sprintf("the ring is empty and cursor %d is below %d", cursor, last), got, "seeded_replay_not_in_ring replay_complete parked")
						b.Exactly("EVENTBUS-RESYNC-012", "the earliest id to be had is the next one", got.first(), resyncFrame("seeded_replay_not_in_ring", cursor, last+1))
					}
					b.Sees("EVENTBUS-RESYNC-012", "the last id is up to date", bus.Subscribe(resumeAfter(last)).Drain(), "replay_complete parked")
					b.Sees("EVENTBUS-RESYNC-012", "what is beyond is a reset", bus.Subscribe(resumeAfter(last+1)).Drain(), "epoch_reset replay_complete parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/history-and-a-live-event",
			Title:    "four seeded events, a live one, and cursors around them",
			Laws:     []string{"EVENTBUS-RESYNC-012"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`, `3`, `4`)
				bus.PublishN(1)
				for cursor := range int64(4) {
					got := bus.Subscribe(resumeAfter(cursor)).Drain()
					b.Sees("EVENTBUS-RESYNC-012", "with an event in the ring a gap is a gap", got, "ring_evicted 5 replay_complete parked")
					b.Exactly("EVENTBUS-RESYNC-012", "up to the first live id", got.first(), resyncFrame("ring_evicted", cursor, 5))
				}
				b.Sees("EVENTBUS-RESYNC-012", "there is none behind the last seeded id", bus.Subscribe(resumeAfter(4)).Drain(), "5 replay_complete parked")
			}),
		},
		{
			ID:       "eventbus/bus/resync/history-leads-and-flows-on",
			Title:    "live events behind seeded_replay_not_in_ring",
			Laws:     []string{"EVENTBUS-RESYNC-003", "EVENTBUS-RESYNC-004"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`)
				sub := bus.Subscribe(resumeAfter(0))
				bus.Burst(2)
				b.Sees("EVENTBUS-RESYNC-003", "the resync is the very first item", sub.Drain(), "seeded_replay_not_in_ring replay_complete 3 4 parked")
				bus.PublishN(1)
				b.Sees("EVENTBUS-RESYNC-004", "the subscription lives on", sub.Drain(), "5 parked")
			}),
		},
		{
			ID:       "eventbus/bus/resync/reset-on-an-empty-ring",
			Title:    "cursors from the future and wrong tokens behind seeded history",
			Laws:     []string{"EVENTBUS-RESYNC-006", "EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Seed(`1`, `2`, `3`)
				for _, cursor := range []int64{4, 5, farthest} {
					b.Exactly("EVENTBUS-RESYNC-006", "with an empty ring the earliest id is the next one", bus.Subscribe(resumeAfter(cursor)).Next(1).only(), resyncFrame("epoch_reset", cursor, 4))
				}
				for _, cursor := range []int64{0, 3, 4} {
					b.Exactly("EVENTBUS-RESYNC-008", "a wrong token comes before the ring test", bus.Subscribe(resumeAfter(cursor), withEpoch("x")).Next(1).only(), mismatchFrame(cursor, 4))
				}
			}),
		},
	}
}
