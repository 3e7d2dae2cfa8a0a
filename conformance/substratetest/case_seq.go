package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// window is how far ahead of the frontier a frame is buffered (SUBSTRATE-SEQ-004).
const window = 64

func seqCases() []conformance.Case {
	return slices.Concat(seqGapCases(), seqWindowCases(), seqPrevCases(), seqResyncCases(), seqEpochCases())
}

const inOrder = "ops are handed over in the order of their seqs, each once"

func seqGapCases() []conformance.Case {
	return []conformance.Case{
		one("seq/in-sequence", "a hundred ops in sequence are acked in their order", laws("SUBSTRATE-SEQ-002", "SUBSTRATE-SEQ-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			var all []*frame
			var want []string
			for range 100 {
				f := o.Make("send", s.Octets(4))
				all, want = append(all, f), append(want, line(f))
			}
			o.p.link.Posts(all...)
			for _, f := range all {
				got := o.p.link.Expect("SUBSTRATE-SEQ-002", "what is in sequence is committed at once", "an ack", func(f *frame) bool { return true })
				s.Equal("SUBSTRATE-SEQ-002", "acks come as ops are committed, in sequence", "ack "+f.id(), got.kind()+" "+got.id())
			}
			s.Equal("SUBSTRATE-SEQ-003", inOrder, want, o.Handed("send"))
		}),
		one("seq/backwards", "three ops that come backwards are taken in their order", laws("SUBSTRATE-SEQ-002", "SUBSTRATE-SEQ-003", "SUBSTRATE-SEQ-013"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			a, b, c := o.Make("send", []byte("a")), o.Make("send", []byte("b")), o.Make("send", []byte("c"))
			l.Posts(c, b)
			l.Never("SUBSTRATE-SEQ-013", "what is ahead is buffered: neither acked nor refused", func(f *frame) bool { return f.id() == b.id() || f.id() == c.id() })
			l.Post(a)
			for _, f := range []*frame{a, b, c} {
				got := l.Expect("SUBSTRATE-SEQ-002", "what was buffered is released in order when the gap fills", "an ack", func(f *frame) bool { return f.kind() == "ack" })
				s.Equal("SUBSTRATE-SEQ-002", "what was buffered is released in order when the gap fills", f.id(), got.id())
			}
			s.Equal("SUBSTRATE-SEQ-003", inOrder, []string{line(a), line(b), line(c)}, o.Handed("send"))
		}),
		one("seq/any-order", "ops that come in any order within the window are taken in their order", laws("SUBSTRATE-SEQ-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			for range 5 {
				var all []*frame
				var want []string
				for range 20 {
					f := o.Make("send", s.Octets(4))
					all, want = append(all, f), append(want, line(f))
				}
				s.Rand().Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				o.p.link.Posts(all...)
				for _, f := range all {
					o.p.link.Acked("SUBSTRATE-SEQ-003", "each op within the window is acked in the end", f)
				}
				got := o.Handed("send")
				s.Equal("SUBSTRATE-SEQ-003", inOrder, want, got[len(got)-min(len(got), len(want)):])
			}
		}),
		one("seq/copies-in-the-buffer", "copies of what is buffered are dropped", laws("SUBSTRATE-SEQ-013"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			a, b := o.Make("send", []byte("a")), o.Make("send", []byte("b"))
			l.Posts(b, b, b, a)
			l.Acked("SUBSTRATE-SEQ-013", "the gap fills", a)
			l.Acked("SUBSTRATE-SEQ-013", "what was buffered is acked once", b)
			l.Never("SUBSTRATE-SEQ-013", "a duplicate of what is buffered is dropped", isAck(b.id()))
			s.Equal("SUBSTRATE-SEQ-013", inOrder, []string{line(a), line(b)}, o.Handed("send"))
		}),
		one("seq/buffer-ends-with-the-connection", "what is buffered is forgotten with the connection", laws("SUBSTRATE-SEQ-013", "SUBSTRATE-RECONNECT-002"), needs(Commands), func(s *subT) {
			o := s.Session()
			a, b := o.Make("send", []byte("a")), o.Make("send", []byte("b"))
			o.p.link.Post(b)
			o.p.link.Fence()
			o.p.link.Cut()
			l := o.p.Connect()
			o.Takes("SUBSTRATE-RECONNECT-002", "the frontier outlives the connection", a)
			l.Never("SUBSTRATE-SEQ-013", "what was buffered on an earlier connection was not taken", about(b.id()))
			o.Takes("SUBSTRATE-SEQ-013", "what is sent again is taken", b)
			s.Equal("SUBSTRATE-SEQ-013", inOrder, []string{line(a), line(b)}, o.Handed("send"))
		}),
		one("seq/below-the-frontier", "an op below the frontier is acked and not handed over, whatever its id", laws("SUBSTRATE-SEQ-005"), needs(Commands), func(s *subT) {
			o := s.Session()
			want := []string{line(o.Send("a")), line(o.Send("b"))}
			for seq := o.seq; seq >= 1; seq-- {
				o.Takes("SUBSTRATE-SEQ-005", "below the frontier is a duplicate: it is acked with its own receipt", o.At("send", seq, []byte("never")))
			}
			want = append(want, line(o.Takes("SUBSTRATE-SEQ-005", "below the frontier is a duplicate: it moves nothing, and the next op is in sequence", o.Make("send", []byte("c")))))
			s.Equal("SUBSTRATE-SEQ-005", "below the frontier is a duplicate: it is not handed over", want, o.Handed("send"))
		}),
		one("seq/objects-do-not-block-each-other", "a gap in one object delays no other", laws("SUBSTRATE-SEQ-014"), nil, func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			missing := a.Make("send", nil)
			p.link.Post(a.Make("send", nil))
			for range 20 {
				b.Ask("SUBSTRATE-SEQ-014", "a gap in another object delays nothing", nil, "res")
			}
			a.Takes("SUBSTRATE-SEQ-014", "and the object itself goes on when the gap fills", missing)
		}),
		one("seq/a-slow-handler-blocks-no-other-object", "an object whose handler waits delays no other", laws("SUBSTRATE-SEQ-014"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			word := s.Unique("word")
			held := a.Takes("", "a req is acked", a.Make("req", []byte("assay:hold "+word)))
			for range 20 {
				b.Ask("SUBSTRATE-SEQ-014", "a slow handler of another object delays nothing", nil, "res")
			}
			b.Ask("", "the handler is let go", []byte("assay:free "+word), "res")
			p.link.Answered("SUBSTRATE-SEQ-014", "the slow handler's answer comes", held, "res")
		}),
		one("seq/of-the-target", "the target's ops on an object have the seqs 1, 2, 3 and so on", laws("SUBSTRATE-SEQ-001"), nil, func(s *subT) {
			o := s.Session()
			for range 10 {
				o.Ask("SUBSTRATE-SEQ-001", "a req is answered", nil, "res")
			}
			var seqs, want []uint64
			for _, f := range o.p.link.all {
				if f.durable() {
					seqs, want = append(seqs, f.seq()), append(want, uint64(len(want)+1))
				}
			}
			s.Equal("SUBSTRATE-SEQ-001", "seqs count the ops of one object and direction, without gap", want, seqs)
		}),
		one("seq/of-two-objects", "objects have seqs of their own, in either direction", laws("SUBSTRATE-SEQ-001"), nil, func(s *subT) {
			p := s.Peer()
			for range 3 {
				o := p.Live("session", s.accepted())
				for n := range 3 {
					got := o.Ask("SUBSTRATE-SEQ-001", "a req is answered", nil, "res")
					s.Equal("SUBSTRATE-SEQ-001", "seqs are not shared with another object", n+2, got.seq())
				}
			}
		}),
	}
}

