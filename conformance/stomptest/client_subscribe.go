package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientSubscribeCases() []conformance.Case {
	return slices.Concat(clientUnsubscribeCases(), []conformance.Case{
		{
			ID:       "stomp/client/subscribe/destination-and-id",
			Title:    "SUBSCRIBE carries the destination and, since 1.1, an id",
			Laws:     []string{subscribeCarries, sendCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "auto")
				law := subscribeCarries
				if c.Version() == "1.0" {
					law = sendCarries
				}
				c.CheckEqual(law, "SUBSCRIBE names what is subscribed to", sub.Destination, sub.Frame.Get("destination"))
				if c.Version() != "1.0" {
					c.Check(sub.ID != "", law, "since 1.1 a subscription has an id", "id", sub.Frame.String())
				}
			}),
		},
		{
			ID:       "stomp/client/subscribe/id-of-the-user",
			Title:    "the id that the user chooses is the one sent",
			Laws:     []string{subscribeCarries},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfID}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "the-one", "auto")
				c.CheckEqual(subscribeCarries, "the library lets its user choose the id", "the-one", sub.Frame.Get("id"))
			}),
		},
		{
			ID:       "stomp/client/subscribe/ids-differ",
			Title:    "ten open subscriptions have ten ids, and each gets its messages",
			Laws:     []string{"STOMP-SUBSCRIBE-003", "STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				ids, want := map[string]bool{}, []string(nil)
				var subs []*subscription
				for i := range 10 {
					sub := c.SubscribeAs(p, fmt.Sprintf("s-%d", i), "auto")
					ids[sub.ID], subs = true, append(subs, sub)
				}
				c.Check(len(ids) == 10, "STOMP-SUBSCRIBE-003", "open subscriptions of a connection have different ids", "10 ids", fmt.Sprint(len(ids)))
				for i, sub := range subs {
					want = append(want, fmt.Sprintf("for-%d", i))
					sub.Deliver(want[i])
				}
				c.ShownOnce("STOMP-SUBSCRIBE-016", "each message goes to the subscription that it names", want...)
			}),
		},
		{
			ID:       "stomp/client/subscribe/ids-differ-on-one-destination",
			Title:    "two subscriptions to one destination have different ids",
			Laws:     []string{"STOMP-SUBSCRIBE-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				a, b := c.subscribeTwice(c.Connect())
				c.Check(a.ID != b.ID, "STOMP-SUBSCRIBE-003", "open subscriptions of a connection have different ids", "two ids", fmt.Sprintf("%q twice", a.ID))
			}),
		},
		{
			ID:       "stomp/client/subscribe/ack-auto",
			Title:    "a subscription without acknowledgements says ack:auto or nothing",
			Laws:     []string{"STOMP-SUBSCRIBE-018"},
			Versions: every,
			Run:      subscribesWith("auto"),
		},
		{
			ID:       "stomp/client/subscribe/ack-client",
			Title:    "a subscription with cumulative acknowledgements says ack:client",
			Laws:     []string{"STOMP-SUBSCRIBE-018"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck}},
			Run:      subscribesWith("client"),
		},
		{
			ID:       "stomp/client/subscribe/ack-client-individual",
			Title:    "a subscription with acknowledgements of single messages says ack:client-individual",
			Laws:     []string{"STOMP-SUBSCRIBE-018"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck}},
			Run:      subscribesWith("client-individual"),
		},
		{
			ID:       "stomp/client/subscribe/message-goes-where-it-names",
			Title:    "a MESSAGE goes to the subscription that it names, whatever its destination",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				a, b := c.SubscribeAs(p, "s-1", "auto"), c.SubscribeAs(p, "s-2", "auto")
				// A broker may deliver to b what was sent to another place, as with wildcards.
				p.Send(frameOf("MESSAGE", "destination", a.Destination, "message-id", "m-1", "subscription", b.ID).Carrying("to b"))
				p.Send(frameOf("MESSAGE", "destination", "/queue/elsewhere", "message-id", "m-2", "subscription", a.ID).Carrying("to a"))
				c.ShownOnce("STOMP-SUBSCRIBE-016", "the subscription header decides who gets a message", "to a", "to b")
			}),
		},
		{
			ID:       "stomp/client/subscribe/two-on-one-destination",
			Title:    "of two subscriptions to one destination each gets its own messages",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				a, b := c.subscribeTwice(c.Connect())
				b.Deliver("b-1")
				a.Deliver("a-1")
				b.Deliver("b-2")
				c.ShownOnce("STOMP-SUBSCRIBE-016", "a message is shown once, to the subscription that it names", "a-1", "b-1", "b-2")
			}),
		},
		{
			ID:       "stomp/client/subscribe/order-within-a-subscription",
			Title:    "the messages of a subscription are shown in the order in which they came",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				sub := c.Subscribe(c.Connect(), "auto")
				want := numbered("m", 30)
				for _, body := range want {
					sub.Deliver(body)
				}
				var got []string
				for range want {
					got = append(got, c.Delivered("STOMP-SUBSCRIBE-016", "every message is shown").Body)
				}
				slices.Sort(want)
				if !c.CheckEqual("STOMP-SUBSCRIBE-016", "every message is shown once", strings.Join(want, " "), strings.Join(slices.Sorted(slices.Values(got)), " ")) {
					return
				}
				if !slices.Equal(got, numbered("m", 30)) {
					c.Chose("STOMP-SUBSCRIBE-016", "no version says that a client keeps the order", strings.Join(got, " "))
				}
			}),
		},
		{
			ID:       "stomp/client/subscribe/message-before-receipt",
			Title:    "a MESSAGE that comes before the RECEIPT of its SUBSCRIBE is shown",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				p.receipts = false
				o := c.Order("subscribe", fields{"id": "s-1", "destination": "/queue/a", "ack": "auto", "receipt": true})
				f := o.leadsTo(p, "SUBSCRIBE")
				sub := &subscription{c: c, p: p, ID: f.Get("id"), Destination: "/queue/a", Ack: "auto", Frame: f}
				sub.Deliver("early")
				p.confirm(f)
				o.Done()
				c.DeliveredAs("STOMP-SUBSCRIBE-016", "the broker has subscribed before it says so", "early")
			}),
		},
		{
			ID:       "stomp/client/subscribe/message-with-the-receipt",
			Title:    "a MESSAGE in one packet with the RECEIPT of its SUBSCRIBE is shown",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				p.receipts = false
				o := c.Order("subscribe", fields{"id": "s-1", "destination": "/queue/a", "ack": "auto", "receipt": true})
				f := o.leadsTo(p, "SUBSCRIBE")
				sub := &subscription{c: c, p: p, ID: f.Get("id"), Destination: "/queue/a", Ack: "auto", Frame: f}
				p.SendAll(frameOf("RECEIPT", "receipt-id", f.Get("receipt")), sub.MessageFrame("one"), sub.MessageFrame("two"))
				o.Done()
				c.ShownOnce("STOMP-SUBSCRIBE-016", "what comes with a RECEIPT is not lost", "one", "two")
			}),
		},
	})
}

