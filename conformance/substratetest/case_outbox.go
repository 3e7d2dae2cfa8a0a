package substratetest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// Manual connects a party that acks nothing by itself from here on, with an object that is live.
func (s *subT) Manual() *object {
	o := s.Session()
	o.p.link.Fence()
	o.p.link.acks = false
	return o
}

// Again connects again, acking nothing by itself.
func (p *party) Again() *link {
	p.link.Cut()
	l := p.Dial()
	l.acks = false
	l.Greet("", "the connection becomes ready again")
	return l
}

// isOp matches what is acked.
func isOp(f *frame) bool { return f.env != nil && f.durable() }

const oneInFlight = "at most one op of an object and direction is in flight"

func outboxCases() []conformance.Case {
	return []conformance.Case{
		one("outbox/one-in-flight", "of three answers one is in flight until its ack", laws("SUBSTRATE-OUTBOX-002", "SUBSTRATE-ANSWER-002"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			asked := []*frame{o.Make("req", []byte("a")), o.Make("req", []byte("b")), o.Make("req", []byte("c"))}
			l.Posts(asked...)
			for _, f := range asked {
				got := l.Expect("SUBSTRATE-ANSWER-002", "an answer is an op with a seq and a receipt of its own", "a durable res", isOp)
				s.Equal("SUBSTRATE-ANSWER-002", "answers of an object go out in their order", f.id(), got.id())
				l.Never("SUBSTRATE-OUTBOX-002", oneInFlight, isOp)
				l.Acks(got)
			}
		}),
		one("outbox/objects-in-flight-side-by-side", "an answer that is not acked holds up no other object", laws("SUBSTRATE-SEQ-014", "SUBSTRATE-OUTBOX-002"), nil, func(s *subT) {
			a := s.Session()
			b := a.p.Live("session", s.accepted())
			l := a.p.link
			l.Fence()
			l.acks = false
			f := a.Make("req", nil)
			l.Post(f)
			l.Expect("", "the answer comes", "a res", isAnswer(f.id()))
			l.acks = true
			for range 5 {
				b.Ask("SUBSTRATE-SEQ-014", "an unacked head of another object delays nothing", nil, "res")
			}
		}),
		one("outbox/resent-on-each-connection", "what is not acked is sent again on each of five connections, octet by octet the same",
			laws("SUBSTRATE-OUTBOX-003", "SUBSTRATE-OUTBOX-004", "SUBSTRATE-OUTBOX-006", "SUBSTRATE-RECONNECT-003"), nil, func(s *subT) {
				o := s.Manual()
				f := o.Make("req", []byte("q"))
				o.p.link.Post(f)
				first := o.p.link.Expect("", "the answer comes", "a res", isAnswer(f.id()))
				for range 5 {
					again := o.p.Again().Expect("SUBSTRATE-RECONNECT-003", "when ready, what is in flight is sent again at once", "the same res", isOp)
					s.Equal("SUBSTRATE-OUTBOX-003", "an id is minted once and kept on every resend", first.id(), again.id())
					s.Check(same(first, again), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", first.String(), again.String())
				}
				o.p.link.Acks(first)
				o.p.Again().Never("SUBSTRATE-OUTBOX-006", "what was acked is gone", isOp)
			}),
		one("outbox/resends-in-order", "twenty ops in flight are sent again oldest first, and before others", laws("SUBSTRATE-RECONNECT-003"), nil, func(s *subT) {
			p := s.Peer()
			var all []*object
			for range 20 {
				all = append(all, p.Live("session", s.accepted()))
			}
			p.link.Fence()
			p.link.acks = false
			var order, again []string
			for _, o := range all {
				f, behind := o.Make("req", []byte("head")), o.Make("req", []byte("behind"))
				p.link.Post(f)
				order = append(order, p.link.Expect("", "the answer comes", "a res", isAnswer(f.id())).id())
				p.link.Post(behind)
			}
			p.link.Fence()
			l := p.Again()
			for range all {
				again = append(again, l.Expect("SUBSTRATE-RECONNECT-003", "what is in flight is sent again at once", "a res", isOp).id())
			}
			s.Equal("SUBSTRATE-RECONNECT-003", "the oldest first transmission goes first", order, again)
			l.Never("SUBSTRATE-RECONNECT-003", "what is behind them waits for their acks", isOp)
		}),
		one("outbox/survives-the-connection", "answers that were never sent go out on the next connection, in their order", laws("SUBSTRATE-OUTBOX-006", "SUBSTRATE-RECONNECT-005"), nil, func(s *subT) {
			o := s.Manual()
			var asked []string
			for range 10 {
				f := o.Make("req", s.Octets(3))
				asked = append(asked, f.id())
				o.p.link.Post(f)
			}
			o.p.link.Fence()
			l := o.p.Again()
			l.acks = true
			var got []string
			for range asked {
				got = append(got, l.Expect("SUBSTRATE-OUTBOX-006", "nothing leaves an outbox with the connection", "a res", isOp).id())
			}
			s.Equal("SUBSTRATE-RECONNECT-005", "what was queued keeps its order", asked, got)
		}),
		one("outbox/own-sends", "sends of the target go out one by one, in their order, with seqs without gap and no prev",
			laws("SUBSTRATE-OUTBOX-002", "SUBSTRATE-SEQ-001", "SUBSTRATE-SEQ-009"), needs(Commands), func(s *subT) {
				o, f := s.head("30")
				l := o.p.link
				var seqs []uint64
				for n := range 30 {
					if n > 0 {
						f = l.Expect("SUBSTRATE-OUTBOX-002", "the next op goes out when the one before is acked", "a send", isSendOn(o.addr))
					}
					s.Equal("SUBSTRATE-SEQ-001", "ops go out in the order in which they were queued", n+1, string(f.body))
					s.Check(!f.has("prev"), "SUBSTRATE-SEQ-009", "prev is set exactly when it differs from seq-1", "no prev", f.String())
					seqs = append(seqs, f.seq())
					if n%10 == 0 {
						l.Never("SUBSTRATE-OUTBOX-002", oneInFlight, isSendOn(o.addr))
					}
					l.Acks(f)
				}
				for i := range seqs[1:] {
					s.Equal("SUBSTRATE-SEQ-001", "seqs have no gap", seqs[i]+1, seqs[i+1])
				}
			}),
		one("outbox/restart", "after a restart of the target the head comes with its id, seq and body and another receipt",
			laws("SUBSTRATE-OUTBOX-001", "SUBSTRATE-OUTBOX-003", "SUBSTRATE-OUTBOX-007", "SUBSTRATE-ACK-005"), needs(Commands), func(s *subT) {
				o := s.Manual()
				l := o.p.link
				f, behind := o.Make("req", []byte("head")), o.Make("req", []byte("behind"))
				l.Posts(f, behind)
				head := l.Expect("", "the answer comes", "a res", isAnswer(f.id()))
				l.Fence()
				l.Post(o.Make("send", []byte("assay:release")))
				for deadline := time.Now().Add(s.Timing().Close); l.open() && l.pull(deadline); {
				}
				l = o.p.Again()
				again := l.Expect("SUBSTRATE-OUTBOX-001", "what was sent was durable before", "the res", isOp)
				s.Equal("SUBSTRATE-OUTBOX-003", "an id is stored with its row and kept over a restart", head.id(), again.id())
				s.Equal("SUBSTRATE-OUTBOX-007", "a restart keeps id, seq and body", fmt.Sprint(head.id(), head.seq(), head.body), fmt.Sprint(again.id(), again.seq(), again.body))
				s.Check(!bytes.Equal(head.receipt(), again.receipt()), "SUBSTRATE-OUTBOX-007", "a restart mints new receipts", "another receipt", brief(again.receipt()))
				l.Acks(head)
				l.Never("SUBSTRATE-ACK-005", "an ack with the receipt of an earlier process frees nothing", isOp)
				l.Acks(again)
				next := l.Expect("SUBSTRATE-OUTBOX-007", "then the next row goes out", "the res of "+behind.id(), isOp)
				s.Equal("SUBSTRATE-OUTBOX-007", "rows are restored in the order of their seqs", fmt.Sprint(behind.id(), head.seq()+1), fmt.Sprint(next.id(), next.seq()))
			}),
		one("outbox/counters-outlive-a-restart", "after a restart of the target seqs go on, though nothing is left in its outbox", laws("SUBSTRATE-OUTBOX-007"), needs(Commands), func(s *subT) {
			o := s.Session()
			last := o.Ask("", "a req is answered", nil, "res")
			o.Restart()
			next := o.Ask("SUBSTRATE-OUTBOX-007", "a req is answered after a restart", nil, "res")
			s.Equal("SUBSTRATE-OUTBOX-007", "lastAssigned is restored from durable counters", last.seq()+1, next.seq())
		}),
		{
			ID: "substrate/peer/outbox/resent-after-10s", Title: "what is not acked is sent again after 10 s", Laws: laws("SUBSTRATE-OUTBOX-005"), Explores: true,
			Run: run(func(s *subT) {
				o := s.Manual()
				f, asked := o.Make("req", nil), time.Now()
				o.p.link.Post(f)
				first := o.p.link.Expect("", "the answer comes", "a res", isAnswer(f.id()))
				again := o.p.link.await(isAnswer(f.id()), 11*time.Second+s.Timing().Reply)
				if again == nil {
					o.p.link.missed("SUBSTRATE-OUTBOX-005", "a head that is not freed is sent again 10 s later", "the same res")
				}
				s.Check(same(first, again), "SUBSTRATE-OUTBOX-005", "a resend is the same frame", first.String(), again.String())
				s.Check(again.at.Sub(asked) >= resendAfter, "SUBSTRATE-OUTBOX-005", "not before 10 s are over", "10 s", again.at.Sub(asked).String())
			}),
		},
	}
}
