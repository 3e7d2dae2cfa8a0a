package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func objCases() []conformance.Case {
	return slices.Concat(objLifeCases(), objKindCases(), objGlareCases())
}

func objLifeCases() []conformance.Case {
	return []conformance.Case{
		one("obj/open-twice", "an open of a live name is answered already_exists, and the object lives on", laws("SUBSTRATE-OBJ-006"), nil, func(s *subT) {
			o := s.Session()
			f := o.Takes("SUBSTRATE-OBJ-006", "an open of a live name is committed and acked", o.Make("open", nil))
			got := o.p.link.Answered("SUBSTRATE-OBJ-006", "an open of a live name is answered reject", f, "reject")
			s.Equal("SUBSTRATE-OBJ-006", "the reject says why", "already_exists", got.code())
			o.Ask("SUBSTRATE-OBJ-006", "the object lives on", nil, "res")
		}),
		one("obj/open-while-opening", "an open of a name that is opening is answered already_exists", laws("SUBSTRATE-OBJ-006"), needs(Silences), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Silent)
			o.Takes("", "an open is acked", o.Make("open", nil))
			f := o.Takes("SUBSTRATE-OBJ-006", "a second open is committed and acked", o.Make("open", nil))
			got := o.p.link.Answered("SUBSTRATE-OBJ-006", "the second open is answered reject", f, "reject")
			s.Equal("SUBSTRATE-OBJ-006", "the reject says why", "already_exists", got.code())
		}),
		one("obj/open-again", "a closed name is opened three times more, and its seqs go on", laws("SUBSTRATE-OBJ-007", "SUBSTRATE-TOMBSTONE-002"), nil, func(s *subT) {
			o := s.Session()
			var last uint64
			for n := range 3 {
				o.Ask("SUBSTRATE-OBJ-007", "an incarnation carries ops", []byte{byte(n)}, "res")
				o.Takes("SUBSTRATE-OBJ-007", "a close is acked", o.Make("close", nil))
				o.Opened("SUBSTRATE-OBJ-007", "a closed name can be opened again")
			}
			for _, f := range o.p.link.all {
				if f.durable() {
					s.Check(f.seq() > last, "SUBSTRATE-OBJ-007", "a seq of the target is never used for two ops", fmt.Sprint("more than ", last), fmt.Sprint(f.seq()))
					last = f.seq()
				}
			}
		}),
		one("obj/open-after-reject", "a rejected name can be opened again", laws("SUBSTRATE-OBJ-007"), needs(Rejects), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Reject)
			for range 3 {
				f := o.Takes("SUBSTRATE-OBJ-007", "a rejected name can be opened again", o.Make("open", nil))
				got := o.p.link.Answered("SUBSTRATE-OBJ-007", "each open gets an answer of its own", f, "reject")
				s.Check(got.code() != "already_exists", "SUBSTRATE-OBJ-007", "a rejected name does not exist", "the code of the application", got.code())
			}
		}),
		one("obj/late-duplicates", "late copies of an incarnation are acked and not handed to the next one", laws("SUBSTRATE-OBJ-007"), needs(Commands), func(s *subT) {
			o := s.Session()
			old := []*frame{o.open, o.Send("old")}
			o.Takes("", "a close is acked", o.Make("close", nil))
			o.Opened("SUBSTRATE-OBJ-007", "a closed name can be opened again")
			fresh := o.Send("new")
			for _, f := range old {
				o.Takes("SUBSTRATE-OBJ-007", "a late copy is acked as a duplicate", f)
			}
			s.Equal("SUBSTRATE-OBJ-007", "no op is handed over twice", []string{line(old[1]), line(fresh)}, o.Handed("send"))
		}),
		one("obj/not-accepted", "before its accept an object takes close alone", laws("SUBSTRATE-OBJ-005", "SUBSTRATE-OBJ-001"), needs(Silences), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Silent)
			l := o.p.link
			open := o.Takes("", "an open is acked", o.Make("open", nil))
			for _, kind := range []string{"send", "req"} {
				f := o.At(kind, o.seq+1, nil)
				l.Post(f)
				l.Bounced("SUBSTRATE-OBJ-005", "what is not accepted takes no send and no req", f, "not_accepted")
			}
			l.Never("SUBSTRATE-OBJ-001", "an open that the application does not answer has no answer", isAnswer(open.id()))
			o.Takes("SUBSTRATE-OBJ-005", "the opener may close what is not accepted", o.Make("close", nil))
			f := o.At("send", o.seq+1, nil)
			l.Post(f)
			l.Bounced("SUBSTRATE-OBJ-001", "close moves opening to closed", f, "closed")
		}),
		one("obj/open-handed-over", "an open and a close reach the application once each", laws("SUBSTRATE-OBJ-001", "SUBSTRATE-DEDUPE-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			o.Takes("", "an open that comes again is acked", o.open)
			closing := o.Takes("", "a close is acked", o.Make("close", nil))
			o.Takes("", "a close that comes again is acked", closing)
			o.p.Eventually("SUBSTRATE-OBJ-001", "an object is opened and closed once", o.addr, func(lines []string) bool {
				return len(lines) == 2 && strings.HasPrefix(lines[0], "open ") && strings.HasPrefix(lines[1], "close ")
			})
		}),
	}
}

