package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// An edge is a node of the relay form, connected, of which the suite is the browser and the sink.
type edge struct {
	*node
	ended map[*deed]bool // store calls that need no answer any more
	sunk  []*deed        // what lies in the sink, in its order
}

// Edge makes an edge.
func (t *nodeT) Edge(o nodeSetup) *edge {
	o.Form = formRelay
	return &edge{node: t.Connected(o), ended: map[*deed]bool{}}
}

// Out returns the store calls that are not answered, oldest first.
func (e *edge) Out() deeds {
	return slices.DeleteFunc(e.all.Of(didStore), func(d *deed) bool { return e.ended[d] })
}

// Call returns the only store call that is out; any other number breaks law and ends the case.
func (e *edge) Call(law, reason string) *deed {
	out := e.Out()
	if !e.t.Check(len(out) == 1, law, reason, "one store call", out.String()) {
		e.t.Stop()
	}
	return out[0]
}

// Lies puts what a call is about into the sink, unless it lies there, and returns where and whether it did: the sink is idempotent by id.
func (e *edge) Lies(d *deed) (seq uint64, duplicate bool) {
	for i, x := range e.sunk {
		if x.ID == d.ID {
			return uint64(i) + 1, true
		}
	}
	e.sunk = append(e.sunk, d)
	return uint64(len(e.sunk)), false
}

// Stores has the sink store what a call is about, and tells the edge.
func (e *edge) Stores(d *deed) deeds {
	seq, duplicate := e.Lies(d)
	e.ended[d] = true
	return e.Stored(d, storedRequest{Seq: seq, Duplicate: duplicate})
}

// Fails tells the edge that a call has failed, which says nothing of what lies in the sink.
func (e *edge) Fails(d *deed) deeds {
	e.ended[d] = true
	return e.Stored(d, storedRequest{Failed: true})
}

// Settle stores whatever the edge asks for until it asks no more.
func (e *edge) Settle() (did deeds) {
	for range 1000 {
		out := e.Out()
		if len(out) == 0 {
			return did
		}
		did = append(did, e.Stores(out[0])...)
	}
	e.t.Blocked("substrate/node/relay/one-call-for-an-object", "1000 store calls have ended, and there is another: %s", e.Out())
	return nil
}

// Swap kills the edge; another replica takes the browser over. Its calls are gone.
func (e *edge) Swap() {
	for _, d := range e.Out() {
		e.ended[d] = true
	}
	e.Restart()
	e.Connect()
}

// Sink returns the bodies of what lies in the sink, of one object if obj is given.
func (e *edge) Sink(obj string) string {
	var all []string
	for _, d := range e.sunk {
		if obj == "" || d.Obj == obj {
			all = append(all, string(d.Body))
		}
	}
	return strings.Join(all, " ")
}

// Quiet wants no ack, no err and no store call among deeds.
func (e *edge) Quiet(law, reason string, got deeds) bool {
	seen := append(slices.Clone(got.Of(didTransmit)), got.Of(didStore)...)
	return e.t.Check(len(seen) == 0, law, reason, "no frame and no store call", seen.String())
}

// Ops makes sends of an object whose bodies are their seqs.
func (o *nodeObj) Ops(n int) (all []*frame) {
	for range n {
		all = append(all, o.Make("send", fmt.Sprint(o.seq+1)))
	}
	return all
}

// Copy returns an op as it comes when it is sent once more: under another receipt.
func (o *nodeObj) Copy(f *frame) *frame { return f.with("receipt", []byte(o.n.t.Unique("r"))) }

// relayCase is a case of an edge.
func relayCase(name, title string, laws, options []string, do func(*nodeT)) conformance.Case {
	return nodeCase("relay/"+name, title, laws, append(needs(RelayForm), options...), do)
}

// nodeRelayCases are about an edge and what it has the sink store.
func nodeRelayCases() []conformance.Case {
	return slices.Concat(edgeCases(), swapCases(), chainCases(), sideCases(), ackedCases(), failedCases(), rolledBackCases(), unrolledCases(), clearedCases(),
		replayCases(), forgettingCases(), overdueCases(), strandedCases(), formCases())
}

