package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busRingSeedCases are about history that is seeded.
func busRingSeedCases() []conformance.Case {
	seeding := conformance.Needs{Options: []string{Seeding}}
	return []conformance.Case{
		{
			ID:       "eventbus/bus/ring/seeding-takes-ids-and-empties",
			Title:    "two events, two seeded ones, and a replay from 0",
			Laws:     []string{"EVENTBUS-RING-006"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.PublishN(2)
				b.Equal("EVENTBUS-RING-006", "the next ids are taken", numbers(3, 4), handedItems{Frames: bus.Seed(`{"a":1}`, `{"a":2}`)}.IDs())
				b.Equal("EVENTBUS-RING-006", "they count", 4, bus.LastEventID())
				for _, cursor := range []int64{0, 1, 2, 3, 4} {
					got := bus.Subscribe(resumeAfter(cursor)).Drain()
					b.Equal("EVENTBUS-RING-006", fmt.Sprint("neither what was published nor what was seeded is replayed to cursor ", cursor), "[]", got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/seeded-events-are-finished",
			Title:    "seeded events come back with id, version, data and time stamp",
			Laws:     []string{"EVENTBUS-RING-006"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{Seeding, Clock}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				b.Clock(startOfTime + 77)
				seeded := bus.Seed(`{"a":1}`, `"two"`, `3`)
				if !b.Equal("EVENTBUS-RING-006", "each seeded event is returned", 3, len(seeded)) {
					return
				}
				for i, data := range []string{`{"a":1}`, `"two"`, `3`} {
					b.Exactly("EVENTBUS-RING-006", "a seeded event is a whole one", seeded[i],
						fmt.Sprintf(`{"id":%d,"v":1,"type":"note","data":%s,"_meta":{"serverTimestamp":%d}}`, i+1, data, startOfTime+77))
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/seeding-delivers-nothing",
			Title:    "subscribers that wait, lag and are full while history is seeded",
			Laws:     []string{"EVENTBUS-RING-006"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				waiting, lagging, full := bus.Subscribe(), bus.Subscribe(), bus.Subscribe(maxQueued(2))
				bus.Burst(2)
				waiting.Drain()
				bus.Seed(`1`, `2`, `3`)
				b.Sees("EVENTBUS-RING-006", "who waits goes on waiting", waiting.Poll(), "parked")
				b.Equal("EVENTBUS-RING-006", "nobody is evicted", 3, bus.Subscribers())
				b.Sees("EVENTBUS-RING-006", "a backlog is neither dropped nor grows", lagging.Next(2), "1 2 ready")
				b.Sees("EVENTBUS-RING-006", "nor that of a full queue", full.Next(3), "1 2 slow_client_warning ready")
				bus.Burst(1)
				for _, sub := range []*drivenSub{waiting, lagging, full} {
					b.Sees("EVENTBUS-RING-006", "what is published next has the id behind the seeded ones", sub.Drain(), "6 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/ring/fills-again-after-seeding",
			Title:    "a ring of 3 is seeded when it is full, and then used on",
			Laws:     []string{"EVENTBUS-RING-006", "EVENTBUS-RING-001"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				bus.Seed(`1`, `2`, `3`, `4`)
				for id := 10; id <= 15; id++ {
					bus.PublishN(1)
					b.Equal("EVENTBUS-RING-001", "the ring fills from empty to its size", numbers(max(10, id-2), id), bus.Subscribe(resumeAfter(9)).Drain().IDs())
				}
				bus.Seed(`1`)
				b.Equal("EVENTBUS-RING-006", "seeding again empties it again", "[]", bus.Subscribe(resumeAfter(9)).Drain().IDs())
				b.Equal("EVENTBUS-RING-006", "and takes an id", 16, bus.LastEventID())
			}),
		},
		{
			ID:       "eventbus/bus/ring/seeding-nothing",
			Title:    "an empty list is seeded",
			Laws:     []string{"EVENTBUS-RING-006"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.PublishN(2)
				b.Equal("EVENTBUS-RING-006", "the returned list is empty", 0, len(bus.Seed()))
				b.Equal("EVENTBUS-RING-006", "no id is taken", 2, bus.LastEventID())
				b.Equal("EVENTBUS-RING-006", "the ring is left alone", numbers(1, 2), bus.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/ring/seeding-a-closed-bus",
			Title:    "history is seeded after close",
			Laws:     []string{"EVENTBUS-RING-006"},
			Versions: laterOnly,
			Needs:    seeding,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.PublishN(2)
				bus.Close()
				b.Equal("EVENTBUS-RING-006", "the returned list is empty", 0, len(bus.Seed(`1`, `2`)))
				b.Equal("EVENTBUS-RING-006", "no id is taken", 2, bus.LastEventID())
			}),
		},
	}
}