func objKindCases() []conformance.Case {
	return []conformance.Case{
		one("obj/req-on-a-queue", "a req on a queue is unsupported", laws("SUBSTRATE-OBJ-004"), nil, func(s *subT) {
			o := s.Peer().Live("queue", s.accepted())
			f := o.At("req", o.seq+1, nil)
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-OBJ-004", "a queue has no req", f, "unsupported")
			o.Takes("SUBSTRATE-OBJ-004", "nothing was committed: the next op has the seq", o.Make("send", nil))
		}),
		one("obj/kind-mismatch", "an op whose objKind is not that of its object is refused", laws("SUBSTRATE-OBJ-004"), nil, func(s *subT) {
			p := s.Peer()
			for _, kind := range []string{"session", "queue"} {
				o := p.Live(kind, s.accepted())
				other := map[string]string{"session": "queue", "queue": "session"}[kind]
				for _, verb := range []string{"send", "close"} {
					f := o.At(verb, o.seq+1, nil).with("objKind", other)
					p.link.Post(f)
					p.link.Bounced("SUBSTRATE-OBJ-004", verb+" with another objKind is refused", f, "kind_mismatch")
				}
				o.Takes("SUBSTRATE-OBJ-004", "nothing was committed: the next op has the seq", o.Make("send", nil))
			}
		}),
		one("obj/queue-like-session", "sends, gaps, duplicates and close of a queue are as those of a session", laws("SUBSTRATE-OBJ-003"), needs(Commands), func(s *subT) {
			p := s.Peer()
			var traces [2][]string
			for i, kind := range []string{"session", "queue"} {
				o := p.Live(kind, s.accepted())
				a, b, c := o.Make("send", []byte("a")), o.Make("send", []byte("b")), o.Make("send", []byte("c"))
				p.link.Posts(a, c, c, b, a)
				for range 4 {
					f := p.link.Expect("SUBSTRATE-OBJ-003", "each op is acked", "an ack", func(f *frame) bool { return f.kind() == "ack" })
					traces[i] = append(traces[i], map[string]string{a.id(): "a", b.id(): "b", c.id(): "c"}[f.id()])
				}
				o.Takes("SUBSTRATE-OBJ-003", "a close is acked", o.Make("close", nil))
				p.Eventually("SUBSTRATE-OBJ-003", "what was acked is handed over", o.addr, func(got []string) bool { return len(linesOf(got, "send")) == 3 })
				for _, l := range p.Handed(o.addr, "send") {
					traces[i] = append(traces[i], l[strings.LastIndex(l, " "):])
				}
			}
			s.Equal("SUBSTRATE-OBJ-003", "a queue uses the same machinery", traces[0], traces[1])
		}),
		one("obj/both-directions", "on a session both sides send and ask, each in its own order", laws("SUBSTRATE-OBJ-003", "SUBSTRATE-SEQ-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			o.Ask("", "the target is told to send", []byte("assay:send "+o.addr+" 5"), "res")
			var bodies []string
			for range 5 {
				bodies = append(bodies, string(l.Expect("SUBSTRATE-OBJ-003", "either participant may send", "a send", func(f *frame) bool { return f.kind() == "send" }).body))
				o.Send("between")
			}
			s.Equal("SUBSTRATE-SEQ-001", "ops go out in the order in which they were queued", []string{"1", "2", "3", "4", "5"}, bodies)
			o.Ask("", "the target is told to ask", []byte("assay:req "+o.addr+" why"), "res")
			asked := l.Expect("SUBSTRATE-OBJ-003", "either participant may ask", "a req", func(f *frame) bool { return f.kind() == "req" })
			s.Equal("SUBSTRATE-OBJ-003", "a req carries its body", "why", string(asked.body))
			o.Takes("SUBSTRATE-OBJ-003", "an answer is acked", o.Answer("res", asked, []byte("because")))
		}),
		one("obj/participants", "who is in an object is who is at the connection, whatever a frame says", laws("SUBSTRATE-OBJ-002"), nil, func(s *subT) {
			a, b := s.Session(), s.Peer()
			f := a.At("close", 1, nil).with("peer", a.p.id).with("from", a.p.id)
			b.link.Post(f)
			b.link.Bounced("SUBSTRATE-OBJ-002", "peer ids are the authenticated ones, never what a frame says", f, "no_such_object")
			a.Ask("SUBSTRATE-OBJ-002", "the object of another peer lives on", nil, "res")
		}),
		one("obj/durable-queue", "a queue that is accepted with acceptQueue takes sends and is closed", laws("SUBSTRATE-OBJ-008"), needs(Queues), func(s *subT) {
			o := s.Peer().Live("queue", s.profile().Queue)
			for range 10 {
				o.Takes("SUBSTRATE-OBJ-008", "a send to a durable inbox is acked", o.Make("send", []byte("row")))
			}
			o.Takes("SUBSTRATE-OBJ-008", "a durable queue can be closed", o.Make("close", nil))
		}),
	}
}

