package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func subscribeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/subscribe/destination-is-required",
			Title:    "SUBSCRIBE without destination is refused",
			Laws:     []string{"STOMP-SUBSCRIBE-001"},
			Versions: since11,
			Run:      run(func(s *serverT) { s.refusedSubscribe(frameOf("SUBSCRIBE", "id", "1")) }),
		},
		{
			ID:       "stomp/server/subscribe/id-is-required",
			Title:    "SUBSCRIBE without id is refused, or tolerated",
			Laws:     []string{"STOMP-SUBSCRIBE-001", "STOMP-SUBSCRIBE-010"},
			Versions: since11,
			Run:      run((*serverT).anonymous),
		},
		{
			ID:       "stomp/server/subscribe/id-is-optional-in-1.0",
			Title:    "1.0 subscribes without id",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Send(frameOf("SUBSCRIBE", "destination", place))
				c.Sync()
				s.Connect("producer").Deliver(place, "x")
				c.MessageOf("STOMP-SEND-004", "a subscription without id is legal in 1.0 and gets what is sent", "x")
			}),
		},
		{
			ID:       "stomp/server/subscribe/message-names-the-subscription-in-1.0",
			Title:    "1.0 MESSAGE names the subscription that had an id",
			Laws:     []string{"STOMP-SUBSCRIBE-002"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("s1", place, "auto")
				s.Connect("producer").Deliver(place, "x")
				s.CheckEqual("STOMP-SUBSCRIBE-002", "a MESSAGE for a subscription with an id should carry it", "s1",
					c.Message("", "the message arrives").Get("subscription"))
			}),
		},
		{
			ID:       "stomp/server/subscribe/every-ack-mode-is-accepted",
			Title:    "auto, client and client-individual are accepted",
			Laws:     []string{"STOMP-SUBSCRIBE-004"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Acks, ClientIndividual}},
			Run:      run(func(s *serverT) { s.modesAccepted("STOMP-SUBSCRIBE-004", "", "auto", "client", "client-individual") }),
		},
		{
			ID:       "stomp/server/subscribe/ack-modes-of-1.0",
			Title:    "1.0 accepts auto and client",
			Laws:     []string{"STOMP-SUBSCRIBE-005"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Acks}},
			Run:      run(func(s *serverT) { s.modesAccepted("STOMP-SUBSCRIBE-005", "", "auto", "client") }),
		},
		{
			ID:       "stomp/server/subscribe/ack-defaults-to-auto",
			Title:    "without ack a message needs no ACK and does not come back",
			Laws:     []string{"STOMP-SUBSCRIBE-004"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				c := s.Connect("consumer")
				c.Subscribe("1", q, "")
				p := s.Connect("producer")
				bodies := numbered("m", 5)
				p.Deliver(q, bodies...)
				for _, b := range bodies {
					c.MessageOf("STOMP-SUBSCRIBE-004", "in the default mode messages flow without ACK", b)
				}
				c.Send(frameOf("DISCONNECT"))
				c.Close()
				again := s.Connect("again")
				again.Subscribe("1", q, "")
				again.Quiet("STOMP-SUBSCRIBE-004", "a missing ack means auto: what was delivered counts as received", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/subscribe/unknown-ack-mode",
			Title:    "an ack value outside the three is refused, or tolerated",
			Laws:     []string{"STOMP-SUBSCRIBE-004"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SUBSCRIBE", "id", "1", "destination", s.Place(), "ack", "bogus", "receipt", "r"))
				o := p.Await(is("RECEIPT"), s.Timing().Reply)
				if o.Frame != nil {
					s.Loose(conformance.Break{
						Law: "STOMP-SUBSCRIBE-004", Reason: "valid ack values are auto, client and client-individual",
						Expected: "ERROR", Seen: "ack:bogus accepted: " + o.String(),
					})
				}
			}),
		},
		{
			ID:       "stomp/server/subscribe/message-headers",
			Title:    "every MESSAGE has destination, message-id and its subscription",
			Laws:     []string{"STOMP-SUBSCRIBE-010"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				first, second := s.Place(), s.Place()
				c := s.Connect("consumer")
				c.Subscribe("one", first, "auto")
				c.Subscribe("two", second, "auto")
				p := s.Connect("producer")
				for i := range 100 {
					p.Deliver([]string{first, second}[i%2], fmt.Sprint(i))
				}
				seen := map[string]bool{}
				for range 100 {
					m := c.Message("", "all messages arrive")
					want := map[string]string{first: "one", second: "two"}[m.Get("destination")]
					if !s.Check(m.Get("destination") != "" && m.Get("message-id") != "", "STOMP-SUBSCRIBE-010",
						"a MESSAGE carries destination and message-id", "both headers", m.String()) {
						return
					}
					if s.Version() != "1.0" {
						if want == "" {
							want = "one or two"
						}
						if !s.Check(m.Get("subscription") == want, "STOMP-SUBSCRIBE-010",
							"subscription is the id of the subscription that the MESSAGE is for", want, m.String()) {
							return
						}
					}
					key := m.Get("subscription") + "\x00" + m.Get("message-id")
					if !s.Check(!seen[key], "STOMP-SUBSCRIBE-010", "message-id identifies a message uniquely", "a fresh message-id", m.String()) {
						return
					}
					seen[key] = true
				}
			}),
		},
		{
			ID:       "stomp/server/subscribe/ack-header-in-client-modes",
			Title:    "1.2 MESSAGE for a client mode has an ack header of its own",
			Laws:     []string{"STOMP-SUBSCRIBE-011"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues, Acks, ClientIndividual}},
			Run: run(func(s *serverT) {
				one, two := s.Queue(), s.Queue()
				c := s.Connect("consumer")
				c.Subscribe("1", one, "client")
				c.Subscribe("2", two, "client-individual")
				p := s.Connect("producer")
				unsettled := map[string]bool{}
				take := func(destination, body string) *wireFrame {
					p.Deliver(destination, body)
					m := c.MessageOf("", "the message arrives", body)
					s.Check(m.Get("ack") != "", "STOMP-SUBSCRIBE-011", "a MESSAGE that needs an ACK carries an ack header", "a non-empty ack header", m.String())
					s.Check(!unsettled[m.Get("ack")], "STOMP-SUBSCRIBE-011", "ack values differ among the unsettled messages of a connection", "another value", m.String())
					unsettled[m.Get("ack")] = true
					return m
				}
				a := take(one, "a")
				b := take(two, "b")
				c.Send(c.AckFrame("ACK", a))
				c.Sync()
				delete(unsettled, a.Get("ack"))
				last := take(one, "c")
				c.Send(c.AckFrame("ACK", b))
				c.Send(c.AckFrame("ACK", last))
				c.Sync()
			}),
		},
		{
			ID:       "stomp/server/subscribe/unknown-headers-are-no-obstacle",
			Title:    "SUBSCRIBE with a header that nobody knows",
			Laws:     []string{"STOMP-SUBSCRIBE-009"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Send(frameOf("SUBSCRIBE", "id", "1", "destination", place, "x-unknown", "1"))
				c.Sync()
				s.Connect("producer").Deliver(place, "x")
				c.MessageOf("STOMP-SUBSCRIBE-009", "an unknown header leaves a subscription working or is refused with ERROR", "x")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/redelivery",
			Title:    "what was delivered and not acknowledged when the connection failed",
			Laws:     []string{"STOMP-SUBSCRIBE-008"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				a := s.Connect("a")
				a.Subscribe("1", q, "client")
				s.Connect("producer").Deliver(q, "m")
				a.MessageOf("", "the message arrives", "m")
				a.Reset()
				b := s.Connect("b")
				b.Subscribe("1", q, "auto")
				s.Chose("STOMP-SUBSCRIBE-008", "a message without ACK is not consumed and may be delivered again", redelivery(b.Watch(carries("m"), s.Timing().Reply)))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/subscription-id-in-use",
			Title:    "SUBSCRIBE with the id of an open subscription",
			Laws:     []string{"STOMP-SUBSCRIBE-003"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Subscribe("1", s.Place(), "auto")
				p.Send(frameOf("SUBSCRIBE", "id", "1", "destination", s.Place(), "receipt", "r"))
				s.answered("STOMP-SUBSCRIBE-003", "ids of open subscriptions must differ; the reaction is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/ack-header-in-auto-mode",
			Title:    "ack header on a MESSAGE that needs none",
			Laws:     []string{"STOMP-SUBSCRIBE-011"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				v, ok := s.relayed(frameOf("SEND").Carrying("x")).Lookup("ack")
				s.Chose("STOMP-SUBSCRIBE-011", "an ack header is required in client modes only", fmt.Sprintf("present: %v, value %q", ok, v))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/client-individual-in-1.0",
			Title:    "ack:client-individual in a 1.0 session",
			Laws:     []string{"STOMP-SUBSCRIBE-005"},
			Versions: only10,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SUBSCRIBE", "id", "1", "destination", s.Place(), "ack", "client-individual", "receipt", "r"))
				s.answered("STOMP-SUBSCRIBE-005", "client-individual is not defined in 1.0", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
	}
}

// anonymous subscribes without the id that 1.1 and 1.2 require of clients. A server must say so by ERROR and close
// only if it cannot create the subscription: one that creates it tolerates the frame.
func (s *serverT) anonymous() {
	const law, reason = "STOMP-SUBSCRIBE-001", "a subscription that cannot be created is answered with ERROR"
	place := s.Place()
	p := s.Connect("a")
	p.Send(frameOf("SUBSCRIBE", "destination", place, "receipt", "s"))
	o := p.Await(is("RECEIPT"), s.Timing().Quiet)
	if s.has(Delivery) && o.Error == nil && o.Ended == conformance.Open {
		s.Connect("producer").Deliver(place, "to no id")
		o = p.Await(carries("to no id"), s.Timing().Reply)
	}
	s.Step()
	switch {
	case o.Error != nil:
		p.End(law, "the connection is closed after a SUBSCRIBE that cannot be processed")
	case o.Frame == nil:
		p.miss(law, reason, "ERROR, or a subscription that delivers", o)
	default:
		s.tolerated(conformance.Break{Law: law, Reason: "a SUBSCRIBE has an id", Expected: "ERROR", Seen: "a subscription without id: " + o.String()})
	}
	if o.Frame == nil || o.Frame.Command != "MESSAGE" {
		return
	}
	if _, ok := o.Frame.Lookup("subscription"); !ok {
		b := conformance.Break{
			Law: "STOMP-SUBSCRIBE-010", Reason: "a MESSAGE has a subscription header, whatever subscriptions a server lets be made",
			Expected: "a subscription header", Seen: o.Frame.String(),
		}
		// 1.1 says that the header is set to the id, which is not there.
		if s.Version() == "1.1" {
			s.optional(b)
			return
		}
		s.Broken(b)
	}
}

// refusedSubscribe sends a SUBSCRIBE that lacks a required header.
func (s *serverT) refusedSubscribe(f *wireFrame) {
	p := s.Connect("a")
	p.Send(f)
	p.Error("STOMP-SUBSCRIBE-001", "a subscription that cannot be created is answered with ERROR")
	p.End("STOMP-SUBSCRIBE-001", "the connection is closed after a SUBSCRIBE that cannot be processed")
}

// modesAccepted subscribes once with each ack mode and expects a message to arrive in each.
func (s *serverT) modesAccepted(law string, modes ...string) {
	p := s.Connect("producer")
	for _, mode := range modes {
		place := s.Place()
		c := s.Connect("consumer " + mode)
		f := frameOf("SUBSCRIBE", "id", "1", "destination", place)
		if mode != "" {
			f.With("ack", mode)
		}
		c.Send(f)
		c.SyncUnder(law, fmt.Sprintf("ack %q is valid: the subscription is created", mode))
		p.Deliver(place, "mode "+mode)
		m := c.MessageOf(law, fmt.Sprintf("a subscription with ack %q is created and delivers", mode), "mode "+mode)
		if mode == "client" || mode == "client-individual" {
			c.Send(c.AckFrame("ACK", m))
			c.Sync()
		}
	}
}
