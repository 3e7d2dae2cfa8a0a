package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busReplayCapCases are about replays and the caps on live frames.
func busReplayCapCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/replay/bypasses-the-frame-cap",
			Title:    "replays of 500 events under frame caps of 1, 2 and 499",
			Laws:     []string{"EVENTBUS-REPLAY-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 500)
				for _, limit := range []int{1, 2, 499} {
					sub := bus.Subscribe(resumeAfter(0), maxQueued(limit))
					b.Equal("EVENTBUS-REPLAY-006", "replay alone evicts nobody", 1, bus.Subscribers())
					b.Sees("EVENTBUS-REPLAY-006", "all of it arrives, without a warning", sub.Drain(), "1..500 replay_complete parked")
					sub.Abort()
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/bypasses-the-octet-cap",
			Title:    "replays under a byte cap of 1, of small events and of large ones",
			Laws:     []string{"EVENTBUS-REPLAY-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				small := b.filled(options{MaxQueuedBytes: 1}, 100)
				large := b.New(options{MaxQueuedBytes: 1})
				large.BurstEv(5, ev{Data: `"` + strings.Repeat("x", 600_000) + `"`})
				for last, bus := range map[int]*drivenBus{100: small, 5: large} {
					sub := bus.Subscribe(resumeAfter(0))
					b.Equal("EVENTBUS-REPLAY-006", "replay alone evicts nobody", 1, bus.Subscribers())
					b.Sees("EVENTBUS-REPLAY-006", "all of it arrives, without a warning", sub.Drain(), fmt.Sprintf("1..%d replay_complete parked", last))
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/leaves-the-frame-cap-whole",
			Title:    "five undrained replay frames and caps of 1 to 8, at the cap and one past it",
			Laws:     []string{"EVENTBUS-REPLAY-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for limit := 1; limit <= 8; limit++ {
					bus := b.filled(options{}, 5)
					sub := bus.Subscribe(resumeAfter(0), maxQueued(limit))
					bus.Burst(limit)
					b.Equal("EVENTBUS-REPLAY-007", fmt.Sprintf("%d live events are admitted behind a replay", limit), 1, bus.Subscribers())
					bus.Burst(1)
					b.Equal("EVENTBUS-REPLAY-007", "one more evicts", 0, bus.Subscribers())
					got := sub.Drain()
					b.Sees("EVENTBUS-REPLAY-007", "the replay is yielded before the live ones", handedItems{Frames: got.Frames[:min(6, len(got.Frames))], State: stateReady}, "1..5 replay_complete ready")
					b.Equal("EVENTBUS-REPLAY-007", "and then exactly the cap's live events", numbers(1, 5+limit), got.IDs())
					end := b.The("EVENTBUS-REPLAY-007", "one eviction", got, "client_evicted")
					b.Numbers("EVENTBUS-REPLAY-007", "replay frames are not in the measurements", end, "queueSize", limit, "droppedAfter", limit+6)
				}
			}),
		},
		{
			ID:       "eventbus/bus/replay/whole-story-of-a-small-cap",
			Title:    "five replayed, cap 2, three live publishes",
			Laws:     []string{"EVENTBUS-REPLAY-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 5)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(2))
				bus.PublishN(3)
				b.Sees("EVENTBUS-REPLAY-007", "replay, its end, the two that fit, the warning and the end", sub.Drain(), "1..5 replay_complete 6 7 slow_client_warning client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/replay/leaves-the-octet-cap-whole",
			Title:    "five undrained replay frames and a byte cap of two live events",
			Laws:     []string{"EVENTBUS-REPLAY-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				bus := b.filled(options{MaxQueuedBytes: 2 * s}, 5)
				sub := bus.Subscribe(resumeAfter(0))
				bus.Burst(2)
				b.Equal("EVENTBUS-REPLAY-007", "the live octets are those of live events", 1, bus.Subscribers())
				bus.Burst(1)
				got := sub.Drain()
				b.Equal("EVENTBUS-REPLAY-007", "two live events were admitted", numbers(1, 7), got.IDs())
				b.Numbers("EVENTBUS-REPLAY-007", "and the third did not fit", b.The("EVENTBUS-REPLAY-007", "one eviction", got, "client_evicted"), "queuedBytes", 2*s, "queueSize", 2)
			}),
		},
		{
			ID:       "eventbus/bus/replay/partly-taken",
			Title:    "some of the replay is taken between live events, cap 3",
			Laws:     []string{"EVENTBUS-REPLAY-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for taken := range 7 {
					bus := b.filled(options{}, 5)
					sub := bus.Subscribe(resumeAfter(0), maxQueued(3))
					bus.Burst(1)
					sub.Next(taken)
					bus.Burst(2)
					b.Equal("EVENTBUS-REPLAY-007", fmt.Sprintf("taking %d frames of the replay gives back nothing that counts", taken), 1, bus.Subscribers())
					bus.Burst(1)
					b.Equal("EVENTBUS-REPLAY-007", "the cap is 3 all the same", 0, bus.Subscribers())
				}
			}),
		},
	}
}