func seqWindowCases() []conformance.Case {
	return []conformance.Case{
		one("seq/window-edge", "an op 64 ahead is buffered, one 65 ahead is out_of_seq", laws("SUBSTRATE-SEQ-002", "SUBSTRATE-SEQ-004"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			next := o.seq + 1
			edge, beyond := o.At("send", next+window, nil), o.At("send", next+window+1, nil)
			l.Posts(edge, beyond)
			l.Bounced("SUBSTRATE-SEQ-004", "beyond the window is refused", beyond, "out_of_seq")
			l.Never("SUBSTRATE-SEQ-002", "at the edge of the window is buffered", about(edge.id()))
			for seq := next; seq < next+window; seq++ {
				l.Post(o.At("send", seq, nil))
			}
			l.Acked("SUBSTRATE-SEQ-002", "what was buffered at the edge is released when the gap fills", edge)
		}),
		one("seq/far-future", "ops far ahead are out_of_seq, once each", laws("SUBSTRATE-SEQ-004"), nil, func(s *subT) {
			o := s.Session()
			for _, seq := range []uint64{o.seq + 1 + window + 1, 1000, 1 << 32, maxSeq - 1, maxSeq} {
				f := o.At("send", seq, nil)
				o.p.link.Posts(f, f)
				o.p.link.Bounced("SUBSTRATE-SEQ-004", "far ahead is refused", f, "out_of_seq")
				o.p.link.Never("SUBSTRATE-SEQ-004", "far ahead is refused once", about(f.id()))
			}
			o.Takes("SUBSTRATE-SEQ-004", "the frontier has not moved", o.Make("send", nil))
		}),
		one("seq/full-window", "a whole window that comes backwards is taken", laws("SUBSTRATE-SEQ-004"), nil, func(s *subT) {
			o := s.Session()
			var all []*frame
			for range window + 1 {
				all = append(all, o.Make("send", nil))
			}
			slices.Reverse(all)
			o.p.link.Posts(all...)
			for _, f := range all {
				o.p.link.Acked("SUBSTRATE-SEQ-004", "64 frames are buffered", f)
			}
		}),
		one("seq/gap-bytes", "past 1 MiB of buffered bodies of an object a frame is dropped without reply", laws("SUBSTRATE-SEQ-004"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			first := o.Make("send", nil)
			a, b, c := o.Make("send", make([]byte, 600_000)), o.Make("send", make([]byte, 600_000)), o.Make("send", []byte("small"))
			l.Posts(a, b, c)
			l.Never("SUBSTRATE-SEQ-004", "past the cap a frame is dropped without reply", func(f *frame) bool { return f.id() == b.id() })
			l.Post(first)
			l.Acked("SUBSTRATE-SEQ-004", "the gap fills", first)
			l.Acked("SUBSTRATE-SEQ-004", "what was within the cap is taken", a)
			l.Never("SUBSTRATE-SEQ-004", "what was past the cap was dropped, and what is behind it waits", func(f *frame) bool { return f.kind() == "ack" })
			o.Takes("SUBSTRATE-SEQ-004", "what is sent again is taken", b)
			l.Acked("SUBSTRATE-SEQ-004", "what waited behind it is taken too", c)
		}),
		one("seq/largest", "the largest seq is a seq, and what would be above is bad_frame", laws("SUBSTRATE-SEQ-012", "SUBSTRATE-SEQ-010"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			o.seq = maxSeq - 2
			o.Opened("SUBSTRATE-SEQ-010", "the first op of an object is in sequence by definition")
			o.Takes("SUBSTRATE-SEQ-012", "2^53-1 is a seq", o.Make("send", nil))
			f := o.At("send", maxSeq+1, nil)
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-SEQ-012", "above 2^53-1 there is no seq", f, "bad_frame")
		}),
		one("seq/zero", "seq 0 is bad_frame", laws("SUBSTRATE-SEQ-012"), nil, func(s *subT) {
			o := s.Session()
			f := o.At("send", 0, nil)
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-SEQ-012", "a seq of 0 is none", f, "bad_frame")
		}),
	}
}

