package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// roomCases are about frames for which there is no room.
func roomCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-004"
	return []conformance.Case{
		browserCase("last-waits-for-room", "a frame that finds the inbox full has not come: it is asked for, and last stays", laws(law), needs(Lowered), func(t *nodeT) {
			b := t.Browser(nodeSetup{Limits: map[string]int{"inbox": 2}})
			s := b.Follows("", 0, 5, 9, 12)
			first := b.the(law, "the first is handed over", b.Gets(s.Frame(5)), didDeliver)
			b.Gets(s.Frame(9))
			b.Gets(s.Frame(12))
			b.Reconnected(law, "last is that of the last frame in the inbox", s, 10)
			second := b.the(law, "the second follows", b.Handled(first), didDeliver)
			b.Handled(second)
			got := b.Takes(s.Frame(12))
			d := b.the(law, "there is room when it comes again", got, didDeliver)
			t.Equal(law, "and it is that frame", uint64(12), d.Seq)
		}),
		browserCase("full-inbox-asks-again", "a frame that finds the inbox full is asked for later", laws(law), needs(Lowered), func(t *nodeT) {
			b := t.Browser(nodeSetup{Limits: map[string]int{"inbox": 2}})
			s := b.Follows("", 0, 5, 9, 12)
			for _, seq := range s.seqs {
				b.Gets(s.Frame(seq))
			}
			got := b.Advance(10_001)
			if t.Check(len(got.Frames("resync")) > 0, law, "what was dropped is asked for", "a resync", got.String()) {
				t.Equal(law, "from where the inbox ends", uint64(10), got.Frames("resync")[0].number("fromSeq"))
			}
		}),
	}
}

// handoverCases are about what has come and is not handled.
func handoverCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-004"
	return []conformance.Case{
		browserCase("crash-before-handover", "what was received and not handled comes again after a crash", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{Store: t.lasting()})
			s := b.Follows("", 0, 5, 9, 12)
			d := b.the("", "the first is handed over", b.Gets(s.Frame(5)), didDeliver)
			b.Gets(s.Frame(9))
			t.Equal(law, "nothing is handled", uint64(0), b.Followed(s.addr))
			b.Handled(d)
			t.Equal(law, "one frame is handled", uint64(5), b.Followed(s.addr))
			b.Gets(s.Frame(12))
			b.Restart()
			b.Follow(s.addr, s.kind, 5)
			b.Asks(law, "the stream goes on behind what was handled", b.Connect(), s, 6)
			for _, seq := range []uint64{9, 12} {
				d := b.the(law, "it comes again", b.Takes(s.Frame(seq)), didDeliver)
				t.Equal(law, "in order", seq, d.Seq)
			}
			t.Equal(law, "and is handled", uint64(12), b.Followed(s.addr))
		}),
		browserCase("denied-frame-leaves-last", "a frame that the gate denies is bounced, and last does not move", laws(law), needs(GateRules), func(t *nodeT) {
			b := t.Browser(nodeSetup{Gate: []gateMember{{Verb: "send", Then: "deny", Code: "unauthorized"}}})
			s := b.Follows("", 0, 5, 9)
			got := b.Gets(s.Frame(5))
			t.Equal(law, "it is bounced", "unauthorized", b.sent(law, "a denial is answered", got, "err").code())
			t.Check(len(got.Of(didDeliver)) == 0, law, "and not handed over", "no delivery", got.String())
			b.Gate()
			b.Asks(law, "so the next frame shows a loss", b.Gets(s.Frame(9)), s, 1)
		}),
		browserCase("loss-ends-with-its-connection", "on another connection what is missing is asked for once", laws(law, "SUBSTRATE-FEED-007"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9, 12)
			b.Takes(s.Frame(5))
			b.Asks(law, "a loss is asked for", b.Takes(s.Frame(12)), s, 6)
			b.Disconnect()
			b.Quietly(law, "there is nobody to ask", b.Advance(60_000))
			b.Asks("SUBSTRATE-FEED-007", "on the next connection it is asked for at once", b.Connect(), s, 6)
			b.Takes(s.Frame(9))
			b.Takes(s.Frame(12))
			b.Silent(law, "nothing is missing any more", b.Advance(60_000))
		}),
	}
}

