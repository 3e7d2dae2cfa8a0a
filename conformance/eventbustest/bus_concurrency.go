package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func busConcurrencyCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/concurrency/one-ask-takes-one-event",
			Title:    "asks in a row, each with two events for it",
			Laws:     []string{"EVENTBUS-CONCURRENCY-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				for n := 1; n <= 20; n += 2 {
					sub.Park()
					bus.Burst(2)
					b.Sees("EVENTBUS-CONCURRENCY-001", "the ask that waits gets the first", sub.Poll(), fmt.Sprint(n, " ready"))
					b.Sees("EVENTBUS-CONCURRENCY-001", "the next ask gets the second", sub.Next(1), fmt.Sprint(n+1, " ready"))
				}
				b.Sees("EVENTBUS-CONCURRENCY-001", "no event comes twice", sub.Drain(), "parked")
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/resuming-at-every-point",
			Title:    "a subscription with every cursor between any two publishes",
			Laws:     []string{"EVENTBUS-CONCURRENCY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				const events = 12
				bus := b.New(options{})
				subs := map[*drivenSub]int{}
				for n := 0; n <= events; n++ {
					for after := 0; after <= n; after++ {
						if len(subs) < 64 && (n+after)%2 == 0 {
							subs[bus.Subscribe(resumeAfter(int64(after)))] = after
						}
					}
					if n < events {
						bus.PublishN(1)
					}
				}
				for sub, after := range subs {
					b.Equal("EVENTBUS-CONCURRENCY-002", fmt.Sprintf("behind cursor %d every event comes once, replayed or live", after), upTo(after+1, events), sub.Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/random-interleaving",
			Title:    "publishes, resumes, drains and waits in random order on a small ring",
			Laws:     []string{"EVENTBUS-CONCURRENCY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for range 6 {
					b.interleave(5+b.Rand().IntN(20), 60)
				}
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/resume-chain",
			Title:    "a client that reconnects after every few events while others publish",
			Laws:     []string{"EVENTBUS-CONCURRENCY-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus, rand := b.New(options{}), b.Rand()
				var seen []int64
				var last int64
				for last < 60 {
					bus.Burst(rand.IntN(4))
					sub := bus.Subscribe(resumeAfter(last))
					bus.Burst(1 + rand.IntN(4))
					got := sub.takeLive(1 + rand.IntN(5))
					if len(got) == 0 {
						break
					}
					seen, last = append(seen, got...), got[len(got)-1]
					sub.Abort()
				}
				b.Check(last >= 60, "EVENTBUS-CONCURRENCY-002", "every resume brings something", "ids up to 60", fmt.Sprint(last))
				b.Equal("EVENTBUS-CONCURRENCY-002", "over all its connections the client saw every event once", upTo(1, int(last)), seen)
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/stalled-subscriber-delays-nobody",
			Title:    "one that never reads, one that does, 10000 events",
			Laws:     []string{"EVENTBUS-CONCURRENCY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				stalled, active := bus.Subscribe(), bus.Subscribe()
				next := int64(1)
				for range 100 {
					bus.Burst(100)
					got := active.Drain()
					if !b.Sees("EVENTBUS-CONCURRENCY-003", "the active one gets every event", got, fmt.Sprintf("%d..%d parked", next, next+99)) {
						return
					}
					next += 100
				}
				b.Equal("EVENTBUS-CONCURRENCY-003", "every publish came back", 10_000, bus.LastEventID())
				b.Equal("EVENTBUS-CONCURRENCY-003", "the stalled one is gone", 1, bus.Subscribers())
				got := stalled.Drain()
				b.Sees("EVENTBUS-CONCURRENCY-003", "what is kept for it is bounded by its cap", got, "1..192 slow_client_warning 193..256 client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/many-stalled",
			Title:    "63 that never read, with caps of 1 to 63, and one that does",
			Laws:     []string{"EVENTBUS-CONCURRENCY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				var stalled []*drivenSub
				for limit := 1; limit <= 63; limit++ {
					stalled = append(stalled, bus.Subscribe(maxQueued(limit)))
				}
				active := bus.Subscribe()
				for n := 0; n < 80; n += 10 {
					bus.Burst(10)
					b.Sees("EVENTBUS-CONCURRENCY-003", "the active one is not delayed", active.Drain(), fmt.Sprintf("%d..%d parked", n+1, n+10))
				}
				b.Equal("EVENTBUS-CONCURRENCY-003", "the stalled ones are gone", 1, bus.Subscribers())
				for i, sub := range stalled {
					b.Equal("EVENTBUS-CONCURRENCY-003", "each keeps at most its cap", upTo(1, i+1), sub.Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/concurrency/stalled-octets-are-bounded",
			Title:    "one that never reads, small frame count and large events",
			Laws:     []string{"EVENTBUS-CONCURRENCY-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 100_000})
				stalled, active := bus.Subscribe(), bus.Subscribe()
				for id := 10; id < 30; id++ {
					active.Park()
					bus.Publish(data(30_000))
					b.Sees("EVENTBUS-CONCURRENCY-003", "the active one gets every event", active.Poll(), fmt.Sprint(id, " ready"))
				}
				sum := 0
				for _, f := range stalled.Drain().Frames {
					if f.Has("id") {
						sum += f.Size()
					}
				}
				b.Equal("EVENTBUS-CONCURRENCY-003", "what is kept for the stalled one is bounded by the byte cap", 90_000, sum)
			}),
		},
	}
}

// interleave runs random steps on a bus and judges the id list of every subscription with a cursor: consecutive from behind the
// cursor, or from the oldest event that the ring held.
func (b *busT) interleave(ring, steps int) {
	type resumed struct {
		sub   *drivenSub
		first int64
		ids   []int64
	}
	bus, rand := b.New(options{RingSize: ring}), b.Rand()
	var subs []*resumed
	var last int64
	var story []string
	take := func(s *resumed, got handedItems) { s.ids = append(s.ids, got.IDs()...) }
	for range steps {
		switch k := rand.IntN(10); {
		case k < 4:
			n := 1 + rand.IntN(4)
			bus.Burst(n)
			last += int64(n)
			story = append(story, fmt.Sprintf("publish %d", n))
		case k < 7 && len(subs) < 60 || len(subs) == 0:
			after := rand.Int64N(last + 1)
			s := &resumed{sub: bus.Subscribe(resumeAfter(after)), first: max(after+1, last-int64(ring)+1)}
			subs = append(subs, s)
			story = append(story, fmt.Sprintf("subscribe after %d", after))
		default:
			i := rand.IntN(len(subs))
			// Past what is there the ask waits and is served by a later publish.
			take(subs[i], subs[i].sub.Next(1+rand.IntN(4)))
			story = append(story, fmt.Sprintf("take from %d", i))
		}
	}
	for i, s := range subs {
		take(s, s.sub.Drain())
		if !b.Equal("EVENTBUS-CONCURRENCY-002", fmt.Sprintf("subscription %d of: %s", i, strings.Join(story, ", ")), upTo(int(s.first), int(last)), s.ids) {
			return
		}
	}
}
