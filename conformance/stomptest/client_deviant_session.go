package stomptest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// without is a MESSAGE that lacks headers.
func without(names ...string) deviant {
	return deviant{fmt.Sprintf("without %s", names[0]), func(s *subscription) string {
		f := s.MessageFrame("bad")
		f.Headers = slices.DeleteFunc(f.Headers, func(h header) bool { return slices.Contains(names, h.Name) })
		return string(f.Encode(s.p.version))
	}}
}

// framed is a frame of its own.
func framed(name string, f func(s *subscription) *wireFrame) deviant {
	return deviant{name, func(s *subscription) string { return string(f(s).Encode(s.p.version)) }}
}

func clientDeviantSessionCases() []conformance.Case {
	return []conformance.Case{
		deviantCase("stomp/client/deviant/unknown-subscription", "a MESSAGE for a subscription that nobody has",
			since11, "STOMP-SUBSCRIBE-014", (*clientT).Broken, "a MESSAGE names an open subscription",
			framed("another id", func(s *subscription) *wireFrame {
				f := s.MessageFrame("bad")
				for i, h := range f.Headers {
					if h.Name == "subscription" {
						f.Headers[i].Value = "nobody"
					}
				}
				return f
			})),
		deviantCase("stomp/client/deviant/missing-headers", "a MESSAGE without subscription, message-id or destination",
			since11, "STOMP-SUBSCRIBE-014", (*clientT).Broken, "a MESSAGE has destination, message-id and subscription",
			without("subscription"), without("message-id"), without("destination")),
		deviantCase("stomp/client/deviant/missing-headers-in-1.0", "a 1.0 MESSAGE without message-id or destination",
			only10, "STOMP-SUBSCRIBE-014", (*clientT).Broken, "a MESSAGE has destination and message-id",
			without("message-id"), without("destination")),
		{
			ID:       "stomp/client/deviant/missing-ack",
			Title:    "a 1.2 MESSAGE without ack on a subscription in client mode",
			Laws:     []string{"STOMP-SUBSCRIBE-015"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{ChoiceOfAck}},
			Run: runClient(func(c *clientT) {
				for _, mode := range []string{"client", "client-individual"} {
					s := c.Subscribe(c.Connect(), mode)
					f := s.MessageFrame("bad")
					f.Headers = slices.DeleteFunc(f.Headers, func(h header) bool { return h.Name == "ack" })
					s.p.Send(f)
					r := s.watch()
					if len(r.wrong) == 0 {
						c.Note(mode, "%s", r)
						if r.stuck {
							return
						}
						continue
					}
					c.Broken(conformance.Break{
						Law: "STOMP-SUBSCRIBE-015", Reason: "without an ack header a MESSAGE cannot be acknowledged", Expected: mode + ": no message", Seen: r.wrong[0].String(),
					})
					report, err := c.Order("ack", fields{"message": r.wrong[0].Message}).Try()
					if err != nil {
						c.Note(mode, "acknowledging it: %v", err)
						return
					}
					c.Note(mode, "acknowledging it sends %s; error %q", s.p.Await(is("ACK"), c.Timing().Quiet), report.Error)
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/receipt-unasked",
			Title:    "a RECEIPT that nobody asked for, or without receipt-id",
			Laws:     []string{"STOMP-RECEIPT-005"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.refuses("STOMP-RECEIPT-005", "a RECEIPT answers a frame that asked for it", framed("unknown id", func(*subscription) *wireFrame { return frameOf("RECEIPT", "receipt-id", "nobody-asked") }),
					framed("no id", func(*subscription) *wireFrame { return frameOf("RECEIPT") }))
			}),
		},
		{
			ID:       "stomp/client/deviant/body-on-receipt",
			Title:    "a RECEIPT with a body",
			Laws:     []string{"STOMP-BODY-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				w := c.sendsForReceipt(c.Connect(), nil)
				c.subjects[0].Send(w.receipt().Carrying("body"))
				if told, seen := w.isTold(); told {
					c.tolerated(conformance.Break{
						Law: "STOMP-BODY-001", Reason: "only SEND, MESSAGE and ERROR may have a body", Expected: "an error, or the end of the session", Seen: "it is taken as the receipt",
					})
				} else {
					c.Note("receipt with a body", "%s", seen)
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/second-connected",
			Title:    "a second CONNECTED in a session",
			Laws:     []string{"STOMP-CONNECT-017"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.refuses("STOMP-CONNECT-017", "CONNECTED is answered to CONNECT, once", framed("second CONNECTED", func(s *subscription) *wireFrame {
					return frameOf("CONNECTED", "version", s.p.version, "session", "session-2")
				}))
			}),
		},
		{
			ID:       "stomp/client/deviant/frames-after-error",
			Title:    "frames that follow an ERROR in its packet",
			Laws:     []string{"STOMP-ERROR-007"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				s.p.SendAll(frameOf("ERROR", "message", "over"), s.MessageFrame("bad"))
				var seen []string
				for range 4 {
					e := c.Next(c.Timing().Quiet)
					if e.Kind == "message" {
						c.Broken(conformance.Break{Law: "STOMP-ERROR-007", Reason: "an ERROR is the last frame of its connection", Expected: "no message behind it", Seen: e.String()})
					}
					if seen = append(seen, e.Kind); e.Kind == "none" || e.Over() || e.Kind == "lost" {
						break
					}
				}
				c.Note("shown", "%v", seen)
			}),
		},
	}
}

// refuses sends each deviant, which is no MESSAGE, in a session of its own. The reference ends the session; what
// others do is recorded.
func (c *clientT) refuses(law, reason string, deviants ...deviant) {
	for _, d := range deviants {
		s := c.listening()
		r := s.reacts(d.octets(s))
		s.p.Close()
		c.Note(d.name, "%s", r)
		if r.told == "" && !r.closed {
			c.Broken(conformance.Break{Law: law, Reason: reason, Expected: d.name + ": the session ends", Seen: d.name + ": " + r.String()})
		}
		if r.stuck {
			return
		}
	}
}
