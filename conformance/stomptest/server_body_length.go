package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func bodyForbiddenCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/body/forbidden",
			Title:    "commands other than SEND have no body",
			Laws:     []string{"STOMP-BODY-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: run(func(s *serverT) {
				topic := escape(s.Topic(), s.Version())
				subscribe, begin := "SUBSCRIBE\nid:1\ndestination:"+topic, "BEGIN\ntransaction:t"
				for _, c := range []struct{ before, head string }{
					{"", subscribe},
					{subscribe + "\n\n\x00", "UNSUBSCRIBE\nid:1"},
					{"", begin},
					{begin + "\n\n\x00", "COMMIT\ntransaction:t"},
					{begin + "\n\n\x00", "ABORT\ntransaction:t"},
					{"", "DISCONNECT\nreceipt:bye"},
				} {
					for _, body := range []string{"\n\nxyz", "\ncontent-length:3\n\nxyz"} {
						s.bodyForbidden(s.Connect("a"), c.before, c.head+body)
					}
				}
			}),
		},
		{
			ID:       "stomp/server/body/forbidden-on-ack",
			Title:    "ACK has no body",
			Laws:     []string{"STOMP-BODY-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				s.Connect("sender").Deliver(q, "m1")
				p := s.Connect("a")
				p.Subscribe("s", q, "client")
				ack := p.AckFrame("ACK", p.Message("", "a message arrives")).Encode(s.Version())
				s.bodyForbidden(p, "", strings.TrimSuffix(string(ack), "\n\x00")+"\nxyz")
				s.settleAll(q)
			}),
		},
		{
			ID:       "stomp/server/body/of-subscribe-is-ignored-in-1.0",
			Title:    "the body of a 1.0 SUBSCRIBE is ignored",
			Laws:     []string{"STOMP-BODY-002"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				const reason = "a SUBSCRIBE with a body subscribes like one without"
				for _, lines := range []string{"", "content-length:3\n"} {
					place := s.Place()
					p := s.Connect("a")
					p.RawString("SUBSCRIBE\nid:1\ndestination:" + place + "\n" + lines + "\nxyz\x00")
					id := s.Unique("sync")
					p.Send(frameOf("SEND", "destination", s.Topic(), "receipt", id))
					p.Receipt("STOMP-BODY-002", reason, id)
					s.Connect("sender").Deliver(place, "to the subscription")
					p.MessageOf("STOMP-BODY-002", reason, "to the subscription")
				}
			}),
		},
		{
			ID:       "stomp/server/body/zero-length-on-any-frame",
			Title:    "a content-length of 0 may stand on every 1.2 frame",
			Laws:     []string{"STOMP-BODY-003", "STOMP-BODY-009"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				const reason = "content-length may stand on every frame, and 0 declares a body of no octets"
				for _, f := range []*wireFrame{
					frameOf("SUBSCRIBE", "id", "1", "destination", s.Topic()), frameOf("UNSUBSCRIBE", "id", "1"),
					frameOf("BEGIN", "transaction", "t"), frameOf("ABORT", "transaction", "t"),
				} {
					if o := p.behind(string(f.With("content-length", "0").Encode(s.Version()))); o.Frame == nil {
						p.miss("STOMP-BODY-003", f.Command+": "+reason, "RECEIPT of the frame behind", o)
					}
				}
				p.Send(frameOf("DISCONNECT", "content-length", "0", "receipt", "bye"))
				p.Receipt("STOMP-BODY-003", "DISCONNECT: "+reason, "bye")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/zero-length-on-any-frame-in-1.1",
			Title:    "a content-length of 0 on a 1.1 frame that has no body",
			Laws:     []string{"STOMP-BODY-009"},
			Versions: only11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SUBSCRIBE", "id", "1", "destination", s.Topic(), "content-length", "0", "receipt", "r"))
				s.Chose("STOMP-BODY-009", "1.1 names content-length for SEND, MESSAGE and ERROR only", p.Await(is("RECEIPT"), s.Timing().Reply).String())
			}),
		},
		{
			ID:       "stomp/server/ambiguity/body-on-connect",
			Title:    "CONNECT with a body",
			Laws:     []string{"STOMP-BODY-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				s.choice(s.Open("a"), s.ConnectFrame(s.Version()).Carrying("body"), "STOMP-BODY-001",
					"CONNECT has no body from 1.1 on; the version is not agreed yet")
			}),
		},
	}
}

