package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-RECONNECT-001: a drop at every step of an exchange, and at every pair of steps.
func TestReconnectAtEveryStep(t *testing.T) {
	const steps = 14
	for first := range steps {
		for second := range steps {
			w := twoLive(t)
			c := w.a.req("o", "q")
			w.a.send("o", "m")
			w.b.send("o", "n")
			for i := range 2 * steps {
				if i == first || i == first+second {
					w.drop()
					w.connect()
				}
				if s := []*side{w.a, w.b}[i%2]; len(s.wire) > 0 {
					s.deliver(0, false)
				}
			}
			w.pump()
			want(t, "a to b", w.b.bodies(wire.Req)+w.b.bodies(wire.Send), "qm")
			want(t, "b to a", w.a.bodies(wire.Send), "n")
			want(t, "res", string(w.a.settled[c.ID].Body), "re:q")
			want(t, "rows", w.a.rows("o")+w.b.rows("o"), 0)
		}
	}
}

// SUBSTRATE-RECONNECT-002
func TestReconnectRebinds(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	c := w.a.req("o", "q")
	w.pump()
	before := w.b.eng.find("o")
	frontier := before.seq.next
	for range 10 {
		w.drop()
		w.connect()
		w.pump()
	}
	want(t, "the same object", w.b.eng.find("o"), before)
	want(t, "frontier", before.seq.next, frontier)
	w.b.finish(w.b.held[0])
	w.pump()
	want(t, "res", string(w.a.settled[c.ID].Body), "re:q")
}

// SUBSTRATE-RECONNECT-003
func TestReconnectOrder(t *testing.T) {
	w := newWorld(t)
	w.connect()
	for i := range 20 {
		w.a.open(fmt.Sprintf("o%02d", i))
	}
	w.pump()
	var order []string
	for _, i := range []int{7, 3, 19, 0, 11} { // in flight, in this order
		w.now = w.now.Add(time.Millisecond)
		order = append(order, w.a.send(fmt.Sprintf("o%02d", i), "sent").ID)
	}
	w.lose()
	w.drop()
	for _, i := range []int{5, 2, 7} { // the last of them waits behind another
		c := w.a.send(fmt.Sprintf("o%02d", i), "waits")
		if i != 7 {
			order = append(order, c.ID)
		}
	}
	w.a.sent = nil
	w.connect()
	want(t, "frames", len(w.a.sent), len(order))
	for i, f := range w.a.sent {
		want(t, fmt.Sprint("frame ", i), f.ID, order[i])
	}
}

// SUBSTRATE-RECONNECT-004
func TestReconnectSupersedes(t *testing.T) {
	w := twoLive(t)
	want(t, "bounce", kinds(w.b.inject(op(wire.Send, "nowhere", "x", 1))), "err:no_such_object")
	w.a.send("o", "m")
	late := w.a.wire[0]
	w.connect()
	want(t, "code", fmt.Sprint(w.b.ended), fmt.Sprint([]uint16{CloseSuperseded}))
	w.lose()
	before := w.b.eng.Digest()
	w.b.receive(late)
	want(t, "late frame", w.b.eng.Digest(), before)
	want(t, "bounce memory", kinds(w.b.inject(op(wire.Send, "nowhere", "x", 1))), "err:no_such_object")
	m := w.b.metrics.Snapshot()
	want(t, "ready", m.Total(observe.ConnectionsReady), 2)
	want(t, "ended", m.Total(observe.ConnectionsEnded), 1)
	w.b.eng.Disconnected(w.now, late.conn)
	w.b.commit()
	want(t, "no news", w.b.metrics.Snapshot().Total(observe.ConnectionsEnded), 1)
}

// script is an exchange that touches every part of an engine.
func script(w *world) {
	w.connect()
	for _, obj := range []string{"x", "y"} {
		_, _ = w.a.eng.Open(w.now, wire.Session, obj, []byte("cap"))
		w.a.commit()
	}
	w.pump()
	for i := range 3 {
		_, _ = w.a.eng.Send(w.now, "x", []byte(fmt.Sprint(i)))
		w.a.commit()
		_, _ = w.b.eng.Req(w.now, "y", []byte(fmt.Sprint(i)))
		w.b.commit()
	}
	w.pump()
	w.advance(15*time.Second, true)
	w.drop()
	w.connect()
	w.pump()
	_, _ = w.b.eng.Close(w.now, "x")
	w.b.commit()
	w.pump()
	_, _ = w.a.eng.Send(w.now, "idle", []byte("nobody"))
	w.a.commit()
	w.advance(3*time.Minute, true)
}

