package stomptest

import (
	"github.com/seed-6f28358b/assay/conformance"
)

func ackCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/ack/client-mode-is-cumulative",
			Title:    "an ACK in client mode covers the message and all before it on the subscription",
			Laws:     []string{"STOMP-SUBSCRIBE-006"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Prefetch}},
			Run: run(func(s *S) {
				q := s.Queue()
				a := s.Connect("a")
				a.Deliver(q, "m1", "m2", "m3")
				a.Subscribe("s", q, "client")
				got := a.Collect("", "three messages arrive before the ACK", 3)
				a.Confirmed(a.AckFrame("ACK", got[1]))
				a.Reset()

				b := s.Connect("b")
				b.Subscribe("s", q, "client")
				back := b.Watch(Carries("m3"), s.Timing().Reply)
				s.Note("unacknowledged message after a reset", "%s", redelivery(back))
				for _, body := range []string{"m1", "m2"} {
					b.Quiet("STOMP-SUBSCRIBE-006", "a message covered by a cumulative ACK is settled and must not come back", Carries(body))
				}
				if back != nil {
					b.Confirmed(b.AckFrame("ACK", back))
				}
			}),
		},
	}
}

// redelivery words whether a message came back.
func redelivery(f *Frame) string {
	if f == nil {
		return "not redelivered"
	}
	return "redelivered: " + f.String()
}
