package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func seqResyncCases() []conformance.Case {
	return []conformance.Case{
		one("seq/resync-answered-by-the-head", "a resync has the target send its one op in flight again, unchanged", laws("SUBSTRATE-SEQ-008"), nil, func(s *subT) {
			o := s.Session()
			o.p.link.acks = false
			f := o.Make("req", []byte("q"))
			o.p.link.Post(f)
			head := o.p.link.Expect("", "the answer comes", "a res", isAnswer(f.id()))
			o.p.link.Post(frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", int(head.seq())))
			again := o.p.link.Expect("SUBSTRATE-SEQ-008", "a resync is answered by the op in flight", "the same res", isAnswer(f.id()))
			s.Check(same(head, again), "SUBSTRATE-SEQ-008", "it is sent unchanged: same id, seq and receipt", head.String(), again.String())
		}),
		one("seq/resync-storm", "of a hundred resyncs one is answered", laws("SUBSTRATE-SEQ-008"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			l.acks = false
			f, behind := o.Make("req", []byte("q")), o.Make("req", []byte("behind"))
			l.Posts(f, behind)
			head := l.Expect("", "the answer comes", "a res", isAnswer(f.id()))
			ask := frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", int(head.seq()))
			l.Posts(slices.Repeat([]*frame{ask}, 100)...)
			l.Expect("SUBSTRATE-SEQ-008", "a resync is answered by the op in flight", "the same res", isAnswer(f.id()))
			l.Never("SUBSTRATE-SEQ-008", "at most one request per 10 s is answered, and by the one op in flight", func(f *frame) bool { return f.kind() == "res" })
		}),
		one("seq/resync-out-of-range", "a resync for what was never assigned is ignored", laws("SUBSTRATE-SEQ-008"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			f := o.Make("req", nil)
			l.Post(f)
			l.Expect("", "the answer comes", "a res with seq 2", isAnswer(f.id()))
			for _, from := range []int{4, 1000, maxSeq} {
				l.Post(frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", from))
			}
			l.Never("SUBSTRATE-SEQ-008", "a request out of range is ignored", func(f *frame) bool { return f.kind() == "resync" || f.durable() })
		}),
		one("seq/resync-of-what-is-gone", "a resync for what was acked is answered by where the target stands", laws("SUBSTRATE-SEQ-008"), nil, func(s *subT) {
			o := s.Session()
			last := o.Ask("", "a req is answered", nil, "res")
			o.p.link.Fence()
			o.p.link.Post(frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1))
			got := o.p.link.Expect("SUBSTRATE-SEQ-008", "below what is left the answer is a base", "resync with base", func(f *frame) bool { return f.kind() == "resync" })
			s.Equal("SUBSTRATE-SEQ-008", "the base of an empty outbox is one above the last seq", last.seq()+1, got.number("base"))
		}),
		one("seq/base-moves-up", "a base moves the frontier up, never down", laws("SUBSTRATE-SEQ-008"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			base := frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind)
			o.seq += 9
			l.Post(base.with("base", int(o.seq+1)))
			o.Takes("SUBSTRATE-SEQ-008", "the receiver moves its frontier up to base", o.Make("send", nil))
			l.Post(base.with("base", 1))
			o.Takes("SUBSTRATE-SEQ-008", "a base below the frontier does not move it", o.Make("send", nil))
			o.Takes("SUBSTRATE-SEQ-008", "what is below the frontier stays a duplicate", o.At("send", o.seq-1, nil))
		}),
	}
}

func seqEpochCases() []conformance.Case {
	kept := func(name, title, law string) conformance.Case {
		return one("seq/"+name, title, laws(law), needs(Commands), func(s *subT) {
			o := s.Session()
			want := []string{line(o.Send("a"))}
			o.p.link.Cut()
			o.p.Connect()
			o.Takes(law, "below the frontier is a duplicate", o.At("send", 1, []byte("never")))
			want = append(want, line(o.Takes(law, "the frontier outlives the connection", o.Make("send", []byte("b")))))
			s.Equal(law, inOrder, want, o.Handed("send"))
		})
	}
	return []conformance.Case{
		one("seq/another-epoch", "a sender whose outbox is new begins again at 1 and is heard", laws("SUBSTRATE-SEQ-011"), needs(Commands), func(s *subT) {
			o := s.Session()
			old := []*frame{o.Send("a"), o.Send("b")}
			o.p.link.Cut()
			o.p.epoch = s.Octets(8)
			o.p.Connect()
			o.p.book = nil
			o.seq = 0
			fresh := o.Takes("SUBSTRATE-SEQ-011", "with another epoch the first fresh op is in sequence, whatever its seq", o.Make("send", []byte("c")))
			o.Takes("SUBSTRATE-SEQ-011", "ledger rows stay: what was taken before is a duplicate", old[0])
			o.Ask("SUBSTRATE-SEQ-011", "the new epoch goes on from its own frontier", nil, "res")
			s.Equal("SUBSTRATE-SEQ-011", "ops of a new epoch are handed over, old ones are not again", []string{line(old[0]), line(old[1]), line(fresh)}, o.Handed("send"))
		}),
		kept("same-epoch", "a reconnect in the same epoch keeps the frontier", "SUBSTRATE-SEQ-011"),
		kept("reconnect-keeps-the-frontier", "the frontier outlives the connection", "SUBSTRATE-RECONNECT-002"),
		one("seq/first-op-is-adopted", "the first op that an object ever gets is in sequence, whatever its seq", laws("SUBSTRATE-SEQ-010"), nil, func(s *subT) {
			p := s.Peer()
			for _, seq := range []uint64{1, 2, 41, 1 << 40} {
				o := p.Name("session", s.accepted())
				o.seq = seq - 1
				o.Opened("SUBSTRATE-SEQ-010", "the first fresh op is in sequence by definition")
				o.Takes("SUBSTRATE-SEQ-010", "and sets the frontier", o.Make("send", nil))
			}
		}),
		one("seq/restart-adopts-the-frontier", "after a restart the target acks what it has and takes what is next", laws("SUBSTRATE-SEQ-010", "SUBSTRATE-DEDUPE-002"), needs(Commands), func(s *subT) {
			o := s.Session()
			old := o.Send("a")
			o.Restart()
			o.Takes("SUBSTRATE-DEDUPE-002", "the ledger outlives a restart", old)
			fresh := o.Takes("SUBSTRATE-SEQ-010", "a duplicate leaves it unsynced, and the first fresh op is in sequence", o.Make("send", []byte("b")))
			later := o.Takes("SUBSTRATE-SEQ-010", "the one after that is in sequence", o.Make("send", []byte("c")))
			got := o.Handed("send")
			s.Equal("SUBSTRATE-SEQ-010", "never a loss, never a second time", []string{line(old), line(fresh), line(later)}, slices.DeleteFunc(got, isRelease))
		}),
	}
}
