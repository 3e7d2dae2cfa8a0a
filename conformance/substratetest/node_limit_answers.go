package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeAnswerLimitCases are about answers that the peer does not ack.
func nodeAnswerLimitCases() []conformance.Case {
	const law = "SUBSTRATE-LIMIT-008"
	two := nodeSetup{Limits: map[string]int{"outbox": 2}}
	return []conformance.Case{
		nodeCase("limit/answers-unacked", "while 2 answers that may be unfreed are, further ops of the object are bounced busy", laws(law), needs(Lowered),
			func(t *nodeT) {
				n := t.Connected(two)
				o, other := n.Theirs("session"), n.Theirs("session")
				asked, head := n.answers(o, 2)
				kept := n.keeps()
				for _, verb := range []string{"send", "req", "open"} {
					f := o.At(verb, o.seq+1, verb)
					for range 2 {
						t.Now(law, "each copy of a further "+verb+" is bounced", n.Gets(f), "transmit err code=busy")
					}
				}
				t.Equal(law, "nothing is committed", kept, n.keeps())
				n.Acked(law, "a copy of what is known is acked", n.Gets(asked[0]), asked[0])
				f := other.Make("req", "of another object")
				n.Acked(law, "another object is not affected", n.Gets(f), f)
				n.Ack(head)
				f = o.Make("req", "?")
				got := n.Gets(f)
				n.Acked(law, "once one is acked the next is taken: the frontier has not moved", got, f)
				n.the(law, "and delivered", got, didDeliver)
			}),
		nodeCase("limit/answers-count", "rejects and errs are answers like others, and they are counted on after a restart", laws(law), needs(Lowered),
			func(t *nodeT) {
				n := t.Connected(nodeSetup{Store: t.lasting(), Limits: map[string]int{"outbox": 2}})
				o := n.Theirs("session")
				n.sent("", "an open of a live name is rejected", n.Gets(o.Make("open", "")), "reject")
				d := n.the("", "a send is delivered", n.Gets(o.Make("send", "a")), didDeliver)
				n.Answer("fail", d, answerRequest{Code: "app_error"})
				f := o.At("req", o.seq+1, "b")
				t.Now(law, "a reject and an err are two", n.Gets(f), "transmit err code=busy")
				n.Restart()
				again := n.sent("", "the reject is sent again", n.Connect(), "reject")
				t.Now(law, "two are there after a restart", n.Gets(f), "transmit err code=busy")
				n.Ack(again)
				n.Acked(law, "and one once one is acked", n.Gets(f), f)
			}),
		nodeCase("limit/answers-exempt", "close and answers are taken however many answers are unfreed", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(two)
			o := n.Theirs("session")
			call := n.Req(o.addr, "?")
			req := n.sent("", "a req is sent", call.Did, "req")
			n.Ack(req)
			n.answers(o, 2)
			t.Now("", "no more is taken", n.Gets(o.At("send", o.seq+1, "")), "transmit err code=busy")
			answer := o.Answer("res", req, "!")
			got := n.Gets(answer)
			n.Acked(law, "an answer is admitted", got, answer)
			s := call.Settled(got)
			t.Check(s != nil && s.Code == "", law, "and settles its call", "settle", got.String())
			end := o.Make("close", "")
			n.Acked(law, "a close is admitted", n.Gets(end), end)
		}),
		nodeCase("limit/deadlock-broken", "an op that is refused for now while 2 answers wait behind it gives way to them",
			laws(law), needs(Lowered), (*nodeT).gaveWay),
		nodeCase("limit/deadlock-not-yet", "an op that is refused for now while 1 answer waits behind it is sent again",
			laws(law, "SUBSTRATE-FINALITY-007"), needs(Lowered), func(t *nodeT) {
				n := t.Connected(two)
				o := n.Theirs("session")
				call := n.Req(o.addr, "?")
				req := n.sent("", "a req is sent", call.Did, "req")
				n.answers(o, 1)
				n.Silent(law, "there is room for another answer: the op keeps its place", n.Gets(bounceOf(req, "busy")))
				again := n.sent("SUBSTRATE-FINALITY-007", "it is sent again", n.Advance(1000), "req")
				t.Equal("SUBSTRATE-FINALITY-007", "unchanged", req.String(), again.String())
				n.sent("SUBSTRATE-FINALITY-007", "the answer follows it", n.Ack(again), "res")
			}),
	}
}

// gaveWay has an op at the head of an outbox refused for now, with one code after the other, while as many answers as may be wait behind it.
func (t *nodeT) gaveWay() {
	const law = "SUBSTRATE-LIMIT-008"
	n := t.Connected(nodeSetup{Limits: map[string]int{"outbox": 2}})
	for _, verb := range []string{"req", "send"} {
		for _, code := range []string{"busy", "queue_full", "rate_limited", "store_unavailable"} {
			o := n.Theirs("session")
			call := n.Call(verb, o.addr, callRequest{Body: []byte("?")})
			own := n.sent("", "an op is sent", call.Did, verb)
			n.answers(o, 2)
			got := n.Gets(bounceOf(own, code))
			s := call.Settled(got)
			t.Check(s != nil && s.Code == code && s.Retryable && !s.Unknown, law, "its call is settled with "+code, "settle "+code, got.String())
			if !t.lacks(Happenings) {
				gone := got.Events("bridge/futile")
				t.Check(len(gone) == 1 && gone[0].ID == own.id() && gone[0].Code == code, law, "one futile event says so",
					"event bridge/futile "+code+" id="+own.id(), got.String())
			}
			first := n.sent(law, "the answers follow", got, "res")
			second := n.sent(law, "one after the other", n.Ack(first), "res")
			t.Equal(law, "the op is no predecessor", fmt.Sprint(own.seq()-1), fmt.Sprint(first.number("prev")))
			n.Silent(law, "nothing else is left", n.Ack(second))
		}
	}
	n.Silent(law, "no row comes back", n.Advance(60_000))
}

// answers has so many reqs of an object asked and answered, and returns them and the first answer that was sent, nil if none was.
func (n *node) answers(o *nodeObj, count int) (asked []*frame, head *frame) {
	for range count {
		f := o.Make("req", "?")
		got := n.Respond(n.the("", "a req is delivered", n.Gets(f), didDeliver), "!")
		if sent := got.Frames("res"); head == nil && len(sent) > 0 {
			head = sent[0]
		}
		asked = append(asked, f)
	}
	return asked, head
}

// keeps says what a node keeps, if it can be asked.
func (n *node) keeps() string {
	if n.t.lacks(Kept) {
		return ""
	}
	return fmt.Sprint(n.Kept())
}