// Reconnected wants a new connection to ask for a stream from a seq on.
func (b *browser) Reconnected(law, reason string, s *stream, from uint64) {
	b.Disconnect()
	b.Asks(law, reason, b.Connect(), s, from)
}

// trimmedCases are about a stream whose beginning is not kept.
func trimmedCases() (out []conformance.Case) {
	const law = "SUBSTRATE-FEED-006"
	base := func(s *stream, f uint64) *frame {
		return frameOf("kind", "resync", "obj", s.addr, "objKind", s.kind, "base", f)
	}
	for _, x := range []struct {
		name       string
		last, base uint64
		from, to   uint64 // of the gap; 0: there is none
	}{
		{"from-the-beginning", 0, 9, 1, 8},
		{"in-the-middle", 5, 12, 6, 11},
		{"one-frame", 5, 7, 6, 6},
		{"next-frame", 5, 6, 0, 0},
		{"last-frame", 5, 5, 0, 0},
		{"before", 5, 2, 0, 0},
	} {
		out = append(out, browserCase("trimmed-"+x.name, "what is trimmed is told once, by its exact range", laws(law), needs(Happenings), func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", x.last, 30, 31)
			got := b.Gets(base(s, x.base)).Events("bridge/feed-gap")
			want, seen := "no event", "no event"
			if x.from != 0 {
				want = fmt.Sprintf("%s %d..%d", s.addr, x.from, x.to)
			}
			if len(got) == 1 {
				seen = fmt.Sprintf("%s %d..%d", got[0].Obj, got[0].From, got[0].To)
			} else if len(got) > 1 {
				seen = got.String()
			}
			t.Equal(law, "the gap", want, seen)
			again := b.Gets(base(s, x.base))
			t.Check(len(again.Events("bridge/feed-gap")) == 0, law, "once", "no event", again.String())
			b.Reconnected(law, "last is the seq before the base, and never less than it was", s, max(x.last+1, x.base))
		}))
	}
	return append(out, browserCase("trimmed-and-goes-on", "after a gap the first frame that is kept is in order", laws(law), nil, func(t *nodeT) {
		b := t.Browser(nodeSetup{})
		s := b.Follows("", 0, 5, 9, 12, 20)
		b.Takes(s.Frame(5))
		b.Asks(law, "a loss is asked for", b.Takes(s.Frame(20)), s, 6)
		b.Quietly(law, "a base is not answered", b.Gets(base(s, 12)))
		for _, seq := range []uint64{12, 20} {
			got := b.Takes(s.Frame(seq))
			b.the(law, "it is handed over", got, didDeliver)
			b.Quietly(law, "though its prev is gone", got)
		}
		b.Quietly(law, "nothing is missing", b.Advance(60_000))
	}))
}

// followCases are about what is asked for on a new connection.
func followCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-007"
	return []conformance.Case{
		browserCase("asks-for-each-after-ready", "on each connection every known stream is asked for at once, and no other", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			one, two, unknown := b.Follows("", 0, 5, 9), b.Follows("", 7, 8, 20), b.Stream(1)
			b.Gets(unknown.Frame(1))
			b.Disconnect()
			b.AsksAll(law, "right after ready", b.Connect(), one.Resync(1), two.Resync(8))
			b.Takes(one.Frame(5))
			b.Takes(two.Frame(8))
			b.Takes(two.Frame(20))
			b.Disconnect()
			b.AsksAll(law, "behind what has come", b.Connect(), one.Resync(6), two.Resync(21))
			b.AsksAll(law, "also when the connection is superseded", b.Connect(), one.Resync(6), two.Resync(21))
		}),
		browserCase("known-before-there-is-a-connection", "a stream that is known before the first connection is asked for on it", laws(law), nil, func(t *nodeT) {
			b := &browser{node: t.New(nodeSetup{Feeds: true})}
			s := b.Stream(5)
			b.Quietly(law, "there is nobody to ask", b.Follow(s.addr, s.kind, 4))
			b.Asks(law, "right after ready", b.Connect(), s, 5)
			b.the(law, "and it flows", b.Takes(s.Frame(5)), didDeliver)
		}),
		nodeCase("feed/nothing-is-asked-without-feeds", "a node that follows no feeds asks for none", laws(law), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			n.Gets(o.Make("send", "x"))
			n.Quietly(law, "no resync after ready", n.Reconnect())
		}),
	}
}
