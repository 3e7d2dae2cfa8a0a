package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// foreign returns a connected world in which b keeps a live session "o" of a third peer.
func foreign(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	err := w.b.store.Apply("a", &store.Batch{Objects: []store.Object{{
		Obj: "o", Kind: wire.Session, State: live, Opener: "c", OpenID: "x", Incarnation: 1, Participants: []string{"c", "b"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	w.b.crash()
	w.connect()
	w.b.inject(op(wire.Send, "o", "s5", 5))
	w.b.sent = nil
	return w
}

// SUBSTRATE-FINALITY-003, SUBSTRATE-FINALITY-004, SUBSTRATE-FINALITY-005
func TestFinalityNonParticipant(t *testing.T) {
	for _, seq := range []uint64{1, 6, 60, 4000} {
		w := foreign(t)
		before := w.b.eng.Snapshot()
		want(t, "close", kinds(w.b.inject(op(wire.Close, "o", "c1", seq))), "err:not_participant")
		want(t, "second copy", kinds(w.b.inject(op(wire.Close, "o", "c1", seq))), "")
		e := op(wire.Err, "o", "e1", seq)
		e.Code = wire.ObjectFailed
		want(t, "err", kinds(w.b.inject(e)), "")
		want(t, "bounce", kinds(w.b.inject(bounceOf("o", "e2", wire.Closed))), "")
		after := w.b.eng.Snapshot()
		want(t, "one tombstone", len(after.Tombstones), 1)
		after.Tombstones = nil
		want(t, "no trace", after.Digest(), before.Digest())
		want(t, "in sequence", acks(w.b.inject(op(wire.Send, "o", "s6", 6))), "s6=r-s6")
	}
}

// SUBSTRATE-FINALITY-001, SUBSTRATE-FINALITY-002, SUBSTRATE-FINALITY-006: the code decides; any terminal one purges, says so once, and the next
// row goes at once.
func TestFinalityTerminalPurges(t *testing.T) {
	for _, code := range []string{wire.Unauthorized, wire.AppError, "never_heard_of"} {
		w := twoLive(t)
		w.a.send("o", "1")
		w.pump()
		c := w.a.send("o", "2")
		w.a.send("o", "3")
		w.lose()
		got := w.a.inject(bounceOf("o", c.ID, code))
		want(t, "next", kinds(got), "send")
		want(t, "prev", got[0].Prev, got[0].Seq-2)
		w.pump()
		want(t, "delivered", w.b.bodies(wire.Send), "1 3")
		want(t, "rejected", w.a.settled[c.ID].Code, code)
		want(t, "futile", w.a.count(observe.EventFutile), 1)
		want(t, "live", w.a.state("o"), live)
		w.a.inject(bounceOf("o", c.ID, code))
		want(t, "once", w.a.count(observe.EventFutile), 1)
	}
}

// SUBSTRATE-BOUNCE-003, SUBSTRATE-ANSWER-003: an answer is purged in flight, and an op of the same id follows it. The reply that comes first is for the
// answer, whatever it is, and the next one for the op.
func TestFinalityReplyToRowBefore(t *testing.T) {
	purged := func() (*world, Call) {
		w := twoLive(t)
		w.b.inject(op(wire.Req, "o", "same", 2))
		w.b.inject(op(wire.Close, "o", "c", 3))
		want(t, "purged", w.b.count(observe.EventFutile), 1)
		c := w.b.call(w.b.eng.Enqueue(w.now, Op{Kind: wire.Open, Obj: "o", ObjKind: wire.Session, ID: "same"}))
		want(t, "in flight", w.b.rows("o"), 1)
		return w, c
	}
	w, c := purged()
	w.b.inject(bounceOf("o", "same", wire.Closed))
	want(t, "the answer's", w.b.state("o"), opening)
	w.b.inject(bounceOf("o", "same", wire.Unauthorized))
	want(t, "the op's", w.b.settled[c.ID].Code, wire.Unauthorized)

	w, c = purged()
	ack := op(wire.Ack, "o", "same", 0)
	ack.Has &^= wire.FieldSeq
	ack.Receipt = []byte("the answer's")
	w.b.inject(ack)
	w.b.inject(bounceOf("o", "same", wire.Unauthorized))
	want(t, "the answer was acked", w.b.settled[c.ID].Code, wire.Unauthorized)

	// What has not come by the end of the connection does not come any more.
	w, c = purged()
	w.drop()
	w.connect()
	w.b.inject(bounceOf("o", "same", wire.Unauthorized))
	want(t, "on the next connection", w.b.settled[c.ID].Code, wire.Unauthorized)
}

// SUBSTRATE-FINALITY-007
func TestFinalityRetryable(t *testing.T) {
	w := twoLive(t)
	c := w.a.send("o", "m")
	w.a.send("o", "n")
	first := w.a.sent[0]
	for _, seconds := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		w.lose()
		n := w.a.sentKind(wire.Send)
		w.a.inject(bounceOf("o", c.ID, wire.QueueFull))
		w.a.inject(bounceOf("o", c.ID, wire.QueueFull)) // a copy of the same err
		w.advance(seconds*time.Second-time.Millisecond, false)
		want(t, "not yet", w.a.sentKind(wire.Send), n)
		w.advance(time.Millisecond, false)
		want(t, "again", w.a.sentKind(wire.Send), n+1)
		want(t, "the same", string(w.a.sent[len(w.a.sent)-1].Receipt), string(first.Receipt))
	}
	w.lose()
	w.a.inject(bounceOf("o", c.ID, wire.Busy))
	w.drop()
	w.connect()
	want(t, "at once", w.a.eng.find("o").head.mode, waiting)
	want(t, "keeps the count", w.a.eng.find("o").head.refusals, 8)
	w.pump()
	want(t, "in order", w.b.bodies(wire.Send), "m n")
	want(t, "futile", w.a.count(observe.EventFutile), 0)
}

// SUBSTRATE-FINALITY-006, SUBSTRATE-FINALITY-008: an err that answers an op after a restart of its side is futile if the row is still there, and is not if the row has been freed: then
// nobody knows whether it was said before.
func TestFinalityErrAfterRestart(t *testing.T) {
	for _, acked := range []bool{false, true} {
		w := twoLive(t)
		w.b.auto = false
		w.a.req("o", "q")
		w.a.deliver(0, false)
		if acked {
			w.b.deliver(0, false)
		}
		w.lose()
		w.a.crash()
		d := w.b.held[0]
		if err := w.b.eng.Fail(w.now, d, wire.AppError, ""); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
		w.connect()
		w.lose()
		answer := w.b.sent[len(w.b.sent)-1]
		want(t, "answer", answer.Kind, wire.Err)
		w.a.inject(answer)
		n := 1
		if acked {
			n = 0
		}
		want(t, "futile", w.a.count(observe.EventFutile), n)
		want(t, "orphan", w.a.count(observe.EventOrphanAnswer), 1)
		want(t, "rows", w.a.rows("o"), 0)
	}
}

// SUBSTRATE-FINALITY-007: as an answer the same code only rejects the call.
func TestFinalityRetryableAnswer(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(d Delivery) {
		if err := w.b.eng.Fail(w.now, d, wire.Busy, ""); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
	}
	c := w.a.req("o", "q")
	w.pump()
	s := w.a.settled[c.ID]
	want(t, "code", s.Code, wire.Busy)
	want(t, "retryable", s.Retryable, true)
	want(t, "futile", w.a.count(observe.EventFutile), 0)
	want(t, "rows", w.a.rows("o"), 0)
}

// SUBSTRATE-FINALITY-008, SUBSTRATE-TOMBSTONE-002
func TestFinalityDeathStopsAtOpen(t *testing.T) {
	w := newWorld(t)
	w.a.send("n", "1")
	w.a.send("n", "2")
	c := w.a.open("n")
	w.connect()
	bounced := func() *wire.Frame {
		for i := range w.b.sent {
			if w.b.sent[i].Kind == wire.Err {
				return &w.b.sent[i]
			}
		}
		return nil
	}
	w.pump()
	want(t, "futile", w.a.count(observe.EventFutile), 2)
	want(t, "accepted", w.a.settled[c.ID].Kind, wire.Accept)
	w.a.send("n", "3")
	w.pump()
	want(t, "delivered", w.b.bodies(wire.Send), "3")
	before := w.a.eng.Digest()
	w.a.inject(*bounced())
	want(t, "replayed later", w.a.eng.Digest(), before)
}

// SUBSTRATE-FINALITY-008: what is in flight when the object dies may have been taken.
func TestFinalityDeathFlagsInFlight(t *testing.T) {
	w := twoLive(t)
	in := w.a.send("o", "1")
	next := w.a.send("o", "2")
	w.lose()
	w.a.inject(op(wire.Close, "o", "bye", 2))
	want(t, "in flight", w.a.settled[in.ID].Unknown, true)
	want(t, "queued", w.a.settled[next.ID].Unknown, false)
	want(t, "futile", w.a.count(observe.EventFutile), 2)
	want(t, "state", w.a.state("o"), closed)
	want(t, "rows", w.a.rows("o"), 0)
}

// SUBSTRATE-FINALITY-009
func TestFinalityCrossClose(t *testing.T) {
	for order := range 2 {
		w := twoLive(t)
		w.a.closes("o")
		w.b.closes("o")
		sides := []*side{w.a, w.b}
		sides[order].deliver(0, false)
		sides[1-order].deliver(0, false)
		w.pump()
		for _, s := range sides {
			want(t, s.name, s.state("o"), closed)
			want(t, s.name+" events", s.count(observe.EventClosed), 1)
			want(t, s.name+" errs", s.sentKind(wire.Err), 0)
			want(t, s.name+" rows", s.rows("o"), 0)
			want(t, s.name+" calls", len(s.eng.calls), 0)
		}
	}
}

// SUBSTRATE-TOMBSTONE-001, SUBSTRATE-TOMBSTONE-003, SUBSTRATE-BOUNCE-001
func TestTombstoneSwallowAndServe(t *testing.T) {
	w := newWorld(t)
	w.connect()
	f := op(wire.Send, "n", "x", 1)
	want(t, "bounce", kinds(w.b.inject(f)), "err:no_such_object")
	for range 5 {
		want(t, "swallowed", kinds(w.b.inject(f)), "")
	}
	want(t, "another id", kinds(w.b.inject(op(wire.Send, "n", "y", 1))), "err:no_such_object")
	w.drop()
	w.connect()
	want(t, "served once", kinds(w.b.inject(f)), "err:no_such_object")
	want(t, "then swallowed", kinds(w.b.inject(f)), "")
	w.b.inject(op(wire.Open, "n", "open", 2))
	want(t, "live", w.b.state("n"), live)
	want(t, "never delivered", kinds(w.b.inject(f)), "")
	w.lose()
	w.drop()
	w.connect()
	w.lose()
	want(t, "the same err", kinds(w.b.inject(f)), "err:no_such_object")
	want(t, "nothing", w.b.bodies(wire.Send), "")
}

// SUBSTRATE-TOMBSTONE-004
func TestTombstoneBounds(t *testing.T) {
	w := newWorld(t)
	w.connect()
	first := op(wire.Send, "n", "first", 1)
	w.b.inject(first)
	for i := range 4096 {
		w.b.inject(op(wire.Send, "n", fmt.Sprint("x", i), 1))
	}
	want(t, "bounded", len(w.b.eng.tombs.order), 4096)
	want(t, "map", len(w.b.eng.tombs.by), 4096)
	want(t, "evicted", kinds(w.b.inject(first)), "err:no_such_object")
	w.now = w.now.Add(store.Horizon)
	want(t, "edge", kinds(w.b.inject(first)), "")
	w.now = w.now.Add(time.Millisecond)
	want(t, "outlived", kinds(w.b.inject(first)), "err:no_such_object")
	w.b.crash()
	w.connect()
	want(t, "restart", kinds(w.b.inject(first)), "err:no_such_object")
	w.b.store.failing = true
	want(t, "retryable", kinds(w.b.inject(op(wire.Send, "n", "r", 1))), "err:store_unavailable")
	want(t, "no tombstone", kinds(w.b.inject(op(wire.Send, "n", "r", 1))), "err:store_unavailable")
}

// SUBSTRATE-BOUNCE-002, SUBSTRATE-BOUNCE-003
func TestBounceControlFrames(t *testing.T) {
	w := twoLive(t)
	before := w.b.eng.Digest()
	bad := bounceOf("bad address", "e", wire.Closed)
	for _, f := range []wire.Frame{
		bounceOf("nowhere", "e", wire.Closed), bounceOf("o", "e", wire.Closed), bad,
		ackOf(&wire.Frame{Obj: "nowhere", ObjKind: wire.Session, ID: "e", Receipt: []byte("r")}),
		resyncOf("nowhere", wire.FieldFromSeq, 1), resyncOf("nowhere", wire.FieldBase, 9), resyncOf("o", wire.FieldFromSeq, 9999),
	} {
		want(t, f.Kind, kinds(w.b.inject(f)), "")
	}
	for _, kind := range []string{wire.EstablishOK, wire.EstablishFail} {
		f := bounceOf("nowhere", "e", "x")
		f.Kind, f.ObjKind = kind, wire.Stream
		f.Has |= wire.FieldLabel
		want(t, kind, kinds(w.b.inject(f)), "")
	}
	want(t, "no trace", w.b.eng.Digest(), before)
	want(t, "a bounce moves nothing", kinds(w.b.inject(op(wire.Send, "nowhere", "s", 1))), "err:no_such_object")
	s := w.b.eng.Snapshot()
	s.Tombstones = nil
	want(t, "nor leaves anything but a tombstone", s.Digest(), before)
	want(t, "a durable err on nothing is acked", kinds(w.b.inject(op(wire.Err, "nowhere", "e5", 1))), "ack")
}

// SUBSTRATE-BOUNCE-004
func TestBounceDurableErrIsAcked(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	w.a.req("o", "q")
	w.pump()
	w.a.closes("o")
	if err := w.b.eng.Fail(w.now, w.b.held[0], wire.AppError, ""); err != nil {
		t.Fatal(err)
	}
	w.b.held = nil
	w.b.commit()
	w.b.deliver(0, false)               // before b learns of the close
	w.a.deliver(len(w.a.wire)-1, false) // and the ack comes before it too
	want(t, "freed by the ack", w.b.rows("o"), 0)
	w.b.reaction = nil
	w.pump()
	want(t, "b drains", w.b.rows("o"), 0)
	c := w.b.open("o")
	w.pump()
	want(t, "and goes on at once", w.b.settled[c.ID].Kind, wire.Accept)
}

// SUBSTRATE-BOUNCE-005
func TestBounceClosedOrNone(t *testing.T) {
	w := twoLive(t)
	w.b.closes("o")
	w.lose()
	want(t, "closed", kinds(w.b.inject(op(wire.Send, "o", "x", 2))), "err:closed")
	w.drop()
	w.now = w.now.Add(store.Horizon)
	w.connect()
	w.lose()
	want(t, "edge", kinds(w.b.inject(op(wire.Send, "o", "y", 2))), "err:closed")
	w.now = w.now.Add(time.Millisecond)
	want(t, "after", kinds(w.b.inject(op(wire.Send, "o", "z", 2))), "err:no_such_object")
	w.b.crash()
	w.connect()
	w.lose()
	want(t, "after a restart", kinds(w.b.inject(op(wire.Send, "o", "zz", 2))), "err:no_such_object")
}
