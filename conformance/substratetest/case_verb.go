package substratetest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func verbCases() []conformance.Case {
	return slices.Concat(verbAnswerCases(), verbRefusedCases())
}

func verbAnswerCases() []conformance.Case {
	const once = "exactly one answer settles an op"
	answer := func(name, command, kind string) conformance.Case {
		return one("verb/req-"+name, "a req is answered by one "+kind, laws("SUBSTRATE-VERB-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			got := o.Ask("SUBSTRATE-VERB-003", once, []byte(command), kind)
			s.Check(kind != "end" || len(got.body) == 0, "SUBSTRATE-VERB-003", "an end is an empty answer", "no body", got.String())
			s.Check(kind != "err" || got.code() == "app_error", "SUBSTRATE-VERB-003", "an err says the code of the callee", "app_error", got.String())
			o.p.link.Never("SUBSTRATE-VERB-003", once, about(got.id()))
		})
	}
	return []conformance.Case{
		one("verb/open-accepted", "an open is answered by one accept", laws("SUBSTRATE-VERB-001"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			o.Opened("SUBSTRATE-VERB-001", "an open is answered by accept or reject")
			o.p.link.Never("SUBSTRATE-VERB-001", once, about(o.open.id()))
		}),
		one("verb/open-of-a-queue", "the open of a queue is answered by one accept", laws("SUBSTRATE-VERB-001", "SUBSTRATE-OBJ-003"), nil, func(s *subT) {
			o := s.Peer().Name("queue", s.accepted())
			o.Opened("SUBSTRATE-VERB-001", "an open is answered by accept or reject")
			o.Takes("SUBSTRATE-OBJ-003", "a queue takes sends", o.Make("send", []byte("x")))
		}),
		one("verb/open-rejected", "an open is answered by one reject, and there is no object then", laws("SUBSTRATE-VERB-001", "SUBSTRATE-OBJ-001"), needs(Rejects), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Reject)
			f := o.Takes("SUBSTRATE-VERB-001", "an open is acked once it is committed", o.Make("open", nil))
			o.p.link.Answered("SUBSTRATE-VERB-001", "an open is answered by accept or reject", f, "reject")
			o.p.link.Never("SUBSTRATE-VERB-001", once, about(f.id()))
			late := o.At("send", o.seq+1, nil)
			o.p.link.Post(late)
			o.p.link.Bounced("SUBSTRATE-OBJ-001", "what is rejected is no object", late, "no_such_object")
		}),
		one("verb/send", "a send gets its ack and nothing else", laws("SUBSTRATE-VERB-002"), nil, func(s *subT) {
			o := s.Session()
			f := o.Takes("SUBSTRATE-VERB-002", "a send is acked", o.Make("send", []byte("one way")))
			o.p.link.Never("SUBSTRATE-VERB-002", "a send has no end-to-end answer", about(f.id()))
		}),
		one("verb/own-send", "a send of the target ends well with its ack, and not before", laws("SUBSTRATE-VERB-002"), needs(Commands), func(s *subT) {
			o, head := s.head("1")
			o.p.link.acks = true
			s.Equal("SUBSTRATE-VERB-002", "without an ack the promise of a send is open", []string(nil), linesOf(o.p.Handed(o.addr), "outcome"))
			o.p.link.Acks(head)
			o.p.Outcomes("SUBSTRATE-VERB-002", "the promise of a send is settled by its ack", o.addr, "send ok")
		}),
		one("verb/req-res", "a req is answered by one res", laws("SUBSTRATE-VERB-003"), nil, func(s *subT) {
			o := s.Session()
			got := o.Ask("SUBSTRATE-VERB-003", once, []byte("what"), "res")
			o.p.link.Never("SUBSTRATE-VERB-003", once, about(got.id()))
		}),
		answer("end", "assay:end", "end"),
		answer("err", "assay:err app_error", "err"),
		one("verb/reqs-in-a-row", "fifty reqs get fifty answers in their order", laws("SUBSTRATE-VERB-003", "SUBSTRATE-SEQ-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			var asked []*frame
			for range 50 {
				asked = append(asked, o.Make("req", s.Octets(8)))
			}
			l.Posts(asked...)
			for _, f := range asked {
				got := l.Expect("SUBSTRATE-VERB-003", once, "a res", func(f *frame) bool { return f.kind() != "ack" })
				s.Check(got.kind() == "res" && got.id() == f.id(), "SUBSTRATE-SEQ-003", "answers come in the order of what they answer", "res for "+f.id(), got.String())
				s.Check(string(got.body) == string(f.body), "SUBSTRATE-VERB-003", "an answer is that of its req", brief(f.body), brief(got.body))
			}
		}),
		one("verb/close", "a close is committed, and what comes later is bounced closed", laws("SUBSTRATE-VERB-001", "SUBSTRATE-OBJ-001"), nil, func(s *subT) {
			o := s.Session()
			o.Takes("SUBSTRATE-VERB-001", "a close is acked once it is committed", o.Make("close", nil))
			for _, kind := range []string{"send", "req"} {
				f := o.At(kind, o.seq+1, nil)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-OBJ-001", "a closed object takes nothing", f, "closed")
			}
		}),
		one("verb/close-by-the-target", "a close of the target ends the object for the suite's ops too", laws("SUBSTRATE-VERB-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			o.Ask("", "the target is told to close", []byte("assay:close "+o.addr), "res")
			l.Expect("SUBSTRATE-VERB-001", "either participant may close", "a close", func(f *frame) bool { return f.kind() == "close" && f.obj() == o.addr })
			f := o.At("send", o.seq+1, nil)
			l.Post(f)
			l.Bounced("SUBSTRATE-VERB-001", "close moves the object to closed on both sides", f, "closed")
		}),
		one("verb/resync-is-silent", "a resync is neither acked nor answered with an err, valid or not", laws("SUBSTRATE-VERB-005"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			base := frameOf("kind", "resync", "obj", o.addr, "objKind", "session")
			for _, f := range []*frame{
				base.with("fromSeq", 1), base.with("fromSeq", 1000), base.with("fromSeq", maxSeq), base.with("base", 1), base, base.with("fromSeq", "x"),
				base.with("fromSeq", 1).with("obj", s.Unique("nobody")), base.with("fromSeq", 1).with("obj", "A@"), base.with("fromSeq", 1).with("id", "a"),
			} {
				l.Post(f)
			}
			l.Never("SUBSTRATE-VERB-005", "a resync is never acked or bounced", func(f *frame) bool { return f.kind() == "ack" || f.kind() == "err" })
			o.Takes("SUBSTRATE-VERB-005", "a resync is no op", o.Make("send", nil))
		}),
	}
}

