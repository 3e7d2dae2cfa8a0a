package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func unsubscribeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/unsubscribe/no-message-after-the-receipt",
			Title:    "once UNSUBSCRIBE is receipted no MESSAGE comes for the subscription",
			Laws:     []string{"STOMP-UNSUBSCRIBE-003"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				p := s.Connect("producer")
				p.Deliver(place, "before")
				c.MessageOf("", "the subscription works", "before")
				c.Confirmed(frameOf("UNSUBSCRIBE", "id", "1"))
				c.Drain(is("MESSAGE"))
				p.Deliver(place, numbered("after", 100)...)
				p.Sync()
				c.Quiet("STOMP-UNSUBSCRIBE-003", "a subscription that has been removed gets no further MESSAGE", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/unsubscribe/leaves-other-subscriptions",
			Title:    "UNSUBSCRIBE removes the subscription that it names and no other",
			Laws:     []string{"STOMP-UNSUBSCRIBE-003", "STOMP-SEND-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				gone, kept := s.Place(), s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", gone, "auto")
				c.Subscribe("2", kept, "auto")
				c.Confirmed(frameOf("UNSUBSCRIBE", "id", "1"))
				p := s.Connect("producer")
				p.Deliver(gone, "gone")
				p.Deliver(kept, "kept")
				c.Quiet("STOMP-UNSUBSCRIBE-003", "a subscription that has been removed gets no further MESSAGE", carries("gone"))
				c.MessageOf("STOMP-SEND-004", "the subscription that was not named goes on", "kept")
			}),
		},
		{
			ID:       "stomp/server/unsubscribe/by-id-or-destination-in-1.0",
			Title:    "1.0 unsubscribes by destination or by id",
			Laws:     []string{"STOMP-UNSUBSCRIBE-002"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				byPlace, byID := s.Place(), s.Place()
				c := s.Connect("consumer")
				c.Send(frameOf("SUBSCRIBE", "destination", byPlace))
				c.Send(frameOf("SUBSCRIBE", "destination", byID, "id", "s"))
				c.Sync()
				for _, f := range []*wireFrame{frameOf("UNSUBSCRIBE", "destination", byPlace), frameOf("UNSUBSCRIBE", "id", "s")} {
					id := s.Unique("r")
					c.Send(f.With("receipt", id))
					c.Receipt("STOMP-UNSUBSCRIBE-002", "destination and id both name the subscription to remove: neither is refused", id)
				}
				p := s.Connect("producer")
				p.Deliver(byPlace, "by destination")
				p.Deliver(byID, "by id")
				c.Quiet("STOMP-UNSUBSCRIBE-002", "destination and id both name the subscription to remove", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/unsubscribe/topic-with-another-subscriber",
			Title:    "UNSUBSCRIBE from a topic that others go on listening to",
			Laws:     []string{"STOMP-UNSUBSCRIBE-003"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Topics, Delivery, Receipts}},
			Run: run(func(s *serverT) {
				topic := s.Topic()
				other, c := s.Connect("other"), s.Connect("consumer")
				other.Subscribe("o", topic, "auto")
				c.Subscribe("1", topic, "auto")
				c.Confirmed(frameOf("UNSUBSCRIBE", "id", "1"))
				s.Connect("producer").Deliver(topic, "after")
				other.MessageOf("", "the other subscriber gets the message", "after")
				c.Quiet("STOMP-UNSUBSCRIBE-003", "a subscription that has been removed gets no further MESSAGE", carries("after"))
			}),
		},
		{
			ID:       "stomp/server/unsubscribe/subscribe-again",
			Title:    "an id is free again after its UNSUBSCRIBE is receipted",
			Laws:     []string{"STOMP-UNSUBSCRIBE-003", "STOMP-SEND-004"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				c := s.Connect("consumer")
				p := s.Connect("producer")
				for i := range 3 {
					place := s.Place()
					c.Subscribe("same", place, "auto")
					body := fmt.Sprint("round ", i)
					p.Deliver(place, body)
					c.MessageOf("STOMP-SEND-004", "an id that no subscription uses can be used", body)
					c.Confirmed(frameOf("UNSUBSCRIBE", "id", "same"))
				}
				c.Quiet("STOMP-UNSUBSCRIBE-003", "a subscription that has been removed gets no further MESSAGE", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/unsubscribe-unknown-id",
			Title:    "UNSUBSCRIBE with an id that no subscription has",
			Laws:     []string{"STOMP-UNSUBSCRIBE-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("UNSUBSCRIBE", "id", "nobody", "receipt", "r"))
				s.answered("STOMP-UNSUBSCRIBE-001", "UNSUBSCRIBE must name an existing subscription; the reaction is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/unsettled-after-unsubscribe",
			Title:    "ACK of a message whose subscription is gone",
			Laws:     []string{"STOMP-UNSUBSCRIBE-008"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				c := s.Connect("consumer")
				c.Subscribe("1", q, "client")
				s.Connect("producer").Deliver(q, "m")
				m := c.Message("", "the message arrives")
				c.Confirmed(frameOf("UNSUBSCRIBE", "id", "1"))
				c.Send(c.AckFrame("ACK", m).With("receipt", "late"))
				s.answered("STOMP-UNSUBSCRIBE-008", "no text says whether a delivered message can be acknowledged after UNSUBSCRIBE", c.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
	}
}
