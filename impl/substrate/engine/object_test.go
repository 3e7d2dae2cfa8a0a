package engine

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003
func TestAddrFaults(t *testing.T) {
	w := twoLive(t)
	before := w.b.eng.Snapshot()
	for addr, code := range map[string]string{
		"a@b": wire.RoutingNotSupported, "@": wire.RoutingNotSupported, "A@b": wire.RoutingNotSupported,
		"": wire.BadAddress, "A": wire.BadAddress, "a b": wire.BadAddress, string(make([]byte, 129)): wire.BadAddress,
	} {
		f := op(wire.Send, addr, fmt.Sprintf("i%x", addr)[:min(20, 1+2*len(addr))], 1)
		got := w.b.inject(f)
		want(t, fmt.Sprintf("%q", addr), kinds(got), "err:"+code)
		want(t, "no obj", got[0].Has&(wire.FieldObj|wire.FieldObjKind), 0)
		want(t, "once", kinds(w.b.inject(f)), "")
		_, err := w.b.eng.Send(w.now, addr, nil)
		want(t, "local", codeOf(err), code)
	}
	after := w.b.eng.Snapshot()
	after.Tombstones = nil
	want(t, "no trace", after.Digest(), before.Digest())
}

// SUBSTRATE-ADDR-004, SUBSTRATE-ADDR-005
func TestAddrMatchedNeverParsed(t *testing.T) {
	w := newWorld(t)
	w.connect()
	names := []string{"a", "a/", "a/b", "./a", "a//b", "queue/x"}
	for _, n := range names {
		w.a.open(n)
		w.pump()
	}
	for _, n := range names {
		w.a.send(n, n)
	}
	w.pump()
	for _, d := range w.b.fetched {
		if d.Kind == wire.Send {
			want(t, "object", string(d.Body), d.Obj)
		}
		want(t, "kind", d.ObjKind, wire.Session)
	}
	want(t, "live", w.b.eng.live, len(names))
}

// SUBSTRATE-OBJ-002
func TestObjParticipants(t *testing.T) {
	w := twoLive(t)
	for _, s := range []*side{w.a, w.b} {
		p := s.eng.find("o").rec.Participants
		want(t, s.name, fmt.Sprint(p), "[a b]")
		want(t, "opener", s.eng.find("o").rec.Opener, "a")
	}
}

// SUBSTRATE-OBJ-003, SUBSTRATE-OBJ-004
func TestObjQueue(t *testing.T) {
	w := twoLive(t)
	w.a.call(w.a.eng.Open(w.now, wire.Queue, "q", nil))
	w.pump()
	w.a.send("q", "1")
	w.pump()
	want(t, "delivered", w.b.bodies(wire.Send), "1")
	_, err := w.a.eng.Req(w.now, "q", nil)
	want(t, "local", codeOf(err), wire.Unsupported)
	before := w.b.eng.Snapshot()
	f := op(wire.Req, "q", "r", 3)
	f.ObjKind = wire.Queue
	want(t, "req", kinds(w.b.inject(f)), "err:unsupported")
	want(t, "mismatch", kinds(w.b.inject(op(wire.Send, "q", "m", 3))), "err:kind_mismatch")
	f = op(wire.Open, "q", "m2", 3)
	want(t, "open of another kind", kinds(w.b.inject(f)), "err:kind_mismatch")
	after := w.b.eng.Snapshot()
	after.Tombstones = nil
	want(t, "no trace", after.Digest(), before.Digest())
}

// SUBSTRATE-OBJ-005
func TestObjOpening(t *testing.T) {
	w := newWorld(t)
	w.b.reaction = func(Delivery) {}
	w.connect()
	c := w.a.open("o")
	w.pump()
	for _, kind := range []string{wire.Send, wire.Req} {
		want(t, kind, kinds(w.b.inject(op(kind, "o", kind, 2))), "err:not_accepted")
		_, err := w.a.eng.Enqueue(w.now, Op{Kind: kind, Obj: "o"})
		want(t, "local", codeOf(err), NotLive)
	}
	w.b.finish(w.b.held[0])
	w.pump()
	want(t, "accepted", w.a.settled[c.ID].Kind, wire.Accept)
	c = w.a.open("p")
	w.pump()
	w.a.closes("p") // cancel
	w.pump()
	want(t, "cancelled", w.a.settled[c.ID].Code, wire.Closed)
	want(t, "b", w.b.state("p"), closed)
}

// SUBSTRATE-OBJ-006
func TestObjOpenTwice(t *testing.T) {
	w := twoLive(t)
	got := w.b.inject(op(wire.Open, "o", "again", 2))
	want(t, "live", kinds(got), "ack reject:already_exists")
	want(t, "id", got[1].ID, "again")
	_, err := w.a.eng.Open(w.now, wire.Session, "o", nil)
	want(t, "local", codeOf(err), wire.AlreadyExists)
}

