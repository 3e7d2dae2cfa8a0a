package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func busEvictCases() []conformance.Case {
	return slices.Concat(busEvictFrameCases(), busEvictAfterCases())
}

// busEvictFrameCases are about the eviction and what client_evicted says.
func busEvictFrameCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/evict/inside-publish",
			Title:    "a full subscriber is gone when publish returns, for both caps",
			Laws:     []string{"EVENTBUS-EVICT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{1, 2, 8, 256} {
					bus := b.New(options{})
					bus.Subscribe(maxQueued(limit))
					bus.Burst(limit)
					b.Equal("EVENTBUS-EVICT-001", "nothing was refused", 1, bus.Subscribers())
					bus.PublishN(1)
					b.Equal("EVENTBUS-EVICT-001", fmt.Sprintf("the first refusal evicts, cap %d, and nobody asked for an item", limit), 0, bus.Subscribers())
				}
				bus := b.New(options{MaxQueuedBytes: 1})
				bus.Subscribe()
				bus.PublishN(1)
				b.Equal("EVENTBUS-EVICT-001", "nothing was refused", 1, bus.Subscribers())
				bus.PublishN(1)
				b.Equal("EVENTBUS-EVICT-001", "the first refusal by the byte cap evicts", 0, bus.Subscribers())
			}),
		},
		{
			ID:       "eventbus/bus/evict/first-refusal-is-enough",
			Title:    "no second chance although the consumer drains at once",
			Laws:     []string{"EVENTBUS-EVICT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				b.Equal("EVENTBUS-EVICT-001", "evicted by the third", 0, bus.Subscribers())
				sub.Next(2)
				bus.Burst(1)
				b.Equal("EVENTBUS-EVICT-001", "draining does not undo it", 0, bus.Subscribers())
				b.Equal("EVENTBUS-EVICT-001", "and nothing comes any more", "[]", fmt.Sprint(sub.Drain().IDs()))
			}),
		},
		{
			ID:       "eventbus/bus/evict/buffered-then-evicted-then-done",
			Title:    "cap 2 and three events, asked beyond the end",
			Laws:     []string{"EVENTBUS-EVICT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				b.Sees("EVENTBUS-EVICT-002", "all that was buffered, one end, and then nothing", sub.Drain(), "1 2 slow_client_warning client_evicted done")
				for range 3 {
					b.Sees("EVENTBUS-EVICT-002", "done for ever", sub.Next(1), "done")
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/forced-frames-drain-too",
			Title:    "an eviction behind a resync and a replay nobody took",
			Laws:     []string{"EVENTBUS-EVICT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 2})
				bus.Burst(3)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(1))
				bus.Burst(3)
				b.Sees("EVENTBUS-EVICT-002", "forced frames are not lost", sub.Drain(), "ring_evicted 2 3 replay_complete 4 slow_client_warning client_evicted done")
				b.Sees("EVENTBUS-EVICT-002", "done for ever", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/evict/byte-eviction-drains-too",
			Title:    "a byte eviction lets what was buffered come out, in parts",
			Laws:     []string{"EVENTBUS-EVICT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 1000})
				sub := bus.Subscribe()
				bus.BurstOf(data(200), data(200), data(200), data(500))
				b.Sees("EVENTBUS-EVICT-002", "one", sub.Next(1), "10 ready")
				b.Sees("EVENTBUS-EVICT-002", "another", sub.Next(1), "11 ready")
				b.Sees("EVENTBUS-EVICT-002", "the rest, one end, then nothing", sub.Drain(), "12 client_evicted done")
				b.Sees("EVENTBUS-EVICT-002", "done for ever", sub.Next(1), "done")
			}),
		},
		{
			ID:       "eventbus/bus/evict/queue-overflow-measures",
			Title:    "reason and measurements of the frame cap, caps 1 to 256",
			Laws:     []string{"EVENTBUS-EVICT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{1, 2, 3, 4, 5, 7, 8, 16, 17, 100, 256} {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(limit))
					bus.Burst(limit + 1)
					got := sub.Drain()
					octets := 0
					for _, f := range got.Frames {
						if f.Has("id") {
							octets += f.Size()
						}
					}
					end := b.The("EVENTBUS-EVICT-003", "the end comes", got, "client_evicted")
					b.Equal("EVENTBUS-EVICT-003", "the frame cap has a name", "queue_overflow", end.DataText("reason"))
					b.Numbers("EVENTBUS-EVICT-003", "the state before the refused event", end, "queueSize", limit, "maxQueued", limit, "queuedBytes", octets, "maxQueuedBytes", 2_097_152)
					b.Check(!end.DataHas("eventBytes"), "EVENTBUS-EVICT-003", "eventBytes is of the byte cap alone", "absent", end.String())
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/queue-bytes-overflow-measures",
			Title:    "reason and measurements of the byte cap",
			Laws:     []string{"EVENTBUS-EVICT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct{ sizes []int }{{[]int{400, 300, 301}}, {[]int{1000, 100}}, {[]int{5000, 100}}, {[]int{100, 5000}}, {[]int{250, 250, 250, 250, 100}}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 1000})
					sub := bus.Subscribe(maxQueued(17))
					var refused *frame
					sum := 0
					for _, size := range c.sizes {
						sum += size
						refused = bus.Publish(data(size))
					}
					last := c.sizes[len(c.sizes)-1]
					end := b.The("EVENTBUS-EVICT-003", "the end comes", sub.Drain(), "client_evicted")
					b.Equal("EVENTBUS-EVICT-003", "the byte cap has a name", "queue_bytes_overflow", end.DataText("reason"))
					b.Numbers("EVENTBUS-EVICT-003", fmt.Sprintf("the state before the refused event, %v", c.sizes), end,
						"queueSize", len(c.sizes)-1, "maxQueued", 17, "queuedBytes", sum-last, "maxQueuedBytes", 1000, "eventBytes", last)
					b.Check(refused != nil && int64(refused.Size()) == end.DataInt("eventBytes"), "EVENTBUS-EVICT-003", "eventBytes is the size of the refused event as publish returned it", fmt.Sprint(last), end.String())
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/measures-behind-a-drain",
			Title:    "what was taken is not in the measurements",
			Laws:     []string{"EVENTBUS-EVICT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for round := range 6 {
					s := b.queueStory(round%2 == 1)
					b.Numbers("EVENTBUS-EVICT-003", "the state before the refused event, after random drains", s.end, s.want...)
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/dropped-after-is-the-refused-event",
			Title:    "droppedAfter on a new bus, behind earlier events, and behind drains",
			Laws:     []string{"EVENTBUS-EVICT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range []struct{ before, taken int }{{0, 0}, {50, 0}, {0, 2}, {50, 1}} {
					bus := b.New(options{})
					bus.Burst(c.before)
					sub := bus.Subscribe(maxQueued(2))
					bus.Burst(2)
					ids := sub.takeLive(c.taken)
					bus.Burst(c.taken + 1)
					refused := bus.LastEventID()
					bus.Burst(3)
					got := sub.Drain()
					end := b.The("EVENTBUS-EVICT-004", "the end comes", got, "client_evicted")
					b.Numbers("EVENTBUS-EVICT-004", "the id of the event that was refused, whatever the name says", end, "droppedAfter", refused)
					b.Equal("EVENTBUS-EVICT-004", "every smaller id was delivered", upTo(c.before+1, int(refused)-1), append(ids, got.IDs()...))
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/dropped-after-of-a-byte-eviction",
			Title:    "droppedAfter where the byte cap refuses",
			Laws:     []string{"EVENTBUS-EVICT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 1000})
				sub := bus.Subscribe()
				bus.BurstOf(data(300), data(300), data(500), data(100))
				got := sub.Drain()
				b.Numbers("EVENTBUS-EVICT-004", "12 is refused, 13 would have fitted", b.The("EVENTBUS-EVICT-004", "the end comes", got, "client_evicted"), "droppedAfter", 12)
				b.Equal("EVENTBUS-EVICT-004", "the last one delivered has a smaller id", "[10 11]", got.IDs())
			}),
		},
		{
			ID:       "eventbus/bus/evict/exact-frames",
			Title:    "both client_evicted frames, member by member",
			Laws:     []string{"EVENTBUS-EVICT-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 1000})
				frames, octets := bus.Subscribe(maxQueued(2)), bus.Subscribe(maxQueued(5))
				bus.BurstOf(data(200), data(300), data(200), data(400))
				b.Exactly("EVENTBUS-EVICT-005", "no id, no _meta, six members of data", b.The("EVENTBUS-EVICT-005", "the end comes", frames.Drain(), "client_evicted"),
					`{"v":1,"type":"client_evicted","data":{"reason":"queue_overflow","droppedAfter":12,"queueSize":2,"maxQueued":2,"queuedBytes":500,"maxQueuedBytes":1000}}`)
				b.Exactly("EVENTBUS-EVICT-005", "no id, no _meta, seven members of data", b.The("EVENTBUS-EVICT-005", "the end comes", octets.Drain(), "client_evicted"),
					`{"v":1,"type":"client_evicted","data":{"reason":"queue_bytes_overflow","droppedAfter":13,"queueSize":3,"maxQueued":5,"queuedBytes":700,"maxQueuedBytes":1000,"eventBytes":400}}`)
			}),
		},
		{
			ID:       "eventbus/bus/evict/originator-does-not-leak",
			Title:    "the refused event has an originator and meta data",
			Laws:     []string{"EVENTBUS-EVICT-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(1))
				bus.BurstEv(2, ev{Data: `{"reason":"mine"}`, Originator: "client-1", Meta: `{"trace":"t"}`})
				end := b.The("EVENTBUS-EVICT-005", "the end comes", sub.Drain(), "client_evicted")
				b.Equal("EVENTBUS-EVICT-005", "the frame is v, type and data", "data type v", end.Members())
				b.Equal("EVENTBUS-EVICT-005", "data is the reason and the measurements", "droppedAfter maxQueued maxQueuedBytes queueSize queuedBytes reason", end.DataMembers())
			}),
		},
	}
}
