package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// hostile returns a connected world in which b has accepted session "o" of a, whose engine then falls silent: what comes to b is injected.
// The frontier of b stands at 2.
func hostile(t *testing.T, change ...func(string, *Config)) *world {
	t.Helper()
	w := twoLive(t, change...)
	return w
}

func acks(frames []wire.Frame) string {
	var all []string
	for _, f := range frames {
		if f.Kind == wire.Ack {
			all = append(all, f.ID+"="+string(f.Receipt))
		}
	}
	return strings.Join(all, " ")
}

func withPrev(f wire.Frame, prev uint64) wire.Frame {
	f.Prev = prev
	f.Has |= wire.FieldPrev
	return f
}

// SUBSTRATE-SEQ-001: numbers are in the order of the queue, by object and direction.
func TestSeqOneAuthority(t *testing.T) {
	w := twoLive(t)
	w.drop()
	for i := range 5 {
		w.a.send("o", fmt.Sprint(i))
		w.b.send("o", fmt.Sprint(i))
	}
	for i, r := range w.a.eng.find("o").rows {
		want(t, "a", r.Seq, uint64(i+2)) // after the open
	}
	for i, r := range w.b.eng.find("o").rows {
		want(t, "b", r.Seq, uint64(i+2)) // after the accept
	}
}

// SUBSTRATE-SEQ-002, SUBSTRATE-SEQ-004, SUBSTRATE-SEQ-013
func TestSeqWindow(t *testing.T) {
	w := hostile(t)
	for _, seq := range []uint64{4, 3, 2 + 64} {
		if got := w.b.inject(op(wire.Send, "o", fmt.Sprint("s", seq), seq)); len(got) != 0 {
			t.Fatalf("seq %d ahead: %s", seq, kinds(got))
		}
	}
	want(t, "duplicate of a buffered one", kinds(w.b.inject(op(wire.Send, "o", "s4", 4))), "")
	want(t, "beyond", kinds(w.b.inject(op(wire.Send, "o", "far", 2+65))), "err:out_of_seq")
	want(t, "far beyond", kinds(w.b.inject(op(wire.Send, "o", "farther", wire.MaxSeq))), "err:out_of_seq")
	want(t, "deferred", w.b.metrics.Snapshot().Total(observe.SeqDeferred), 3)
	want(t, "acks", acks(w.b.inject(op(wire.Send, "o", "s2", 2))), "s2=r-s2 s3=r-s3 s4=r-s4")
	want(t, "order", w.b.bodies(wire.Send), "s2 s3 s4")
	want(t, "frontier", w.b.eng.find("o").seq.next, 5)
}

// SUBSTRATE-SEQ-004: bytes are bounded by object and by peer.
func TestSeqGapBytes(t *testing.T) {
	w := hostile(t, func(_ string, c *Config) { c.Limits.GapBytes, c.Limits.PeerGapBytes = 100, 150 })
	big := func(seq uint64, n int) wire.Frame {
		f := op(wire.Send, "o", fmt.Sprint("s", seq), seq)
		f.Body = make([]byte, n)
		return f
	}
	w.b.inject(big(4, 60))
	want(t, "dropped without reply", kinds(w.b.inject(big(5, 60))), "")
	want(t, "one is there", len(w.b.eng.find("o").seq.gap), 1)
	w.b.inject(op(wire.Open, "p", "open-p", 1))
	f := big(6, 95)
	f.Obj = "p"
	want(t, "the peer has no more", kinds(w.b.inject(f)), "")
	want(t, "bytes", w.b.eng.gapBytes, 60)
	w.drop()
	want(t, "bytes after the connection", w.b.eng.gapBytes, 0)
}

// SUBSTRATE-SEQ-005
func TestSeqBelowFrontier(t *testing.T) {
	w := hostile(t)
	w.b.inject(op(wire.Send, "o", "s2", 2))
	before := w.b.eng.Digest()
	want(t, "ack", acks(w.b.inject(op(wire.Send, "o", "unknown", 1))), "unknown=r-unknown")
	want(t, "unchanged", w.b.eng.Digest(), before)
	want(t, "duplicates", w.b.metrics.Snapshot().Total(observe.DedupeDuplicate), 1)
	want(t, "delivered", w.b.bodies(wire.Send), "s2")
}

// SUBSTRATE-SEQ-005, SUBSTRATE-DEDUPE-001: a frame that waits while another copy of it, under another predecessor, or a base passes it by is acked as the copy that it is.
func TestSeqBufferedFallsBelow(t *testing.T) {
	w := hostile(t)
	w.b.inject(op(wire.Send, "o", "s4", 4))
	named := op(wire.Send, "o", "s4", 4)
	named.Prev, named.Has = 1, named.Has|wire.FieldPrev
	want(t, "both are acked", acks(w.b.inject(named)), "s4=r-s4 s4=r-s4")
	w.b.inject(op(wire.Send, "o", "s7", 7))
	want(t, "passed by", acks(w.b.inject(resyncOf("o", wire.FieldBase, 9))), "s7=r-s7")
	want(t, "delivered", w.b.bodies(wire.Send), "s4")
	want(t, "frontier", w.b.eng.find("o").seq.next, 9)
}

