package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// ackedCases are about when an edge acks.
func ackedCases() []conformance.Case {
	after := laws("SUBSTRATE-RELAY-003")
	out := []conformance.Case{
		relayCase("no-ack-while-the-call-is-out", "an op is acked when it is stored, and not when it is being stored", after, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			f := o.Make("send", "slow")
			e.Quietly("SUBSTRATE-RELAY-003", "no ack on the call", e.Gets(f))
			e.Quietly("SUBSTRATE-RELAY-003", "no ack after 29999 ms", e.Advance(29_999))
			e.Acked("SUBSTRATE-RELAY-003", "an ack on the result", e.Stores(e.Call("", "the op is being stored")), f)
		}),
		relayCase("no-ack-of-a-call-that-takes-too-long", "a timeout is no result", after, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			e.Gets(e.Object("session").Make("send", "slow"))
			e.Quietly("SUBSTRATE-RELAY-003", "no ack ever", e.Advance(600_000))
		}),
		relayCase("each-ack-is-of-its-op", "each op of a chain is acked by its own result", after, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(5)
			for _, f := range ops {
				e.Gets(f)
			}
			for _, f := range ops {
				e.Acked("SUBSTRATE-RELAY-003", "the result of an op acks that one", e.Stores(e.Call("SUBSTRATE-RELAY-003", "the next op is being stored")), f)
			}
		}),
	}
	for _, verb := range []string{"open", "close", "send", "req", "accept", "reject", "res", "end", "err"} {
		out = append(out, relayCase("stored-is-said-of-"+verb, "the ack of "+verb+" says stored, and comes after the result", after, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			f := e.Object("session").Make(verb, "")
			if verb == "reject" || verb == "err" {
				f = f.with("code", "app_error")
			}
			e.Quietly("SUBSTRATE-RELAY-003", "no ack on the call", e.Gets(f))
			got := e.Stores(e.Call("SUBSTRATE-RELAY-003", "it is to be stored"))
			if e.Acked("SUBSTRATE-RELAY-003", "an ack on the result", got, f) {
				t.Equal("SUBSTRATE-RELAY-003", "the level of the ack", "stored", got.Frames("ack")[0].text("level"))
			}
		}))
	}
	return out
}

// Quietly wants no frame among deeds.
func (n *node) Quietly(law, reason string, got deeds) bool {
	seen := got.Of(didTransmit)
	return n.t.Check(len(seen) == 0, law, reason, "no frame", seen.String())
}

// The ways in which a store call comes to nothing.
var failures = map[string]func(*edge, *deed) deeds{
	"fails": (*edge).Fails,
	"times-out": func(e *edge, d *deed) deeds {
		e.ended[d] = true
		return e.Advance(30_001)
	},
	// The op lies in the sink, but nobody has heard of it.
	"fails-though-stored": func(e *edge, d *deed) deeds {
		e.Lies(d)
		return e.Fails(d)
	},
}

// failedCases let each op of a chain fail.
func failedCases() (out []conformance.Case) {
	const n = 4
	for _, how := range []string{"fails", "times-out", "fails-though-stored"} {
		for k := range n {
			out = append(out, relayCase(fmt.Sprintf("op-%d-of-%d-%s", k+1, n, how), fmt.Sprintf("op %d of a chain of %d comes to nothing, and so does what is behind it", k+1, n),
				laws("SUBSTRATE-RELAY-004", "SUBSTRATE-RELAY-005"), nil, func(t *nodeT) {
					e := t.Edge(nodeSetup{})
					o := e.Object("session")
					ops := o.Ops(n)
					for _, f := range ops {
						e.Gets(f)
					}
					for _, f := range ops[:k] {
						e.Acked("", "those before it are stored and acked", e.Stores(e.Call("", "the next op is being stored")), f)
					}
					got := failures[how](e, e.Call("", "the op is being stored"))
					e.Quiet("SUBSTRATE-RELAY-004", "no ack, no err, and no call for what is behind", got)
					e.Quiet("SUBSTRATE-RELAY-004", "also later", e.Advance(60_000))
					for _, f := range ops[k:] {
						f = o.Copy(f)
						e.Gets(f)
						e.Acked("SUBSTRATE-RELAY-005", "what is sent again is stored and acked", e.Settle(), f)
					}
					t.Equal("SUBSTRATE-RELAY-004", "the order in the sink", "1 2 3 4", e.Sink(""))
				}))
		}
	}
	return out
}

