package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeDedupeCases are about how long what was taken is known again.
func nodeDedupeCases() []conformance.Case {
	var out []conformance.Case
	edge := laws("SUBSTRATE-DEDUPE-003")
	for _, store := range []string{storeMemory, storeFile} {
		for _, age := range []int64{horizon - 1, horizon, horizon + 1} {
			title := fmt.Sprintf("an op comes again %d ms after it was taken, store %s", age, store)
			out = append(out, nodeCase(fmt.Sprintf("dedupe/age-%d-%s", age, store), title,
				edge, storeNeeds(store), func(t *nodeT) {
					n := t.Connected(nodeSetup{Store: store})
					t.comesAgain(n, age, func() deeds { return n.Advance(age) })
				}))
		}
	}
	for _, store := range []string{storeHost, storeFile} {
		for _, age := range []int64{horizon - 60_000, horizon, horizon + 1} {
			out = append(out, nodeCase(fmt.Sprintf("dedupe/downtime-%d-%s", age, store),
				fmt.Sprintf("an op comes again when the process was down for %d ms, store %s", age, store),
				laws("SUBSTRATE-DEDUPE-003", "SUBSTRATE-DEDUPE-002"), storeNeeds(store), func(t *nodeT) {
					n := t.Connected(nodeSetup{Store: store})
					t.comesAgain(n, age, func() deeds { return append(n.RestartAfter(age), n.Connect()...) })
				}))
		}
	}
	for _, after := range []string{"consume", "close", "restart", "reconnect", "time", "all of them"} {
		out = append(out, nodeCase("dedupe/outlives-"+afterWord(after), "an op is known again after "+after,
			laws("SUBSTRATE-DEDUPE-002", "SUBSTRATE-DEDUPE-008"), nil,
			func(t *nodeT) { t.outlives(after) }))
	}
	return append(out,
		nodeCase("dedupe/no-refresh", "an op that comes again each day is known for a week, and no longer", edge, nil, (*nodeT).noRefresh),
		nodeCase("dedupe/clock-steps-back", "a wall clock that steps back makes nothing older", edge, needs(WallClock), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			f := n.takes(o)
			n.Clock(startOfTime - day)
			n.known(o, f, "the clock is a day back")
			n.Advance(day + horizon)
			n.known(o, f, "a week has passed by that clock since the commit")
			n.Advance(1)
			n.fresh(o, f, "more than a week has passed")
		}),
		nodeCase("dedupe/never-too-often", "an op that comes 100 times is acked 100 times and delivered once",
			laws("SUBSTRATE-DEDUPE-001", "SUBSTRATE-ACK-006"), nil,
			func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				f := n.takes(o)
				for range 100 {
					n.Advance(50_000)
					got := n.Gets(f)
					n.Acked("SUBSTRATE-ACK-006", "a duplicate is acked", got, f)
					t.Equal("SUBSTRATE-DEDUPE-001", "and not delivered", 0, len(got.Of(didDeliver)))
				}
			}),
		nodeCase("dedupe/tombstone-ages", "a tombstone lasts 7 days",
			laws("SUBSTRATE-TOMBSTONE-003", "SUBSTRATE-TOMBSTONE-004"), nil, (*nodeT).tombstoneAges),
		nodeCase("dedupe/tombstone-is-forgotten", "a restart forgets tombstones, and the op is judged afresh",
			laws("SUBSTRATE-TOMBSTONE-004"), nil, func(t *nodeT) {
				n := t.Durable()
				o := n.Object("session")
				f := o.Make("send", "too early")
				n.sent("", "a send on no object is bounced", n.Gets(f), "err")
				n.Restart()
				n.Connect()
				open := n.Object("session")
				open.addr = o.addr
				n.Handled(n.the("", "an open is delivered", n.Gets(open.At("open", 2, "")), didDeliver))
				got := n.Gets(f)
				t.Check(len(got.Frames("err"))+len(got.Frames("ack")) == 1, "SUBSTRATE-TOMBSTONE-004", "it is answered once more",
					"an err or an ack", got.String())
			}),
	)
}

func afterWord(after string) string {
	if after == "all of them" {
		return "all"
	}
	return after
}

