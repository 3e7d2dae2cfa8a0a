package stomptest

import (
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// clientUnsubscribeCases are about the end of a subscription, and about what is still on its way then.
func clientUnsubscribeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/subscribe/unsubscribe-names-it",
			Title:    "UNSUBSCRIBE names an open subscription: by its id, in 1.0 by that or its destination",
			Laws:     []string{"STOMP-UNSUBSCRIBE-001", unsubscribeCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.SubscribeAs(p, "s-1", "auto")
				b := c.SubscribeAs(p, "s-2", "auto")
				c.Do("unsubscribe", fields{"id": "s-2"})
				c.namesSubscription(p.Expect("", "the client unsubscribes", "UNSUBSCRIBE", is("UNSUBSCRIBE")), b)
			}),
		},
		{
			ID:       "stomp/client/subscribe/unsubscribe-names-each",
			Title:    "subscriptions that end in another order than they began are named one by one",
			Laws:     []string{"STOMP-UNSUBSCRIBE-001", unsubscribeCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				open := map[string]*subscription{}
				for _, id := range []string{"s-1", "s-2", "s-3"} {
					open[id] = c.SubscribeAs(p, id, "auto")
				}
				for _, id := range []string{"s-2", "s-3", "s-1"} {
					c.Do("unsubscribe", fields{"id": id})
					c.namesSubscription(p.Expect("", "the client unsubscribes", "UNSUBSCRIBE", is("UNSUBSCRIBE")), open[id])
				}
			}),
		},
		{
			ID:       "stomp/client/subscribe/others-go-on",
			Title:    "the end of one subscription leaves another as it was",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.SubscribeAs(p, "s-1", "auto"), c.SubscribeAs(p, "s-2", "auto")
				a.Deliver("a-1")
				c.DeliveredAs("STOMP-SUBSCRIBE-016", "an open subscription gets its messages", "a-1")
				c.Do("unsubscribe", fields{"id": "s-1"})
				b.Deliver("b-1")
				c.ShownOnce("STOMP-SUBSCRIBE-016", "an open subscription gets its messages", "b-1")
			}),
		},
		{
			ID:       "stomp/client/subscribe/one-of-two-on-a-destination-ends",
			Title:    "of two subscriptions to one destination the one that is left goes on",
			Laws:     []string{"STOMP-SUBSCRIBE-016", "STOMP-UNSUBSCRIBE-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.subscribeTwice(p)
				c.Do("unsubscribe", fields{"id": "s-1"})
				c.namesSubscription(p.Expect("STOMP-UNSUBSCRIBE-001", "the client unsubscribes", "UNSUBSCRIBE", is("UNSUBSCRIBE")), a)
				b.Deliver("b-1")
				c.ShownOnce("STOMP-SUBSCRIBE-016", "the subscription that is left gets its messages", "b-1")
			}),
		},
		{
			ID:       "stomp/client/subscribe/again-after-unsubscribe",
			Title:    "an id may be used again after its subscription has ended",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.SubscribeAs(p, "s-1", "auto").Deliver("first")
				c.DeliveredAs("STOMP-SUBSCRIBE-016", "an open subscription gets its messages", "first")
				c.Do("unsubscribe", fields{"id": "s-1"})
				c.SubscribeAs(p, "s-1", "auto").Deliver("second")
				c.ShownOnce("STOMP-SUBSCRIBE-016", "the subscription that uses the id now gets the messages", "second")
			}),
		},
		{
			ID:       "stomp/client/subscribe/message-that-crosses-unsubscribe",
			Title:    "a MESSAGE that the broker sent before it read UNSUBSCRIBE does no harm",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.SubscribeAs(p, "s-1", "auto"), c.SubscribeAs(p, "s-2", "auto")
				c.crossing(p, "s-1", func() { a.Deliver("late") })
				b.Deliver("for the other")
				c.shownButFor("late", "STOMP-SUBSCRIBE-016", "a broker may send until it reads UNSUBSCRIBE; other subscriptions go on", "for the other")
			}),
		},
		{
			ID:       "stomp/client/subscribe/many-messages-cross-unsubscribe",
			Title:    "many messages on their way to a subscription that ends do no harm",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.SubscribeAs(p, "s-1", "auto"), c.SubscribeAs(p, "s-2", "auto")
				c.crossing(p, "s-1", func() {
					for range 30 {
						a.Deliver("late")
					}
				})
				b.Deliver("for the other")
				c.shownButFor("late", "STOMP-SUBSCRIBE-016", "a broker may send until it reads UNSUBSCRIBE; other subscriptions go on", "for the other")
			}),
		},
		{
			ID:       "stomp/client/subscribe/message-that-crosses-is-acknowledgeable",
			Title:    "a session with acknowledgements survives a MESSAGE that crosses UNSUBSCRIBE",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.SubscribeAs(p, "s-1", "client"), c.SubscribeAs(p, "s-2", "client")
				c.crossing(p, "s-1", func() { a.Deliver("late") })
				m := b.Deliver("for the other")
				e := c.shownButFor("late", "STOMP-SUBSCRIBE-016", "other subscriptions go on", "for the other")
				c.Do("ack", fields{"message": e.Message})
				f := p.Expect("", "the message of the other subscription is acknowledged", "ACK", is("ACK"))
				c.Note("acknowledged", "%s for %s", f, m)
			}),
		},
		{
			ID:       "stomp/client/ambiguity/message-after-unsubscribe",
			Title:    "a MESSAGE of a subscription that has ended, receipt and all",
			Laws:     []string{"STOMP-UNSUBSCRIBE-007"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a := c.SubscribeAs(p, "s-1", "auto")
				c.Do("unsubscribe", fields{"id": "s-1"})
				a.Deliver("too late")
				e := c.Next(c.Timing().Quiet)
				c.Chose("STOMP-UNSUBSCRIBE-007", "no conforming broker sends it, and no version says what a client makes of it", e.Kind)
			}),
		},
	}
}

// namesSubscription checks that an UNSUBSCRIBE names a subscription as the version does.
func (c *clientT) namesSubscription(f *wireFrame, s *subscription) {
	const reason = "an UNSUBSCRIBE names an open subscription"
	id, byID := f.Lookup("id")
	switch {
	case c.Version() != "1.0":
		c.CheckEqual("STOMP-UNSUBSCRIBE-001", reason, s.ID, id)
	case byID:
		c.CheckEqual(unsubscribeCarries, reason, s.ID, id)
	default:
		c.CheckEqual(unsubscribeCarries, reason, s.Destination, f.Get("destination"))
	}
}

// crossing orders the end of a subscription and lets the broker send something before it deals with that.
func (c *clientT) crossing(p *wire, id string, meanwhile func()) {
	p.receipts = false
	o := c.Order("unsubscribe", fields{"id": id})
	f := p.Expect("", "the client unsubscribes", "UNSUBSCRIBE", is("UNSUBSCRIBE"))
	meanwhile()
	p.confirm(f)
	p.receipts = true
	o.Done()
}

// shownButFor waits for the message with that body and returns it. Those with the other body may be shown or not:
// no version says what becomes of a message that crosses UNSUBSCRIBE.
func (c *clientT) shownButFor(passing, law, reason, body string) event {
	shown := 0
	for deadline := time.Now().Add(2 * c.Timing().Reply); ; shown++ {
		e := c.Delivered(law, reason)
		if e.Body != passing || time.Now().After(deadline) {
			c.Note("messages shown after UNSUBSCRIBE", "%d", shown)
			c.CheckEqual(law, reason, body, e.Body)
			return e
		}
	}
}