// bodyForbidden sends a frame with a body, its NUL left out, that must have none.
func (s *serverT) bodyForbidden(p *wire, before, frame string) {
	o := p.behind(before + frame + "\x00")
	p.Close()
	if command, _, _ := strings.Cut(frame, "\n"); o.Frame != nil {
		s.tolerated(conformance.Break{
			Law: "STOMP-BODY-001", Reason: "only SEND, MESSAGE and ERROR may have a body",
			Expected: command + ": ERROR or the end of the connection", Seen: command + ": " + o.String(),
		})
	}
}

func bodyLengthCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/body/counted-then-not-nul",
			Title:    "a NUL stands behind the counted octets of a body",
			Laws:     []string{"STOMP-BODY-004"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "the octet behind a counted body is NUL; with any other the frame is not whole"
				r := s.relay()
				// To end the body where its count says and to go on to the next NUL are both to take what is no frame.
				judge := func(f *wireFrame) {
					s.tolerated(conformance.Break{Law: "STOMP-BODY-004", Reason: reason, Expected: "no MESSAGE", Seen: f.String()})
				}
				trials := r.try(r.lines("content-length:2 on a body of 4", "content-length:2\n"), r.lines("content-length:0 on a body of 4", "content-length:0\n"),
					variant{"content-length:4 on a body of 5", func(token string) string { return r.raw("SEND", "content-length:4\n", token+"x") }})
				for _, t := range trials {
					if t.message != nil {
						judge(t.message)
					}
				}
				p := s.Connect("sender")
				p.RawString(strings.TrimSuffix(r.raw("SEND", "content-length:4\n", "abcd\n"), "\x00"))
				if m := r.witness.Watch(is("MESSAGE"), s.Timing().Quiet); m != nil {
					judge(m)
				}
				for _, f := range r.strays {
					judge(f)
				}
			}),
		},
		{
			ID:       "stomp/server/body/frame-inside-a-body",
			Title:    "a counted body may look like frames",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				body := "outer\x00\n" + r.raw("SEND", "", "inner") + "\n"
				p.Send(frameOf("SEND", "destination", r.place).Carrying(body))
				p.Sync()
				m := r.witness.Message("STOMP-BODY-003", "exactly the counted octets are the body, whatever they look like")
				s.CheckEqual("STOMP-BODY-003", "exactly the counted octets are the body, whatever they look like", body, string(m.Body))
				r.witness.Quiet("STOMP-BODY-003", "octets of a counted body are no frame", carries("inner"))
			}),
		},
		{
			ID:       "stomp/server/body/length-too-long",
			Title:    "a frame is not whole before its counted octets have come",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "a body has exactly the counted octets; before they have come there is nothing to deliver"
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", "content-length:1000\n", "short"))
				r.witness.Quiet("STOMP-BODY-003", reason, is("MESSAGE"))
				p.Close()
				r.witness.Quiet("STOMP-BODY-003", reason, is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/body/length-that-counts-the-nul",
			Title:    "the NUL behind a body is not counted",
			Laws:     []string{"STOMP-BODY-008"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", "content-length:4\n", "abc"))
				m := r.witness.Watch(is("MESSAGE"), s.Timing().Quiet)
				if m == nil {
					return
				}
				b := conformance.Break{
					Law: "STOMP-BODY-008", Reason: "content-length counts the octets of the body without the NUL behind it", Expected: "no MESSAGE before a NUL follows the fourth octet", Seen: m.String(),
				}
				// Old 1.0 peers counted it; a 1.0 server may know them.
				if s.Version() == "1.0" {
					s.tolerated(b)
					return
				}
				s.Broken(b)
			}),
		},
	}
}