func verbRefusedCases() []conformance.Case {
	refused := func(name, title, law, code string, make func(s *subT, o *object) *frame) conformance.Case {
		return one("verb/"+name, title+" is refused once with "+code, laws(law), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			f := make(s, o)
			l.Posts(f, f, f)
			l.Bounced(law, title+" is refused", f, code)
			l.Never(law, title+" is refused once", about(f.id()))
			o.Takes(law, "the frontier has not moved", o.Make("send", nil))
		})
	}
	out := []conformance.Case{
		refused("chunk-on-a-live-object", "a chunk", "SUBSTRATE-VERB-004", "unsupported", func(_ *subT, o *object) *frame {
			return o.At("chunk", o.seq+1, []byte("part"))
		}),
		refused("chunk-on-an-unknown-object", "a chunk for what is not there", "SUBSTRATE-VERB-004", "unsupported", func(s *subT, o *object) *frame {
			return o.At("chunk", 1, nil).with("obj", s.Unique("nobody"))
		}),
	}
	for _, kind := range []struct{ name, kind string }{
		{"propose", "propose"},
		{"state", "state"},
		{"empty", ""},
		{"upper-case", "SEND"},
		{"with-a-space", "send "},
		{"prefix", "sen"},
		{"long", strings.Repeat("k", 64<<10)},
	} {
		out = append(out, refused("unknown-kind-"+kind.name, "a kind that nobody knows", "SUBSTRATE-VERB-006", "bad_verb", func(_ *subT, o *object) *frame {
			return o.At(kind.kind, o.seq+1, nil)
		}))
	}
	for _, kind := range []string{"state", "stream", "Session", ""} {
		name := strings.ToLower(kind)
		if kind == "Session" {
			name = "of-another-case"
		} else if kind == "" {
			name = "empty"
		}
		out = append(out, refused("unknown-objkind-"+name, "an objKind that nobody knows", "SUBSTRATE-VERB-006", "unsupported", func(_ *subT, o *object) *frame {
			return o.At("send", o.seq+1, nil).with("objKind", kind)
		}))
	}
	return append(out,
		one("verb/unknown-kind-without-id", "a kind that nobody knows is dropped if there is no id", laws("SUBSTRATE-VERB-006"), nil, func(s *subT) {
			l := s.Peer().link
			l.Post(frameOf("kind", "propose", "obj", "a", "objKind", "session"))
			l.Post(frameOf("kind", "propose", "obj", "a", "objKind", "session", "id", "no id"))
			l.Never("SUBSTRATE-VERB-006", "what has no id is dropped", func(*frame) bool { return true })
		}),
		one("verb/establish", "an establish on a target without streams fails with unsupported", laws("SUBSTRATE-VERB-006"), nil, func(s *subT) {
			l := s.Peer().link
			f := frameOf("kind", "establish", "obj", s.Unique("stream"), "objKind", "stream", "id", s.Unique("i"))
			l.Post(f)
			got := l.Expect("SUBSTRATE-VERB-006", "an establish is answered", "establish_fail", about(f.id()))
			if got.kind() == "establish_ok" {
				s.Unsupported("the target has streams")
			}
			s.Check(got.kind() == "establish_fail" && got.code() == "unsupported", "SUBSTRATE-VERB-006", "there are no streams", "establish_fail unsupported", got.String())
		}),
	)
}
