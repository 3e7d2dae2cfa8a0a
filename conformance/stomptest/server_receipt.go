package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

const answersReceipt = "a frame that asks for a receipt is answered with one RECEIPT of that id once it is processed"

func receiptCases() []conformance.Case {
	cases := []conformance.Case{
		{
			ID:       "stomp/server/receipt/send",
			Title:    "SEND with receipt is answered with one RECEIPT",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.receipted(frameOf("SEND", "destination", s.Topic()).Carrying("x"))
			}),
		},
		{
			ID:       "stomp/server/receipt/subscribe-and-unsubscribe",
			Title:    "SUBSCRIBE and UNSUBSCRIBE with receipt are answered",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.receipted(frameOf("SUBSCRIBE", "id", "1", "destination", s.Place()))
				p.receipted(frameOf("UNSUBSCRIBE", "id", "1"))
			}),
		},
		{
			ID:       "stomp/server/receipt/transaction-frames",
			Title:    "BEGIN, COMMIT and ABORT with receipt are answered",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				for _, end := range []string{"COMMIT", "ABORT"} {
					tx := s.Unique("tx")
					p.receipted(frameOf("BEGIN", "transaction", tx))
					p.receipted(frameOf(end, "transaction", tx))
				}
			}),
		},
		{
			ID:       "stomp/server/receipt/ack",
			Title:    "ACK with receipt is answered",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("1", q, "client")
				s.Connect("b").Deliver(q, "m")
				p.receipted(p.AckFrame("ACK", p.Message("", "the message arrives")))
			}),
		},
		{
			ID:       "stomp/server/receipt/nack",
			Title:    "NACK with receipt is answered",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues, Acks, Nack}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("1", q, "client")
				s.Connect("b").Deliver(q, "m")
				p.receipted(p.AckFrame("NACK", p.Message("", "the message arrives")))
			}),
		},
		{
			ID:       "stomp/server/receipt/disconnect",
			Title:    "DISCONNECT with receipt is answered",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.receipted(frameOf("DISCONNECT"))
			}),
		},
		{
			ID:       "stomp/server/receipt/id-is-kept-octet-for-octet",
			Title:    "receipt-id equals receipt whatever characters it has",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				ids := []string{"0", "a-b_c.d", "with space inside", `{"json":1}`[:6], "x;y=z"}
				if s.Version() != "1.0" {
					ids = append(ids, "colon:inside", "back\\slash", "new\nline", "ünïcødé-中", " spaces ")
				}
				p := s.Connect("a")
				for _, id := range ids {
					id = id + s.Unique("")
					p.Send(frameOf("SEND", "destination", s.Topic(), "receipt", id).Carrying("x"))
					f := p.Expect("STOMP-RECEIPT-001", answersReceipt, fmt.Sprintf("RECEIPT receipt-id:%q", id), is("RECEIPT"))
					s.CheckEqual("STOMP-RECEIPT-001", "receipt-id is the octets of the receipt header, after decoding", id, f.Get("receipt-id"))
				}
			}),
		},
		{
			ID:       "stomp/server/receipt/exactly-one",
			Title:    "each receipt is answered once, none without request",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				topic := s.Topic()
				want := map[string]int{}
				for i := range 20 {
					f := frameOf("SEND", "destination", topic).Carrying("x")
					if i%2 == 0 {
						id := s.Unique("r")
						want[id] = 1
						f.With("receipt", id)
					}
					p.Send(f)
				}
				for range len(want) {
					f := p.Expect("STOMP-RECEIPT-001", answersReceipt, "RECEIPT", is("RECEIPT"))
					id := f.Get("receipt-id")
					s.Check(want[id] == 1, "STOMP-RECEIPT-001", "a RECEIPT answers a request, once", "a receipt-id asked for and not yet answered", f.String())
					want[id]--
				}
				p.Quiet("STOMP-RECEIPT-001", "no RECEIPT comes without a request", is("RECEIPT"))
			}),
		},
		{
			ID:       "stomp/server/receipt/not-for-a-failed-frame",
			Title:    "a frame that is answered with ERROR gets no RECEIPT",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SEND", "receipt", "no").Carrying("no destination"))
				o := p.Await(is("RECEIPT"), s.Timing().Reply)
				if o.Frame != nil {
					// Whether the frame had to fail is the business of the send group.
					s.Blocked("stomp/server/send/destination-is-required", "a SEND without destination is answered with %s", o)
				}
				if o.Ended == conformance.Reset {
					s.Inconclusive("the connection was reset, which may have swallowed a RECEIPT")
				}
				p.Quiet("STOMP-RECEIPT-001", "an ERROR says that the frame was not processed; a RECEIPT would say that it was", is("RECEIPT"))
			}),
		},
		{
			ID:       "stomp/server/receipt/covers-earlier-frames",
			Title:    "after the RECEIPT of the last frame all earlier ones count as received",
			Laws:     []string{"STOMP-RECEIPT-002"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				bodies := numbered("m", 101)
				p := s.Connect("a")
				p.Deliver(q, bodies[:100]...)
				p.Send(frameOf("SEND", "destination", q, "receipt", "last").Carrying(bodies[100]))
				p.Receipt("STOMP-RECEIPT-002", answersReceipt, "last")
				p.Reset()
				c := s.Connect("consumer")
				c.Subscribe("1", q, "auto")
				for _, b := range bodies {
					c.MessageOf("STOMP-RECEIPT-002", "every frame sent before one that was receipted has been received by the server", b)
				}
			}),
		},
	}
	return cases
}

// refusedElsewhere names the case that judges a target which refuses a legal frame of a command.
var refusedElsewhere = map[string]string{
	"ACK":  "stomp/server/ack/settles-in-client-mode",
	"NACK": "stomp/server/nack/a-valid-nack-is-accepted",
}

// receipted sends a frame with a receipt, expects exactly one RECEIPT for it and no second one.
func (p *wire) receipted(f *wireFrame) {
	id := p.s.Unique("r")
	p.Send(f.With("receipt", id))
	p.s.Step()
	o := p.Await(is("RECEIPT", "receipt-id", id), p.s.Timing().Reply)
	if prerequisite, ok := refusedElsewhere[f.Command]; ok && o.Error != nil {
		p.s.Blocked(prerequisite, "a legal %s is answered with %s, and a frame that fails has no RECEIPT", f.Command, o.Kind())
	}
	if o.Frame == nil {
		p.miss("STOMP-RECEIPT-001", answersReceipt, f.Command+" answered with RECEIPT receipt-id:"+id, o)
	}
	p.Quiet("STOMP-RECEIPT-001", "a receipt is answered once", is("RECEIPT", "receipt-id", id))
}