// rolledBackCases are about the frontier after a failure.
func rolledBackCases() (out []conformance.Case) {
	const n = 3
	back := laws("SUBSTRATE-RELAY-005")
	for _, first := range []uint64{1, 41} {
		for k := range uint64(n) {
			out = append(out, relayCase(fmt.Sprintf("after-%d-of-chain-from-%d", first+k, first), "what comes first after a failure is not stored before the op that failed",
				back, nil, func(t *nodeT) { t.rollsBack(first, k, n) }))
		}
	}
	return out
}

// unrolledCases are about what a failure leaves as it is.
func unrolledCases() []conformance.Case {
	back := laws("SUBSTRATE-RELAY-005", "SUBSTRATE-RELAY-004")
	return []conformance.Case{
		relayCase("replay-that-fails", "a replay of a stored op that fails takes nothing back", back, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(4)
			for _, f := range ops[:3] {
				e.Gets(f)
				e.Settle()
			}
			for _, f := range ops[:3] {
				e.Gets(o.Copy(f))
				e.Quiet("SUBSTRATE-RELAY-004", "a replay that fails is not answered", e.Fails(e.Call("SUBSTRATE-RELAY-005", "a replay goes to the sink")))
			}
			e.Gets(ops[3])
			e.Acked("SUBSTRATE-RELAY-005", "the next op is in order, and the object does not stall", e.Settle(), ops[3])
			last := o.Copy(ops[1])
			e.Gets(last)
			e.Acked("SUBSTRATE-RELAY-005", "a replay of one that failed is acked", e.Settle(), last)
			t.Equal("SUBSTRATE-RELAY-005", "the order in the sink", "1 2 3 4", e.Sink(""))
		}),
		relayCase("replay-that-fails-in-a-chain", "a replay that fails drops what is behind it, and the frontier stays behind what is stored", back, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(4)
			for _, f := range ops[:2] {
				e.Gets(f)
				e.Settle()
			}
			e.Gets(o.Copy(ops[0]))
			e.Gets(ops[2])
			e.Quiet("SUBSTRATE-RELAY-005", "nothing of the chain goes on", e.Fails(e.Call("", "the replay is being stored")))
			e.Gets(ops[3])
			t.Check(len(e.Out()) == 0, "SUBSTRATE-RELAY-005", "op 4 is ahead of op 3, which is not stored", "no store call", e.Out().String())
			e.Gets(o.Copy(ops[2]))
			e.Settle()
			t.Equal("SUBSTRATE-RELAY-005", "the order in the sink", "1 2 3 4", e.Sink(""))
		}),
	}
}

// clearedCases are about what a failure takes with it.
func clearedCases() []conformance.Case {
	back := laws("SUBSTRATE-RELAY-005")
	return []conformance.Case{
		relayCase("buffer-is-cleared", "a failure clears what was buffered ahead", back, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(3)
			e.Gets(ops[0])
			e.Gets(ops[2])
			e.Fails(e.Call("", "op 1 is being stored"))
			e.Gets(o.Copy(ops[0]))
			e.Gets(o.Copy(ops[1]))
			e.Settle()
			t.Equal("SUBSTRATE-RELAY-005", "op 3, which came before the failure, is gone", "1 2", e.Sink(""))
			last := o.Copy(ops[2])
			e.Gets(last)
			e.Acked("SUBSTRATE-RELAY-005", "it is stored when it comes again", e.Settle(), last)
		}),
		relayCase("others-go-on", "a failure of one object takes nothing of another", back, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			bad, good := e.Object("session"), e.Object("session")
			ops := good.Ops(3)
			e.Gets(bad.Make("send", "bad"))
			e.Gets(ops[0])
			e.Gets(ops[1])
			e.Fails(e.Out()[0])
			e.Gets(ops[2])
			got := e.Settle()
			t.Equal("SUBSTRATE-RELAY-005", "the other object is stored", "1 2 3", e.Sink(good.addr))
			t.Equal("SUBSTRATE-RELAY-005", "and acked", 3, len(got.Frames("ack")))
		}),
	}
}

