package stomptest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientAckCases() []conformance.Case {
	modes := conformance.Needs{Options: []string{ChoiceOfAck}}
	return slices.Concat(clientAckValueCases(), []conformance.Case{
		{
			ID:       "stomp/client/ack/names-the-message",
			Title:    "ACK names the message by the header that the version has for it",
			Laws:     ackLaws,
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				m := sub.MessageFrame("one")
				c.AckNames(c.acks(sub, c.hands(sub, m)), m)
			}),
		},
		{
			ID:       "stomp/client/ack/names-the-message-individually",
			Title:    "ACK of an individual message names it",
			Laws:     ackLaws,
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				m := sub.MessageFrame("one")
				c.AckNames(c.acks(sub, c.hands(sub, m)), m)
			}),
		},
		{
			ID:       "stomp/client/ack/second-of-three",
			Title:    "of three messages the second alone is acknowledged",
			Laws:     ackLaws,
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				sent, shown := c.deliversAll(sub, 3)
				c.AckNames(c.acks(sub, shown[1]), sent[1])
				sub.p.Quiet(ackLaw(c.Version()), "the other two were not acknowledged by the user", is("ACK"))
			}),
		},
		{
			ID:       "stomp/client/ack/cumulative",
			Title:    "an ACK of the last of three messages names the last",
			Laws:     ackLaws,
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				sent, shown := c.deliversAll(sub, 3)
				c.AckNames(c.acks(sub, shown[2]), sent[2])
			}),
		},
		{
			ID:       "stomp/client/ack/every-one",
			Title:    "each of five messages that the user acknowledges has its ACK",
			Laws:     append([]string{"STOMP-ACK-004"}, ackLaws...),
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				sent, shown := c.deliversAll(sub, 5)
				for i, e := range shown {
					c.Do("ack", fields{"message": e.Message})
					f := sub.p.Expect("STOMP-ACK-004", "what was processed is acknowledged", "ACK", is("ACK"))
					c.AckNames(f, sent[i])
				}
			}),
		},
		{
			ID:       "stomp/client/ack/in-any-order",
			Title:    "individual messages acknowledged out of order are each named",
			Laws:     ackLaws,
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				sent, shown := c.deliversAll(sub, 4)
				for _, i := range []int{3, 0, 2, 1} {
					c.AckNames(c.acks(sub, shown[i]), sent[i])
				}
			}),
		},
		{
			ID:       "stomp/client/ack/of-two-subscriptions",
			Title:    "messages of two subscriptions with one message-id are told apart",
			Laws:     ackLaws,
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				subs := []*subscription{c.SubscribeAs(p, "s-1", "client-individual"), c.SubscribeAs(p, "s-2", "client-individual")}
				var sent []*wireFrame
				var shown []event
				// One message may go to several subscriptions, under one message-id.
				for i, sub := range subs {
					m := sub.MessageFrame("copy " + sub.ID)
					m.Headers = slices.DeleteFunc(m.Headers, func(h header) bool { return h.Name == "message-id" })
					p.Send(m.With("message-id", "same"))
					sent, shown = append(sent, m), append(shown, c.DeliveredAs(ackLaw(c.Version()), "the message is shown", "copy "+subs[i].ID))
				}
				for _, i := range []int{1, 0} {
					c.AckNames(c.acks(subs[i], shown[i]), sent[i])
				}
			}),
		},
		{
			ID:       "stomp/client/ack/nack-names-the-message",
			Title:    "NACK names the message as ACK does",
			Laws:     ackLaws,
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck, Nack}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				sent, shown := c.deliversAll(sub, 2)
				o := c.Order("nack", fields{"message": shown[1].Message})
				c.AckNames(o.leadsTo(sub.p, "NACK"), sent[1])
				o.Done()
				c.AckNames(c.acks(sub, shown[0]), sent[0])
			}),
		},
		{
			ID:       "stomp/client/ack/no-nack-in-1.0",
			Title:    "no NACK is sent in 1.0, which does not have it",
			Laws:     []string{"STOMP-NACK-001"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck, Nack}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				sub.Deliver("one")
				e := c.Delivered("STOMP-NACK-001", "the message is shown")
				if r, err := c.Order("nack", fields{"message": e.Message}).Try(); err != nil || r.Error != "" {
					c.Note("refused", "%s %v", r.Error, err)
				}
				sub.p.Quiet("STOMP-NACK-001", "1.0 has no NACK: a client that is asked for one refuses", is("NACK"))
			}),
		},
		{
			ID:       "stomp/client/ack/in-transaction",
			Title:    "an ACK inside a transaction carries its name",
			Laws:     append([]string{joinsTransaction}, ackLaws...),
			Versions: every,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck, Transactions, TransactionAcks}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				sent, shown := c.deliversAll(sub, 2)
				begin := c.begins(sub.p, "tx-1")
				c.Do("ack", fields{"message": shown[1].Message, "transaction": "tx-1"})
				f := sub.p.Expect(ackLaw(c.Version()), "the message is acknowledged", "ACK", is("ACK"))
				c.AckNames(f, sent[1])
				c.CheckEqual(joinsTransaction, "what belongs to a transaction names it", begin.Get("transaction"), f.Get("transaction"))
				c.Do("commit", fields{"transaction": "tx-1"})
			}),
		},
		{
			ID:       "stomp/client/ack/nack-in-transaction",
			Title:    "a NACK inside a transaction carries its name",
			Laws:     append([]string{joinsTransaction}, ackLaws...),
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck, Nack, Transactions, TransactionAcks}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client-individual")
				sent, shown := c.deliversAll(sub, 1)
				begin := c.begins(sub.p, "tx-1")
				o := c.Order("nack", fields{"message": shown[0].Message, "transaction": "tx-1"})
				f := o.leadsTo(sub.p, "NACK")
				o.Done()
				c.AckNames(f, sent[0])
				c.CheckEqual(joinsTransaction, "what belongs to a transaction names it", begin.Get("transaction"), f.Get("transaction"))
			}),
		},
		{
			ID:       "stomp/client/ack/outside-transaction",
			Title:    "an ACK that is not in the open transaction does not carry its name",
			Laws:     append([]string{joinsTransaction}, ackLaws...),
			Versions: every,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck, Transactions}},
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				sent, shown := c.deliversAll(sub, 1)
				c.begins(sub.p, "tx-1")
				f := c.acks(sub, shown[0])
				c.AckNames(f, sent[0])
				c.Check(!headerNamed(f, "transaction"), joinsTransaction, "an ACK takes part in a transaction when it is told to", "no transaction", f.String())
			}),
		},
		ackChoice("stomp/client/ambiguity/ack-on-auto", "messages of an auto subscription, and what the library does by itself",
			conformance.Needs{}, "auto", "with auto a client need not acknowledge"),
		ackChoice("stomp/client/ambiguity/ack-before-the-user-does", "messages of a client subscription that the user has not acknowledged",
			modes, "client", "when a message counts as processed is the library's matter"),
		{
			ID:       "stomp/client/ambiguity/ack-after-unsubscribe",
			Title:    "a message that is acknowledged after its subscription has ended",
			Laws:     []string{"STOMP-UNSUBSCRIBE-008"},
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				_, shown := c.deliversAll(sub, 1)
				c.Do("unsubscribe", fields{"id": "s-1"})
				seen := "no ACK"
				if r, err := c.Order("ack", fields{"message": shown[0].Message}).Try(); err == nil && r.Error == "" &&
					sub.p.Watch(is("ACK"), c.Timing().Quiet) != nil {
					seen = "ACK"
				}
				c.Chose("STOMP-UNSUBSCRIBE-008", "no version says whether it may still be acknowledged", seen)
			}),
		},
	})
}

