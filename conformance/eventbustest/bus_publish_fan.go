package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busPublishFanCases are about who gets an event.
func busPublishFanCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/publish/middle-one-is-full",
			Title:    "three subscribers, the full one first, in the middle and last",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for full := range 3 {
					bus := b.New(options{})
					var subs []*drivenSub
					for i := range 3 {
						limit := 16
						if i == full {
							limit = 2
						}
						subs = append(subs, bus.Subscribe(maxQueued(limit)))
					}
					bus.Burst(3)
					b.Equal("EVENTBUS-PUBLISH-006", "one is evicted", 2, bus.Subscribers())
					for i, sub := range subs {
						want := "1..3 parked"
						if i == full {
							want = "1 2 slow_client_warning client_evicted done"
						}
						b.Sees("EVENTBUS-PUBLISH-006", fmt.Sprintf("subscriber %d, when %d is full, gets each event once", i+1, full+1), sub.Drain(), want)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/many-are-full",
			Title:    "six subscribers of which each set is full in turn",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				const all = 6
				for set := range 1 << all {
					bus := b.New(options{})
					var subs []*drivenSub
					for i := range all {
						subs = append(subs, bus.Subscribe(maxQueued(16-14*(set>>i&1))))
					}
					bus.Burst(3)
					var want, seen []string
					for i, sub := range subs {
						want = append(want, []string{"[1 2 3]", "[1 2]"}[set>>i&1])
						seen = append(seen, fmt.Sprint(sub.Drain().IDs()))
					}
					b.Equal("EVENTBUS-PUBLISH-006", "those that are not full get the event that evicts the others", strings.Join(want, " "), strings.Join(seen, " "))
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/full-by-octets",
			Title:    "the middle one of three refuses an event for its octets",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":1}`)
				bus := b.New(options{MaxQueuedBytes: s})
				first, middle, last := bus.Subscribe(), bus.Subscribe(), bus.Subscribe()
				bus.PublishN(1)
				first.Next(1)
				last.Next(1)
				bus.PublishN(1)
				b.Sees("EVENTBUS-PUBLISH-006", "the first gets it once", first.Next(2), "slow_client_warning 2 ready")
				b.Equal("EVENTBUS-PUBLISH-006", "the middle one is evicted", numbers(1, 1), middle.Drain().IDs())
				b.Sees("EVENTBUS-PUBLISH-006", "the last gets it once", last.Next(2), "slow_client_warning 2 ready")
			}),
		},
		{
			ID:       "eventbus/bus/publish/waiting-and-lagging",
			Title:    "a burst to consumers that wait, that lag, and that have left",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				waiting, aborted, lagging, left, also := bus.Subscribe(), bus.Subscribe(), bus.Subscribe(), bus.Subscribe(), bus.Subscribe()
				waiting.Park()
				also.Park()
				aborted.Abort()
				left.Return()
				bus.Burst(3)
				for _, sub := range []*drivenSub{waiting, lagging, also} {
					b.Sees("EVENTBUS-PUBLISH-006", "each live subscriber gets each event once", sub.Drain(), "1..3 parked")
				}
				for _, sub := range []*drivenSub{aborted, left} {
					b.Sees("EVENTBUS-PUBLISH-006", "who left gets none", sub.Drain(), "done")
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/registered-at-that-moment",
			Title:    "subscribers come and go between publishes",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				one := bus.Subscribe()
				bus.PublishN(1)
				two := bus.Subscribe()
				bus.PublishN(1)
				got := one.Next(2)
				one.Abort()
				three := bus.Subscribe()
				bus.PublishN(1)
				two.Return()
				bus.PublishN(1)
				b.Sees("EVENTBUS-PUBLISH-006", "the first one was there for two", got, "1 2 ready")
				b.Sees("EVENTBUS-PUBLISH-006", "and gets no more", one.Drain(), "done")
				b.Equal("EVENTBUS-PUBLISH-006", "nothing from before or after", "[2 3]", eitherIDs(two.Drain(), "[2 3]"))
				b.Sees("EVENTBUS-PUBLISH-006", "the last one gets the rest", three.Drain(), "3 4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/publish/to-64-subscribers",
			Title:    "three events to as many subscribers as a bus takes",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				var subs []*drivenSub
				for i := range 64 {
					subs = append(subs, bus.Subscribe())
					if i%2 == 0 {
						subs[i].Park()
					}
				}
				bus.Burst(3)
				for i, sub := range subs {
					b.Sees("EVENTBUS-PUBLISH-006", fmt.Sprintf("subscriber %d gets each event once", i+1), sub.Drain(), "1..3 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/evicted-get-no-more",
			Title:    "events after an eviction, to the evicted one and to one that resumes",
			Laws:     []string{"EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				slow := bus.Subscribe(maxQueued(1))
				bus.Burst(2)
				again := bus.Subscribe(resumeAfter(1))
				bus.Burst(2)
				b.Sees("EVENTBUS-PUBLISH-006", "who is evicted is not registered", slow.Drain(), "1 slow_client_warning client_evicted done")
				b.Sees("EVENTBUS-PUBLISH-006", "who came back is, once", again.Drain(), "2 replay_complete 3 4 parked")
			}),
		},
	}
}

// eitherIDs returns the ids among the items; what an iterator return leaves buffered may be there or not (EVENTBUS-ABORT-006), so that
// none counts as want.
func eitherIDs(got handedItems, want string) string {
	if len(got.IDs()) == 0 {
		return want
	}
	return fmt.Sprint(got.IDs())
}
