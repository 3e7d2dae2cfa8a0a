package eventbustest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// busSubscribeCapCases are about the caps that a subscription gets without asking.
func busSubscribeCapCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/subscribe/default-cap-is-256",
			Title:    "256 events to a subscriber that never drains, and one more",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub, filled := bus.Subscribe(), bus.Subscribe()
				bus.Burst(256)
				b.Equal("EVENTBUS-SUBSCRIBE-004", "256 events fit", 2, bus.Subscribers())
				b.Sees("EVENTBUS-SUBSCRIBE-004", "with one warning", filled.Next(257), "1..192 slow_client_warning 193..256 ready")
				bus.Burst(1)
				b.Equal("EVENTBUS-SUBSCRIBE-004", "event 257 evicts", 1, bus.Subscribers())
				got := sub.Drain()
				b.Equal("EVENTBUS-SUBSCRIBE-004", "what fitted is delivered", numbers(1, 256), got.IDs())
				b.Numbers("EVENTBUS-SUBSCRIBE-004", "the cap is 256", b.The("EVENTBUS-SUBSCRIBE-004", "one eviction", got, "client_evicted"), "maxQueued", 256, "queueSize", 256, "droppedAfter", 257)
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/default-cap-with-a-cursor",
			Title:    "the same behind a replay of 300 events",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 300)
				sub := bus.Subscribe(resumeAfter(0))
				bus.Burst(256)
				b.Equal("EVENTBUS-SUBSCRIBE-004", "256 live events fit", 1, bus.Subscribers())
				bus.Burst(1)
				b.Equal("EVENTBUS-SUBSCRIBE-004", "one more evicts", 0, bus.Subscribers())
				end := b.The("EVENTBUS-SUBSCRIBE-004", "one eviction", sub.Drain(), "client_evicted")
				b.Numbers("EVENTBUS-SUBSCRIBE-004", "the cap is 256", end, "maxQueued", 256, "droppedAfter", 557)
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/own-cap-beside-the-default",
			Title:    "a subscription with maxQueued 300 beside one without",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				large, plain := bus.Subscribe(maxQueued(300)), bus.Subscribe()
				bus.Burst(257)
				b.Numbers("EVENTBUS-SUBSCRIBE-004", "the default is that of who asked for nothing", b.The("EVENTBUS-SUBSCRIBE-004", "evicted", plain.Drain(), "client_evicted"), "maxQueued", 256)
				b.Equal("EVENTBUS-SUBSCRIBE-004", "the other is still there", numbers(1, 257), large.Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/default-octets",
			Title:    "two events of together 2097152 octets, and of one octet more, on a default bus",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				const half = 1 << 20
				data := b.fitting()
				for more := range 2 {
					bus := b.New(options{})
					sub := bus.Subscribe()
					bus.Publish(data(half))
					bus.Publish(data(half + more))
					b.Equal("EVENTBUS-SUBSCRIBE-005", fmt.Sprintf("%d octets on a default bus", 2*half+more), 1-more, bus.Subscribers())
					if more == 1 {
						sub.Next(1)
						end := b.The("EVENTBUS-SUBSCRIBE-005", "one eviction", sub.Drain(), "client_evicted")
						b.Numbers("EVENTBUS-SUBSCRIBE-005", "the default is 2 MiB", end, "maxQueuedBytes", 2097152, "queuedBytes", half)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/octets-of-the-bus-apply-to-all",
			Title:    "a bus of four events' octets and three subscribers, one of them resuming",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":0}`)
				bus := b.New(options{MaxQueuedBytes: 4 * s})
				subs := []*drivenSub{bus.Subscribe(), bus.Subscribe(maxQueued(2000)), bus.Subscribe(resumeAfter(0), maxQueued(5))}
				bus.Burst(4)
				b.Equal("EVENTBUS-SUBSCRIBE-005", "four fit", 3, bus.Subscribers())
				bus.Burst(1)
				b.Equal("EVENTBUS-SUBSCRIBE-005", "five do not, whoever subscribed how", 0, bus.Subscribers())
				for _, sub := range subs {
					end := b.The("EVENTBUS-SUBSCRIBE-005", "one eviction", sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-SUBSCRIBE-005", "the cap is that of the bus", end, "maxQueuedBytes", 4*s)
				}
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/octets-out-of-range",
			Title:    "maxQueuedBytes 0, negative, fractional, of another type, and beyond 2^53-1",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				b.refuses("EVENTBUS-SUBSCRIBE-005", "maxQueuedBytes", "0", "-1", "-2097152", "0.5", "1.5", `"2097152"`, `""`, "true", "null", "[4]", "{}", "9007199254740992", "-9007199254740991")
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/octets-at-the-ends-of-the-range",
			Title:    "maxQueuedBytes 1 and 2^53-1",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, value := range []string{"1", "9007199254740991"} {
					bus, err := b.TryNew(options{Raw: map[string]string{"maxQueuedBytes": value}})
					if !b.Check(err == nil, "EVENTBUS-SUBSCRIBE-005", "a safe integer of at least 1 is accepted: "+value, "a bus", fmt.Sprint(err)) {
						continue
					}
					sub := bus.Subscribe(maxQueued(1))
					bus.Burst(2)
					end := b.The("EVENTBUS-SUBSCRIBE-005", "one eviction", sub.Drain(), "client_evicted")
					b.Same("EVENTBUS-SUBSCRIBE-005", "the cap is the one that was asked for", value, end.DataGet("maxQueuedBytes"))
				}
			}),
		},
	}
}

// refuses breaks law unless each value of an option is refused with a TypeError. Values that the target's language
// cannot pass are left out; if none is left the case is unsupported.
func (b *busT) refuses(law, option string, values ...string) {
	tried := 0
	for _, value := range values {
		_, err := b.TryNew(options{Raw: map[string]string{option: value}})
		if _, ok := errors.AsType[*adapter.UnsupportedError](err); ok {
			continue
		}
		tried++
		thrown, ok := errors.AsType[*adapter.TargetError](err)
		b.Check(ok && thrown.Name == "TypeError", law, fmt.Sprintf("%s %s is refused", option, value), "TypeError", fmt.Sprint(err))
	}
	if tried == 0 {
		b.Unsupported("the target's language passes none of these values")
	}
}

// fitting returns a function that makes data with which an event of type plain, with an id of one digit, has a size.
func (b *busT) fitting() func(octets int) string {
	bare := b.sizeWith(`{"p":""}`)
	return func(octets int) string {
		b.Check(octets >= bare, "", "an event can be so small", fmt.Sprint("at most ", octets), fmt.Sprint(bare))
		return `{"p":"` + strings.Repeat("a", octets-bare) + `"}`
	}
}

// sizeWith returns the size of an event of type plain with that data and an id of one digit.
func (b *busT) sizeWith(data string) int {
	probe := b.New(options{}).Publish(data)
	b.Check(probe != nil, "", "an event is published", "an event", "none")
	return probe.Size()
}

// idOf returns the id of what was published; 0 when it was not.
func idOf(f *frame) int64 {
	if f == nil {
		return 0
	}
	return f.ID()
}
