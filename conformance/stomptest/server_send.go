package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func sendCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/send/is-delivered",
			Title:    "what is sent to a destination reaches its subscriber unchanged",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: every,
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				s.Connect("producer").Deliver(place, "hello")
				c.MessageOf("STOMP-SEND-004", "a MESSAGE carries the body of the SEND", "hello")
			}),
		},
		{
			ID:       "stomp/server/send/destination-is-required",
			Title:    "SEND without destination is refused",
			Laws:     []string{"STOMP-SEND-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SEND").Carrying("nowhere"))
				const reason = "a SEND without its required destination is answered with ERROR"
				p.Error("STOMP-SEND-001", reason)
				if s.Version() != "1.0" {
					p.End("STOMP-SEND-001", "the connection is closed after a SEND that cannot be processed")
				}
			}),
		},
		{
			ID:       "stomp/server/send/bodies-of-every-size",
			Title:    "bodies of 0, 1, 4095 to 4097 and 65536 octets arrive unchanged",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				p := s.Connect("producer")
				for _, n := range []int{0, 1, 4095, 4096, 4097, 65536} {
					body := strings.Repeat("0123456789abcdef", n/16+1)[:n]
					p.Send(frameOf("SEND", "destination", place).Carrying(body))
					m := c.Message("STOMP-SEND-004", fmt.Sprintf("a body of %d octets is delivered", n))
					s.Check(string(m.Body) == body, "STOMP-SEND-004", "a body arrives octet for octet",
						fmt.Sprintf("%d octets as sent", n), fmt.Sprintf("%d octets: %s", len(m.Body), conformance.EscapeMax(m.Body, 60)))
				}
			}),
		},
		{
			ID:       "stomp/server/send/body-of-all-octets",
			Title:    "a counted body of all 256 octet values arrives unchanged",
			Laws:     []string{"STOMP-SEND-004", "STOMP-BODY-014"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, BinaryBodies}},
			Run: run(func(s *serverT) {
				var octets [512]byte
				for i := range octets {
					octets[i] = byte(i)
				}
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				s.Connect("producer").Send(frameOf("SEND", "destination", place).Carrying(string(octets[:])))
				m := c.Message("STOMP-SEND-004", "a binary body is delivered")
				s.Check(string(m.Body) == string(octets[:]), "STOMP-BODY-014", "body octets are opaque: nothing is converted, cut or escaped",
					"512 octets as sent", fmt.Sprintf("%d octets: %s", len(m.Body), conformance.EscapeMax(m.Body, 300)))
			}),
		},
		{
			ID:       "stomp/server/send/content-type-is-kept",
			Title:    "content-type of a SEND is in its MESSAGE",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				m := s.relayed(frameOf("SEND", "content-type", "text/x-assay;charset=utf-8").Carrying("typed"))
				s.CheckEqual("STOMP-SEND-004", "a content-type is kept as sent", "text/x-assay;charset=utf-8", m.Get("content-type"))
			}),
		},
		{
			ID:       "stomp/server/send/user-headers-pass-through",
			Title:    "headers that the user invents are in the MESSAGE unchanged",
			Laws:     []string{"STOMP-SEND-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				headers := []string{"x-a", "1", "x-empty", "", "x-unicode", "ünïcødé-中-😀", "x-escaped", "a:b\nc\\d", "X-Case", "kept", "x-long", strings.Repeat("v", 1000)}
				m := s.relayed(frameOf("SEND", headers...).Carrying("headers"))
				for i := 0; i < len(headers); i += 2 {
					v, ok := m.Lookup(headers[i])
					if !ok {
						v = "(absent)"
					}
					s.CheckEqual("STOMP-SEND-003", "user header "+headers[i]+" passes through unchanged", headers[i+1], v)
				}
			}),
		},
		{
			ID:       "stomp/server/send/destination-is-kept",
			Title:    "MESSAGE carries the destination of the SEND",
			Laws:     []string{"STOMP-SEND-002"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				s.Connect("producer").Deliver(place, "x")
				m := c.Message("", "the message arrives")
				if got := m.Get("destination"); got != place {
					s.Loose(conformance.Break{
						Law: "STOMP-SEND-002", Reason: "a MESSAGE should carry the destination that its SEND named",
						Expected: place, Seen: got,
					})
				}
			}),
		},
		{
			ID:       "stomp/server/send/destinations-are-opaque",
			Title:    "destinations with unusual characters work unchanged or are refused",
			Laws:     []string{"STOMP-SEND-002"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				for _, odd := range []string{"with space", "ünï-中", "colon:inside", "UPPER.dots-_~"} {
					place := s.Place() + odd
					c := s.Connect("consumer " + odd)
					c.Send(frameOf("SUBSCRIBE", "id", "1", "destination", place, "receipt", "s"))
					if o := c.Await(is("RECEIPT"), s.Timing().Quiet); o.Error != nil || o.Ended != conformance.Open {
						s.Note("destination "+odd, "refused: %s", o)
						continue
					}
					p := s.Connect("producer " + odd)
					p.Deliver(place, "odd")
					o := c.Await(is("MESSAGE"), s.Timing().Reply)
					if o.Frame == nil {
						if refused := p.Await(is("ERROR"), s.Timing().Quiet); refused.Frame != nil || refused.Ended != conformance.Open {
							s.Note("destination "+odd, "refused at SEND: %s", refused)
							continue
						}
						c.miss("STOMP-SEND-002", "a destination is an opaque string: it works or is refused with ERROR", "MESSAGE, or ERROR to one side", o)
					}
					if got := o.Frame.Get("destination"); got != place {
						s.renames(place, got)
					}
				}
			}),
		},
		{
			ID:       "stomp/server/send/cannot-forge-the-subscription",
			Title:    "a subscription header in a SEND does not mislead the consumer",
			Laws:     []string{"STOMP-SUBSCRIBE-010"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("mine", place, "auto")
				p := s.Connect("producer")
				p.Send(frameOf("SEND", "destination", place, "subscription", "forged", "message-id", "forged").Carrying("x"))
				o := c.Await(is("MESSAGE"), s.Timing().Reply)
				if o.Frame == nil {
					if r := p.Await(is("ERROR"), s.Timing().Quiet); r.Frame != nil || r.Ended != conformance.Open {
						s.Note("forged headers", "refused: %s", r)
						return
					}
					c.miss("STOMP-SUBSCRIBE-010", "a SEND with protocol headers is delivered or refused", "MESSAGE or ERROR", o)
				}
				s.CheckEqual("STOMP-SUBSCRIBE-010", "subscription names the subscription that the MESSAGE is for", "mine", o.Frame.Get("subscription"))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/send-to-unknown-transaction",
			Title:    "SEND in a transaction that was never begun",
			Laws:     []string{"STOMP-TX-007"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SEND", "destination", s.Topic(), "transaction", s.Unique("tx"), "receipt", "r").Carrying("x"))
				o := p.Await(is("RECEIPT"), s.Timing().Reply)
				s.answered("STOMP-TX-007", "what a server does with a SEND in an unknown transaction is not defined", o)
			}),
		},
		{
			ID:       "stomp/server/ambiguity/headers-of-message",
			Title:    "which headers a server adds to a MESSAGE",
			Laws:     []string{"STOMP-HDR-012"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				m := s.relayed(frameOf("SEND", "receipt", "r", "x-user", "1").Carrying("x"))
				s.Chose("STOMP-HDR-012", "a server may add headers to a MESSAGE", names(m))
			}),
		},
	}
}

// renames judges a MESSAGE whose destination is not the one that its SEND named. 1.2 alone says that it should be.
func (s *serverT) renames(sent, got string) {
	b := conformance.Break{Law: "STOMP-SEND-002", Reason: "a MESSAGE should carry the destination that its SEND named", Expected: sent, Seen: got}
	switch {
	case s.Version() != "1.2":
		s.optional(b)
	case s.Target().Reference():
		s.Broken(b)
	default:
		s.Loose(b)
	}
}

// relayed sends f to a fresh destination and returns the MESSAGE that a subscriber gets.
func (s *serverT) relayed(f *wireFrame) *wireFrame {
	place := s.Place()
	c := s.Connect("consumer")
	c.Subscribe("1", place, "auto")
	s.Connect("producer").Send(f.With("destination", place))
	return c.Message("", "the message arrives")
}
