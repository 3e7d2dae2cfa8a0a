package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// Times of the schedule of an outbox, in ms.
const (
	day         = 24 * 60 * 60 * 1000
	horizon     = 7 * day
	sendHorizon = horizon - 60*60*1000
)

// nodeOutboxCases are about what waits to be taken by the peer.
func nodeOutboxCases() []conformance.Case {
	ladder := slices.Clip(laws("SUBSTRATE-OUTBOX-005"))
	return []conformance.Case{
		nodeCase("outbox/ladder", "an op that is not acked goes out at 0, 10, 30 and 70 s, and at 130 s the connection ends",
			laws("SUBSTRATE-OUTBOX-005", "SUBSTRATE-OUTBOX-004", "SUBSTRATE-OUTBOX-006"), nil, (*nodeT).ladder),
		nodeCase("outbox/ladder-of-an-answer", "an answer has the same schedule", append(ladder, "SUBSTRATE-ANSWER-002"), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Object("session")
			d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
			n.Accept(d)
			t.rungs(n, "accept", 0, 10_000, 30_000, 70_000)
		}),
		nodeCase("outbox/ladder-begins-anew-with-a-connection", "a reconnect resets the schedule",
			append(ladder, "SUBSTRATE-RECONNECT-003"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				n.Send(o.addr, "a")
				n.Advance(31_000)
				n.sent("SUBSTRATE-RECONNECT-003", "it is sent at once", n.Reconnect(), "send")
				got := n.Advance(9_999)
				n.Silent("SUBSTRATE-OUTBOX-005", "the first wait of a connection is 10 s", got)
				n.sent("SUBSTRATE-OUTBOX-005", "10 s after the reconnect", n.Advance(1), "send")
				n.Silent("SUBSTRATE-OUTBOX-005", "the second wait is 20 s", n.Advance(19_999))
				n.sent("SUBSTRATE-OUTBOX-005", "20 s later", n.Advance(1), "send")
			}),
		nodeCase("outbox/ladder-is-of-one-op", "the next op begins at the bottom",
			append(ladder, "SUBSTRATE-OUTBOX-002", "SUBSTRATE-OUTBOX-004", "SUBSTRATE-SEQ-001"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				first := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
				n.Send(o.addr, "b")
				n.Advance(35_000)
				second := n.sent("SUBSTRATE-OUTBOX-002", "the next one follows its ack", n.Ack(first), "send")
				t.Equal("SUBSTRATE-SEQ-001", "its seq is the next", first.seq()+1, second.seq())
				n.Silent("SUBSTRATE-OUTBOX-005", "it waits 10 s", n.Advance(9_999))
				again := n.sent("SUBSTRATE-OUTBOX-005", "and goes out once more", n.Advance(1), "send")
				t.Check(same(second, again), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", second.String(), again.String())
			}),
		nodeCase("outbox/ladder-of-each-object", "two objects keep two schedules", append(ladder, "SUBSTRATE-SEQ-014"), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			a, b := n.Theirs("session"), n.Theirs("session")
			n.Send(a.addr, "a")
			n.Advance(5_000)
			n.Send(b.addr, "b")
			for _, want := range []struct {
				ms  int64
				obj string
			}{{5_000, a.addr}, {5_000, b.addr}, {15_000, a.addr}, {5_000, b.addr}} {
				n.Silent("SUBSTRATE-OUTBOX-005", "nothing is due before", n.Advance(want.ms-1))
				f := n.sent("SUBSTRATE-OUTBOX-005", "one of them is due", n.Advance(1), "send")
				t.Equal("SUBSTRATE-OUTBOX-005", "its object", want.obj, f.obj())
			}
		}),
		nodeCase("outbox/silence-without-a-connection", "no timer sends anything while there is no connection",
			laws("SUBSTRATE-OUTBOX-004", "SUBSTRATE-OUTBOX-005", "SUBSTRATE-OUTBOX-006"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				f := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
				n.Disconnect()
				n.Silent("SUBSTRATE-OUTBOX-005", "for a day", n.Advance(day))
				got := n.sent("SUBSTRATE-OUTBOX-006", "the row is still there", n.Connect(), "send")
				t.Check(same(f, got), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", f.String(), got.String())
			}),
		nodeCase("outbox/backs-off", "a retryable code is waited out for 1, 2, 4, 8, 16, 30, 30 s",
			laws("SUBSTRATE-FINALITY-007"), nil, (*nodeT).backsOff),
		nodeCase("outbox/backing-off-and-reconnect", "a reconnect resends at once and keeps the count",
			laws("SUBSTRATE-FINALITY-007"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				f := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
				n.Gets(bounceOf(f, "busy"))
				n.Advance(1_000)
				n.Gets(bounceOf(f, "busy"))
				n.sent("SUBSTRATE-FINALITY-007", "a reconnect resends at once", n.Reconnect(), "send")
				n.Gets(bounceOf(f, "busy"))
				n.Silent("SUBSTRATE-FINALITY-007", "the third wait is 4 s", n.Advance(3_999))
				n.sent("SUBSTRATE-FINALITY-007", "then it is sent", n.Advance(1), "send")
			}),
		nodeCase("outbox/offline-order", "100 calls without a connection keep their order",
			laws("SUBSTRATE-RECONNECT-005"), nil, (*nodeT).offline),
		nodeCase("outbox/restart", "a restart restores rows and counters, and mints receipts",
			laws("SUBSTRATE-OUTBOX-007", "SUBSTRATE-ACK-005"), nil, (*nodeT).restores),
		nodeCase("outbox/heads-first", "at ready what is in flight goes first, by its first transmission, then what never was",
			laws("SUBSTRATE-RECONNECT-003"), nil, (*nodeT).headsFirst),
	}
}

