package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busSubscribeCountCases are about subscriberCount.
func busSubscribeCountCases() []conformance.Case {
	build := func(name, title string, run func(c *counted)) conformance.Case {
		return conformance.Case{
			ID: "eventbus/bus/subscribe/count-" + name, Title: title, Laws: []string{"EVENTBUS-SUBSCRIBE-007"}, Versions: bothDialects,
			Run: onBus(func(b *busT) {
				c := &counted{b: b, bus: b.New(options{})}
				// Two that stay show a count that falls twice.
				c.bus.Subscribe()
				c.bus.Subscribe(resumeAfter(0)).Drain()
				c.is(2, "two subscriptions")
				c.sub = c.bus.Subscribe(maxQueued(2))
				c.is(3, "a third")
				run(c)
			}),
		}
	}
	return []conformance.Case{
		build("falls-once-on-abort", "one of three is aborted, and then left in every other way", func(c *counted) {
			c.bus.Burst(1)
			c.sub.Abort()
			c.is(2, "abort")
			c.leaves(2)
		}),
		build("falls-once-on-return", "one of three returns, and then leaves in every other way", func(c *counted) {
			c.bus.Burst(1)
			c.sub.Return()
			c.is(2, "return")
			c.leaves(2)
		}),
		build("falls-once-on-eviction", "one of three is evicted, and then leaves in every other way", func(c *counted) {
			c.bus.Burst(2)
			c.is(3, "a full queue")
			c.bus.Burst(1)
			c.is(2, "an eviction")
			c.bus.Burst(3)
			c.is(2, "publishes after it")
			c.leaves(2)
		}),
		build("falls-once-on-done", "one of three is evicted and drained until it reports done, twice", func(c *counted) {
			c.bus.Burst(3)
			for range 2 {
				c.b.Equal("", "the stream is over", stateDone, c.sub.Drain().State)
				c.is(2, "done")
			}
			c.leaves(2)
		}),
		build("falls-while-a-consumer-waits", "one of three waits when it is aborted", func(c *counted) {
			c.sub.Park()
			c.is(3, "an ask that waits")
			c.sub.Abort()
			c.is(2, "abort, before the ask is looked at")
			c.sub.Poll()
			c.is(2, "the end of the ask")
			c.leaves(2)
		}),
		build("is-0-after-close", "three subscriptions, close, and every way to leave", func(c *counted) {
			c.bus.Burst(1)
			c.bus.Close()
			c.is(0, "close")
			c.leaves(0)
			c.bus.Close()
			c.is(0, "a second close")
			c.bus.Subscribe(resumeAfter(0)).Drain()
			c.is(0, "a subscription to a closed bus")
		}),
		build("is-not-moved-by-a-signal-aborted-before", "a fourth subscription whose signal is aborted already", func(c *counted) {
			dead := c.bus.Subscribe(aborted(), resumeAfter(0))
			c.is(3, "a subscription with an aborted signal")
			dead.Abort()
			dead.Return()
			dead.Drain()
			c.is(3, "its end in every way")
		}),
		build("is-not-moved-by-asking", "asks that find events, asks that wait, events, and lookers-on", func(c *counted) {
			c.bus.Burst(1)
			c.is(3, "a publish")
			c.sub.Next(1)
			c.is(3, "an item taken")
			c.sub.Park()
			c.bus.Burst(1)
			c.sub.Poll()
			c.is(3, "an item handed over")
			c.bus.Subscribe().Abort()
			c.is(3, "one that came and left")
		}),
		{
			ID:       "eventbus/bus/subscribe/count-refused-is-not-counted",
			Title:    "subscriptions beyond the limit",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				c := &counted{b: b, bus: b.New(options{MaxSubscribers: 2})}
				c.sub = c.bus.Subscribe()
				c.bus.Subscribe()
				for range 3 {
					if _, thrown := c.bus.TrySubscribe(); thrown == nil {
						b.Blocked("prerequisite", "a third subscription is not refused by a limit of 2")
					}
					c.is(2, "a subscription that was refused")
				}
				c.sub.Abort()
				c.is(1, "abort")
				c.bus.Subscribe()
				c.is(2, "one that took the slot")
				c.leaves(2)
			}),
		},
		{
			ID:       "eventbus/bus/subscribe/count-at-random",
			Title:    "a hundred random arrivals and departures against a plain count",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				rand, c := b.Rand(), &counted{b: b, bus: b.New(options{})}
				var subs []*drivenSub
				attached := map[*drivenSub]bool{}
				for range 100 {
					what := "a subscription"
					if n := rand.IntN(4); len(subs) > 0 && n > 0 {
						// Those that have left already are among them.
						sub := subs[rand.IntN(len(subs))]
						if delete(attached, sub); n == 1 {
							sub.Return()
						} else {
							sub.Abort()
						}
						what = "a departure"
					} else {
						subs = append(subs, c.bus.Subscribe())
						attached[subs[len(subs)-1]] = true
					}
					c.is(len(attached), what)
				}
			}),
		},
	}
}

// counted is a bus whose subscriptions are counted, and one of them.
type counted struct {
	b   *busT
	bus *drivenBus
	sub *drivenSub
}

func (c *counted) is(want int, after string) {
	c.b.Equal("EVENTBUS-SUBSCRIBE-007", fmt.Sprint("the count after ", after), want, c.bus.Subscribers())
}

// leaves lets a subscription that has left do so in every way, twice: the count stays.
func (c *counted) leaves(want int) {
	for range 2 {
		c.sub.Abort()
		c.is(want, "abort of one that has left")
		c.sub.Return()
		c.is(want, "return of one that has left")
		c.sub.Drain()
		c.is(want, "done of one that has left")
	}
}