// SUBSTRATE-OBJ-006
func TestObjOpenGlare(t *testing.T) {
	for order := range 4 {
		w := newWorld(t)
		w.connect()
		ca, cb := w.a.open("o"), w.b.open("o")
		sides := []*side{w.a, w.b}
		for i := range 2 {
			s := sides[(order>>i&1+i)%2]
			if len(s.wire) > 0 {
				s.deliver(0, false)
			}
		}
		w.pump()
		want(t, "the smaller survives", w.a.settled[ca.ID].Kind, wire.Accept)
		want(t, "the other does not", w.b.settled[cb.ID].Code, wire.OpenConflict)
		for _, s := range sides {
			want(t, s.name, s.state("o"), live)
			want(t, s.name, s.eng.find("o").rec.Opener, "a")
			want(t, s.name, s.eng.live, 1)
		}
		w.b.send("o", "x")
		w.pump()
		want(t, "works", w.a.bodies(wire.Send), "x")
	}
}

// SUBSTRATE-VERB-001
func TestVerbReject(t *testing.T) {
	w := newWorld(t)
	w.b.reaction = func(d Delivery) {
		if err := w.b.eng.Reject(w.now, d, "no_thanks", "really"); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
	}
	w.connect()
	c := w.a.open("o")
	w.pump()
	want(t, "code", w.a.settled[c.ID].Code, "no_thanks")
	want(t, "msg", w.a.settled[c.ID].Msg, "really")
	want(t, "a", w.a.state("o"), rejected)
	want(t, "b", w.b.state("o"), rejected)
	want(t, "events", len(w.a.events), 0) // SUBSTRATE-FINALITY-008: reject is not futile
	w.b.reaction = nil
	w.b.held = nil
	c = w.a.open("o")
	w.pump()
	want(t, "again", w.a.settled[c.ID].Kind, wire.Accept)
}

// SUBSTRATE-OBJ-008
func TestObjAcceptQueue(t *testing.T) {
	w := newWorld(t)
	w.b.reaction = func(d Delivery) {
		if err := w.b.eng.AcceptQueue(w.now, d); err != nil {
			t.Fatal(err)
		}
		w.b.held = nil
		w.b.commit()
	}
	w.connect()
	w.a.call(w.a.eng.Open(w.now, wire.Queue, "q", nil))
	w.pump()
	for i := range 3 {
		w.a.send("q", fmt.Sprint(i))
	}
	w.pump()
	rows, err := w.b.store.Inbox("a", "q", 0)
	if err != nil || len(rows) != 3 {
		t.Fatalf("rows: %v, %v", rows, err)
	}
	want(t, "told", len(w.b.arrived), 3)
	want(t, "not handed over", len(w.b.fetched), 1)
	w.b.crash()
	n, _ := w.b.store.Depth("a", "q")
	want(t, "after a restart", n, 3)
	want(t, "not handed over", len(w.b.fetched), 1)
	if err := w.b.store.Apply("a", &store.Batch{DropInbound: []uint64{rows[0].N}}); err != nil {
		t.Fatal(err)
	}
	n, _ = w.b.store.Depth("a", "q")
	want(t, "taken", n, 2)
	w.connect()
	w.a.closes("q")
	w.pump()
	n, _ = w.b.store.Depth("a", "q")
	want(t, "closed", n, 2)
	want(t, "state", w.b.state("q"), closed)
}

// SUBSTRATE-VERB-004, SUBSTRATE-VERB-006, SUBSTRATE-AUTHZ-009
func TestVerbRefused(t *testing.T) {
	asked := 0
	w := twoLive(t, func(_ string, c *Config) {
		c.Authorize = func(*OpContext) Denial { asked++; return Denial{} }
	})
	before := w.b.eng.Snapshot()
	asked = 0
	for _, kind := range []string{"propose", "state", "", string(make([]byte, 1<<16))} {
		f := op(wire.Send, "o", "k"+fmt.Sprint(len(kind)), 2)
		f.Kind = kind
		want(t, "unknown verb", kinds(w.b.inject(f)), "err:bad_verb")
	}
	f := op(wire.Send, "o", "kind", 2)
	f.ObjKind = "state"
	want(t, "unknown kind", kinds(w.b.inject(f)), "err:unsupported")
	f = op(wire.Send, "o", "stream", 2)
	f.ObjKind = wire.Stream
	want(t, "stream", kinds(w.b.inject(f)), "err:unsupported")
	want(t, "before the gate", asked, 0)
	want(t, "chunk", kinds(w.b.inject(op(wire.Chunk, "o", "chunk", 2))), "err:unsupported")
	want(t, "chunk elsewhere", kinds(w.b.inject(op(wire.Chunk, "nowhere", "chunk2", 2))), "err:unsupported")
	e := op(wire.Establish, "s", "est", 0)
	e.ObjKind, e.Has, e.Seq, e.Receipt = wire.Stream, wire.FieldV|wire.FieldKind|wire.FieldObj|wire.FieldObjKind|wire.FieldID, 0, nil
	want(t, "establish", kinds(w.b.inject(e)), "establish_fail:unsupported")
	want(t, "asked", asked, 3)
	after := w.b.eng.Snapshot()
	after.Tombstones = nil
	want(t, "no trace", after.Digest(), before.Digest())
}