// SUBSTRATE-SEQ-006, SUBSTRATE-SEQ-007
func TestSeqGapMarks(t *testing.T) {
	w := hostile(t)
	w.b.inject(op(wire.Send, "o", "s3", 3))
	t0 := w.now
	w.b.sent = nil
	for _, m := range []struct{ ms, resyncs, ended int }{
		{29999, 0, 0}, {30000, 0, 0}, {30001, 1, 0}, {60000, 1, 0}, {60001, 2, 0}, {90001, 3, 0}, {120000, 3, 0}, {120001, 3, 1},
	} {
		w.now = t0.Add(time.Duration(m.ms) * time.Millisecond)
		w.b.eng.Tick(w.now)
		w.b.commit()
		want(t, fmt.Sprint("resyncs at ", m.ms), w.b.sentKind(wire.Resync), m.resyncs)
		want(t, fmt.Sprint("ended at ", m.ms), len(w.b.ended), m.ended)
	}
	want(t, "code", w.b.ended[0], uint16(CloseTimeout))
	want(t, "fromSeq", w.b.sent[0].FromSeq, 2)
}

// SUBSTRATE-SEQ-007: a frame that joins a gap does not make it younger; a new gap is as old as its first frame.
func TestSeqGapAge(t *testing.T) {
	w := hostile(t)
	w.b.inject(op(wire.Send, "o", "s3", 3))
	w.advance(20*time.Second, false)
	w.b.inject(op(wire.Send, "o", "s5", 5))
	w.b.sent = nil
	w.advance(10*time.Second+time.Millisecond, false)
	want(t, "asked", w.b.sentKind(wire.Resync), 1)
	w.b.inject(op(wire.Send, "o", "s2", 2))
	w.b.sent = nil
	w.advance(19*time.Second+999*time.Millisecond, false) // s5 is 30 s old
	want(t, "not yet", w.b.sentKind(wire.Resync), 0)
	w.advance(time.Millisecond, false)
	want(t, "new gap", w.b.sentKind(wire.Resync), 1)
	want(t, "for the new gap", w.b.sent[0].FromSeq, 4)
	w.b.inject(op(wire.Send, "o", "s4", 4))
	w.advance(200*time.Second, false)
	want(t, "cancelled", w.b.sentKind(wire.Resync), 1)
}

// SUBSTRATE-SEQ-008, SUBSTRATE-VERB-005
func TestSeqAnswerResync(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "m")
	first := w.a.sent[0]
	got := w.a.inject(resyncOf("o", wire.FieldFromSeq, 2))
	want(t, "one", kinds(got), "send")
	want(t, "unchanged", fmt.Sprint(got[0]), fmt.Sprint(first))
	for range 1000 {
		want(t, "storm", kinds(w.a.inject(resyncOf("o", wire.FieldFromSeq, 2))), "")
	}
	w.now = w.now.Add(10 * time.Second)
	got = w.a.inject(resyncOf("o", wire.FieldFromSeq, 1))
	want(t, "base first", kinds(got), "resync send")
	want(t, "base", got[0].Base, 2)
	w.now = w.now.Add(10 * time.Second)
	want(t, "out of range", kinds(w.a.inject(resyncOf("o", wire.FieldFromSeq, 4))), "")
	want(t, "not counted", kinds(w.a.inject(resyncOf("o", wire.FieldFromSeq, 3))), "send")
	w.lose()
	w.drop()
	w.connect()
	w.pump()
	w.now = w.now.Add(10 * time.Second)
	got = w.a.inject(resyncOf("o", wire.FieldFromSeq, 2))
	want(t, "empty outbox", kinds(got), "resync")
	want(t, "base of an empty outbox", got[0].Base, 3)
}

// SUBSTRATE-SEQ-008: base raises and never lowers.
func TestSeqBase(t *testing.T) {
	w := hostile(t)
	w.b.inject(op(wire.Send, "o", "s5", 5))
	w.b.inject(resyncOf("o", wire.FieldBase, 1))
	want(t, "not lowered", w.b.eng.find("o").seq.next, 2)
	want(t, "drained", acks(w.b.inject(resyncOf("o", wire.FieldBase, 5))), "s5=r-s5")
	want(t, "frontier", w.b.eng.find("o").seq.next, 6)
}