// edgeCases are about the edge that knows nothing.
func edgeCases() []conformance.Case {
	adopts := laws("SUBSTRATE-RELAY-001")
	return []conformance.Case{
		relayCase("adopts-at-seq-41", "a fresh edge takes an object up in the middle, at the seq of its first op", adopts, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			first := o.At("send", 41, "first")
			e.Gets(first)
			e.Acked("SUBSTRATE-RELAY-001", "the first op is stored without an open, and acked", e.Stores(e.Call("SUBSTRATE-RELAY-001", "it is to be stored")), first)
			e.Gets(o.At("send", 43, "third"))
			t.Check(len(e.Out()) == 0, "SUBSTRATE-RELAY-001", "the frontier is that of the first op: 43 waits for 42", "no store call", e.Out().String())
			e.Gets(o.At("send", 42, "second"))
			e.Settle()
			t.Equal("SUBSTRATE-RELAY-001", "all are stored in order", "first second third", e.Sink(""))
		}),
		relayCase("adopted-may-be-closed", "the browser takes part in an object that an edge has adopted", adopts, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			bye := o.At("close", 7, "")
			e.Gets(bye)
			e.Acked("SUBSTRATE-RELAY-001", "a close is stored and acked", e.Stores(e.Call("SUBSTRATE-RELAY-001", "a close is to be stored")), bye)
		}),
		relayCase("writes-nothing-itself", "an edge writes nothing but by the sink", adopts, needs(Refusing), func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			for _, f := range []*frame{o.Make("open", ""), o.Make("send", "a"), o.Make("req", "b"), o.Make("close", "")} {
				e.Gets(f)
			}
			e.Settle()
			e.Gets(o.Make("send", "c"))
			e.Fails(e.Call("", "it is to be stored"))
			e.Feed(feedRequest{Obj: o.addr, ObjKind: o.kind, Verb: "send", ID: "f1", Seq: 3})
			e.Advance(60_000)
			e.Swap()
			wrote := e.all.Of(didCommit)
			t.Check(len(wrote) == 0, "SUBSTRATE-RELAY-001", "no transaction of a store", "no commit", wrote.String())
		}),
		relayCase("waiting-ops-end-with-their-connection", "what waits in a chain is dropped when its connection ends", adopts, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(3)
			for _, f := range ops {
				e.Gets(f)
			}
			d := e.Call("SUBSTRATE-RELAY-001", "one op is being stored")
			e.Disconnect()
			e.Quiet("SUBSTRATE-RELAY-001", "nothing that waited is stored after the end of its connection", e.Stores(d))
			e.Connect()
			e.Gets(o.Copy(ops[1]))
			e.Settle()
			e.Gets(o.Make("send", "4"))
			t.Check(len(e.Out()) == 0, "SUBSTRATE-RELAY-001", "the frontier is adopted anew: op 4 waits for op 3", "no store call", e.Out().String())
			e.Gets(o.Copy(ops[2]))
			e.Settle()
			t.Equal("SUBSTRATE-RELAY-001", "all are stored in order", "1 2 3 4", e.Sink(""))
		}),
	}
}

// swapCases replace the edge by another replica at each step of a run of three ops.
func swapCases() (out []conformance.Case) {
	const ops = 3
	for i := range ops {
		for _, when := range []string{"before-it-comes", "while-it-is-stored", "when-it-lies-there", "when-its-ack-is-lost"} {
			out = append(out, relayCase(fmt.Sprintf("swap-%s-%d-of-%d", when, i+1, ops),
				fmt.Sprintf("another replica takes over at op %d of %d: %s", i+1, ops, strings.ReplaceAll(when, "-", " ")),
				laws("SUBSTRATE-RELAY-001", "SUBSTRATE-RELAY-006"), nil, func(t *nodeT) {
					e := t.Edge(nodeSetup{})
					o := e.Object("session")
					for k, f := range o.Ops(ops) {
						if k == i {
							e.swapped(when, f)
							f = o.Copy(f)
						}
						e.Gets(f)
						got := e.Settle()
						e.Acked("SUBSTRATE-RELAY-006", "each op is acked, whichever replica has it", got, f)
					}
					t.Equal("SUBSTRATE-RELAY-001", "the sink has what it would have without the swap", "1 2 3", e.Sink(""))
				}))
		}
	}
	return out
}

