package stomptest

import (
	"github.com/seed-6f28358b/assay/conformance"
)

var txNeeds = conformance.Needs{Options: []string{Delivery, Receipts, Transactions}}

const atomic = "messages sent in a transaction become visible together at COMMIT and not before"

func transactionCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/transaction/header-is-required",
			Title:    "BEGIN, COMMIT and ABORT without transaction are refused",
			Laws:     []string{"STOMP-TX-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions}},
			Run: run(func(s *serverT) {
				for _, command := range []string{"BEGIN", "COMMIT", "ABORT"} {
					p := s.Connect(command)
					p.Send(frameOf(command, "receipt", "r"))
					p.Error("STOMP-TX-001", command+" requires a transaction header; without it the answer is ERROR")
				}
			}),
		},
		{
			ID:       "stomp/server/transaction/must-be-in-progress",
			Title:    "COMMIT and ABORT of a transaction that is not in progress",
			Laws:     []string{"STOMP-TX-001", "STOMP-RECEIPT-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions, Receipts}},
			Run: run(func(s *serverT) {
				for _, command := range []string{"COMMIT", "ABORT"} {
					p := s.Connect(command)
					p.Send(frameOf(command, "transaction", s.Unique("tx"), "receipt", "r"))
					o := p.Await(is("RECEIPT"), s.Timing().Reply)
					if o.Frame != nil {
						// It may have refused all the same.
						if e := p.Watch(is("ERROR"), s.Timing().Quiet); e != nil {
							s.Broken(conformance.Break{
								Law: "STOMP-RECEIPT-001", Reason: "a frame that is answered with ERROR was not processed and has no RECEIPT",
								Expected: command + ": ERROR alone", Seen: command + ": RECEIPT, then ERROR",
							})
							continue
						}
					}
					if o.Frame != nil || o.Timed {
						s.Loose(conformance.Break{
							Law: "STOMP-TX-001", Reason: command + " must name a transaction in progress", Timed: o.Timed,
							Expected: "ERROR", Seen: o.String(),
						})
					}
				}
			}),
		},
		{
			ID:       "stomp/server/transaction/commit-makes-visible",
			Title:    "messages sent in a transaction appear at COMMIT, all of them",
			Laws:     []string{"STOMP-TX-003"},
			Versions: every,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				p, tx := s.Connect("producer"), s.Unique("tx")
				p.Send(frameOf("BEGIN", "transaction", tx))
				for _, body := range []string{"one", "two", "three"} {
					p.Send(frameOf("SEND", "destination", place, "transaction", tx).Carrying(body))
				}
				p.Sync()
				c.Quiet("STOMP-TX-003", atomic, is("MESSAGE"))
				p.Confirmed(frameOf("COMMIT", "transaction", tx))
				for _, body := range []string{"one", "two", "three"} {
					c.MessageOf("STOMP-TX-003", "after COMMIT every message of the transaction is delivered", body)
				}
				c.Quiet("STOMP-TX-003", "a committed message is delivered once", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/transaction/abort-drops",
			Title:    "messages sent in a transaction that is aborted never appear",
			Laws:     []string{"STOMP-TX-003"},
			Versions: every,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				p, tx := s.Connect("producer"), s.Unique("tx")
				p.Send(frameOf("BEGIN", "transaction", tx))
				p.Send(frameOf("SEND", "destination", place, "transaction", tx).Carrying("aborted"))
				p.Confirmed(frameOf("ABORT", "transaction", tx))
				p.Deliver(place, "outside")
				c.MessageOf("", "a message outside the transaction arrives", "outside")
				c.Quiet("STOMP-TX-003", "nothing of an aborted transaction becomes visible", carries("aborted"))
			}),
		},
		{
			ID:       "stomp/server/transaction/two-at-once",
			Title:    "interleaved transactions do not mix",
			Laws:     []string{"STOMP-TX-003"},
			Versions: every,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				place := s.Place()
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				p, t1, t2 := s.Connect("producer"), s.Unique("tx"), s.Unique("tx")
				p.Send(frameOf("BEGIN", "transaction", t1))
				p.Send(frameOf("BEGIN", "transaction", t2))
				p.Send(frameOf("SEND", "destination", place, "transaction", t1).Carrying("first"))
				p.Send(frameOf("SEND", "destination", place, "transaction", t2).Carrying("second"))
				p.Confirmed(frameOf("ABORT", "transaction", t1))
				p.Confirmed(frameOf("COMMIT", "transaction", t2))
				c.MessageOf("STOMP-TX-003", "a committed transaction is delivered whatever becomes of another", "second")
				c.Quiet("STOMP-TX-003", "nothing of an aborted transaction becomes visible", carries("first"))
			}),
		},
		{
			ID:       "stomp/server/transaction/belongs-to-its-connection",
			Title:    "two connections may use the same transaction id",
			Laws:     []string{"STOMP-TX-003"},
			Versions: every,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				place, tx := s.Place(), s.Unique("tx")
				c := s.Connect("consumer")
				c.Subscribe("1", place, "auto")
				a, b := s.Connect("a"), s.Connect("b")
				a.Confirmed(frameOf("BEGIN", "transaction", tx))
				b.Confirmed(frameOf("BEGIN", "transaction", tx))
				a.Send(frameOf("SEND", "destination", place, "transaction", tx).Carrying("of a"))
				b.Send(frameOf("SEND", "destination", place, "transaction", tx).Carrying("of b"))
				b.Sync()
				a.Confirmed(frameOf("COMMIT", "transaction", tx))
				c.MessageOf("STOMP-TX-003", "a commit delivers what its own connection sent", "of a")
				c.Quiet("STOMP-TX-003", "a commit on one connection does not touch another's transaction of the same name", carries("of b"))
				b.Confirmed(frameOf("ABORT", "transaction", tx))
			}),
		},
		{
			ID:       "stomp/server/transaction/receipt-of-a-send",
			Title:    "a SEND in a transaction that asks for a receipt gets one, at the latest after COMMIT",
			Laws:     []string{"STOMP-RECEIPT-001"},
			Versions: every,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				p, tx := s.Connect("a"), s.Unique("tx")
				p.Send(frameOf("BEGIN", "transaction", tx))
				p.Send(frameOf("SEND", "destination", s.Topic(), "transaction", tx, "receipt", "inside").Carrying("x"))
				p.Confirmed(frameOf("COMMIT", "transaction", tx))
				p.Receipt("STOMP-RECEIPT-001", answersReceipt, "inside")
			}),
		},
		{
			ID:       "stomp/server/transaction/aborted-by-disconnect",
			Title:    "DISCONNECT aborts an unfinished transaction",
			Laws:     []string{"STOMP-TX-005"},
			Versions: since11,
			Needs:    txNeeds,
			Run: run(func(s *serverT) {
				s.unfinished(func(p *wire) {
					p.Send(frameOf("DISCONNECT", "receipt", "bye"))
					p.Receipt("", "DISCONNECT is answered", "bye")
				})
			}),
		},
		{
			ID:       "stomp/server/transaction/aborted-by-a-lost-connection",
			Title:    "a connection that fails aborts its unfinished transaction",
			Laws:     []string{"STOMP-TX-005"},
			Versions: since11,
			Needs:    txNeeds,
			Run:      run(func(s *serverT) { s.unfinished((*wire).Reset) }),
		},
		{
			ID:       "stomp/server/transaction/ack-joins",
			Title:    "an ACK in a transaction that is aborted has no effect",
			Laws:     []string{"STOMP-TX-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Transactions, Redelivery}},
			Run: run(func(s *serverT) {
				q, control := s.Queue(), s.Queue()
				a, tx := s.Connect("a"), s.Unique("tx")
				a.Subscribe("s", q, "client")
				a.Subscribe("control", control, "client")
				p := s.Connect("producer")
				p.Deliver(q, "m")
				p.Deliver(control, "control")
				m := a.MessageOf("", "the message arrives", "m")
				a.MessageOf("", "the control message arrives", "control")
				a.Confirmed(frameOf("BEGIN", "transaction", tx))
				a.Confirmed(a.AckFrame("ACK", m).With("transaction", tx))
				a.Confirmed(frameOf("ABORT", "transaction", tx))
				a.Reset()
				if !s.comeBack(control)["control"] {
					s.Unsupported("the target does not redeliver, so that the effect of an ACK cannot be seen")
				}
				s.Check(s.comeBack(q)["m"], "STOMP-TX-004", "an ACK in a transaction takes effect at COMMIT only; after ABORT the message is unacknowledged and redelivered like any other",
					"m redelivered", "m is gone: acknowledged in spite of ABORT")
			}),
		},
		{
			ID:       "stomp/server/transaction/ack-takes-effect-at-commit",
			Title:    "an ACK in a transaction that is committed settles its message",
			Laws:     []string{"STOMP-TX-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Transactions}},
			Run: run(func(s *serverT) {
				q := s.ackedIn("COMMIT")
				s.Check(!s.comeBack(q)["m"], "STOMP-TX-004", settled, "not redelivered", "m redelivered")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/transaction-id-in-use",
			Title:    "BEGIN with the id of a transaction in progress",
			Laws:     []string{"STOMP-TX-002"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Transactions}},
			Run: run(func(s *serverT) {
				p, tx := s.Connect("a"), s.Unique("tx")
				p.Send(frameOf("BEGIN", "transaction", tx))
				p.Send(frameOf("BEGIN", "transaction", tx, "receipt", "r"))
				s.answered("STOMP-TX-002", "ids of open transactions must differ; the reaction is not defined", p.Await(is("RECEIPT"), s.Timing().Reply))
			}),
		},
	}
}

// ackedIn acknowledges the message m of a queue in a transaction, ends that by COMMIT or ABORT and the connection behind it.
func (s *serverT) ackedIn(end string) (q string) {
	q = s.Queue()
	a, tx := s.Connect("a"), s.Unique("tx")
	a.Subscribe("s", q, "client")
	s.Connect("producer").Deliver(q, "m")
	m := a.MessageOf("", "the message arrives", "m")
	a.Confirmed(frameOf("BEGIN", "transaction", tx))
	a.Confirmed(a.AckFrame("ACK", m).With("transaction", tx))
	a.Confirmed(frameOf(end, "transaction", tx))
	a.Reset()
	return q
}

// unfinished sends in a transaction, ends the connection and checks that nothing became visible.
func (s *serverT) unfinished(end func(*wire)) {
	place := s.Place()
	c := s.Connect("consumer")
	c.Subscribe("1", place, "auto")
	p, tx := s.Connect("producer"), s.Unique("tx")
	p.Send(frameOf("BEGIN", "transaction", tx))
	p.Send(frameOf("SEND", "destination", place, "transaction", tx).Carrying("unfinished"))
	p.Sync()
	end(p)
	c.Quiet("STOMP-TX-005", "a transaction that was not committed is aborted when its session ends", carries("unfinished"))
	s.Connect("outside").Deliver(place, "outside")
	c.MessageOf("", "the destination still works", "outside")
	c.Quiet("STOMP-TX-005", "a transaction that was not committed is aborted when its session ends", carries("unfinished"))
}
