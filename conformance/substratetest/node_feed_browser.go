package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// A browser is a node that follows feeds, of which the suite is the edge.
type browser struct {
	*node
}

// Browser makes a node that is connected and follows the streams that are given to it.
func (t *nodeT) Browser(o nodeSetup) *browser {
	o.Feeds = true
	return &browser{node: t.Connected(o)}
}

// browserCase is a case of a node that follows feeds.
func browserCase(name, title string, laws, options []string, do func(*nodeT)) conformance.Case {
	return nodeCase("feed/"+name, title, laws, append(needs(Feeds), options...), do)
}

// Follows returns a stream that the node follows from a seq on. With a law it wants the node to ask for it.
func (b *browser) Follows(law string, last uint64, seqs ...uint64) *stream {
	s := b.Stream(seqs...)
	got := b.Follow(s.addr, s.kind, last)
	if law != "" {
		b.Asks(law, "a stream that is followed is asked for", got, s, last+1)
	}
	return s
}

// Asks wants one resync of a stream among deeds, and nothing else on the wire.
func (b *browser) Asks(law, reason string, got deeds, s *stream, from uint64) bool {
	return b.AsksAll(law, reason, got, s.Resync(from))
}

// AsksAll wants these resyncs, in whatever order, and nothing else on the wire.
func (b *browser) AsksAll(law, reason string, got deeds, want ...*frame) bool {
	texts := func(all []*frame) (out []string) {
		for _, f := range all {
			out = append(out, f.String())
		}
		slices.Sort(out)
		return out
	}
	return b.t.Equal(law, reason, texts(want), texts(got.Frames()))
}

// Takes hands the node a frame of a stream and has the application be done with all that is delivered.
func (b *browser) Takes(f *frame) deeds {
	did := b.Gets(f)
	for i := 0; i < len(did); i++ {
		if did[i].Kind == didDeliver {
			did = append(did, b.Handled(did[i])...)
		}
	}
	return did
}

// Seqs returns what was delivered of a stream, in order.
func (b *browser) Seqs(s *stream) []uint64 {
	seqs := []uint64{}
	for _, d := range b.all.Of(didDeliver) {
		if d.Obj == s.addr {
			seqs = append(seqs, d.Seq)
		}
	}
	return seqs
}

// orderCases are about frames that are in order, and those that are not new.
func orderCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-002"
	return []conformance.Case{
		browserCase("jump-is-no-loss", "a seq that jumps is in order if its prev has come", laws(law, "SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9, 12, 1000, maxSeq)
			for _, seq := range s.seqs {
				got := b.Takes(s.Frame(seq))
				b.Quietly("SUBSTRATE-FEED-005", "a frame of a feed is not acked, and nothing is asked for", got)
				d := b.the(law, "it is handed over", got, didDeliver)
				t.Equal(law, "as it came", fmt.Sprintf("send f%d %d %d", seq, seq, seq), fmt.Sprintf("%s %s %d %s", d.Verb, d.ID, d.Seq, d.Body))
			}
		}),
		browserCase("duplicates-are-ignored", "a frame whose seq has come is ignored, whatever its id", laws(law, "SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9, 12)
			for _, seq := range s.seqs {
				b.Takes(s.Frame(seq))
			}
			for _, seq := range s.seqs {
				for _, f := range []*frame{s.Frame(seq), s.Frame(seq).with("id", "another")} {
					b.Silent(law, "it is no frame that is new, and no loss", b.Gets(f))
				}
			}
			b.Silent(law, "nor is a seq that the stream does not have", b.Gets(s.Frame(7)))
			t.Equal(law, "each once", s.seqs, b.Seqs(s))
		}),
		browserCase("same-id-under-another-seq", "frames of a feed are told apart by seq and not by the ledger", laws("SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9)
			b.Takes(s.Frame(5))
			got := b.Takes(s.Frame(9).with("id", "f5"))
			b.the("SUBSTRATE-FEED-005", "another seq is another frame", got, didDeliver)
		}),
		browserCase("prev-before-last", "a frame whose prev is before the last one is in order", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9, 12)
			b.Takes(s.Frame(5))
			b.Takes(s.Frame(9))
			got := b.Takes(s.Frame(12).with("prev", 5))
			b.the(law, "seq > last with prev <= last is in order", got, didDeliver)
			b.Quietly(law, "and no loss", got)
		}),
	}
}

