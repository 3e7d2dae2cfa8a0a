package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

func busLimitCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/limit/default-is-64",
			Title:    "64 subscriptions and a 65th",
			Laws:     []string{"EVENTBUS-LIMIT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				b.judgeLimit(b.New(options{}), 64)
			}),
		},
		{
			ID:       "eventbus/bus/limit/in-every-size",
			Title:    "limits from 1 to 256 and one subscription more",
			Laws:     []string{"EVENTBUS-LIMIT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, limit := range []int{1, 2, 3, 4, 5, 7, 8, 16, 17, 63, 65, 100, 256} {
					b.judgeLimit(b.New(options{MaxSubscribers: limit}), limit)
				}
			}),
		},
		{
			ID:       "eventbus/bus/limit/of-each-bus",
			Title:    "a full bus leaves another bus its own limit",
			Laws:     []string{"EVENTBUS-LIMIT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				one, two := b.New(options{MaxSubscribers: 2}), b.New(options{MaxSubscribers: 3})
				b.judgeLimit(one, 2)
				b.judgeLimit(two, 3)
			}),
		},
		{
			ID:       "eventbus/bus/limit/counts-who-is-attached",
			Title:    "ten subscriptions one after the other, limit 2",
			Laws:     []string{"EVENTBUS-LIMIT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 2})
				bus.Subscribe()
				for n := 1; n <= 10; n++ {
					sub, thrown := bus.TrySubscribe()
					if !b.Check(thrown == nil, "EVENTBUS-LIMIT-001", fmt.Sprintf("the current count is compared, not that of %d subscriptions ever", n), "a subscription", fmt.Sprint(thrown)) {
						return
					}
					sub.Abort()
				}
			}),
		},
		{
			ID:       "eventbus/bus/limit/typed-error",
			Title:    "name, message and limit of the refusal, for the default and for limits of 1 and 7",
			Laws:     []string{"EVENTBUS-LIMIT-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range []struct{ set, limit int }{{0, 64}, {1, 1}, {7, 7}} {
					bus := b.New(options{MaxSubscribers: c.set})
					for range c.limit {
						bus.Subscribe()
					}
					for _, options := range [][]subOption{{}, {resumeAfter(0), maxQueued(1)}} {
						_, thrown := bus.TrySubscribe(options...)
						if !b.Check(thrown != nil, "EVENTBUS-LIMIT-002", "subscribe throws", "an error", "none") {
							continue
						}
						b.Equal("EVENTBUS-LIMIT-002", "the error has a name", "SubscriberLimitExceededError", thrown.Name)
						b.Equal("EVENTBUS-LIMIT-002", "its message is fixed", fmt.Sprintf("EventBus subscriber limit reached (%d)", c.limit), thrown.Message)
						b.Equal("EVENTBUS-LIMIT-002", "it carries the limit", c.limit, limitOf(thrown))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/limit/refusal-changes-nothing",
			Title:    "limit 1: refused with and without a cursor while the first goes on",
			Laws:     []string{"EVENTBUS-LIMIT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 1, RingSize: 4})
				bus.Burst(2)
				first := bus.Subscribe(resumeAfter(0), maxQueued(3))
				for _, options := range [][]subOption{{}, {resumeAfter(0)}, {resumeAfter(99)}, {maxQueued(1)}, {}} {
					_, thrown := bus.TrySubscribe(options...)
					b.Check(thrown != nil, "EVENTBUS-LIMIT-003", "every try is refused", "an error", "a subscription")
					b.Equal("EVENTBUS-LIMIT-003", "no slot was created", 1, bus.Subscribers())
				}
				b.Equal("EVENTBUS-LIMIT-003", "no id was taken", 2, bus.LastEventID())
				bus.Burst(2)
				b.Sees("EVENTBUS-LIMIT-003", "the first one has its replay and its events", first.Next(5), "1 2 replay_complete 3 4 ready")
				first.Abort()
				next, thrown := bus.TrySubscribe(resumeAfter(2))
				if b.Check(thrown == nil, "EVENTBUS-LIMIT-003", "the freed slot can be taken", "a subscription", fmt.Sprint(thrown)) {
					b.Sees("EVENTBUS-LIMIT-003", "the ring is as it was", next.Drain(), "3 4 replay_complete parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/limit/refusal-leaves-a-waiting-consumer",
			Title:    "limit 1: refused while the first waits",
			Laws:     []string{"EVENTBUS-LIMIT-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 1})
				first := bus.Subscribe()
				first.Park()
				_, thrown := bus.TrySubscribe()
				b.Check(thrown != nil, "EVENTBUS-LIMIT-003", "the second is refused", "an error", "a subscription")
				bus.PublishN(1)
				b.Sees("EVENTBUS-LIMIT-003", "the ask is served", first.Poll(), "1 ready")
			}),
		},
		{
			ID:       "eventbus/bus/limit/every-exit-frees-a-slot",
			Title:    "limit 2: abort, return and eviction let the next one in, and no further one",
			Laws:     []string{"EVENTBUS-LIMIT-003", "EVENTBUS-ABORT-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, how := range exits[:3] {
					bus := b.New(options{MaxSubscribers: 2})
					bus.Subscribe()
					leaving := bus.Subscribe(maxQueued(2))
					_, thrown := bus.TrySubscribe()
					b.Check(thrown != nil, "EVENTBUS-LIMIT-003", "a third is refused", "an error", "a subscription")
					b.exit(bus, leaving, how)
					heir, thrown := bus.TrySubscribe()
					if !b.Check(thrown == nil, "EVENTBUS-LIMIT-003", how+" frees one slot", "a subscription", fmt.Sprint(thrown)) {
						continue
					}
					_, thrown = bus.TrySubscribe()
					b.Check(thrown != nil, "EVENTBUS-LIMIT-003", how+" frees no second slot", "an error", "a subscription")
					last := bus.LastEventID()
					bus.PublishN(1)
					b.Equal("EVENTBUS-LIMIT-003", "the heir is served from then on", fmt.Sprint([]int64{last + 1}), heir.Drain().IDs())
				}
			}),
		},
	}
}

// judgeLimit subscribes until the limit is reached, and three times beyond it.
func (b *busT) judgeLimit(bus *drivenBus, limit int) {
	for n := 1; n <= limit; n++ {
		if _, thrown := bus.TrySubscribe(); !b.Check(thrown == nil, "EVENTBUS-LIMIT-001", fmt.Sprintf("subscription %d of %d", n, limit), "a subscription", fmt.Sprint(thrown)) {
			return
		}
	}
	for range 3 {
		_, thrown := bus.TrySubscribe()
		b.Check(thrown != nil, "EVENTBUS-LIMIT-001", fmt.Sprintf("one more than %d", limit), "an error", "a subscription")
	}
	b.Equal("EVENTBUS-LIMIT-001", "exactly the limit is attached", limit, bus.Subscribers())
}

// limitOf returns the limit that a refusal carries, as text.
func limitOf(e *adapter.TargetError) string {
	if e.Limit == nil {
		return "no number"
	}
	return fmt.Sprint(*e.Limit)
}
