package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeSeqCases are about gaps that stay open.
func nodeSeqCases() []conformance.Case {
	gap := slices.Clip(laws("SUBSTRATE-SEQ-006", "SUBSTRATE-SEQ-007"))
	return []conformance.Case{
		nodeCase("seq/gap-asks-after-30-s", "a gap that stays for more than 30 s is asked about", gap, nil, (*nodeT).gapAsks),
		nodeCase("seq/gap-asks-thrice-and-ends", "three resyncs without an answer, then the connection is ended",
			append(gap, "SUBSTRATE-SEQ-013"), nil, (*nodeT).gapGivesUp),
		nodeCase("seq/gap-in-one-go", "what falls due while time passes in one go is done at its time", gap, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			n.gap(n.Theirs("session"))
			got := n.Advance(200_000).Outward()
			var at []int64
			for _, d := range got {
				at = append(at, d.At)
			}
			t.Now("SUBSTRATE-SEQ-007", "three resyncs and the end", got, "transmit resync", "transmit resync", "transmit resync", "end 4008")
			t.Equal("SUBSTRATE-SEQ-007", "they are 30 s apart, from the first ms at which the gap is older than 30 s",
				fmt.Sprint([]int64{30_001, 60_001, 90_001, 120_001}), fmt.Sprint(at))
		}),
		nodeCase("seq/gap-filled-is-over", "a gap that is filled is never asked about",
			append(gap, "SUBSTRATE-SEQ-002", "SUBSTRATE-SEQ-003"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				missing, _ := n.gap(o)
				n.Silent("SUBSTRATE-SEQ-007", "the gap is young", n.Advance(29_000))
				got := n.Gets(missing)
				t.Now("SUBSTRATE-SEQ-002", "what waited is released in order", got, "transmit ack", "deliver send", "transmit ack")
				t.Equal("SUBSTRATE-SEQ-003", "the missing one comes first",
					missing.id(), n.the("SUBSTRATE-SEQ-003", "one at a time", got, didDeliver).ID)
				n.Handled(got.Of(didDeliver)[0])
				n.Silent("SUBSTRATE-SEQ-007", "filling the gap cancels the timer", n.Advance(300_000))
			}),
		nodeCase("seq/gap-age-is-of-its-first-frame", "frames that join a gap do not make it younger",
			append(gap, "SUBSTRATE-SEQ-013"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				n.gap(o)
				for range 5 {
					n.Silent("SUBSTRATE-SEQ-007", "the gap is young", n.Advance(6_000))
					n.Silent("SUBSTRATE-SEQ-013", "what is ahead is not acked", n.Gets(o.Make("send", "more")))
				}
				n.sent("SUBSTRATE-SEQ-007", "the age is that of the first frame of the gap", n.Advance(1), "resync")
			}),
		nodeCase("seq/new-gap-new-age", "a gap after a gap has an age of its own", gap, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			missing, _ := n.gap(o)
			n.Advance(20_000)
			n.Handled(n.the("", "the gap is filled", n.Gets(missing), didDeliver))
			n.gap(o)
			n.Silent("SUBSTRATE-SEQ-007", "30000 ms of the new gap", n.Advance(30_000))
			n.sent("SUBSTRATE-SEQ-007", "30001 ms of the new gap", n.Advance(1), "resync")
		}),
		nodeCase("seq/second-hole-new-age", "a hole behind the one that is filled is as old as the first frame that waits for it", gap, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			missing, _ := n.gap(o)
			n.Advance(20_000)
			n.gap(o)
			n.Advance(5_000)
			n.Handled(n.the("", "the first hole is filled", n.Gets(missing), didDeliver))
			n.Silent("SUBSTRATE-SEQ-007", "30000 ms after what waits for the second hole came", n.Advance(25_000))
			n.sent("SUBSTRATE-SEQ-007", "30001 ms after it came", n.Advance(1), "resync")
		}),
		nodeCase("seq/gap-of-each-object", "each object has its own gap, age and resync", append(gap, "SUBSTRATE-SEQ-014"), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			a, b := n.Theirs("session"), n.Theirs("queue")
			n.gap(a)
			n.Advance(10_000)
			n.gap(b)
			ask := n.sent("SUBSTRATE-SEQ-006", "the older gap is asked about", n.Advance(20_001), "resync")
			t.Equal("SUBSTRATE-SEQ-006", "it names its object", a.addr, ask.obj())
			ask = n.sent("SUBSTRATE-SEQ-006", "then the younger one", n.Advance(10_000), "resync")
			t.Equal("SUBSTRATE-SEQ-006", "it names its object", b.addr, ask.obj())
		}),
		nodeCase("seq/gap-goes-with-the-connection", "the end of a connection discards what waits in a gap",
			laws("SUBSTRATE-SEQ-013", "SUBSTRATE-SEQ-007"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				missing, ahead := n.gap(o)
				n.Reconnect()
				n.Silent("SUBSTRATE-SEQ-007", "there is no gap any more", n.Advance(60_000))
				n.Handled(n.the("SUBSTRATE-SEQ-013", "only the missing one is delivered", n.Gets(missing), didDeliver))
				got := n.Gets(ahead)
				n.Acked("SUBSTRATE-SEQ-013", "what was discarded is taken when it comes again", got, ahead)
				t.Equal("SUBSTRATE-SEQ-013", "and delivered once", 1, len(got.Of(didDeliver)))
			}),
		nodeCase("seq/gap-holds-nobody-else-up", "an object with a gap delays no other for as long as it lasts",
			laws("SUBSTRATE-SEQ-014"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				a, b := n.Theirs("session"), n.Theirs("session")
				n.gap(a)
				for range 100 {
					n.Advance(1_000)
					f := b.Make("send", "on")
					got := n.Gets(f)
					n.Acked("SUBSTRATE-SEQ-014", "an op of another object is acked at once", got, f)
					n.Handled(n.the("SUBSTRATE-SEQ-014", "and delivered at once", got, didDeliver))
				}
			}),
	}
}

