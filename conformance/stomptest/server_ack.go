package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

const settled = "a message that was acknowledged is settled and must not come back"

func ackCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/ack/client-mode-is-cumulative",
			Title:    "an ACK in client mode covers the message and all before it on the subscription",
			Laws:     []string{"STOMP-SUBSCRIBE-006"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Prefetch}},
			Run: run(func(s *serverT) {
				q, a, got := s.threeUnacked("client", "ACK")
				a.Confirmed(a.AckFrame("ACK", got[1]))
				a.Reset()
				back := s.comeBack(q)
				s.Note("unacknowledged message after a reset", "%v", back["m3"])
				for i, body := range []string{"m1", "m2"} {
					s.Check(!back[string(got[i].Body)], "STOMP-SUBSCRIBE-006", "a message covered by a cumulative ACK is settled and must not come back", "not redelivered", body+" redelivered")
				}
			}),
		},
		{
			ID:       "stomp/server/ack/cumulative-ack-stays-on-its-subscription",
			Title:    "an ACK in client mode settles nothing of another subscription",
			Laws:     []string{"STOMP-SUBSCRIBE-006"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Redelivery}},
			Run: run(func(s *serverT) {
				mine, other, control := s.Queue(), s.Queue(), s.Queue()
				a, beside := s.Connect("a"), s.Connect("beside")
				beside.Subscribe("control", control, "client")
				a.Subscribe("other", other, "client")
				a.Subscribe("mine", mine, "client")
				p := s.Connect("producer")
				p.Deliver(control, "control")
				p.Deliver(other, "other")
				p.Sync()
				beside.MessageOf("", "the control message arrives", "control")
				a.MessageOf("", "the message of the other subscription arrives", "other")
				p.Deliver(mine, "mine")
				a.Confirmed(a.AckFrame("ACK", a.MessageOf("", "the message arrives", "mine")))
				// A connection without any ACK shows what a reset does by itself.
				b := s.Connect("b")
				b.Subscribe("b", control, "auto")
				beside.Reset()
				a.Reset()
				if b.Watch(carries("control"), s.Timing().Reply) == nil {
					s.Unsupported("the target does not redeliver, so that a lost message cannot be told from a settled one")
				}
				s.Check(s.comeBack(other)["other"], "STOMP-SUBSCRIBE-006",
					"a cumulative ACK covers messages of its own subscription only: the target redelivers what is not acknowledged",
					"the other subscription's message redelivered", "settled by an ACK on another subscription")
			}),
		},
		{
			ID:       "stomp/server/ack/client-individual-is-not-cumulative",
			Title:    "an ACK in client-individual mode settles the named message alone",
			Laws:     []string{"STOMP-SUBSCRIBE-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, ClientIndividual, Prefetch}},
			Run: run(func(s *serverT) {
				q, a, got := s.threeUnacked("client-individual", "ACK")
				a.Confirmed(a.AckFrame("ACK", got[1]))
				a.Reset()
				back := s.comeBack(q)
				body := func(i int) string { return string(got[i].Body) }
				s.Check(!back[body(1)], "STOMP-SUBSCRIBE-007", settled, "not redelivered", body(1)+" redelivered")
				s.Check(!back[body(2)] || back[body(0)], "STOMP-SUBSCRIBE-007",
					"an individual ACK does not settle an earlier message: the target redelivers what is not acknowledged",
					body(0)+" redelivered like "+body(2), body(0)+" settled")
			}),
		},
		{
			ID:       "stomp/server/ack/settles-in-1.0",
			Title:    "a 1.0 ACK by message-id settles the message",
			Laws:     []string{"STOMP-SUBSCRIBE-005"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run:      run(func(s *serverT) { s.ackSettles("STOMP-SUBSCRIBE-005", "client") }),
		},
		{
			ID:       "stomp/server/ack/settles-in-client-mode",
			Title:    "an acknowledged message does not come back",
			Laws:     []string{"STOMP-SUBSCRIBE-006"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run:      run(func(s *serverT) { s.ackSettles("STOMP-SUBSCRIBE-006", "client") }),
		},
		{
			ID:       "stomp/server/ack/settles-in-client-individual-mode",
			Title:    "an individually acknowledged message does not come back",
			Laws:     []string{"STOMP-SUBSCRIBE-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, ClientIndividual}},
			Run:      run(func(s *serverT) { s.ackSettles("STOMP-SUBSCRIBE-007", "client-individual") }),
		},
		{
			ID:       "stomp/server/ack/individual-out-of-order",
			Title:    "individual ACKs are accepted in any order",
			Laws:     []string{"STOMP-SUBSCRIBE-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, ClientIndividual, Prefetch}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				a := s.Connect("a")
				a.Deliver(q, numbered("m", 5)...)
				a.Subscribe("s", q, "client-individual")
				got := a.Collect("", "five messages arrive before the first ACK", 5)
				for _, i := range []int{4, 0, 2, 1, 3} {
					a.Send(a.AckFrame("ACK", got[i]).With("receipt", fmt.Sprint("r", i)))
					a.Receipt("STOMP-SUBSCRIBE-007", "an ACK of a message that is neither settled nor covered is accepted", fmt.Sprint("r", i))
				}
				a.Reset()
				for body := range s.comeBack(q) {
					s.Check(false, "STOMP-SUBSCRIBE-007", settled, "nothing redelivered", body+" redelivered")
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/ack-unknown-message",
			Title:    "ACK of a message that was never delivered",
			Laws:     []string{"STOMP-ACK-005"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Acks}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Subscribe("s", s.Place(), "client")
				ghost := frameOf("MESSAGE", "message-id", "ghost", "subscription", "s", "ack", "ghost")
				p.Send(p.AckFrame("ACK", ghost).With("receipt", "r"))
				s.answered("STOMP-ACK-005", "the reaction to an ACK that matches nothing is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/ack-twice",
			Title:    "second ACK of one message",
			Laws:     []string{"STOMP-ACK-005"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("s", q, "client")
				s.Connect("producer").Deliver(q, "m")
				m := p.Message("", "the message arrives")
				p.Confirmed(p.AckFrame("ACK", m))
				p.Send(p.AckFrame("ACK", m).With("receipt", "again"))
				s.answered("STOMP-ACK-005", "the reaction to an ACK that matches nothing unsettled is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/ack-in-auto-mode",
			Title:    "ACK on a subscription that needs none",
			Laws:     []string{"STOMP-ACK-005"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Queues}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("s", q, "auto")
				s.Connect("producer").Deliver(q, "m")
				p.Send(p.AckFrame("ACK", p.Message("", "the message arrives")).With("receipt", "r"))
				s.answered("STOMP-ACK-005", "the reaction to an ACK of an auto subscription is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/ack-without-identifier",
			Title:    "ACK that names no message",
			Laws:     []string{"STOMP-ACK-006"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Acks}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("ACK", "receipt", "r"))
				s.answered("STOMP-ACK-006", "the identifier is required of the client; the reaction to its absence is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
	}
}

// threeUnacked has three messages delivered to a connection that the command, ACK or NACK, is about to come from.
func (s *serverT) threeUnacked(mode, command string) (q string, p *wire, got []*wireFrame) {
	q, p = s.Queue(), s.Connect("a")
	p.Deliver(q, "m1", "m2", "m3")
	p.Subscribe("s", q, mode)
	return q, p, p.Collect("", "three messages arrive before the "+command, 3)
}

// comeBack subscribes to a queue from a connection of its own and returns the bodies of what it still
// delivers until it has been quiet for a while.
func (s *serverT) comeBack(q string) map[string]bool {
	b := s.Connect(s.Unique("again"))
	b.Subscribe("again", q, "auto")
	out := map[string]bool{}
	wait := s.Timing().Quiet * 2
	for {
		m := b.Watch(is("MESSAGE"), wait)
		if m == nil {
			return out
		}
		out[string(m.Body)] = true
	}
}

// ackSettles acknowledges a message and checks that it does not come back after a reset.
func (s *serverT) ackSettles(law, mode string) {
	q := s.Queue()
	a := s.Connect("a")
	a.Subscribe("s", q, mode)
	s.Connect("producer").Deliver(q, "m")
	a.Send(a.AckFrame("ACK", a.MessageOf("", "the message arrives", "m")).With("receipt", "r"))
	a.Receipt(law, "the ACK of a delivered message is accepted", "r")
	a.Reset()
	s.Check(!s.comeBack(q)["m"], law, settled, "not redelivered", "m redelivered")
}

// redelivery words whether a message came back.
func redelivery(f *wireFrame) string {
	if f == nil {
		return "not redelivered"
	}
	return "redelivered"
}