// takes has the node take a send and its application handle it.
func (n *node) takes(o *nodeObj) *frame {
	f := o.Make("send", "once")
	n.Handled(n.the("", "a send is delivered", n.Gets(f), didDeliver))
	return f
}

// again is a frame under the next seq, so that it is not below the frontier. The id is what is known.
func (o *nodeObj) again(f *frame) *frame {
	return f.with("seq", int(o.seq+1)).with("prev", int(o.seq)).with("receipt", []byte(o.n.t.Unique("r")))
}

// known wants an op that comes again to be acked and not delivered.
func (n *node) known(o *nodeObj, f *frame, when string) bool {
	f = o.again(f)
	got := n.Gets(f)
	ok := n.Acked("SUBSTRATE-DEDUPE-003", "a duplicate is acked: "+when, got, f)
	return n.t.Equal("SUBSTRATE-DEDUPE-003", "a duplicate is not delivered: "+when, 0, len(got.Of(didDeliver))) && ok
}

// fresh wants an op that comes again to be taken as a new one.
func (n *node) fresh(o *nodeObj, f *frame, when string) bool {
	f = o.again(f)
	got := n.Gets(f)
	ok := n.Acked("SUBSTRATE-DEDUPE-003", "it is acked: "+when, got, f)
	return n.t.Equal("SUBSTRATE-DEDUPE-003", "what is forgotten is fresh, and delivered: "+when, 1, len(got.Of(didDeliver))) && ok
}

// comesAgain has an op come again at an age.
func (t *nodeT) comesAgain(n *node, age int64, pass func() deeds) {
	o := n.Theirs("session")
	f := n.takes(o)
	for _, d := range pass().Of(didDeliver) {
		n.Handled(d) // that it was handled need not have been on the disk (SUBSTRATE-DEDUPE-008)
	}
	when := fmt.Sprintf("at an age of %d ms", age)
	if age <= horizon {
		n.known(o, f, when)
		return
	}
	n.fresh(o, f, when)
}

func (t *nodeT) noRefresh() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	f := n.takes(o)
	for d := range 7 {
		n.Advance(day)
		n.known(o, f, fmt.Sprintf("day %d", d+1))
	}
	n.Advance(day)
	n.fresh(o, f, "day 8")
}

func (t *nodeT) outlives(after string) {
	n := t.Durable()
	o := n.Theirs("session")
	f := o.Make("send", "once")
	d := n.the("", "a send is delivered", n.Gets(f), didDeliver)
	whole := after == "all of them"
	if whole || after == "consume" || after == "close" {
		n.Handled(d)
	}
	if whole || after == "close" {
		n.Ack(n.sent("", "a close is sent", n.Close(o.addr).Did, "close"))
	}
	again := 0
	if whole || after == "restart" {
		over := append(n.Restart(), n.Connect()...).Of(didDeliver)
		for _, d := range over {
			n.Handled(d)
		}
		again = len(over)
	}
	if whole || after == "reconnect" {
		n.Reconnect()
	}
	if whole || after == "time" {
		n.Advance(horizon - 60_000)
	}
	got := n.Gets(f)
	n.Acked("SUBSTRATE-DEDUPE-002", "it is known again after "+after, got, f)
	t.Equal("SUBSTRATE-DEDUPE-002", "and not delivered by that", 0, len(got.Of(didDeliver)))
	if after == "restart" {
		t.Equal("SUBSTRATE-DEDUPE-008", "what was not handled is handed over once more by the restart", 1, again)
	}
}

func (t *nodeT) tombstoneAges() {
	n := t.Connected(nodeSetup{})
	o := n.Object("session")
	f := o.Make("send", "too early")
	n.sent("", "a send on no object is bounced", n.Gets(f), "err")
	n.Advance(horizon - 60_000)
	n.Silent("SUBSTRATE-TOMBSTONE-003", "on the same connection it is swallowed", n.Gets(f))
	n.Advance(60_000 + 1)
	n.sent("SUBSTRATE-TOMBSTONE-004", "after 7 days it is judged anew", n.Gets(f), "err")
}