// SUBSTRATE-STORE-008, SUBSTRATE-DEDUPE-007: whatever call of the store fails, memory is what a restart would find, and the exchange comes
// to the same end once the store works.
func TestStoreFailsAtEveryCall(t *testing.T) {
	plain := newWorld(t)
	script(plain)
	calls := max(plain.a.store.calls, plain.b.store.calls)
	for every := range 2 {
		for n := 1; n <= calls+2; n++ {
			w := newWorld(t)
			for _, s := range []*side{w.a, w.b} {
				s.store.failAt, s.store.every = n, every == 1 && n > 1
				s.finisher()
			}
			w.checkReload = true
			script(w)
			for _, s := range []*side{w.a, w.b} {
				s.store.failAt = 0
			}
			for range 20 {
				if w.link == "" {
					w.connect()
				}
				w.advance(20*time.Second, true)
			}
			for _, s := range []*side{w.a, w.b} {
				for name, o := range s.eng.objects {
					if len(o.rows) > 0 {
						t.Fatalf("call %d: %s has %d rows of %s left\n%s", n, s.name, len(o.rows), name, w.dump())
					}
				}
			}
		}
	}
}

// finisher makes the application try again what could not be written.
func (s *side) finisher() {
	s.reaction = func(d Delivery) {
		s.finish(d)
		for len(s.refused) > 0 {
			d := s.refused[0].Delivery
			s.refused = s.refused[1:]
			s.finish(d)
		}
	}
}

// SUBSTRATE-STORE-008: one bad input does not take the others of its batch with it.
func TestStoreFailureIsIsolated(t *testing.T) {
	w := twoLive(t)
	w.a.open("p")
	w.pump()
	w.a.fetched = nil
	bad := func(b *store.Batch) error {
		for _, r := range b.Rows {
			if string(r.Body) == "bad" {
				return errDisk
			}
		}
		return w.a.store.Apply("b", b)
	}
	good1, _ := w.a.eng.Send(w.now, "o", []byte("good1"))
	in := op(wire.Send, "p", "from-b", 2)
	raw, _ := wire.Append(nil, &in)
	w.a.eng.Receive(w.now, w.link, raw)
	in = op(wire.Send, "nowhere", "bounced", 1)
	raw, _ = wire.Append(nil, &in)
	w.a.eng.Receive(w.now, w.link, raw)
	c, _ := w.a.eng.Send(w.now, "o", []byte("bad"))
	good2, _ := w.a.eng.Send(w.now, "o", []byte("good2"))
	want(t, "error", w.a.eng.Commit(w.now, bad), errDisk)
	w.a.take()
	want(t, "bad", w.a.settled[c.ID].Err, errDisk)
	want(t, "received", w.a.bodies(wire.Send), "from-b")
	want(t, "bounced", w.a.sentKind(wire.Err), 1)
	w.pump()
	want(t, "sent", w.b.bodies(wire.Send), "good1 good2")
	want(t, "good1", w.a.settled[good1.ID].Kind, wire.Ack)
	want(t, "good2", w.a.settled[good2.ID].Kind, wire.Ack)
}

// SUBSTRATE-STORE-008: an op that cannot be committed is refused for now.
func TestStoreUnavailable(t *testing.T) {
	w := twoLive(t)
	c := w.a.send("o", "m")
	w.b.store.failing = true
	w.pump()
	want(t, "refused", kinds(w.b.sent), "err:store_unavailable")
	want(t, "digest", w.b.reloaded(), true)
	w.b.store.failing = false
	w.advance(time.Second, true)
	want(t, "delivered", w.b.bodies(wire.Send), "m")
	want(t, "settled", w.a.settled[c.ID].Kind, wire.Ack)
	want(t, "futile", w.a.count(observe.EventFutile), 0)
}

// SUBSTRATE-STORE-005, SUBSTRATE-STORE-006: peers that share a store do not meet, and a new engine goes on where one was released.
func TestStoreShared(t *testing.T) {
	shared := store.NewMemory()
	var worlds []*world
	for range 2 {
		worlds = append(worlds, newWorld(t))
	}
	for i, w := range worlds {
		w.b.store.Store = shared
		w.b.cfg.Remote = fmt.Sprint("peer", i)
		w.b.crash()
		w.connect()
		w.a.open("o")
		w.pump()
		if _, err := w.a.eng.Enqueue(w.now, Op{Kind: wire.Send, Obj: "o", ID: "same", Body: []byte(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
		w.a.commit()
		w.pump()
		want(t, "delivered", w.b.bodies(wire.Send), fmt.Sprint(i))
		w.b.crash()
		w.connect()
		w.a.send("o", "more")
		w.pump()
		want(t, "goes on", w.b.bodies(wire.Send), fmt.Sprint(i, " more"))
	}
}
