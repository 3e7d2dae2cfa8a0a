package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func nackCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/nack/a-valid-nack-is-accepted",
			Title:    "NACK of a delivered message is no error",
			Laws:     []string{"STOMP-NACK-002"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Nack}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("s", q, "client")
				s.Connect("producer").Deliver(q, "m")
				p.Send(p.AckFrame("NACK", p.MessageOf("", "the message arrives", "m")).With("receipt", "r"))
				p.Receipt("STOMP-NACK-002", "a NACK that names an unsettled message is valid", "r")
			}),
		},
		{
			ID:       "stomp/server/nack/client-individual-is-not-cumulative",
			Title:    "NACK in client-individual mode leaves other messages unsettled",
			Laws:     []string{"STOMP-NACK-002"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, ClientIndividual, Nack, Prefetch}},
			Run: run(func(s *serverT) {
				q, p, got := s.threeUnacked("client-individual", "NACK")
				p.Confirmed(p.AckFrame("NACK", got[1]))
				for _, i := range []int{0, 2} {
					p.Send(p.AckFrame("ACK", got[i]).With("receipt", fmt.Sprint("r", i)))
					p.Receipt("STOMP-NACK-002", "a NACK applies to the message that it names: the others can still be acknowledged", fmt.Sprint("r", i))
				}
				p.Reset()
				back := s.comeBack(q)
				for _, i := range []int{0, 2} {
					s.Check(!back[string(got[i].Body)], "STOMP-NACK-002", settled, "not redelivered", string(got[i].Body)+" redelivered")
				}
			}),
		},
		{
			ID:       "stomp/server/nack/cumulative-in-client-mode",
			Title:    "NACK in client mode covers earlier messages and no later one",
			Laws:     []string{"STOMP-NACK-002"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Nack, Prefetch}},
			Run: run(func(s *serverT) {
				q, p, got := s.threeUnacked("client", "NACK")
				p.Confirmed(p.AckFrame("NACK", got[1]))
				p.Quiet("STOMP-NACK-002", "a NACK has no effect on a message delivered later than the one it names", carries(string(got[2].Body)))
				// What becomes of the named message must become of the earlier one, too.
				first, named := string(got[0].Body), string(got[1].Body)
				again := map[string]bool{}
				for m := p.Watch(is("MESSAGE"), s.Timing().Quiet); m != nil; m = p.Watch(is("MESSAGE"), s.Timing().Quiet) {
					again[string(m.Body)] = true
					p.Send(p.AckFrame("ACK", m))
				}
				s.Check(!again[named] || again[first], "STOMP-NACK-002", "a NACK in client mode covers the messages before the one it names: what was redelivered is redelivered with them",
					first+" and "+named+" redelivered", named+" alone redelivered")
				if !again[named] {
					p.Send(p.AckFrame("ACK", got[2]).With("receipt", "r3"))
					p.Receipt("STOMP-NACK-002", "a message delivered later than the one named in NACK can still be acknowledged", "r3")
				}
				p.Reset()
				back := s.comeBack(q)
				s.Check(again[named] || back[named] || !back[first], "STOMP-NACK-002", "a NACK in client mode covers the messages before the one it names: they are gone when it is gone",
					first+" gone like "+named, first+" still in the queue")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/nack-effect",
			Title:    "what becomes of a NACKed message",
			Laws:     []string{"STOMP-NACK-003", "STOMP-INTEROP-005", "STOMP-INTEROP-008"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Nack}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				p := s.Connect("a")
				p.Subscribe("s", q, "client")
				s.Connect("producer").Deliver(q, "m")
				p.Confirmed(p.AckFrame("NACK", p.MessageOf("", "the message arrives", "m")))
				here := p.Watch(carries("m"), s.Timing().Quiet)
				p.Reset()
				there := s.comeBack(q)["m"]
				seen := "neither redelivered to the same session nor kept in the queue: discarded or dead-lettered"
				switch {
				case here != nil:
					seen = "redelivered to the same session at once"
				case there:
					seen = "kept in the queue for another session"
				}
				s.Chose("STOMP-NACK-003", "redelivery, discard and dead-lettering are all legal", seen)
				s.Chose("STOMP-INTEROP-005", "Artemis 2.57.0 is recorded to discard on NACK; elsewhere a redelivery is informational", seen)
				s.Chose("STOMP-INTEROP-008", "NACK redelivery on ActiveMQ Classic 6.3.2 has no recorded result", seen)
			}),
		},
		{
			ID:       "stomp/server/ambiguity/nack-in-1.0",
			Title:    "NACK in a 1.0 session, which does not have it",
			Laws:     []string{"STOMP-NACK-001"},
			Versions: only10,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("NACK", "message-id", "1", "receipt", "r"))
				s.answered("STOMP-NACK-001", "NACK is no 1.0 command; a server may answer ERROR", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
	}
}