// SUBSTRATE-WIRE-006, SUBSTRATE-LIMIT-001
func TestWireBrokenMessages(t *testing.T) {
	version := op(wire.Send, "o", "v", 2)
	version.V = 2
	raw, err := wire.Append(nil, &version)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		raw  []byte
		code uint16
	}{
		"empty": {nil, 4004}, "no map": {[]byte{0x01}, 4004}, "version": {raw, 4004}, "large": {make([]byte, wire.MaxFrame+1), 4009},
	} {
		w := twoLive(t)
		w.a.send("o", "m")
		before := w.b.eng.Snapshot().Durable().Digest()
		w.b.receive(packet{w.link, c.raw})
		want(t, what, fmt.Sprint(w.b.ended), fmt.Sprint([]uint16{c.code}))
		want(t, what, w.b.eng.Snapshot().Durable().Digest(), before)
		w.connect()
		w.pump()
		want(t, what, w.b.bodies(wire.Send), "m")
	}
}

// SUBSTRATE-WIRE-004: absent and empty bodies are kept apart, end to end.
func TestWireBodies(t *testing.T) {
	w := twoLive(t)
	w.a.call(w.a.eng.Send(w.now, "o", nil))
	w.a.call(w.a.eng.Send(w.now, "o", []byte{}))
	w.drop()
	w.a.crash()
	w.connect()
	w.pump()
	want(t, "absent", w.b.fetched[0].Body == nil, true)
	want(t, "empty", w.b.fetched[1].Body != nil, true)
}

// SUBSTRATE-ANSWER-005, SUBSTRATE-OBJ-001: an answer with another id moves nothing.
func TestObjForeignAnswer(t *testing.T) {
	w := newWorld(t)
	w.connect()
	w.a.open("o")
	w.lose()
	for i, kind := range []string{wire.Accept, wire.Reject, wire.Err} {
		want(t, kind, kinds(w.a.inject(op(kind, "o", "forged-"+kind, uint64(i+1)))), "ack")
		want(t, kind, w.a.state("o"), opening)
	}
}

// SUBSTRATE-OBJ-006, SUBSTRATE-VERB-001: the open that would have won is cancelled before it meets the other, which is answered then.
func TestObjGlareCancelled(t *testing.T) {
	w := newWorld(t)
	w.connect()
	ca := w.a.open("o")
	w.a.closes("o")
	cb := w.b.open("o")
	w.pump()
	want(t, "cancelled", w.a.settled[ca.ID].Code, wire.Closed)
	want(t, "accepted", w.b.settled[cb.ID].Kind, wire.Accept)
	want(t, "a", w.a.state("o"), live)
	want(t, "b", w.b.state("o"), live)
}

// SUBSTRATE-OBJ-006, SUBSTRATE-ANSWER-001: the winner is rejected before the loser hears that it has lost.
func TestObjGlareRejected(t *testing.T) {
	w := newWorld(t)
	w.b.reaction = func(d Delivery) {
		if err := w.b.eng.Reject(w.now, d, wire.AppError, ""); err != nil {
			t.Fatal(err)
		}
		w.b.held = nil
		w.b.commit()
	}
	w.connect()
	ca, cb := w.a.open("o"), w.b.open("o")
	w.pump()
	want(t, "a", w.a.settled[ca.ID].Code, wire.AppError)
	want(t, "b", w.b.settled[cb.ID].Code, wire.OpenConflict)
	want(t, "state of a", w.a.state("o"), rejected)
	want(t, "state of b", w.b.state("o"), rejected)
}

// SUBSTRATE-OBJ-007, SUBSTRATE-FINALITY-009: a close that crosses a close and an open does not end what was opened.
func TestObjCloseCrossesOpen(t *testing.T) {
	w := twoLive(t)
	w.a.closes("o")
	c := w.a.open("o")
	w.b.closes("o")
	w.pump()
	want(t, "accepted", w.a.settled[c.ID].Kind, wire.Accept)
	want(t, "a", w.a.state("o"), live)
	want(t, "b", w.b.state("o"), live)
	w.b.send("o", "x")
	w.pump()
	want(t, "works", w.a.bodies(wire.Send), "x")
}

// SUBSTRATE-OBJ-001, SUBSTRATE-OBJ-007: what came before the object was opened again is not answered into the new incarnation.
func TestObjLateFail(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	w.a.send("o", "m")
	w.pump()
	w.a.closes("o")
	w.a.open("o")
	w.pump()
	want(t, "refused", codeOf(w.b.eng.Fail(w.now, w.b.held[0], wire.ObjectFailed, "")), wire.Closed)
	want(t, "state", w.b.state("o"), opening)
	// Who has not opened it answers the open.
	_, err := w.b.eng.Close(w.now, "o")
	want(t, "close", codeOf(err), NotLive)
}
