package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busIDSequenceCases are about ids over many events and buses, and about the frames that have none.
func busIDSequenceCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/id/interleaved-buses",
			Title:    "three buses that publish in turn, singly and in bursts",
			Laws:     []string{"EVENTBUS-ID-001", "EVENTBUS-ID-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				buses := []*drivenBus{b.New(options{RingSize: 1}), b.New(options{RingSize: 2}), b.New(options{})}
				next := []int64{1, 1, 1}
				for turn := range 24 {
					i := turn * 5 % 3
					if turn%4 == 3 {
						buses[i].Burst(turn)
						next[i] += int64(turn)
					}
					ev := buses[i].Publish(`{}`)
					b.Check(ev != nil && ev.ID() == next[i], "EVENTBUS-ID-001", fmt.Sprintf("bus %d counts for itself", i+1), fmt.Sprint(next[i]), fmt.Sprint(ev))
					b.Equal("EVENTBUS-ID-002", "so does its lastEventId", next[i], buses[i].LastEventID())
					next[i]++
				}
			}),
		},
		{
			ID:       "eventbus/bus/id/twenty-thousand",
			Title:    "20000 events in bursts, most of them long out of the ring",
			Laws:     []string{"EVENTBUS-ID-001", "EVENTBUS-ID-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 3})
				for n := 1; n <= 4; n++ {
					bus.Burst(4999)
					ev := bus.Publish(`{}`)
					b.Check(ev != nil && string(ev.Get("id")) == fmt.Sprint(5000*n), "EVENTBUS-ID-001", "ids are integers without a hole", fmt.Sprint(5000*n), fmt.Sprint(ev))
					b.Equal("EVENTBUS-ID-002", "the last id is the number of events", 5000*n, bus.LastEventID())
				}
			}),
		},
		{
			ID:       "eventbus/bus/id/first-after-a-cursor",
			Title:    "subscriptions with large cursors before the first event",
			Laws:     []string{"EVENTBUS-ID-001", "EVENTBUS-ID-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Subscribe(resumeAfter(41)).Drain()
				bus.Subscribe(resumeAfter(farthest)).Drain()
				b.Equal("EVENTBUS-ID-002", "a cursor moves no counter", 0, bus.LastEventID())
				b.Equal("EVENTBUS-ID-001", "the first event of a bus is 1", 1, idOf(bus.Publish(`{}`)))
			}),
		},
		{
			ID:       "eventbus/bus/id/resyncs-of-every-reason",
			Title:    "each reason of a resync, and each replay_complete behind it",
			Laws:     []string{"EVENTBUS-ID-003", "EVENTBUS-ID-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var frames []*frame
				take := func(got handedItems) { frames = append(frames, got.Frames...) }
				take(b.filled(options{RingSize: 1}, 3).Subscribe(resumeAfter(0)).Drain())
				take(b.filled(options{RingSize: 1}, 3).Subscribe(resumeAfter(9)).Drain())
				take(b.New(options{}).Subscribe(resumeAfter(9)).Drain())
				take(b.filled(options{}, 2).Subscribe(resumeAfter(2)).Drain())
				if b.Version() == "later" {
					take(b.filled(options{ReplayBudgetBytes: 1}, 3).Subscribe(resumeAfter(0)).Drain())
					take(b.filled(options{}, 3).Subscribe(resumeAfter(0), withEpoch("x")).Drain())
				}
				for _, f := range frames {
					b.Same("EVENTBUS-ID-003", "the schema version of "+f.Token(), "1", f.Get("v"))
					if f.Synthetic() {
						b.Check(!f.Has("id"), "EVENTBUS-ID-004", "a synthetic frame has no member id", "no id", f.String())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/id/evictions-by-octets-take-none",
			Title:    "ids while two of three subscribers are warned and evicted by octets",
			Laws:     []string{"EVENTBUS-ID-005", "EVENTBUS-ID-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxQueuedBytes: 1})
				healthy, one, other := bus.Subscribe(), bus.Subscribe(), bus.Subscribe(resumeAfter(0))
				for n := 1; n <= 4; n++ {
					healthy.Park()
					bus.PublishN(1)
					b.Sees("EVENTBUS-ID-005", "a healthy subscriber sees consecutive ids", healthy.Poll(), fmt.Sprint(n, " ready"))
				}
				for _, sub := range []*drivenSub{one, other} {
					got := sub.Drain()
					b.Check(!b.The("EVENTBUS-ID-004", "one eviction", got, "client_evicted").Has("id"), "EVENTBUS-ID-004", "an eviction has no id", "no id", got.String())
				}
				b.Equal("EVENTBUS-ID-005", "nothing but events took ids", 4, bus.LastEventID())
			}),
		},
	}
}