// apartCases are about which stream a frame is of.
func apartCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-002"
	return []conformance.Case{
		browserCase("starts-where-it-is-told", "a stream that is followed from a seq on begins behind it", laws(law, "SUBSTRATE-FEED-003"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("SUBSTRATE-FEED-003", 9, 5, 9, 12)
			b.Silent(law, "what is not behind it is a duplicate", append(b.Gets(s.Frame(5)), b.Gets(s.Frame(9))...))
			b.the(law, "what is behind it is new", b.Takes(s.Frame(12)), didDeliver)
		}),
		browserCase("stream-that-is-not-followed", "a frame of a stream that is not followed is dropped", laws("SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Stream(5)
			b.Silent("SUBSTRATE-FEED-005", "it is neither acked, bounced nor delivered", b.Gets(s.Frame(5)))
		}),
		browserCase("two-streams", "each object has a chain of its own", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			one, two := b.Follows("", 0, 5, 9, 13), b.Follows("", 0, 6, 12)
			for _, f := range []*frame{one.Frame(5), two.Frame(6), one.Frame(9), two.Frame(12), one.Frame(13)} {
				b.Quietly(law, "the other's seqs between are no loss", b.Takes(f))
			}
			t.Equal(law, "all of both", fmt.Sprint(one.seqs, two.seqs), fmt.Sprint(b.Seqs(one), b.Seqs(two)))
		}),
	}
}

// lossCases lose each frame of a stream.
func lossCases() (out []conformance.Case) {
	const law = "SUBSTRATE-FEED-004"
	seqs := []uint64{5, 9, 12, 20}
	for k := range len(seqs) - 1 {
		out = append(out, browserCase(fmt.Sprintf("frame-%d-of-%d-is-lost", k+1, len(seqs)), "a loss shows at the next frame, and what is missing is asked for at once",
			laws("SUBSTRATE-FEED-002", law, "SUBSTRATE-FEED-003"), nil, func(t *nodeT) {
				b := t.Browser(nodeSetup{})
				s := b.Follows("", 0, seqs...)
				for _, seq := range seqs[:k] {
					b.Takes(s.Frame(seq))
				}
				from := s.prev(seqs[k]) + 1
				got := b.Takes(s.Frame(seqs[k+1]))
				b.Asks("SUBSTRATE-FEED-002", "prev > last: frames were lost", got, s, from)
				t.Check(len(got.Of(didDeliver)) == 0, law, "the frame is dropped", "no delivery", got.String())
				for _, seq := range s.from(from) {
					b.Quietly(law, "what is in order is not asked for", b.Takes(s.Frame(seq)))
				}
				t.Equal("SUBSTRATE-FEED-003", "what is taken is the stream, in order, once", seqs, b.Seqs(s))
			}))
	}
	return out
}

// askingCases are about when what is missing is asked for.
func askingCases() []conformance.Case {
	const law = "SUBSTRATE-FEED-004"
	return []conformance.Case{
		browserCase("burst-after-a-loss", "one resync is outstanding for an object, and it is repeated every 10 s", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9)
			for i := range uint64(51) {
				s.seqs = append(s.seqs, 12+i)
			}
			b.Takes(s.Frame(5))
			b.Asks(law, "at once", b.Takes(s.Frame(12)), s, 6)
			for _, seq := range s.from(13) {
				b.Silent(law, "one is outstanding", b.Takes(s.Frame(seq)))
			}
			for range 13 {
				// The gap timer would end the connection after 120 s.
				b.Silent(law, "not before 10 s", b.Advance(9_999))
				b.Asks(law, "again after 10 s, and no gap timer", b.Advance(1), s, 6)
			}
			b.Takes(s.Frame(9))
			b.Silent(law, "nothing any more once a frame is in order", b.Advance(60_000))
		}),
		browserCase("losses-of-two-objects", "each object has a loss of its own", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			one, two := b.Follows("", 0, 5, 9, 12), b.Follows("", 0, 6, 10, 14)
			b.Takes(one.Frame(5))
			b.Asks(law, "the first", b.Takes(one.Frame(12)), one, 6)
			b.Asks(law, "the second", b.Takes(two.Frame(14)), two, 1)
			b.Takes(one.Frame(9))
			b.Asks(law, "what is in order of one does not end the other's", b.Advance(10_000), two, 1)
		}),
		browserCase("second-loss-is-asked-for-at-once", "a loss after one that was made good is asked for at once", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 5, 9, 12, 20, 21, 30)
			b.Asks(law, "the first", b.Takes(s.Frame(9)), s, 1)
			b.Takes(s.Frame(5))
			b.Takes(s.Frame(9))
			b.Asks(law, "the second", b.Takes(s.Frame(20)), s, 10)
			b.Takes(s.Frame(12))
			b.Asks(law, "the third", b.Takes(s.Frame(21)), s, 13)
		}),
		browserCase("last-begins-at-0", "the first frame of a stream has prev 0, and any other shows a loss", laws(law), nil, func(t *nodeT) {
			b := t.Browser(nodeSetup{})
			s := b.Follows("", 0, 1, 2)
			b.Asks(law, "last is 0 at first", b.Takes(s.Frame(2)), s, 1)
		}),
	}
}
