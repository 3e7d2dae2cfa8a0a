package substratetest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// bounceOf returns a bounce of the suite's for an op of the target.
func bounceOf(f *frame, code string) *frame {
	return frameOf("kind", "err", "obj", f.obj(), "objKind", f.objKind(), "id", f.id(), "code", code)
}

func finalityCases() []conformance.Case {
	out := []conformance.Case{
		one("finality/third-peer", "a peer that is not in an object cannot end it", laws("SUBSTRATE-FINALITY-003", "SUBSTRATE-FINALITY-004", "SUBSTRATE-FINALITY-005"), nil, func(s *subT) {
			a, b := s.Session(), s.Peer()
			for _, seq := range []uint64{1, a.seq + 1, a.seq + 30, 1000} {
				f := a.At("close", seq, nil)
				b.link.Posts(f, f)
				b.link.Bounced("SUBSTRATE-FINALITY-005", "a name in the scope of another peer is an unknown object", f, "no_such_object")
				b.link.Never("SUBSTRATE-FINALITY-005", "the second copy on a connection gets nothing", about(f.id()))
				b.link.Post(frameOf("kind", "err", "obj", a.addr, "objKind", a.kind, "id", a.open.id(), "code", "object_failed"))
				b.link.Post(a.At("err", seq, nil).with("code", "object_failed"))
			}
			b.link.Never("SUBSTRATE-FINALITY-005", "an err is not answered with an err", func(f *frame) bool { return f.kind() == "err" })
			a.Ask("SUBSTRATE-FINALITY-003", "the object stays alive and usable", nil, "res")
			a.Takes("SUBSTRATE-FINALITY-004", "its next op is in sequence", a.Make("send", nil))
		}),
		one("finality/third-peer-moves-nothing", "a close of a peer that is not in an object moves nothing of it", laws("SUBSTRATE-FINALITY-004"), nil, func(s *subT) {
			a, b := s.Session(), s.Peer()
			var id string
			for _, seq := range []uint64{1, a.seq + 1, a.seq + 30, 1000} {
				f := a.At("close", seq, nil)
				b.link.Posts(f, a.At("err", seq, nil).with("code", "closed"))
				id = f.id()
			}
			b.link.Fence()
			// The id is one that the other peer has used.
			f := a.Takes("SUBSTRATE-FINALITY-004", "the next legitimate op is in sequence", a.Make("req", nil).with("id", id))
			a.p.link.Answered("SUBSTRATE-FINALITY-004", "and taken: nothing is in the ledger", f, "res")
		}),
		one("finality/close-of-what-is-closed", "a close of a closed object is committed and acked", laws("SUBSTRATE-FINALITY-009"), nil, func(s *subT) {
			o := s.Session()
			for range 3 {
				o.Takes("SUBSTRATE-FINALITY-009", "a close from a participant for a closed object is acked, never bounced", o.Make("close", nil))
			}
		}),
		one("finality/closes-that-cross", "two closes that cross converge without an err", laws("SUBSTRATE-FINALITY-009"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			l.Fence()
			l.acks = false
			l.Post(o.Make("req", []byte("assay:close "+o.addr)))
			theirs := l.Expect("", "the target closes", "a close or the answer", isOp)
			if theirs.kind() != "close" {
				l.Acks(theirs)
				theirs = l.Expect("", "the target closes", "a close", isOp)
			}
			o.Takes("SUBSTRATE-FINALITY-009", "a close that crosses one of the other side is acked", o.Make("close", nil))
			l.Acks(theirs)
			l.acks = true
			l.Never("SUBSTRATE-FINALITY-009", "there is no err", func(f *frame) bool { return f.kind() == "err" && !isBounce(theirs.id())(f) && f.code() == "closed" })
			o.p.Eventually("SUBSTRATE-FINALITY-009", "the application is told of one close", o.addr, func(lines []string) bool {
				n := 0
				for _, l := range lines {
					if l[:5] == "close" {
						n++
					}
				}
				return n == 1
			})
		}),
		one("finality/purged-op-is-skipped", "an op of the target that is refused is gone, and the next one names its predecessor",
			laws("SUBSTRATE-FINALITY-006", "SUBSTRATE-SEQ-009", "SUBSTRATE-OUTBOX-006"), needs(Commands), func(s *subT) {
				o, a := s.head("3")
				l := o.p.link
				l.Acks(a)
				b := l.Expect("", "the target sends its second message", "a send", isSendOn(o.addr))
				l.Post(bounceOf(b, "unauthorized"))
				c := l.Expect("SUBSTRATE-FINALITY-006", "what is refused is purged, and the next row becomes head at once", "the third send", isSendOn(o.addr))
				s.Equal("SUBSTRATE-FINALITY-006", "the next row becomes head at once", "3", string(c.body))
				s.Equal("SUBSTRATE-SEQ-009", "prev is the nearest earlier row that was freed by an ack", fmt.Sprint(a.seq(), true), fmt.Sprint(c.number("prev"), c.has("prev")))
				l.Acks(c)
				l.acks = true
				o.p.Outcomes("SUBSTRATE-OUTBOX-006", "two are taken and one is refused", o.addr, "send ok", "send ok", "send unauthorized")
			}),
		one("finality/purge-is-told", "an op of the target that is refused is rejected with the code of the refusal", laws("SUBSTRATE-FINALITY-006"), needs(Commands), func(s *subT) {
			o, head := s.head("2")
			l := o.p.link
			l.acks = true
			l.Post(bounceOf(head, "kind_mismatch"))
			o.p.Outcomes("SUBSTRATE-FINALITY-006", "its promise is rejected with the code, and that of no other", o.addr, "send kind_mismatch", "send ok")
		}),
		one("finality/death-spares-the-next-open", "a bounce of object scope purges nothing from the next open of the name on", laws("SUBSTRATE-FINALITY-008"), needs(Commands), func(s *subT) {
			const spared = "what is queued is purged up to but not including the next open of the name"
			p := s.Peer()
			told, o := p.Live("session", s.accepted()), p.Name("session", s.accepted())
			l := p.link
			l.Fence()
			l.acks = false
			order := func(body string) {
				f := told.Takes("", "an order is acked", told.Make("req", []byte(body)))
				l.Acks(l.Expect("", "an order is answered", "a res", isAnswer(f.id())))
			}
			order("assay:send " + o.addr + " 2")
			head := l.Expect("", "the target sends", "a send", isSendOn(o.addr))
			order("assay:open session " + o.addr)
			l.Post(bounceOf(head, "no_such_object"))
			next := l.Expect("SUBSTRATE-FINALITY-008", spared, "an open", isOp)
			s.Equal("SUBSTRATE-FINALITY-008", spared, "open "+o.addr, next.kind()+" "+next.obj())
			l.Acks(next)
			l.acks = true
			o.Takes("", "an answer is acked", o.Answer("accept", next, nil))
			p.Outcomes("SUBSTRATE-FINALITY-008", spared, o.addr, "send no_such_object", "send no_such_object", "open ok")
		}),
		one("finality/retryable", "a retryable bounce has the op sent again after a second, unchanged", laws("SUBSTRATE-FINALITY-007"), needs(Commands), func(s *subT) {
			o, head := s.head("2")
			l := o.p.link
			told := time.Now()
			l.Post(bounceOf(head, "queue_full"))
			again := l.await(isOp, 1100*time.Millisecond+s.Timing().Reply)
			if again == nil {
				l.missed("SUBSTRATE-FINALITY-007", "on a retryable bounce the op is sent again after 1 s", "the same send")
			}
			s.Check(same(head, again), "SUBSTRATE-FINALITY-007", "the row stays head with the same id, seq and receipt", head.String(), again.String())
			s.Check(again.at.Sub(told) >= time.Second, "SUBSTRATE-FINALITY-007", "not before a second is over", "1 s", again.at.Sub(told).String())
			l.Acks(again)
			next := l.Expect("SUBSTRATE-FINALITY-007", "FIFO holds", "the next send", isOp)
			s.Equal("SUBSTRATE-FINALITY-007", "FIFO holds", "2 false", fmt.Sprint(string(next.body), " ", next.has("prev")))
		}),
		one("finality/retryable-and-reconnect", "after a retryable bounce a new connection gets the op at once", laws("SUBSTRATE-FINALITY-007"), needs(Commands), func(s *subT) {
			o, head := s.head("2")
			for _, code := range []string{"busy", "rate_limited", "store_unavailable"} {
				o.p.link.Post(bounceOf(head, code))
				o.p.link.Fence()
				again := o.p.Again().Expect("SUBSTRATE-FINALITY-007", "a reconnect resends at once", "the same send", isOp)
				s.Check(same(head, again), "SUBSTRATE-FINALITY-007", "the row stays head", head.String(), again.String())
			}
		}),
		one("finality/flags-decide-nothing", "what a code means is not changed by other keys", laws("SUBSTRATE-FINALITY-001", "SUBSTRATE-WIRE-005"), needs(Commands), func(s *subT) {
			o, head := s.head("2")
			l := o.p.link
			l.Post(bounceOf(head, "unauthorized").with("retryable", true).with("final", false).with("msg", "try again"))
			next := l.Expect("SUBSTRATE-FINALITY-001", "a terminal code purges, whatever else is said", "the next send", isOp)
			s.Equal("SUBSTRATE-FINALITY-001", "a terminal code purges, whatever else is said", "2", string(next.body))
			l.Post(bounceOf(next, "busy").with("terminal", true).with("final", true))
			l.Fence()
			again := o.p.Again().Expect("SUBSTRATE-WIRE-005", "a retryable code keeps the op, whatever else is said", "the same send", isOp)
			s.Check(same(next, again), "SUBSTRATE-WIRE-005", "a retryable code keeps the op, whatever else is said", next.String(), again.String())
		}),
		one("finality/bounce-of-nothing", "a bounce for what is not in flight has no effect", laws("SUBSTRATE-FINALITY-008"), needs(Commands), func(s *subT) {
			o, head := s.head("2")
			l := o.p.link
			for _, code := range []string{"closed", "no_such_object", "unauthorized"} {
				l.Post(bounceOf(head.with("id", s.Unique("i")), code))
				l.Post(bounceOf(head.with("obj", s.Unique("nobody")), code))
				l.Post(bounceOf(o.open, code))
			}
			l.Never("SUBSTRATE-FINALITY-008", "a bounce acts only on the row that its id names", isOp)
			l.Acks(head)
			next := l.Expect("SUBSTRATE-FINALITY-008", "the object is alive and its outbox goes on", "the next send", isOp)
			l.Post(bounceOf(head, "closed"))
			l.Acks(next)
			o.Takes("SUBSTRATE-FINALITY-008", "a bounce for what was freed has no effect", o.Make("send", nil))
		}),
		one("finality/death-purges-the-queue", "a bounce of object scope purges all that is queued for the incarnation", laws("SUBSTRATE-FINALITY-008", "SUBSTRATE-FINALITY-002"), needs(Commands), func(s *subT) {
			o, head := s.head("3")
			l := o.p.link
			l.Post(bounceOf(head, "no_such_object"))
			l.Never("SUBSTRATE-FINALITY-008", "what is queued of that incarnation is purged", isSendOn(o.addr))
			f := o.At("send", o.seq+1, nil)
			l.Post(f)
			l.Bounced("SUBSTRATE-FINALITY-002", "a code of object scope ends the object", f, "closed")
			l.acks = true
			o.p.Outcomes("SUBSTRATE-FINALITY-008", "each is rejected with the death code", o.addr, "send no_such_object", "send no_such_object", "send no_such_object")
		}),
		one("finality/retryable-answer", "a retryable code as an answer only rejects", laws("SUBSTRATE-FINALITY-007"), needs(Commands), func(s *subT) {
			o := s.Session()
			asked := o.Asked("why")
			o.Takes("", "an answer is acked", o.Answer("err", asked, nil).with("code", "busy"))
			o.p.Outcomes("SUBSTRATE-FINALITY-007", "as an answer the code only rejects the promise", o.addr, "req busy")
			o.p.Again().Never("SUBSTRATE-FINALITY-007", "nothing is sent again", about(asked.id()))
		}),
	}
	for _, c := range []struct {
		code   string
		object bool // of object scope
	}{
		{"no_such_object", true},
		{"closed", true},
		{"object_failed", true},
		{"app_error", false},
		{"unauthorized", false},
		{"bad_frame", false},
		{"out_of_seq", false},
		{"not_participant", false},
		{"busy", false},
		{"queue_full", false},
		{"never_heard_of_it", false},
	} {
		out = append(out, one("finality/answer-"+c.code, "an err answer with "+c.code+" ends the op, and the object if the table says so",
			laws("SUBSTRATE-FINALITY-002", "SUBSTRATE-VERB-003"), needs(Commands), func(s *subT) {
				o := s.Session()
				asked := o.Asked("why")
				o.Takes("SUBSTRATE-VERB-003", "an answer is acked", o.Answer("err", asked, nil).with("code", c.code))
				o.p.Outcomes("SUBSTRATE-VERB-003", "an err rejects with its code", o.addr, "req "+c.code)
				if !c.object {
					o.Ask("SUBSTRATE-FINALITY-002", "a code of op scope leaves the object alive", nil, "res")
					return
				}
				f := o.At("send", o.seq+1, nil)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-FINALITY-002", "a code of object scope ends the object", f, "closed")
			}))
	}
	return out
}

// head has the target queue messages and leaves the first in flight, unacked.
func (s *subT) head(n string) (*object, *frame) {
	p := s.Peer()
	told, o := p.Live("session", s.accepted()), p.Live("session", s.accepted())
	p.link.Fence()
	p.link.acks = false
	told.Takes("", "the order to send is acked", told.Make("req", []byte("assay:send "+o.addr+" "+n)))
	head := p.link.Expect("", "the target sends", "a send", isSendOn(o.addr))
	p.link.Acks(p.link.Expect("", "the order to send is answered", "a res", func(f *frame) bool { return f.kind() == "res" }))
	return o, head
}