// ackChoice records whether a library acknowledges messages that its user has been shown.
func ackChoice(id, title string, needs conformance.Needs, mode, reason string) conformance.Case {
	const law = "STOMP-ACK-004"
	return conformance.Case{ID: id, Title: title, Laws: []string{law}, Versions: every, Needs: needs, Run: runClient(func(c *clientT) {
		sub := c.SubscribeAs(c.Connect(), "s-1", mode)
		c.deliversAll(sub, 2)
		seen := "no ACK"
		if sub.p.Watch(is("ACK"), c.Timing().Quiet) != nil {
			seen = "ACK"
		}
		c.Chose(law, reason, seen)
	})}
}

// ackLaws are what AckNames decides: by the version, ackLaw.
var ackLaws = []string{"STOMP-ACK-001", "STOMP-ACK-002", "STOMP-ACK-003"}

// ackLaw returns the law of how a version names an acknowledged message.
func ackLaw(version string) string {
	return map[string]string{"1.0": "STOMP-ACK-001", "1.1": "STOMP-ACK-002", "1.2": "STOMP-ACK-003"}[version]
}

// deliversAll delivers n messages to a subscription and waits until the user has them.
func (c *clientT) deliversAll(sub *subscription, n int) (sent []*wireFrame, shown []event) {
	for _, body := range numbered("m", n) {
		sent = append(sent, sub.Deliver(body))
	}
	for range n {
		e := c.Await("message")
		if e.Kind != "message" {
			c.Blocked("prerequisite", "a message is not shown: %s", e)
		}
		shown = append(shown, e)
	}
	return sent, shown
}

// acks orders the acknowledgement of a message and returns its ACK.
func (c *clientT) acks(sub *subscription, e event) *wireFrame {
	o := c.Order("ack", fields{"message": e.Message})
	r, err := o.Try()
	if err != nil || r.Error != "" {
		c.Stopped(conformance.Break{
			Law: ackLaw(c.Version()), Reason: "a message that was delivered can be acknowledged",
			Expected: "ACK", Seen: strings.TrimSpace("the library fails: " + r.Error), Timed: err != nil,
		})
	}
	return sub.p.Expect(ackLaw(c.Version()), "what the user acknowledges leads to an ACK", "ACK", is("ACK"))
}

// hands delivers a message and waits until the user has it.
func (c *clientT) hands(sub *subscription, m *wireFrame) event {
	sub.p.Send(m)
	e := c.Await("message")
	if e.Kind != "message" {
		c.Blocked("prerequisite", "the message is not shown: %s", e)
	}
	return e
}
