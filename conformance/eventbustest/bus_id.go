package eventbustest

import (
	"fmt"
	"regexp"

	"github.com/seed-6f28358b/assay/conformance"
)

func busIDCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/id/grows-by-one",
			Title:    "events of one bus are numbered from 1 without a hole",
			Laws:     []string{"EVENTBUS-ID-001", "EVENTBUS-ID-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				one, other := b.New(options{}), b.New(options{})
				sub := one.Subscribe()
				b.Equal("EVENTBUS-ID-002", "nothing was published yet", 0, one.LastEventID())
				for n := int64(1); n <= 5; n++ {
					ev := one.Publish(`{"n":1}`)
					b.Check(ev != nil && ev.ID() == n, "EVENTBUS-ID-001", "each publish gets the id after the one before it", fmt.Sprint("id ", n), fmt.Sprint(ev))
					b.Equal("EVENTBUS-ID-002", "lastEventId is the highest id assigned", n, one.LastEventID())
				}
				b.Equal("EVENTBUS-ID-001", "buses count for themselves", 0, other.LastEventID())
				b.Equal("EVENTBUS-ID-001", "a fresh bus starts at 1, whatever another has published", 1, other.Publish(`{}`).ID())
				b.Sees("EVENTBUS-ID-001", "subscribers see the same ids", sub.Drain(), "1..5 parked")
			}),
		},
		{
			ID:       "eventbus/bus/id/last-event-id-is-only-moved-by-publish",
			Title:    "lastEventId stays when subscriptions come, drain and go",
			Laws:     []string{"EVENTBUS-ID-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				still := func(what string) {
					b.Equal("EVENTBUS-ID-002", "lastEventId is moved by publish alone, not by "+what, 3, bus.LastEventID())
				}
				slow := bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				still("an eviction")
				slow.Drain()
				sub := bus.Subscribe(resumeAfter(0))
				still("a subscription")
				sub.Drain()
				still("a drain")
				sub.Abort()
				still("an abort")
			}),
		},
		{
			ID:       "eventbus/bus/id/every-frame-is-version-1",
			Title:    "real and synthetic frames carry the integer v 1",
			Laws:     []string{"EVENTBUS-ID-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, f := range b.everyKind().Frames {
					b.Same("EVENTBUS-ID-003", "the schema version of "+f.Token()+" is the integer 1", "1", f.Get("v"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/id/synthetic-frames-have-no-id",
			Title:    "the four synthetic frames have no member id",
			Laws:     []string{"EVENTBUS-ID-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, f := range b.everyKind().Frames {
					if f.Synthetic() {
						b.Check(!f.Has("id"), "EVENTBUS-ID-004", "the member is absent, not null and not 0", "no id", f.String())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/id/synthetic-frames-take-no-id",
			Title:    "a warning, an eviction and a resync of others leave no hole in the ids",
			Laws:     []string{"EVENTBUS-ID-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 2})
				healthy := bus.Subscribe()
				bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				bus.Subscribe(resumeAfter(0)).Drain()
				b.Equal("EVENTBUS-ID-005", "synthetic frames consume no id", 4, bus.Publish(`{}`).ID())
				b.Sees("EVENTBUS-ID-005", "a healthy subscriber sees consecutive ids", healthy.Drain(), "1..4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/id/smuggled-id-and-version",
			Title:    "an event that brings its own id and v",
			Laws:     []string{"EVENTBUS-ID-006"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{RawFields}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				ev := bus.PublishEv(ev{Extra: `"id":77,"v":9`})
				b.Chose("EVENTBUS-ID-006", "typed callers cannot do this; the choice is recorded", "published as "+fmt.Sprint(ev))
				b.Equal("EVENTBUS-ID-006", "the counter advances by 1 all the same", 1, bus.LastEventID())
			}),
		},
		{
			ID:       "eventbus/bus/id/epoch-is-fresh-and-constant",
			Title:    "each bus has an epoch token of its own, for life",
			Laws:     []string{"EVENTBUS-ID-007"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{EpochToken}},
			Run: onBus(func(b *busT) {
				one, other := b.New(options{}), b.New(options{})
				epoch := one.Epoch()
				b.Check(regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(epoch), "EVENTBUS-ID-007", "the token is 1 to 64 characters that a header can carry", "[A-Za-z0-9_-]{1,64}", epoch)
				one.Burst(3)
				b.Equal("EVENTBUS-ID-007", "the token is constant for the life of the bus", epoch, one.Epoch())
				b.Check(epoch != other.Epoch(), "EVENTBUS-ID-007", "no two buses share a token", "two tokens", epoch+" twice")
			}),
		},
	}
}

// everyKind returns the items of a subscription that got all four synthetic frames and real ones. A frame that does not come
// blocks the case.
func (b *busT) everyKind() handedItems {
	bus := b.New(options{RingSize: 2})
	bus.Burst(3)
	sub := bus.Subscribe(resumeAfter(0), maxQueued(2))
	bus.Burst(3)
	got := sub.Drain()
	b.Sees("", "a resuming subscriber that lags gets every kind of frame", got,
		"ring_evicted 2 3 replay_complete 4 5 slow_client_warning client_evicted done")
	return got
}
