package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeAnswerCases are about answers that come when the ledger has forgotten the first, and about inboxes that the host takes from.
func nodeAnswerCases() []conformance.Case {
	return []conformance.Case{
		nodeCase("answer/first-decides-for-good", "an answer that comes when the ledger has forgotten the first settles nothing", laws("SUBSTRATE-ANSWER-001"), nil,
			(*nodeT).firstDecides),
		nodeCase("answer/frees-its-own-op", "an answer frees no other op than its own", laws("SUBSTRATE-ANSWER-004", "SUBSTRATE-OUTBOX-002"), nil, (*nodeT).freesItsOwn),
		nodeCase("object/participants", "opener and acceptor take part in an object, whoever has opened it", laws("SUBSTRATE-OBJ-002"), needs(Kept), (*nodeT).participants),
		nodeCase("object/durable-inbox", "what comes to a queue accepted with acceptQueue waits in the store until the host takes it", laws("SUBSTRATE-OBJ-008"),
			needs(HostInbox, FileStore), (*nodeT).durableInbox),
	}
}

// firstDecides answers a req twice, the second time after the horizon of the ledger.
func (t *nodeT) firstDecides() {
	n := t.Connected(nodeSetup{})
	o := n.Ours("session")
	c := n.Req(o.addr, "?")
	q := n.sent("", "a req is sent", c.Did, "req")
	n.Ack(q)
	s := c.Settled(n.Gets(o.Answer("res", q, "first")))
	if !t.Check(s != nil && string(s.Body) == "first", "SUBSTRATE-ANSWER-001", "the first answer settles the req", "settle res", deeds{s}.first()) {
		return
	}
	n.Advance(8 * day)
	f := o.Answer("res", q, "second")
	got := n.Gets(f)
	n.Acked("SUBSTRATE-ANSWER-001", "a later answer is acked", got, f)
	t.Equal("SUBSTRATE-ANSWER-001", "a later answer is ignored", 0, len(got.Of(didSettle)))
}

// freesItsOwn answers a req that was acked while another one is in flight.
func (t *nodeT) freesItsOwn() {
	n := t.Connected(nodeSetup{})
	o := n.Ours("session")
	first := n.Req(o.addr, "first")
	q := n.sent("", "a req is sent", first.Did, "req")
	n.Ack(q)
	second := n.sent("", "a second req is sent", n.Req(o.addr, "second").Did, "req")
	n.Silent("", "what is behind it waits", n.Send(o.addr, "behind").Did)
	answer := o.Answer("res", q, "!")
	got := n.Gets(answer)
	n.Acked("SUBSTRATE-ANSWER-004", "an answer is acked", got, answer)
	t.Check(first.Settled(got) != nil, "SUBSTRATE-ANSWER-004", "an answer settles its own call", "settle res", got.String())
	t.Equal("SUBSTRATE-ANSWER-004", "it does not free the row of another op", 0, len(got.Frames("send")))
	answer = o.Answer("res", second, "!")
	next := n.sent("SUBSTRATE-ANSWER-004", "an answer frees the row of its own op", n.Gets(answer), "send")
	t.Check(!next.has("prev"), "SUBSTRATE-ANSWER-004", "and makes it a predecessor", "no prev", next.String())
}

// participants looks at the records of two objects, one of which either side has opened.
func (t *nodeT) participants() {
	n := t.Connected(nodeSetup{})
	want := []string{n.local, n.remote}
	slices.Sort(want)
	for _, o := range []*nodeObj{n.Theirs("session"), n.Ours("queue")} {
		got := "no record"
		for _, k := range n.Kept().Objects {
			if k.Obj == o.addr {
				slices.Sort(k.Participants)
				got = fmt.Sprint(k.ObjKind, k.State, k.Participants)
			}
		}
		t.Equal("SUBSTRATE-OBJ-002", "after the accept there is a record, and the two peers take part", fmt.Sprint(o.kind, "live", want), got)
	}
}

// durableInbox sends to a queue whose rows the host takes, with a restart and a close between.
func (t *nodeT) durableInbox() {
	const law = "SUBSTRATE-OBJ-008"
	n := t.Connected(nodeSetup{Store: storeFile})
	o := n.Object("queue")
	d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
	n.Ack(n.sent("", "an accept is sent", n.Answer("accept", d, answerRequest{Queue: true}), "accept"))
	takes := func(kind, body string) {
		f := o.Make(kind, body)
		got := n.Gets(f)
		n.Acked(law, "a "+kind+" is committed and acked", got, f)
		t.Equal(law, "it is not handed over", 0, len(got.Of(didDeliver)))
	}
	for i := range 3 {
		takes("send", fmt.Sprint(i))
	}
	wait := func(when string, want ...string) {
		bodies := []string{}
		for _, r := range n.Inbox(o.addr, 0) {
			bodies = append(bodies, string(r.Body))
		}
		t.Equal(law, when+" the host lists what waits, in the order of the commits", fmt.Sprint(want), fmt.Sprint(bodies))
	}
	wait("at first", "0", "1", "2")
	n.Inbox(o.addr, 1)
	wait("after it has taken one", "1", "2")
	n.Restart()
	wait("after a restart", "1", "2")
	n.Connect()
	takes("send", "3")
	wait("after a restart and a send", "1", "2", "3")
	takes("close", "")
	wait("when the queue is closed", "1", "2", "3")
}
