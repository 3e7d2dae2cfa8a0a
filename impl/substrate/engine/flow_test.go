package engine

import (
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-OBJ-001, SUBSTRATE-OBJ-002, SUBSTRATE-OBJ-003, SUBSTRATE-OBJ-009, SUBSTRATE-VERB-001, SUBSTRATE-VERB-002, SUBSTRATE-VERB-003
func TestObjLifecycle(t *testing.T) {
	w := twoLive(t)
	want(t, "a", w.a.state("o"), live)
	want(t, "b", w.b.state("o"), live)
	send := w.a.send("o", "x")
	back := w.b.send("o", "y")
	req := w.b.req("o", "q")
	w.pump()
	want(t, "b gets", w.b.bodies(wire.Send), "x")
	want(t, "a gets", w.a.bodies(wire.Send), "y")
	want(t, "send", w.a.settled[send.ID].Kind, wire.Ack)
	want(t, "back", w.b.settled[back.ID].Kind, wire.Ack)
	want(t, "res", string(w.b.settled[req.ID].Body), "re:q")
	cl := w.b.closes("o")
	w.pump()
	want(t, "a", w.a.state("o"), closed)
	want(t, "b", w.b.state("o"), closed)
	want(t, "close", w.b.settled[cl.ID].Kind, wire.Ack)
	want(t, "events", w.a.count(observe.EventClosed)+w.b.count(observe.EventClosed), 2)
	if got := w.a.inject(op(wire.Send, "o", "late", 99)); kinds(got) != "err:closed" {
		t.Fatalf("send on a closed object: %s", kinds(got))
	}
}

// SUBSTRATE-RECONNECT-001, SUBSTRATE-ACK-006
func TestReconnectMoneyFlow(t *testing.T) {
	w := twoLive(t)
	c := w.a.send("o", "m")
	w.a.deliver(0, false)
	want(t, "delivered", w.b.bodies(wire.Send), "m")
	w.drop()
	w.connect()
	w.pump()
	want(t, "delivered once", w.b.bodies(wire.Send), "m")
	want(t, "settled", w.a.settled[c.ID].Kind, wire.Ack)
	want(t, "acks", w.b.sentKind(wire.Ack), 2)
	want(t, "rows", w.a.rows("o"), 0)
}

// SUBSTRATE-OUTBOX-005
func TestOutboxResendSchedule(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "m")
	var at []time.Duration
	t0, seen := w.now, 0
	for len(w.a.ended) == 0 && w.now.Sub(t0) < 200*time.Second {
		if n := w.a.sentKind(wire.Send); n > seen {
			seen = n
			at = append(at, w.now.Sub(t0)/time.Second)
		}
		w.lose()
		w.advance(time.Second, false)
	}
	want(t, "transmissions", len(at), 4)
	want(t, "second", at[1], 10)
	want(t, "third", at[2], 30)
	want(t, "fourth", at[3], 70)
	want(t, "ended", w.now.Sub(t0), 130*time.Second)
	want(t, "code", w.a.ended[0], uint16(CloseTimeout))
}
