package substratetest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Asked has the target ask on the object, and returns its req: one that was not returned before, since what was not acked in time comes
// again on a new connection.
func (o *object) Asked(text string) *frame {
	o.Ask("", "the target is told to ask", []byte("assay:req "+o.addr+" "+text), "res")
	f := o.p.link.Expect("", "the target asks", "a req", func(f *frame) bool {
		return f.kind() == "req" && f.obj() == o.addr && !slices.Contains(o.asked, f.id())
	})
	o.asked = append(o.asked, f.id())
	return f
}

func isSendOn(addr string) func(*frame) bool {
	return func(f *frame) bool { return f.kind() == "send" && f.obj() == addr }
}

// Outcomes wants that ops of the target on an object have ended so, in any order.
func (p *party) Outcomes(law, reason, addr string, want ...string) {
	slices.Sort(want)
	p.Eventually(law, reason+": "+strings.Join(want, ", "), addr, func(lines []string) bool {
		var got []string
		for _, l := range lines {
			if rest, ok := strings.CutPrefix(l, "outcome "); ok {
				got = append(got, rest)
			}
		}
		slices.Sort(got)
		return slices.Equal(got, want)
	})
}

func answerCases() []conformance.Case {
	return []conformance.Case{
		one("answer/after-reconnects", "an answer comes on whichever connection there is", laws("SUBSTRATE-ANSWER-001", "SUBSTRATE-RECONNECT-002"), needs(Commands), func(s *subT) {
			p := s.Peer()
			for n := range 4 {
				a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
				word := s.Unique("word")
				f := a.Takes("", "a req is acked", a.Make("req", []byte("assay:hold "+word)))
				for range n {
					p.link.Cut()
					p.Connect()
				}
				b.Ask("SUBSTRATE-RECONNECT-002", "objects outlive the connection", []byte("assay:free "+word), "res")
				p.link.Answered("SUBSTRATE-ANSWER-001", "an answer is keyed to its id and comes on whichever connection there is", f, "res")
			}
		}),
		one("answer/accept-after-a-reconnect", "an open that was acked on a lost connection is answered on the next", laws("SUBSTRATE-ANSWER-001", "SUBSTRATE-VERB-001"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			f := o.Make("open", nil)
			o.p.link.acks = false
			o.p.link.Post(f)
			o.p.link.Fence()
			o.p.link.Cut()
			o.p.Connect()
			o.p.link.Answered("SUBSTRATE-ANSWER-001", "the answer comes on whichever connection there is", f, "accept")
			o.Takes("SUBSTRATE-VERB-001", "and the object is live", o.Make("send", nil))
		}),
		one("answer/restart", "an answer that was queued before a restart of the target comes after it", laws("SUBSTRATE-ANSWER-002"), needs(Commands), func(s *subT) {
			o := s.Manual()
			a, b := o.Make("req", []byte("a")), o.Make("req", []byte("b"))
			o.p.link.Posts(a, b)
			o.p.link.Acked("", "a req is acked", b)
			o.p.link.Fence()
			o.Restart()
			o.p.link.Answered("SUBSTRATE-ANSWER-002", "answers are durable", a, "res")
			o.p.link.Answered("SUBSTRATE-ANSWER-002", "answers are durable", b, "res")
		}),
		one("answer/same-id-as-an-op", "an answer and an op of one id are two things", laws("SUBSTRATE-ANSWER-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			asked := o.Asked("why")
			own := o.Takes("SUBSTRATE-ANSWER-003", "an op has the id of an op of the other side", o.Make("send", []byte("mine")).with("id", asked.id()))
			o.Takes("SUBSTRATE-ANSWER-003", "and an answer has that id too", o.Answer("res", asked, nil))
			o.p.Outcomes("SUBSTRATE-ANSWER-003", "nothing is swallowed", o.addr, "req ok")
			s.Equal("SUBSTRATE-ANSWER-003", "nothing is swallowed", []string{line(own)}, o.Handed("send"))
		}),
		one("answer/frees-the-op", "an answer without an ack frees the op, and the next one goes out", laws("SUBSTRATE-ANSWER-004"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			l.Fence()
			l.acks = false
			// Its req stays unacked; the answer to the order for it does not.
			told := o.Make("req", []byte("assay:req "+o.addr+" why"))
			l.Post(told)
			first := l.Expect("", "the target asks or answers", "a req", isOp)
			asked := first
			if first.kind() == "res" {
				l.Acks(first)
				asked = l.Expect("", "the target asks", "a req", isOp)
			}
			l.Post(o.Answer("res", asked, []byte("because")))
			more := o.Make("req", []byte("more"))
			l.Post(more)
			for range 2 {
				got := l.Expect("SUBSTRATE-ANSWER-004", "an answer proves that the op was committed: its row is freed, and the next one goes out", "the next op", isOp)
				if got.id() == more.id() {
					s.Check(!got.has("prev"), "SUBSTRATE-ANSWER-004", "what an answer has freed is a predecessor", "no prev", got.String())
					break
				}
				l.Acks(got)
			}
			l.Post(ackOf(asked))
			o.p.Again().Never("SUBSTRATE-ANSWER-004", "there is no resend of it", about(asked.id()))
		}),
		one("answer/first-decides", "of two answers the first decides, and both are acked", laws("SUBSTRATE-ANSWER-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			asked := o.Asked("why")
			o.Takes("SUBSTRATE-ANSWER-001", "an answer is acked", o.Answer("res", asked, []byte("yes")))
			o.Takes("SUBSTRATE-ANSWER-001", "a later answer is acked and ignored", o.Answer("err", asked, nil).with("code", "app_error"))
			o.Takes("SUBSTRATE-ANSWER-001", "a later answer is acked and ignored", o.Answer("res", asked, []byte("no")))
			o.p.Outcomes("SUBSTRATE-ANSWER-001", "one settlement", o.addr, "req ok")
		}),
		one("answer/replayed", "an answer that comes again settles nothing again", laws("SUBSTRATE-ANSWER-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			answer := o.Answer("end", o.Asked("why"), nil)
			for range 4 {
				o.Takes("SUBSTRATE-ANSWER-001", "an answer that comes again is acked", answer)
			}
			o.p.link.Cut()
			o.p.Connect()
			o.Takes("SUBSTRATE-ANSWER-001", "on another connection too", answer)
			o.p.Outcomes("SUBSTRATE-ANSWER-001", "one settlement", o.addr, "req ok")
		}),
		one("answer/orphans", "answers to nothing are acked, refuse nothing and open nothing", laws("SUBSTRATE-ANSWER-005"), nil, func(s *subT) {
			o := s.Session()
			for _, kind := range []string{"accept", "res", "end", "reject", "err"} {
				f := o.Make(kind, nil)
				if kind == "reject" || kind == "err" {
					f = f.with("code", "app_error")
				}
				o.Takes("SUBSTRATE-ANSWER-005", "an answer whose id matches nothing is committed and acked", f)
			}
			o.Ask("SUBSTRATE-ANSWER-005", "it changes no object", nil, "res")
		}),
		one("answer/accept-opens-nothing", "an accept that nobody waits for opens no object", laws("SUBSTRATE-ANSWER-005"), nil, func(s *subT) {
			p := s.Peer()
			o := p.Name("session", s.accepted())
			p.link.Post(o.Make("accept", nil))
			f := o.At("send", 1, nil)
			p.link.Post(f)
			p.link.Bounced("SUBSTRATE-ANSWER-005", "no live object appears", f, "no_such_object")
		}),
		one("answer/close-fails-what-waits", "a close rejects what the target still waits for", laws("SUBSTRATE-ANSWER-006"), needs(Commands), func(s *subT) {
			o := s.Session()
			asked := o.Asked("why")
			o.Takes("", "a close is acked", o.Make("close", nil))
			o.p.Outcomes("SUBSTRATE-ANSWER-006", "each pending call is rejected once with the terminal code", o.addr, "req closed")
			late := o.Answer("res", asked, nil)
			o.p.link.Post(late)
			got := o.p.link.Expect("SUBSTRATE-ANSWER-006", "a later answer is an orphan or bounced closed", "ack or err closed", about(late.id()))
			s.Check(got.kind() == "ack" || got.bounce() && got.code() == "closed", "SUBSTRATE-ANSWER-006", "a later answer is an orphan or bounced closed", "ack or err closed", got.String())
		}),
		one("answer/own-open-accepted", "the target opens, and the suite accepts", laws("SUBSTRATE-VERB-001", "SUBSTRATE-OBJ-002"), needs(Commands), func(s *subT) {
			p := s.Peer()
			o := p.Opening("session")
			o.Takes("SUBSTRATE-VERB-001", "an accept is acked", o.Answer("accept", o.open, nil))
			p.Outcomes("SUBSTRATE-VERB-001", "accept settles the opener's promise", o.addr, "open ok")
			o.Ask("SUBSTRATE-OBJ-002", "the object exists on both sides", nil, "res")
			o.Takes("SUBSTRATE-OBJ-002", "who has accepted it takes part in it, and may close it", o.Make("close", nil))
		}),
		one("answer/own-open-rejected", "the target opens, and the suite rejects", laws("SUBSTRATE-VERB-001", "SUBSTRATE-OBJ-001"), needs(Commands), func(s *subT) {
			p := s.Peer()
			o := p.Opening("queue")
			o.Takes("SUBSTRATE-VERB-001", "a reject is acked", o.Answer("reject", o.open, nil).with("code", "app_error"))
			p.Outcomes("SUBSTRATE-VERB-001", "reject settles the opener's promise", o.addr, "open app_error")
			f := o.At("send", o.seq+1, nil)
			p.link.Post(f)
			p.link.Bounced("SUBSTRATE-OBJ-001", "what is rejected is no object", f, "no_such_object")
		}),
	}
}

// Opening has the target open an object of a fresh name, and returns it with the open.
func (p *party) Opening(kind string) *object {
	p.Handed("nothing")
	o := p.Name(kind, p.s.accepted())
	p.book.Ask("", "the target is told to open", []byte("assay:open "+kind+" "+o.addr), "res")
	o.open = p.link.Expect("", "the target opens", "an open", func(f *frame) bool { return f.kind() == "open" && f.obj() == o.addr })
	return o
}
