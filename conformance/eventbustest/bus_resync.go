package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busResyncCases() []conformance.Case {
	return slices.Concat(busResyncGapCases(), busResyncResetCases(), busResyncEpochCases(), busResyncHistoryCases())
}

// resyncFrame returns a whole state_resync_required as JSON.
func resyncFrame(reason string, cursor, earliest int64) string {
	return fmt.Sprintf(`{"v":1,"type":"state_resync_required","data":{"reason":%q,"lastDeliveredId":%d,"earliestAvailableId":%d}}`, reason, cursor, earliest)
}

// busResyncGapCases are about events that the ring has dropped, and about the place of a resync.
func busResyncGapCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/resync/gap-of-the-law",
			Title:    "a ring of 3 after five events and cursors 0 to 5",
			Laws:     []string{"EVENTBUS-RESYNC-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				for cursor := range 6 {
					want := "[]"
					if cursor < 2 {
						want = "[ring_evicted]"
					}
					b.Equal("EVENTBUS-RESYNC-001", fmt.Sprintf("the ring holds 3, 4, 5 and the cursor is %d", cursor), want, reasons(bus.Subscribe(resumeAfter(int64(cursor))).Drain()))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/gap-in-every-ring",
			Title:    "rings of 1, 2, 3, 8 and 100: cursors one, two and more below the earliest id",
			Laws:     []string{"EVENTBUS-RESYNC-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, size := range []int{1, 2, 3, 8, 100} {
					for _, published := range []int{size, size + 1, size + 2, 3*size + 2} {
						bus, earliest := b.filled(options{RingSize: size}, published), published-size+1
						for _, cursor := range []int{0, earliest - 3, earliest - 2, earliest - 1, earliest, published} {
							if cursor < 0 || cursor > published {
								continue
							}
							want := "[]"
							if earliest > cursor+1 {
								want = "[ring_evicted]"
							}
							sub := bus.Subscribe(resumeAfter(int64(cursor)))
							b.Equal("EVENTBUS-RESYNC-001", fmt.Sprintf("ring of %d, earliest id %d, cursor %d", size, earliest, cursor), want, reasons(sub.Drain()))
							sub.Abort()
						}
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/gap-in-the-default-ring",
			Title:    "8002 events on a default bus and cursors around the earliest id",
			Laws:     []string{"EVENTBUS-RESYNC-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 8002)
				for cursor, want := range []string{"ring_evicted ready", "ring_evicted ready", "3 ready", "4 ready"} {
					b.Sees("EVENTBUS-RESYNC-001", fmt.Sprint("the ring begins with 3 and the cursor is ", cursor), bus.Subscribe(resumeAfter(int64(cursor))).Next(1), want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/gap-opens-while-away",
			Title:    "a client resumes with the same cursor as the ring moves on",
			Laws:     []string{"EVENTBUS-RESYNC-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 3)
				for last := 3; last <= 8; last++ {
					want := "[]"
					if last-2 > 3 {
						want = "[ring_evicted]"
					}
					b.Equal("EVENTBUS-RESYNC-001", fmt.Sprintf("cursor 2 when the ring holds %d..%d", last-2, last), want, reasons(bus.Subscribe(resumeAfter(2)).Drain()))
					bus.PublishN(1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/gap-frame",
			Title:    "the whole ring_evicted frame",
			Laws:     []string{"EVENTBUS-RESYNC-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range []struct {
					ring, published int
					cursor          int64
				}{{3, 5, 0}, {3, 5, 1}, {1, 2, 0}, {1, 9, 7}, {8, 20, 4}, {8, 20, 11}, {100, 1234, 5}} {
					got := b.filled(options{RingSize: c.ring}, c.published).Subscribe(resumeAfter(c.cursor)).Next(1)
					b.Exactly("EVENTBUS-RESYNC-002", fmt.Sprintf("ring of %d, %d events, cursor %d", c.ring, c.published, c.cursor), got.only(), resyncFrame("ring_evicted", c.cursor, int64(c.published-c.ring+1)))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/gap-frame-does-not-age",
			Title:    "the ring moves on before a ring_evicted is taken",
			Laws:     []string{"EVENTBUS-RESYNC-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				sub := bus.Subscribe(resumeAfter(1))
				bus.Burst(7)
				b.Exactly("EVENTBUS-RESYNC-002", "the lost range is that of the moment of subscribing", sub.Next(1).only(), resyncFrame("ring_evicted", 1, 3))
			}),
		},
		{
			ID:       "eventbus/bus/resync/comes-first",
			Title:    "the first items after a gap and after a reset, with live events behind",
			Laws:     []string{"EVENTBUS-RESYNC-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for cursor, want := range map[int64]string{
					0: "ring_evicted 3..5 replay_complete 6 7 parked", 1: "ring_evicted 3..5 replay_complete 6 7 parked", 2: "3..5 replay_complete 6 7 parked",
					6: "epoch_reset 3..5 replay_complete 6 7 parked", farthest: "epoch_reset 3..5 replay_complete 6 7 parked",
				} {
					bus := b.filled(options{RingSize: 3}, 5)
					sub := bus.Subscribe(resumeAfter(cursor))
					bus.Burst(2)
					b.Sees("EVENTBUS-RESYNC-003", fmt.Sprintf("at most one leading resync, ahead of all replayed frames, for cursor %d", cursor), sub.Drain(), want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/is-not-terminal",
			Title:    "events after a gap and after a reset, one by one and in a burst",
			Laws:     []string{"EVENTBUS-RESYNC-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for cursor, reason := range map[int64]string{1: "ring_evicted", 6: "epoch_reset", farthest: "epoch_reset"} {
					bus := b.filled(options{RingSize: 3}, 5)
					sub := bus.Subscribe(resumeAfter(cursor))
					b.Sees("EVENTBUS-RESYNC-004", "the surviving suffix follows the resync", sub.Drain(), reason+" 3..5 replay_complete parked")
					b.Equal("EVENTBUS-RESYNC-004", "the subscription stays attached", 1, bus.Subscribers())
					bus.PublishN(1)
					b.Sees("EVENTBUS-RESYNC-004", "the next item is the next event", sub.Drain(), "6 parked")
					bus.Burst(20)
					b.Sees("EVENTBUS-RESYNC-004", "and so on", sub.Drain(), "7..26 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/is-private",
			Title:    "subscribers that were up to date while another resyncs",
			Laws:     []string{"EVENTBUS-RESYNC-004", "EVENTBUS-RESYNC-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 2}, 4)
				waiting, fresh := bus.Subscribe(), bus.Subscribe(resumeAfter(4))
				waiting.Park()
				gap, reset := bus.Subscribe(resumeAfter(0)), bus.Subscribe(resumeAfter(99))
				bus.Burst(2)
				b.Sees("EVENTBUS-RESYNC-004", "a gap", gap.Drain(), "ring_evicted 3 4 replay_complete 5 6 parked")
				b.Sees("EVENTBUS-RESYNC-004", "a reset", reset.Drain(), "epoch_reset 3 4 replay_complete 5 6 parked")
				b.Sees("EVENTBUS-RESYNC-003", "nobody else is told to resync", waiting.Drain(), "5 6 parked")
				b.Sees("EVENTBUS-RESYNC-003", "nor is who has a good cursor", fresh.Drain(), "replay_complete 5 6 parked")
			}),
		},
	}
}

// busResyncResetCases are about cursors from the future.
func busResyncResetCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/resync/reset-from-the-next-id-on",
			Title:    "0, 1, 3 and 9 events and cursors at the last id, the next, and far beyond",
			Laws:     []string{"EVENTBUS-RESYNC-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, last := range []int64{0, 1, 3, 9} {
					bus := b.filled(options{}, int(last))
					for _, cursor := range []int64{0, last - 1, last, last + 1, last + 2, 1000, 1<<31 - 1, 1 << 31, 1 << 32, farthest - 1, farthest} {
						want := "[]"
						switch {
						case cursor < 0:
							continue
						case cursor > last:
							want = "[epoch_reset]"
						}
						b.Equal("EVENTBUS-RESYNC-005", fmt.Sprintf("last id %d, cursor %d", last, cursor), want, reasons(bus.Subscribe(resumeAfter(cursor)).Next(1)))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/reset-excludes-the-ring-test",
			Title:    "cursors from the future on rings of 1, 2 and 3 that dropped events",
			Laws:     []string{"EVENTBUS-RESYNC-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for size := 1; size <= 3; size++ {
					bus := b.filled(options{RingSize: size}, 7)
					for _, cursor := range []int64{7, 8, 9, farthest} {
						want := "[epoch_reset]"
						if cursor == 7 {
							want = "[]"
						}
						b.Equal("EVENTBUS-RESYNC-005", fmt.Sprintf("ring of %d, last id 7, cursor %d", size, cursor), want, reasons(bus.Subscribe(resumeAfter(cursor)).Drain()))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/reset-ends-when-ids-catch-up",
			Title:    "the same cursor before, when and after the bus reaches it",
			Laws:     []string{"EVENTBUS-RESYNC-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				for last := 0; last <= 6; last++ {
					want := "[]"
					if last < 4 {
						want = "[epoch_reset]"
					}
					b.Equal("EVENTBUS-RESYNC-005", fmt.Sprintf("last id %d, cursor 4", last), want, reasons(bus.Subscribe(resumeAfter(4)).Drain()))
					bus.PublishN(1)
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/reset-frame",
			Title:    "the whole epoch_reset frame on new buses and on rings",
			Laws:     []string{"EVENTBUS-RESYNC-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range []struct {
					ring, published  int
					cursor, earliest int64
				}{
					{3, 0, 7, 1}, {3, 0, 1, 1}, {3, 5, 99, 3}, {3, 5, 6, 3}, {3, 3, 4, 1}, {3, 4, 5, 2}, {1, 9, 10, 9}, {100, 3, 50, 1}, {3, 5, farthest, 3}, {3, 0, farthest, 1},
				} {
					got := b.filled(options{RingSize: c.ring}, c.published).Subscribe(resumeAfter(c.cursor)).Next(1)
					b.Exactly("EVENTBUS-RESYNC-006", fmt.Sprintf("ring of %d, %d events, cursor %d", c.ring, c.published, c.cursor), got.only(), resyncFrame("epoch_reset", c.cursor, c.earliest))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/reset-replays-everything",
			Title:    "cursors from the future, near and far, and what is replayed",
			Laws:     []string{"EVENTBUS-RESYNC-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, cursor := range []int64{4, 5, 50, farthest} {
					got := b.filled(options{}, 3).Subscribe(resumeAfter(cursor)).Drain()
					b.Sees("EVENTBUS-RESYNC-007", fmt.Sprintf("the whole ring, though cursor %d is above it", cursor), got, "epoch_reset 1..3 replay_complete parked")
					b.Numbers("EVENTBUS-RESYNC-007", "all of it is counted", b.The("EVENTBUS-RESYNC-007", "one", got, "replay_complete"), "replayedCount", 3)
				}
				for size := 1; size <= 4; size++ {
					got := b.filled(options{RingSize: size}, 10).Subscribe(resumeAfter(11)).Drain()
					b.Equal("EVENTBUS-RESYNC-007", fmt.Sprintf("all that a ring of %d retains, from the oldest", size), numbers(11-size, 10), got.IDs())
				}
			}),
		},
	}
}

// only returns the frame if there is exactly one.
func (i handedItems) only() *frame {
	if len(i.Frames) != 1 {
		return nil
	}
	return i.Frames[0]
}

// first returns the first frame, nil if there is none.
func (i handedItems) first() *frame {
	if len(i.Frames) == 0 {
		return nil
	}
	return i.Frames[0]
}
