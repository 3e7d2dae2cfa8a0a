package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-OUTBOX-001: nothing is transmitted before it is written.
func TestOutboxDurableBeforeWire(t *testing.T) {
	w := twoLive(t)
	n := w.a.store.applied
	if _, err := w.a.eng.Send(w.now, "o", []byte("m")); err != nil {
		t.Fatal(err)
	}
	want(t, "nothing yet", len(w.a.eng.Take()), 0)
	err := w.a.eng.Commit(w.now, func(b *store.Batch) error {
		want(t, "rows", len(b.Rows), 1)
		want(t, "first sent", b.Rows[0].FirstSent, w.now)
		want(t, "durable", b.Durable, true)
		want(t, "nothing before it is written", len(w.a.eng.Take()), 0)
		return w.a.store.Apply("b", b)
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "written", w.a.store.applied, n+1)
	want(t, "then sent", len(w.a.eng.Take()), 1)
}

// SUBSTRATE-OUTBOX-002, SUBSTRATE-OUTBOX-003, SUBSTRATE-OUTBOX-004, SUBSTRATE-ANSWER-002: the kit compares the octets of a row.
func TestOutboxOneInFlight(t *testing.T) {
	w := twoLive(t)
	for i := range 3 {
		w.a.send("o", fmt.Sprint(i))
	}
	for range 5 {
		want(t, "one is under way", len(w.a.wire), 1)
		w.lose()
		w.drop()
		w.connect()
	}
	want(t, "the same", w.a.sentKind(wire.Send), 6)
	for _, f := range w.a.sent {
		want(t, "id", f.ID, w.a.sent[0].ID)
	}
	w.pump()
	want(t, "order", w.b.bodies(wire.Send), "0 1 2")
}

// SUBSTRATE-OUTBOX-006, SUBSTRATE-RECONNECT-005: rows stay, whatever the network and the clock do.
func TestOutboxRowsStay(t *testing.T) {
	w := twoLive(t)
	w.drop()
	for i := range 100 {
		w.a.send("o", fmt.Sprint(i))
	}
	w.advance(30*24*time.Hour, false) // never transmitted: they do not expire (SUBSTRATE-OUTBOX-008)
	want(t, "rows", w.a.rows("o"), 100)
	w.connect()
	w.pump()
	want(t, "delivered", len(w.b.fetched), 100)
	want(t, "rows", w.a.rows("o"), 0)
}

// SUBSTRATE-OUTBOX-007, SUBSTRATE-ACK-005
func TestOutboxRestart(t *testing.T) {
	w := twoLive(t)
	for i := range 3 {
		w.a.send("o", fmt.Sprint(i))
	}
	for range 2 {
		w.a.deliver(0, false)
		w.b.deliver(0, false)
	}
	held := w.a.sent[2]
	want(t, "third is in flight", string(held.Body), "2")
	w.a.crash()
	o := w.a.eng.find("o")
	want(t, "head", o.rows[0].Seq, held.Seq)
	want(t, "id", o.rows[0].ID, held.ID)
	want(t, "prev", o.head.prev, held.Seq-1)
	want(t, "another receipt", string(o.head.receipt[:]) == string(held.Receipt), false)
	want(t, "next seq", o.cnt.LastAssigned, held.Seq)
	w.connect()
	old := wire.Frame{V: 1, Kind: wire.Ack, Obj: "o", ObjKind: wire.Session, ID: held.ID, Receipt: held.Receipt}
	old.Has = wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldReceipt
	w.a.inject(old)
	want(t, "the ack of before frees nothing", w.a.rows("o"), 1)
	w.pump()
	want(t, "freed", w.a.rows("o"), 0)
	want(t, "delivered", w.b.bodies(wire.Send), "0 1 2")
}

// SUBSTRATE-OUTBOX-008
func TestOutboxHorizon(t *testing.T) {
	w := twoLive(t)
	c := w.a.send("o", "m")
	t0 := w.now
	w.a.deliver(0, false)
	w.lose()
	w.drop()
	w.now = t0.Add(601200000*time.Millisecond - time.Millisecond)
	w.a.eng.Tick(w.now)
	w.a.commit()
	want(t, "not yet", w.a.rows("o"), 1)
	w.now = w.now.Add(time.Millisecond)
	w.connect()
	want(t, "not sent again", w.a.sentKind(wire.Send), 1)
	want(t, "expired", w.a.settled[c.ID].Code, Expired)
	want(t, "unknown", w.a.settled[c.ID].Unknown, true)
	want(t, "futile", w.a.count(observe.EventFutile), 1)
	w.a.send("o", "n")
	w.pump()
	want(t, "the next one goes", w.b.bodies(wire.Send), "m n")
}

// SUBSTRATE-OUTBOX-008: the first transmission is written before it happens, also of a row that has waited.
func TestOutboxFirstSentIsKept(t *testing.T) {
	w := twoLive(t)
	w.drop()
	w.a.send("o", "m")
	w.advance(time.Hour, false)
	w.connect()
	first := w.now
	w.a.crash()
	want(t, "first sent", w.a.eng.find("o").head.firstSent, first)
}

// SUBSTRATE-OUTBOX-009, SUBSTRATE-JOURNAL-004
func TestOutboxFailedEnqueue(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "1")
	before := w.a.eng.Digest()
	w.a.store.failAt = w.a.store.calls + 1
	c, err := w.a.eng.Send(w.now, "o", []byte("2"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.a.eng.Commit(w.now, nil); err != errDisk {
		t.Fatalf("commit: %v", err)
	}
	w.a.take()
	want(t, "unchanged", w.a.eng.Digest(), before)
	want(t, "the call fails", w.a.settled[c.ID].Err, errDisk)
	w.a.send("o", "3")
	w.pump()
	want(t, "delivered", w.b.bodies(wire.Send), "1 3")
	for _, f := range w.a.sent {
		want(t, "no prev", f.Has&wire.FieldPrev, 0)
	}
}

// SUBSTRATE-OUTBOX-005: a free and a reconnect begin the schedule anew.
func TestOutboxScheduleResets(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "m")
	w.lose()
	w.advance(29*time.Second, false)
	want(t, "sent", w.a.sentKind(wire.Send), 2)
	w.lose()
	w.drop()
	w.connect()
	want(t, "at once", w.a.sentKind(wire.Send), 3)
	w.lose()
	w.advance(10*time.Second, false)
	want(t, "after 10 s", w.a.sentKind(wire.Send), 4)
	w.pump()
	w.a.send("o", "n")
	w.lose()
	w.advance(10*time.Second-time.Millisecond, false)
	want(t, "not yet", w.a.sentKind(wire.Send), 5)
	w.advance(time.Millisecond, false)
	want(t, "the next one after 10 s", w.a.sentKind(wire.Send), 6)
}
