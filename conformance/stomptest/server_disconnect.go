package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func disconnectCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/disconnect/receipt-after-earlier-frames",
			Title:    "the RECEIPT of DISCONNECT means that everything before it has arrived",
			Laws:     []string{"STOMP-DISCONNECT-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				bodies := numbered("m", 50)
				p := s.Connect("a")
				p.Deliver(q, bodies...)
				p.Send(frameOf("DISCONNECT", "receipt", "bye"))
				p.Receipt("STOMP-DISCONNECT-003", "a DISCONNECT with receipt is answered after all earlier frames have been received", "bye")
				p.Close()
				c := s.Connect("consumer")
				c.Subscribe("1", q, "auto")
				for _, b := range bodies {
					c.MessageOf("STOMP-DISCONNECT-003", "what was sent before DISCONNECT reaches a consumer", b)
				}
			}),
		},
		{
			ID:       "stomp/server/disconnect/in-the-same-packet",
			Title:    "frames in the packet of DISCONNECT are not lost",
			Laws:     []string{"STOMP-DISCONNECT-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.SendAll(frameOf("SEND", "destination", q).Carrying("one"), frameOf("SEND", "destination", q).Carrying("two"), frameOf("DISCONNECT", "receipt", "bye"))
				p.Receipt("STOMP-DISCONNECT-003", "a DISCONNECT with receipt is answered after all earlier frames have been received", "bye")
				c := s.Connect("consumer")
				c.Subscribe("1", q, "auto")
				for _, b := range []string{"one", "two"} {
					c.MessageOf("STOMP-DISCONNECT-003", "what was sent before DISCONNECT reaches a consumer", b)
				}
			}),
		},
		{
			ID:       "stomp/server/disconnect/abrupt-close-leaves-others-alone",
			Title:    "connections that are closed or reset at any point do not disturb others",
			Laws:     []string{"STOMP-DISCONNECT-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				other := s.Connect("other")
				other.Subscribe("1", place, "auto")
				sender := s.Connect("sender")
				for i, octets := range []string{
					"", "SE", "SEND\ndest", "SEND\ndestination:" + place + "\n\nhalf a bo", "SEND\ndestination:" + place + "\ncontent-length:100\n\nshort",
					"BEGIN\ntransaction:t\n\n\x00SEND\ndestination:" + place + "\ntransaction:t\n\nin tx\x00", "SUBSCRIBE\nid:9\ndestination:" + place + "\nack:client\n\n\x00",
				} {
					p := s.Connect(fmt.Sprintf("abrupt-%d", i))
					p.RawString(octets)
					if i%2 == 0 {
						p.Reset()
					} else {
						p.Close()
					}
					body := fmt.Sprintf("after-%d", i)
					sender.Deliver(place, body)
					if i < 6 {
						other.MessageOf("STOMP-DISCONNECT-004", "a client that vanishes does not disturb the sessions of others", body)
					}
				}
				other.Quiet("STOMP-DISCONNECT-004", "nothing half-done of a vanished client is delivered", func(f *wireFrame) bool {
					return f.Command == "MESSAGE" && (string(f.Body) == "in tx" || string(f.Body) == "short" || string(f.Body) == "half a bo")
				})
			}),
		},
		{
			ID:       "stomp/server/ambiguity/disconnect-without-receipt",
			Title:    "what happens to the connection after DISCONNECT",
			Laws:     []string{"STOMP-DISCONNECT-003"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("DISCONNECT"))
				seen := "left to the client to close"
				if p.Ends(s.Timing().Quiet * 2) {
					seen = "closed by the server"
				}
				s.Chose("STOMP-DISCONNECT-003", "no text says who closes after a DISCONNECT without receipt", seen)
			}),
		},
	}
}