// rungs wants a frame to go out at these times, in ms, counted from now; the first of them has been.
func (t *nodeT) rungs(n *node, kind string, at ...int64) {
	for i := 1; i < len(at); i++ {
		n.Silent("SUBSTRATE-OUTBOX-005", fmt.Sprintf("nothing is sent before %d ms", at[i]), n.Advance(at[i]-at[i-1]-1))
		n.sent("SUBSTRATE-OUTBOX-005", fmt.Sprintf("it goes out at %d ms", at[i]), n.Advance(1), kind)
	}
}

func (t *nodeT) ladder() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	first := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
	began := len(n.all)
	t.rungs(n, "send", 0, 10_000, 30_000, 70_000)
	n.Silent("SUBSTRATE-OUTBOX-005", "the last one has 60 s", n.Advance(59_999))
	end := n.the("SUBSTRATE-OUTBOX-005", "at 130 s the connection is ended", n.Advance(1), didEnd)
	t.Equal("SUBSTRATE-OUTBOX-005", "the close code", 4008, end.Close)
	for _, f := range append(n.all[began:].Frames("send"), n.sent("SUBSTRATE-OUTBOX-006", "it is still there", n.Connect(), "send")) {
		t.Check(same(first, f), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", first.String(), f.String())
	}
}

func (t *nodeT) backsOff() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	c := n.Send(o.addr, "a")
	f := n.sent("", "a send is sent", c.Did, "send")
	n.Send(o.addr, "b")
	for _, s := range []int64{1, 2, 4, 8, 16, 30, 30} {
		n.Silent("SUBSTRATE-FINALITY-007", "a retryable code changes nothing that shows", n.Gets(bounceOf(f, "queue_full")))
		n.Silent("SUBSTRATE-FINALITY-007", fmt.Sprintf("it waits for %d s", s), n.Advance(s*1000-1))
		again := n.sent("SUBSTRATE-FINALITY-007", fmt.Sprintf("after %d s it is sent", s), n.Advance(1), "send")
		t.Check(same(f, again), "SUBSTRATE-FINALITY-007", "the row keeps id, seq and receipt", f.String(), again.String())
	}
	got := n.Ack(f)
	t.Check(c.Settled(got) != nil, "SUBSTRATE-FINALITY-007", "the op succeeds in the end", "it is settled", got.String())
	n.sent("SUBSTRATE-FINALITY-007", "the next one follows", got, "send")
}

