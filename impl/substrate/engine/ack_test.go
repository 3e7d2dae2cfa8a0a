package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

func ackOf(f *wire.Frame) wire.Frame {
	return wire.Frame{
		V: 1, Kind: wire.Ack, Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID, Receipt: f.Receipt,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldReceipt,
	}
}

// SUBSTRATE-ACK-001, SUBSTRATE-ACK-002: the ack waits for the store and for nothing else.
func TestAckFollowsCommit(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {} // the handler does not return
	w.a.send("o", "m")
	raw := w.a.wire[0]
	w.b.eng.Receive(w.now, raw.conn, raw.raw)
	want(t, "nothing before the commit", len(w.b.eng.Take()), 0)
	err := w.b.eng.Commit(w.now, func(b *store.Batch) error {
		want(t, "entry", len(b.Entries), 1)
		want(t, "inbox", len(b.Inbound), 1)
		want(t, "durable", b.Durable, true)
		want(t, "nothing while it is written", len(w.b.eng.Take()), 0)
		return w.b.store.Apply("a", b)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.b.take()
	want(t, "ack", kinds(w.b.sent), "ack")
	w.advance(time.Hour, false)
	want(t, "handed over", len(w.b.fetched), 1)
}

// SUBSTRATE-ACK-003: fresh and duplicate are acked alike, with the receipt of the frame.
func TestAckEchoesReceipt(t *testing.T) {
	w := twoLive(t)
	for n, receipt := range []string{"\x00", "ab", string(make([]byte, 64))} {
		f := op(wire.Send, "o", "same", 2)
		f.Receipt = []byte(receipt)
		got := w.b.inject(f)
		want(t, fmt.Sprint("copy ", n), kinds(got), "ack")
		want(t, "receipt", string(got[0].Receipt), receipt)
		want(t, "obj", got[0].Obj+got[0].ObjKind+got[0].ID, "osessionsame")
		want(t, "no seq", got[0].Has&wire.FieldSeq, 0)
	}
	want(t, "delivered", len(w.b.fetched), 1)
}

// SUBSTRATE-ACK-004
func TestAckStale(t *testing.T) {
	w := twoLive(t)
	w.a.open("p")
	w.pump()
	w.a.send("o", "1")
	w.a.send("o", "2")
	good := ackOf(&w.a.sent[len(w.a.sent)-1])
	queued := w.a.eng.find("o").rows[1]
	before := w.a.eng.Digest()
	n := w.a.count(observe.EventStaleReceipt)
	for what, change := range map[string]func(*wire.Frame){
		"obj": func(f *wire.Frame) { f.Obj = "p" }, "unknown obj": func(f *wire.Frame) { f.Obj = "zz" },
		"id": func(f *wire.Frame) { f.ID = "other" }, "queued": func(f *wire.Frame) { f.ID = queued.ID },
		"receipt": func(f *wire.Frame) { f.Receipt = []byte("another") },
	} {
		f := good
		change(&f)
		want(t, what, kinds(w.a.inject(f)), "")
		want(t, what+" changes nothing", w.a.eng.Digest(), before)
	}
	want(t, "recorded", w.a.count(observe.EventStaleReceipt)-n, 5)
	acked := w.a.metrics.Snapshot().Total(observe.OpsAcked)
	want(t, "the good one", kinds(w.a.inject(good)), "send")
	before = w.a.eng.Digest()
	for range 3 {
		want(t, "again", kinds(w.a.inject(good)), "")
	}
	want(t, "unchanged", w.a.eng.Digest(), before)
	want(t, "counted once", w.a.metrics.Snapshot().Total(observe.OpsAcked), acked+1)
}

// SUBSTRATE-ACK-007, SUBSTRATE-RECONNECT-004: what comes on an older connection is dropped.
func TestAckOfOldConnection(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "m")
	late := w.a.wire[0]
	ack := ackOf(&w.a.sent[0])
	raw, err := wire.Append(nil, &ack)
	if err != nil {
		t.Fatal(err)
	}
	old := w.link
	w.drop()
	w.connect()
	w.lose()
	digest := w.b.eng.Digest()
	w.b.receive(late)
	want(t, "op", w.b.eng.Digest(), digest)
	w.a.receive(packet{old, raw})
	want(t, "ack", w.a.rows("o"), 1)
}

// SUBSTRATE-ANSWER-001: one settlement, after any number of connections, whatever else comes.
func TestAnswerSettlesOnce(t *testing.T) {
	for drops := range 6 {
		w := twoLive(t)
		w.b.reaction = func(Delivery) {}
		c := w.a.req("o", "q")
		w.pump()
		for range drops {
			w.drop()
			w.connect()
		}
		w.b.finish(w.b.held[0])
		w.pump()
		want(t, "res", string(w.a.settled[c.ID].Body), "re:q")
		f := op(wire.Err, "o", c.ID, 3)
		want(t, "conflicting", kinds(w.a.inject(f)), "ack")
		f = op(wire.Res, "o", c.ID, 2)
		want(t, "replayed", kinds(w.a.inject(f)), "ack")
		want(t, "code", w.a.settled[c.ID].Code, "")
	}
}

// SUBSTRATE-VERB-003
func TestAnswerKinds(t *testing.T) {
	w := twoLive(t)
	for verb, answer := range map[string]func(Delivery) error{
		wire.End: func(d Delivery) error { return w.b.eng.End(w.now, d) },
		wire.Err: func(d Delivery) error { return w.b.eng.Fail(w.now, d, wire.AppError, "why") },
	} {
		w.b.reaction = func(d Delivery) {
			if err := answer(d); err != nil {
				t.Fatal(err)
			}
			if codeOf(answer(d)) != NotPending {
				t.Fatal("answered twice")
			}
			w.b.held = nil
			w.b.commit()
		}
		c := w.a.req("o", "q")
		w.pump()
		want(t, verb, w.a.settled[c.ID].Kind, verb)
	}
	want(t, "futile", w.a.count(observe.EventFutile), 1) // of the err
}

// SUBSTRATE-ANSWER-002: an answer survives the process that made it.
func TestAnswerIsDurable(t *testing.T) {
	w := twoLive(t)
	c := w.a.req("o", "q")
	w.a.deliver(0, false)
	w.b.crash()
	w.connect()
	w.pump()
	want(t, "res", string(w.a.settled[c.ID].Body), "re:q")
	want(t, "asked once", len(w.b.fetched), 1)
}

// SUBSTRATE-ANSWER-003: both sides use one id for an op and for an answer.
func TestAnswerClass(t *testing.T) {
	w := twoLive(t)
	ca, err := w.a.eng.Enqueue(w.now, Op{Kind: wire.Req, Obj: "o", ID: "same", Body: []byte("qa")})
	if err != nil {
		t.Fatal(err)
	}
	w.a.commit()
	cb, err := w.b.eng.Enqueue(w.now, Op{Kind: wire.Req, Obj: "o", ID: "same", Body: []byte("qb")})
	if err != nil {
		t.Fatal(err)
	}
	w.b.commit()
	w.pump()
	want(t, "a", string(w.a.settled[ca.ID].Body), "re:qa")
	want(t, "b", string(w.b.settled[cb.ID].Body), "re:qb")
}

// SUBSTRATE-ANSWER-004
func TestAnswerFreesRow(t *testing.T) {
	w := twoLive(t)
	w.a.req("o", "q")
	w.a.send("o", "next")
	w.a.deliver(0, false)
	ack := w.b.wire[0]
	w.b.wire = w.b.wire[1:] // the ack is lost, the answer comes
	w.b.deliver(0, false)
	want(t, "freed", w.a.rows("o"), 1)
	want(t, "no prev", w.a.sent[len(w.a.sent)-2].Has&wire.FieldPrev, 0)
	w.a.receive(ack)
	want(t, "stale", w.a.count(observe.EventStaleReceipt), 1)
	w.pump()
	want(t, "in sequence", w.b.bodies(wire.Send), "next")
	want(t, "deferred", w.b.metrics.Snapshot().Total(observe.SeqDeferred), 0)
	m := w.a.metrics.Snapshot()
	want(t, "answered", m.Total(observe.OpsAnswered), 1)
}

// SUBSTRATE-ANSWER-005
func TestAnswerOrphan(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	w.a.req("o", "q")
	w.pump()
	w.a.crash()
	w.connect()
	w.b.finish(w.b.held[0])
	w.pump()
	want(t, "orphan", w.a.count(observe.EventOrphanAnswer), 1)
	want(t, "freed", w.b.rows("o"), 0)
	want(t, "forged", kinds(w.a.inject(op(wire.Accept, "o", "never", 9))), "")
	want(t, "on an unknown name", kinds(w.a.inject(op(wire.Accept, "nowhere", "never2", 1))), "err:no_such_object")
	want(t, "nothing came to be", w.a.state("nowhere"), "")
	got := w.a.inject(op(wire.Accept, "o", "never3", 3))
	want(t, "acked", kinds(got), "ack")
	want(t, "once", w.a.count(observe.EventOrphanAnswer), 2)
}

// SUBSTRATE-ANSWER-005, SUBSTRATE-OBJ-002: the record of an open outlives the process, and its accept makes it live.
func TestAnswerAcceptAfterRestart(t *testing.T) {
	w := newWorld(t)
	w.connect()
	w.a.open("o")
	w.a.crash()
	w.connect()
	w.pump()
	want(t, "a", w.a.state("o"), live)
	want(t, "b", w.b.state("o"), live)
	want(t, "nobody waits", w.a.count(observe.EventOrphanAnswer), 1)
}

// SUBSTRATE-ANSWER-006
func TestAnswerDeathFailsCalls(t *testing.T) {
	for _, closer := range []string{"a", "b"} {
		w := twoLive(t)
		w.b.reaction = func(Delivery) {}
		w.a.reaction = func(Delivery) {}
		var calls []Call
		for i := range 3 {
			calls = append(calls, w.a.req("o", fmt.Sprint(i)))
		}
		w.pump()
		if closer == "a" {
			w.a.closes("o")
		} else {
			w.b.closes("o")
		}
		w.pump()
		for _, c := range calls {
			want(t, "by "+closer, w.a.settled[c.ID].Code, wire.Closed)
		}
		for _, d := range w.b.held {
			if d.Kind == wire.Req {
				want(t, "late answer", codeOf(w.b.eng.Respond(w.now, d, nil)), wire.Closed)
				break
			}
		}
		want(t, "nobody waits", len(w.a.eng.calls), 0)
	}
}

// SUBSTRATE-ANSWER-006, SUBSTRATE-OBJ-007: a req that still waits for the application when its object is forgotten and opened again is no
// question to the new one.
func TestAnswerAfterItsObjectIsForgotten(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	w.a.send("o", "slow")
	w.a.req("o", "q")
	w.pump()
	w.b.closes("o")
	w.pump()
	w.now = w.now.Add(store.Horizon + time.Millisecond)
	w.b.eng.Tick(w.now)
	w.b.commit()
	want(t, "it is forgotten", w.b.state("o"), "")
	w.b.open("o")
	w.b.commit()
	want(t, "it is being handled", w.b.held[0].Kind, wire.Send)
	if err := w.b.eng.Handled(w.now, w.b.held[0]); err != nil {
		t.Fatal(err)
	}
	w.b.commit()
	asked := w.b.held[len(w.b.held)-1]
	want(t, "the next", asked.Kind, wire.Req)
	want(t, "an answer of it", codeOf(w.b.eng.Respond(w.now, asked, nil)), NotPending)
}

// SUBSTRATE-DEDUPE-001, SUBSTRATE-DEDUPE-002, SUBSTRATE-DEDUPE-005
func TestDedupeRemembers(t *testing.T) {
	w := twoLive(t)
	f := op(wire.Send, "o", "one", 2)
	w.b.inject(f)
	dup := func(what string) {
		t.Helper()
		want(t, what, acks(w.b.inject(f)), "one=r-one")
		want(t, what, w.b.bodies(wire.Send), "one")
	}
	dup("at once")
	w.drop()
	w.connect()
	dup("new connection")
	w.b.crash()
	w.connect()
	dup("restart")
	g := f
	g.Obj = "elsewhere"
	want(t, "other object", acks(w.b.inject(g)), "one=r-one")
	w.b.closes("o")
	dup("closed") // SUBSTRATE-DEDUPE-004
	w.lose()
	w.drop()
	w.now = w.now.Add(6*24*time.Hour + 23*time.Hour + 59*time.Minute)
	w.connect()
	dup("6 d 23 h 59 m")
	want(t, "no err", w.b.sentKind(wire.Err), 0)
}

// SUBSTRATE-DEDUPE-003
func TestDedupeExpiryEdge(t *testing.T) {
	w := twoLive(t)
	f := op(wire.Send, "o", "one", 2)
	t0 := w.now
	w.b.inject(f)
	at := func(ms int64) string {
		w.now = t0.Add(time.Duration(ms) * time.Millisecond)
		return acks(w.b.inject(f))
	}
	want(t, "a day back", at(-86400000), "one=r-one")
	for day := range int64(7) {
		want(t, "each day", at(day*86400000), "one=r-one")
	}
	want(t, "before", at(604799999), "one=r-one")
	want(t, "edge", at(604800000), "one=r-one")
	want(t, "delivered", w.b.bodies(wire.Send), "one")
	w.b.crash()
	w.connect()
	w.lose()
	want(t, "after", at(604800001), "one=r-one")
	want(t, "fresh", w.b.bodies(wire.Send), "one one")
	want(t, "known again", at(604800002), "one=r-one")
	want(t, "not thrice", w.b.bodies(wire.Send), "one one")
}

// SUBSTRATE-DEDUPE-006
func TestDedupeConflict(t *testing.T) {
	w := twoLive(t)
	f := op(wire.Send, "o", "one", 2)
	w.b.inject(f)
	f.Body = []byte("another")
	want(t, "acked", kinds(w.b.inject(f)), "ack")
	want(t, "event", w.b.count(observe.EventIDConflict), 1)
	want(t, "delivered", w.b.bodies(wire.Send), "one")
}

// SUBSTRATE-DEDUPE-008
func TestDedupeRedelivered(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	for i := range 3 {
		w.a.send("o", fmt.Sprint(i))
	}
	w.pump()
	want(t, "first", w.b.bodies(wire.Send), "0")
	w.b.crash()
	w.b.crash()
	want(t, "once per crash", w.b.bodies(wire.Send), "0 0 0")
	want(t, "redelivered", w.b.fetched[1].Redelivered, true)
	w.b.reaction = nil
	w.b.finish(w.b.held[0])
	want(t, "in order", w.b.bodies(wire.Send), "0 0 0 1 2")
	w.b.crash()
	want(t, "handled", w.b.bodies(wire.Send), "0 0 0 1 2")
}

// SUBSTRATE-ACK-004, SUBSTRATE-OUTBOX-008: a row whose first transmission the store refuses to note is not sent, so that no ack is for it; it
// goes when the store works again.
func TestAckOfHeldRow(t *testing.T) {
	w := twoLive(t)
	w.drop()
	w.a.send("o", "m")
	w.a.store.failing = true
	w.connect()
	want(t, "not sent", w.a.sentKind(wire.Send), 0)
	w.a.store.failing = false
	r, h := w.a.eng.find("o").rows[0], w.a.eng.find("o").head
	w.a.inject(ackOf(&wire.Frame{Obj: "o", ObjKind: wire.Session, ID: r.ID, Receipt: h.receipt[:]}))
	want(t, "not freed", w.a.rows("o"), 1)
	w.advance(time.Second, true)
	want(t, "delivered", w.b.bodies(wire.Send), "m")
}

// SUBSTRATE-JOURNAL-007
func TestAcceptQueueInJournal(t *testing.T) {
	w := newWorld(t, func(_ string, c *Config) { c.Journal = true })
	w.b.reaction = func(Delivery) {}
	w.connect()
	w.a.call(w.a.eng.Open(w.now, wire.Queue, "q", nil))
	w.pump()
	before := w.b.eng.Digest()
	want(t, "code", codeOf(w.b.eng.AcceptQueue(w.now, w.b.held[0])), wire.Unsupported)
	want(t, "unchanged", w.b.eng.Digest(), before)
}

// SUBSTRATE-ANSWER-005: an answer, or a bounce, to what was never sent is none.
func TestAnswerToUnsent(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "first")
	c := w.a.req("o", "q")
	want(t, "forged res", kinds(w.a.inject(op(wire.Res, "o", c.ID, 2))), "ack")
	want(t, "orphan", w.a.count(observe.EventOrphanAnswer), 1)
	w.a.inject(bounceOf("o", c.ID, wire.AppError))
	want(t, "rows", w.a.rows("o"), 2)
	want(t, "not settled", len(w.a.settled), 1) // the open
}