// SUBSTRATE-SEQ-009: a bounced op is no predecessor, and the next op is in sequence at once.
func TestSeqPredecessor(t *testing.T) {
	w := twoLive(t, func(name string, c *Config) {
		if name == "b" {
			c.Authorize = func(x *OpContext) Denial {
				if x.Verb == wire.Req {
					return Deny(wire.Unauthorized)
				}
				return Denial{}
			}
		}
	})
	w.a.send("o", "1")
	w.a.req("o", "2")
	w.a.send("o", "3")
	w.pump()
	want(t, "delivered", w.b.bodies(wire.Send), "1 3")
	last := w.a.sent[len(w.a.sent)-1]
	want(t, "prev is there", last.Has&wire.FieldPrev != 0, true)
	want(t, "prev", last.Prev, last.Seq-2)
	want(t, "first has none", w.a.sent[0].Has&wire.FieldPrev, 0)
	want(t, "deferred", w.b.metrics.Snapshot().Total(observe.SeqDeferred), 0)
	if got := w.b.inject(withPrev(op(wire.Send, "o", "s9", 9), 8)); len(got) != 0 {
		t.Fatalf("prev at the frontier is ahead: %s", kinds(got))
	}
}

// SUBSTRATE-SEQ-010: a restart forgets the frontier and loses nothing.
func TestSeqRestartAdopts(t *testing.T) {
	for stop := range 6 {
		w := twoLive(t)
		for i := range 3 {
			w.a.send("o", fmt.Sprint(i))
		}
		for range stop {
			for _, s := range []*side{w.a, w.b} {
				if len(s.wire) > 0 {
					s.deliver(0, false)
				}
			}
		}
		w.b.crash()
		w.connect()
		w.pump()
		want(t, fmt.Sprint("after ", stop), w.b.bodies(wire.Send), "0 1 2")
		want(t, "rows", w.a.rows("o"), 0)
	}
}

// SUBSTRATE-SEQ-011: a sender that has lost its store begins at 1 again, and its ops are delivered.
func TestSeqEpoch(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "1")
	w.a.send("o", "2")
	w.pump()
	w.drop()
	w.a.store.Store = newMemory()
	w.a.crash()
	// The rows of before are gone with the store.
	w.a.metrics = &observe.InMemory{}
	w.a.cfg.Observe.Metrics = w.a.metrics
	w.a.crash()
	w.connect()
	w.a.send("o", "3")
	w.pump()
	want(t, "delivered", w.b.bodies(wire.Send), "1 2 3")
	want(t, "seq", w.a.sent[len(w.a.sent)-1].Seq, 1)
}

// SUBSTRATE-SEQ-012
func TestSeqNeverWraps(t *testing.T) {
	w := twoLive(t)
	w.drop()
	w.a.eng.touch(w.a.eng.find("o")).cnt.LastAssigned = wire.MaxSeq - 2
	w.a.send("o", "1")
	w.a.send("o", "2")
	before := w.a.eng.Digest()
	_, err := w.a.eng.Send(w.now, "o", nil)
	want(t, "code", codeOf(err), SeqExhausted)
	want(t, "unchanged", w.a.eng.Digest(), before)
	w.connect()
	want(t, "zero is refused", kinds(w.b.inject(op(wire.Send, "o", "zero", 0))), "err:bad_frame")
	want(t, "beyond is refused", kinds(w.b.inject(op(wire.Send, "o", "over", wire.MaxSeq+1))), "err:bad_frame")
}

// SUBSTRATE-SEQ-014
func TestSeqObjectsAreIndependent(t *testing.T) {
	w := twoLive(t)
	w.a.open("p")
	w.pump()
	w.b.fetched = nil
	w.b.inject(op(wire.Send, "o", "gap", 30)) // a gap on o
	w.b.reaction = func(d Delivery) {
		if d.Obj == "p" {
			w.b.finish(d)
		}
	}
	for i := range 100 {
		w.a.send("p", fmt.Sprint(i))
		w.pump()
		w.advance(time.Second, true)
	}
	want(t, "delivered", len(w.b.fetched), 100)
}

// SUBSTRATE-OBJ-007: late duplicates of an earlier incarnation are not delivered.
func TestObjIncarnations(t *testing.T) {
	w := twoLive(t)
	var old []packet
	for i := range 3 {
		w.a.send("o", fmt.Sprint("s", i))
		old = append(old, w.a.wire...)
		w.pump()
		w.a.closes("o")
		w.pump()
		w.a.open("o")
		w.pump()
		for _, p := range old {
			w.b.receive(p)
		}
	}
	want(t, "delivered", w.b.bodies(wire.Send), "s0 s1 s2")
	last := uint64(0)
	for _, f := range w.a.sent {
		if f.Has&wire.FieldSeq != 0 && f.Seq <= last {
			t.Fatalf("seq %d after %d", f.Seq, last)
		}
		last = max(last, f.Seq)
	}
}