// Told has the target open a name, and returns the open, which is not answered.
func (p *party) Told() (o *object, theirs *frame) {
	told := p.Live("session", p.s.accepted())
	o = p.Name("session", p.s.accepted())
	told.Ask("", "the target is told to open", []byte("assay:open session "+o.addr), "res")
	return o, p.link.Expect("", "the target opens", "an open", func(f *frame) bool { return f.kind() == "open" && f.obj() == o.addr })
}

// objGlareCases have both sides open one name, or one close what the other opens.
func objGlareCases() []conformance.Case {
	glare := func(prefix string) func(*subT) (*object, *frame, *frame) {
		return func(s *subT) (*object, *frame, *frame) {
			p := s.Party()
			p.id = fill(s.profile().Peer, s.Unique(prefix))
			p.Connect()
			o, theirs := p.Told()
			return o, o.Takes("SUBSTRATE-OBJ-006", "an open is committed although this side has one of its own", o.Make("open", nil)), theirs
		}
	}
	target := func(p *party) string { id, _ := p.link.shake.ok["peer"].(string); return id }
	return []conformance.Case{
		one("obj/close-crosses-an-open", "a close that crosses an open of the target is acked and changes nothing", laws("SUBSTRATE-OBJ-010"), needs(Commands), func(s *subT) {
			o, theirs := s.Peer().Told()
			o.Takes("SUBSTRATE-OBJ-010", "a close that crosses an open is committed and acked", o.Make("close", nil))
			o.Takes("SUBSTRATE-OBJ-010", "the open is still answered", o.Answer("accept", theirs, nil))
			o.p.Outcomes("SUBSTRATE-OBJ-010", "the call that opens is settled by its answer", o.addr, "open ok")
			o.Ask("SUBSTRATE-OBJ-010", "the object is live", nil, "res")
		}),
		one("obj/glare-of-a-smaller-peer", "of two opens that cross that of the smaller peer id survives: the suite's", laws("SUBSTRATE-OBJ-006"), needs(Commands), func(s *subT) {
			o, ours, theirs := glare("0")(s)
			if o.p.id >= target(o.p) {
				s.Unsupported("the profile allows no peer id below that of the target")
			}
			o.p.link.Answered("SUBSTRATE-OBJ-006", "the open of the smaller peer id survives", ours, "accept")
			o.Takes("SUBSTRATE-OBJ-006", "the other open is answered open_conflict", o.Answer("reject", theirs, nil).with("code", "open_conflict"))
			o.Ask("SUBSTRATE-OBJ-006", "there is one live object", nil, "res")
		}),
		one("obj/glare-of-a-larger-peer", "of two opens that cross that of the smaller peer id survives: the target's", laws("SUBSTRATE-OBJ-006"), needs(Commands), func(s *subT) {
			o, ours, theirs := glare("zz")(s)
			if o.p.id <= target(o.p) {
				s.Unsupported("the profile allows no peer id above that of the target")
			}
			got := o.p.link.Answered("SUBSTRATE-OBJ-006", "the open of the larger peer id does not survive", ours, "reject")
			s.Equal("SUBSTRATE-OBJ-006", "the reject says why", "open_conflict", got.code())
			o.Takes("SUBSTRATE-OBJ-006", "the other open is answered accept", o.Answer("accept", theirs, nil))
			o.Ask("SUBSTRATE-OBJ-006", "there is one live object", nil, "res")
		}),
	}
}