func seqPrevCases() []conformance.Case {
	return []conformance.Case{
		one("seq/prev-skips-a-refused-op", "an op that names its predecessor is taken over one that was refused", laws("SUBSTRATE-SEQ-009"), needs(Commands), func(s *subT) {
			o := s.Session()
			a := o.Send("a")
			b := o.Make("send", []byte("b")).with("objKind", "queue")
			o.p.link.Post(b)
			o.p.link.Bounced("", "an op of another kind is refused", b, "kind_mismatch")
			c := o.Make("send", []byte("c")).with("prev", int(a.seq()))
			o.Takes("SUBSTRATE-SEQ-009", "a frame is in sequence iff prev < nextExpected <= seq", c)
			s.Equal("SUBSTRATE-SEQ-009", inOrder, []string{line(a), line(c)}, o.Handed("send"))
		}),
		one("seq/a-refused-op-is-no-predecessor", "without prev, an op behind one that was refused waits", laws("SUBSTRATE-SEQ-009"), nil, func(s *subT) {
			o := s.Session()
			b := o.Make("send", nil).with("objKind", "queue")
			o.p.link.Post(b)
			o.p.link.Bounced("", "an op of another kind is refused", b, "kind_mismatch")
			c := o.Make("send", nil)
			o.p.link.Post(c)
			o.p.link.Never("SUBSTRATE-SEQ-009", "a bounce makes no predecessor: absent prev means seq-1", about(c.id()))
		}),
		one("seq/prev-far-back", "prev may be far below", laws("SUBSTRATE-SEQ-009"), nil, func(s *subT) {
			o := s.Session()
			for _, skip := range []uint64{1, 5, window, 1000, 1 << 40} {
				prev := o.seq
				o.seq += skip
				o.Takes("SUBSTRATE-SEQ-009", fmt.Sprintf("a frame that skips %d seqs and says so is in sequence", skip), o.Make("send", nil).with("prev", int(prev)))
			}
		}),
		one("seq/prev-ahead", "a frame whose predecessor is not there waits for it", laws("SUBSTRATE-SEQ-009"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			first := o.seq
			a := o.At("send", first+3, nil).with("prev", int(first))
			b := o.At("send", first+5, nil).with("prev", int(first+3))
			l.Post(b)
			l.Never("SUBSTRATE-SEQ-009", "a frame whose predecessor has not come waits", about(b.id()))
			l.Post(a)
			l.Acked("SUBSTRATE-SEQ-009", "the predecessor is in sequence", a)
			l.Acked("SUBSTRATE-SEQ-009", "and then the one that waited", b)
		}),
	}
}