// subscribesWith is a case that reads the ack header of a SUBSCRIBE.
func subscribesWith(mode string) caseFunc {
	return runClient(func(c *clientT) {
		f := c.SubscribeAs(c.Connect(), "s-1", mode).Frame
		got, ok := f.Lookup("ack")
		if mode == "auto" && !ok {
			return
		}
		c.CheckEqual("STOMP-SUBSCRIBE-018", "the ack header says how messages are acknowledged", mode, got)
	})
}

// subscribeTwice orders two subscriptions, s-1 and s-2, to one destination.
func (c *clientT) subscribeTwice(p *wire) (a, b *subscription) {
	destination := "/topic/" + c.Unique("t")
	var subs [2]*subscription
	for i, id := range []string{"s-1", "s-2"} {
		o := c.Order("subscribe", fields{"id": id, "destination": destination, "ack": "auto"})
		f := o.leadsTo(p, "SUBSCRIBE")
		o.Done()
		subs[i] = &subscription{c: c, p: p, ID: f.Get("id"), Destination: destination, Ack: "auto", Frame: f}
	}
	return subs[0], subs[1]
}

// ShownOnce needs exactly these bodies to be shown, in any order: each once, and nothing else within the quiet
// window.
func (c *clientT) ShownOnce(law, reason string, bodies ...string) {
	var got []string
	for range bodies {
		got = append(got, c.Delivered(law, reason).Body)
	}
	if e := c.Next(c.Timing().Quiet); e.Kind == "message" {
		got = append(got, e.Body)
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(bodies))
	c.CheckEqual(law, reason, strings.Join(want, ", "), strings.Join(got, ", "))
}