// swapped takes one op of the browser so far and then replaces the edge.
func (e *edge) swapped(when string, f *frame) {
	if when != "before-it-comes" {
		e.Gets(f)
		d := e.Call("SUBSTRATE-RELAY-001", "the op is to be stored")
		switch when {
		case "when-it-lies-there":
			e.Lies(d)
		case "when-its-ack-is-lost":
			e.Acked("SUBSTRATE-RELAY-001", "the op is acked", e.Stores(d), f)
		}
	}
	e.Swap()
}

// chainCases are about the calls of objects.
func chainCases() []conformance.Case {
	serial := laws("SUBSTRATE-RELAY-002")
	return []conformance.Case{
		relayCase("one-call-for-an-object", "for one object one store call is out at a time, in the order of seqs", serial, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			const n = 6
			for _, f := range o.Ops(n) {
				e.Gets(f)
				t.Equal("SUBSTRATE-RELAY-002", "one call is out", 1, len(e.Out()))
			}
			for i := range n {
				d := e.Call("SUBSTRATE-RELAY-002", "one call is out as long as ops wait")
				t.Equal("SUBSTRATE-RELAY-002", "calls are made in the order of seqs", uint64(i)+1, d.Seq)
				e.Stores(d)
			}
			t.Equal("SUBSTRATE-RELAY-002", "the order in the sink", "1 2 3 4 5 6", e.Sink(""))
		}),
		relayCase("whole-ops-are-stored", "a store call has all of an op, and whose it is", serial, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("queue")
			f := o.Make("open", "").with("cap", []byte{0, 255})
			e.Gets(f)
			d := e.Call("SUBSTRATE-RELAY-002", "every accepted op is stored")
			t.Equal("SUBSTRATE-RELAY-002", "what is stored is the op", fmt.Sprint("peer open ", o.addr, " queue ", f.id(), " 1 [0 255] none"),
				fmt.Sprint(d.Peer, " ", d.Verb, " ", d.Obj, " ", d.ObjKind, " ", d.ID, " ", d.Seq, " ", d.Cap, " ", orNone(d.Body)))
			e.Stores(d)
			for _, body := range [][]byte{{}, {0}, []byte("a\x00b\xff")} {
				e.Gets(o.Make("send", "").carrying(body))
				d := e.Call("SUBSTRATE-RELAY-002", "every accepted op is stored")
				t.Equal("SUBSTRATE-RELAY-002", "the body is untouched", orNone(body), orNone(d.Body))
				e.Stores(d)
			}
		}),
	}
}

// sideCases are about calls of several objects.
func sideCases() []conformance.Case {
	serial := laws("SUBSTRATE-RELAY-002")
	return []conformance.Case{
		relayCase("objects-do-not-wait-for-another", "a call of one object holds up no other", serial, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			slow, fast := e.Object("session"), e.Object("session")
			held := slow.Make("send", "held")
			e.Gets(held)
			d := e.Call("SUBSTRATE-RELAY-002", "the first op is being stored")
			for _, f := range fast.Ops(3) {
				e.Gets(f)
				out := slices.DeleteFunc(e.Out(), func(x *deed) bool { return x == d })
				if !t.Check(len(out) == 1, "SUBSTRATE-RELAY-002", "another object is stored meanwhile", "one more call", out.String()) {
					t.Stop()
				}
				e.Acked("SUBSTRATE-RELAY-002", "and acked", e.Stores(out[0]), f)
			}
			e.Acked("SUBSTRATE-RELAY-002", "the slow call ends", e.Stores(d), held)
		}),
		relayCase("calls-end-in-any-order", "calls of objects that end in any order leave each object's ops in order", serial, nil, func(t *nodeT) {
			for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
				e := t.Edge(nodeSetup{})
				objs := []*nodeObj{e.Object("session"), e.Object("queue"), e.Object("session")}
				for range 3 {
					for _, o := range objs {
						e.Gets(o.Ops(1)[0])
					}
				}
				for range 3 {
					out := e.Out()
					if !t.Check(len(out) == len(objs), "SUBSTRATE-RELAY-002", "one call of each object is out", "3 store calls", out.String()) {
						t.Stop()
					}
					for _, i := range order {
						e.Stores(out[i])
					}
				}
				for _, o := range objs {
					t.Equal("SUBSTRATE-RELAY-002", "the order of an object", "1 2 3", e.Sink(o.addr))
				}
			}
		}),
	}
}

// orNone shows octets, and those that are none.
func orNone(b []byte) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprintf("%q", b)
}
