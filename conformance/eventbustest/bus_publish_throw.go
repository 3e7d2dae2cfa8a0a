package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// unencodable are the payloads that have no JSON text.
func unencodable() []string { return []string{circular, bigInt, throwingToJSON} }

// busPublishThrowCases are about publish being total.
func busPublishThrowCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/publish/never-throws",
			Title:    "good and bad payloads to subscribers in every state",
			Laws:     []string{"EVENTBUS-PUBLISH-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				states := map[string]func(bus *drivenBus){
					"nobody there":      func(*drivenBus) {},
					"one waiting":       func(bus *drivenBus) { bus.Subscribe().Park() },
					"one lagging":       func(bus *drivenBus) { bus.Subscribe() },
					"one full":          func(bus *drivenBus) { bus.Subscribe(maxQueued(1)); bus.Burst(1) },
					"one evicted":       func(bus *drivenBus) { bus.Subscribe(maxQueued(1)); bus.Burst(2) },
					"one aborted":       func(bus *drivenBus) { bus.Subscribe().Abort() },
					"one that returned": func(bus *drivenBus) { s := bus.Subscribe(); s.Park(); s.Return() },
					"one still born":    func(bus *drivenBus) { bus.Subscribe(aborted()) },
					"one resuming":      func(bus *drivenBus) { bus.Burst(3); bus.Subscribe(resumeAfter(1)) },
					"a closed bus":      func(bus *drivenBus) { bus.Subscribe().Park(); bus.Close() },
				}
				for state, reach := range states {
					for _, special := range append(unencodable(), "", undefined) {
						bus := b.New(options{})
						reach(bus)
						for range 2 {
							b.publishes(bus, ev{Special: special}, state)
						}
						b.publishes(bus, ev{Data: `{}`}, state+", after it")
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/throws-at-no-octet-cap",
			Title:    "payloads that have no size, to queues whose octets are used up",
			Laws:     []string{"EVENTBUS-PUBLISH-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{MaxQueuedBytes: 1, RingSize: 1})
					bus.Subscribe()
					b.publishes(bus, ev{Data: `{}`}, "the first is admitted")
					b.publishes(bus, ev{Special: special}, "a backlog at its cap")
					b.publishes(bus, ev{Data: `{}`}, "a backlog over its cap")
					b.publishes(bus, ev{Special: special}, "nobody left")
					bus.Subscribe(resumeAfter(0))
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/throws-for-no-diagnostic",
			Title:    "diagnostic callbacks that throw, at a warning and at an eviction",
			Laws:     []string{"EVENTBUS-PUBLISH-003"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Callbacks}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub, other := bus.Subscribe(maxQueued(1), diagnose("throw")), bus.Subscribe()
				for n := 1; n <= 3; n++ {
					b.publishes(bus, ev{Data: `{}`}, "a callback that throws")
					b.Equal("EVENTBUS-PUBLISH-003", "the publish is not undone", n, bus.LastEventID())
				}
				b.Sees("EVENTBUS-PUBLISH-003", "nor the warning and the eviction", sub.Drain(), "1 slow_client_warning client_evicted done")
				b.Sees("EVENTBUS-PUBLISH-003", "others get all events", other.Drain(), "1..3 parked")
			}),
		},
		{
			ID:       "eventbus/bus/publish/throws-in-no-random-run",
			Title:    "two hundred random operations",
			Laws:     []string{"EVENTBUS-PUBLISH-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				rand := b.Rand()
				bus := b.New(options{RingSize: 1 + rand.IntN(6), MaxQueuedBytes: 1 + rand.IntN(900)})
				var subs []*drivenSub
				bad := append(unencodable(), undefined, countingData, nanTimestamp, infiniteTimestamp)
				for range 200 {
					switch n := rand.IntN(10); {
					case len(subs) < 2 || n == 0 && bus.Subscribers() < 64:
						subs = append(subs, bus.Subscribe([]subOption{resumeAfter(rand.Int64N(20)), maxQueued(1 + rand.IntN(4))}[rand.IntN(2)]))
					case n == 1:
						subs[rand.IntN(len(subs))].Abort()
					case n == 2:
						subs[rand.IntN(len(subs))].Return()
					case n == 3:
						subs[rand.IntN(len(subs))].Drain()
					case n < 7:
						b.publishes(bus, ev{Data: b.randomJSON(2), Type: []string{"", "a", "client_evicted"}[rand.IntN(3)]}, "at random")
					default:
						b.publishes(bus, ev{Special: bad[rand.IntN(len(bad))]}, "at random")
					}
				}
			}),
		},
	}
}

// publishes breaks EVENTBUS-PUBLISH-003 if publish throws.
func (b *busT) publishes(bus *drivenBus, e ev, when string) {
	_, thrown := bus.TryPublish(e)
	b.Check(thrown == nil, "EVENTBUS-PUBLISH-003", fmt.Sprintf("publish never throws: %s %s", e.Special, when), "nothing thrown", fmt.Sprint(thrown))
}