func bodyLengthSyntaxCases() []conformance.Case {
	// A body of exactly four octets, the token, so that a receiver that reads a 4 out of the value finds
	// a NUL behind it.
	syntax := func(values ...string) func(r *relay) []variant {
		return func(r *relay) []variant {
			var out []variant
			for _, v := range values {
				out = append(out, r.lines(fmt.Sprintf("content-length:%q", v), "content-length:"+v+"\n"))
			}
			return out
		}
	}
	return []conformance.Case{
		{
			ID:       "stomp/server/body/length-is-a-number",
			Title:    "a content-length that is no number is refused by the reference",
			Laws:     []string{"STOMP-BODY-010"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				const reason = "content-length is a number in decimal digits"
				variants := syntax("", "0x4", "4.0", "4,4", "four", "4;", "\uff14", "4\t", "1e1", "4a")(r)
				variants = append(variants, variant{"no value and no body", func(string) string { return r.raw("SEND", "content-length:\n", "") }})
				never(r.try(variants...), s.Broken, "STOMP-BODY-010", reason)
				for _, m := range r.strays {
					s.Broken(conformance.Break{Law: "STOMP-BODY-010", Reason: reason, Expected: "no MESSAGE", Seen: m.String()})
				}
			}),
		},
		{
			ID:       "stomp/server/body/length-has-no-sign",
			Title:    "a content-length has digits only",
			Laws:     []string{"STOMP-HDR-007", "STOMP-BODY-010"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				trials := r.try(syntax(" 4", "4 ", "+4")(r)...)
				never(trials, s.Broken, "STOMP-BODY-010", "content-length is digits, without sign or spaces")
				// No text forbids the sign, as long as the number is read.
				never(trials[:min(2, len(trials))], s.tolerated, "STOMP-HDR-007", "a value is not trimmed: with a space beside it, a content-length is no number")
			}),
		},
		{
			ID:       "stomp/server/body/length-is-not-negative",
			Title:    "a negative content-length is no length of a body",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				for i, t := range r.try(syntax("-1", "-4", "-2147483649")(r)...) {
					judge := s.Broken
					if t.message != nil && string(t.message.Body) == token(i) {
						judge = s.tolerated
					}
					never([]trial{t}, judge, "STOMP-BODY-003", "no body has a negative number of octets")
				}
			}),
		},
		{
			ID:       "stomp/server/body/length-wraps-around",
			Title:    "a content-length too large for a machine word is not read as a small one",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				// 2^32+4, 2^64+4: each the length of the body modulo a machine word.
				for _, v := range syntax("4294967300", "18446744073709551620")(r) {
					p := s.Connect("sender")
					p.RawString(v.octets("v00."))
					if m := r.witness.Watch(is("MESSAGE"), s.Timing().Quiet); m != nil {
						s.Broken(conformance.Break{
							Law: "STOMP-BODY-003", Reason: "a body has exactly the counted octets, however large the number", Expected: v.name + ": no MESSAGE", Seen: m.String(),
						})
					}
					p.Close()
				}
			}),
		},
		{
			ID:       "stomp/server/body/length-with-leading-zeros",
			Title:    "leading zeros of a content-length do not matter to the reference",
			Laws:     []string{"STOMP-BODY-010"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				for _, t := range r.try(syntax("04", "0004", strings.Repeat("0", 29)+"4")(r)...) {
					if s.always(t, "STOMP-BODY-010", "only the number matters, not how many zeros stand before it") {
						s.CheckEqual("STOMP-BODY-010", "a number with leading zeros is decimal", "4", fmt.Sprint(len(t.message.Body)))
					}
				}
			}),
		},
	}
}