// gap has the peer send the op after the next one, and returns both.
func (n *node) gap(o *nodeObj) (missing, ahead *frame) {
	missing, ahead = o.Make("send", "missing"), o.Make("send", "ahead")
	n.Silent("", "a frame ahead of its turn is neither acked nor delivered", n.Gets(ahead))
	return missing, ahead
}

func (t *nodeT) gapAsks() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	missing, _ := n.gap(o)
	n.Silent("SUBSTRATE-SEQ-007", "at an age of 29999 ms nothing is sent", n.Advance(29_999))
	n.Silent("SUBSTRATE-SEQ-007", "at an age of 30000 ms nothing is sent", n.Advance(1))
	ask := n.sent("SUBSTRATE-SEQ-006", "at an age of 30001 ms one resync is sent", n.Advance(1), "resync")
	t.Equal("SUBSTRATE-SEQ-006", "the resync names what is expected", missing.seq(), ask.number("fromSeq"))
}

func (t *nodeT) gapGivesUp() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	missing, ahead := n.gap(o)
	now := int64(0)
	for _, at := range []int64{30_001, 60_001, 90_001} {
		n.Silent("SUBSTRATE-SEQ-007", fmt.Sprintf("before %d ms nothing is sent", at), n.Advance(at-1-now))
		now = at
		n.sent("SUBSTRATE-SEQ-007", fmt.Sprintf("at %d ms one resync is sent", at), n.Advance(1), "resync")
	}
	n.Silent("SUBSTRATE-SEQ-007", "the third has 30 s too", n.Advance(29_999))
	end := n.the("SUBSTRATE-SEQ-007", "after the third the connection is ended", n.Advance(1), didEnd)
	t.Equal("SUBSTRATE-SEQ-007", "the close code", 4008, end.Close)
	n.Connect()
	for _, f := range []*frame{missing, ahead} {
		got := n.Gets(f)
		n.Acked("SUBSTRATE-SEQ-013", "on the next connection it is taken", got, f)
		n.Handled(n.the("SUBSTRATE-SEQ-013", "and delivered", got, didDeliver))
	}
}