// rollsBack fails op k of a chain that begins at a seq, and sends what is behind it again, last first, and the op itself at the end.
func (t *nodeT) rollsBack(first, k uint64, n int) {
	e := t.Edge(nodeSetup{})
	o := e.Object("session")
	o.seq = first - 1
	ops := o.Ops(n + 1)
	for _, f := range ops[:n] {
		e.Gets(f)
	}
	for range k {
		e.Stores(e.Call("", "the next op is being stored"))
	}
	e.Fails(e.Call("", "the op is being stored"))
	behind := ops[k+1:]
	for _, f := range slices.Backward(behind) {
		e.Gets(o.Copy(f))
		t.Check(len(e.Out()) == 0, "SUBSTRATE-RELAY-005", "seqs behind the one that failed are ahead of the frontier", "no store call", e.Out().String())
	}
	e.Gets(o.Copy(ops[k]))
	acks := e.Settle().Frames("ack")
	for _, f := range behind {
		e.Gets(o.Copy(f))
	}
	acks = append(acks, e.Settle().Frames("ack")...)
	want := ""
	for i := range ops {
		want += fmt.Sprintf(" %d", first+uint64(i))
	}
	t.Equal("SUBSTRATE-RELAY-005", "the order in the sink", want[1:], e.Sink(""))
	t.Check(len(acks) >= len(ops)-int(k), "SUBSTRATE-RELAY-005", "the object does not stall", fmt.Sprintf("%d acks at least", len(ops)-int(k)), fmt.Sprint(len(acks)))
}

// replayCases are about an op that comes again.
func replayCases() []conformance.Case {
	replay := laws("SUBSTRATE-RELAY-006")
	return []conformance.Case{
		relayCase("replay-goes-to-the-sink", "an op that comes again is stored again, and acked when the sink knows it", replay, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(3)
			for _, f := range ops {
				e.Gets(f)
				e.Settle()
			}
			for _, f := range ops {
				f = o.Copy(f)
				e.Quietly("SUBSTRATE-RELAY-006", "an edge acks nothing from its own memory", e.Gets(f))
				d := e.Call("SUBSTRATE-RELAY-006", "a replay goes to the sink")
				t.Equal("SUBSTRATE-RELAY-006", "as the same op", f.id(), d.ID)
				e.Acked("SUBSTRATE-RELAY-006", "a duplicate is acked like a first one", e.Stores(d), f)
			}
			t.Equal("SUBSTRATE-RELAY-006", "each lies there once", "1 2 3", e.Sink(""))
		}),
		relayCase("replay-of-what-is-not-stored-yet", "an op that comes again while it is accepted and not stored is not acked", replay, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(3)
			for _, f := range ops {
				e.Gets(f)
			}
			copies := []*frame{o.Copy(ops[2]), o.Copy(ops[0])}
			for _, f := range copies {
				e.Quietly("SUBSTRATE-RELAY-006", "such a seq is accepted and not stored", e.Gets(f))
			}
			for _, f := range append(slices.Clone(ops), copies...) {
				e.Acked("SUBSTRATE-RELAY-006", "each copy is acked by a result of its own", e.Stores(e.Call("SUBSTRATE-RELAY-006", "each copy goes to the sink")), f)
			}
			t.Equal("SUBSTRATE-RELAY-006", "each lies there once", "1 2 3", e.Sink(""))
		}),
		relayCase("replay-after-its-end", "an object that was closed is still the sink's to know", replay, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := []*frame{o.Make("open", ""), o.Make("send", "x"), o.Make("close", "")}
			for _, f := range ops {
				e.Gets(f)
				e.Settle()
			}
			bye := o.Copy(ops[2])
			e.Quietly("SUBSTRATE-RELAY-006", "not from memory", e.Gets(bye))
			e.Acked("SUBSTRATE-RELAY-006", "a close that comes again is acked by the sink", e.Settle(), bye)
			t.Equal("SUBSTRATE-RELAY-006", "each lies there once", len(ops), len(e.sunk))
		}),
	}
}