func (t *nodeT) offline() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	n.Disconnect()
	for i := range 100 {
		c, refused := n.TryCall("send", o.addr, callRequest{Body: []byte(fmt.Sprint(i))})
		if !t.Check(refused == nil, "SUBSTRATE-RECONNECT-005", "nothing is refused for lack of a connection", "a call", "it is refused") {
			return
		}
		n.Silent("SUBSTRATE-RECONNECT-005", "nothing is sent without a connection", c.Did)
	}
	got := n.Connect()
	for i := range 100 {
		f := n.sent("SUBSTRATE-RECONNECT-005", "they go out one after the other", got, "send")
		if !t.Equal("SUBSTRATE-RECONNECT-005", "in the order of the calls", fmt.Sprint(i), string(f.body)) {
			return
		}
		got = n.Ack(f)
	}
	n.Silent("SUBSTRATE-RECONNECT-005", "nothing is left but what was settled", deeds(got.Of(didTransmit)))
}

func (t *nodeT) headsFirst() {
	n := t.Connected(nodeSetup{})
	var all []*nodeObj
	for range 20 {
		all = append(all, n.Theirs("session"))
	}
	var want []string
	// Against the order of their names, so that an order by name is none.
	for i := 9; i >= 0; i-- {
		n.Send(all[i].addr, "in flight")
		n.Advance(10)
		want = append(want, all[i].addr)
	}
	n.Disconnect()
	for i := 19; i >= 10; i-- {
		n.Send(all[i].addr, "new")
	}
	got := n.Connect().Frames()
	if !t.Equal("SUBSTRATE-RECONNECT-003", "each object sends its head and nothing else", 20, len(got)) {
		return
	}
	var seen []string
	for i, f := range got {
		if i < 10 {
			seen = append(seen, f.obj())
		} else {
			t.Equal("SUBSTRATE-RECONNECT-003", "what was never sent comes after what is in flight", "new", string(f.body))
		}
	}
	t.Equal("SUBSTRATE-RECONNECT-003", "the oldest first transmission goes first", fmt.Sprint(want), fmt.Sprint(seen))
}

func (t *nodeT) restores() {
	n := t.Durable()
	o := n.Theirs("session")
	first := n.sent("", "a send is sent", n.Send(o.addr, "1").Did, "send")
	n.Send(o.addr, "2")
	n.Send(o.addr, "3")
	third := n.sent("", "the third is sent", n.Ack(n.sent("", "the second is sent", n.Ack(first), "send")), "send")
	n.Silent("SUBSTRATE-OUTBOX-007", "without a connection nothing is sent", n.Restart())
	again := n.sent("SUBSTRATE-OUTBOX-007", "the head is sent, and it alone", n.Connect(), "send")
	t.Equal("SUBSTRATE-OUTBOX-007", "its id", third.id(), again.id())
	t.Equal("SUBSTRATE-OUTBOX-007", "its seq", third.seq(), again.seq())
	t.Equal("SUBSTRATE-OUTBOX-007", "its body", string(third.body), string(again.body))
	t.Check(string(third.receipt()) != string(again.receipt()), "SUBSTRATE-ACK-005", "its receipt is minted anew",
		"another one", brief(again.receipt()))
	n.Silent("SUBSTRATE-ACK-005", "an ack with the old receipt frees nothing", deeds(n.Ack(third).Of(didTransmit)))
	n.Send(o.addr, "4")
	fourth := n.sent("SUBSTRATE-ACK-005", "the ack of the resend frees it", n.Ack(again), "send")
	t.Equal("SUBSTRATE-OUTBOX-007", "the next seq is one more than the last that was assigned", third.seq()+1, fourth.seq())
	t.Check(!fourth.has("prev"), "SUBSTRATE-OUTBOX-007", "its predecessor is the one before", "no prev", fourth.String())
}
