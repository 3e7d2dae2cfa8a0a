package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// sinkHorizon is how long a sink must know an id again, in ms (SUBSTRATE-RELAY-007).
const sinkHorizon = 604_800_000

// chainBound is how many ops of an object may wait behind the one that is being stored (SUBSTRATE-RELAY-008).
const chainBound = 64

// forgettingCases are about for how long a sink knows an op again.
func forgettingCases() (out []conformance.Case) {
	for _, ms := range []int64{0, 120_000, sinkHorizon - 1} {
		out = append(out, relayCase(fmt.Sprintf("sink-that-forgets-after-%d-ms", ms), "an edge in front of a sink that forgets too soon cannot be made",
			laws("SUBSTRATE-RELAY-007"), nil, func(t *nodeT) {
				_, thrown := t.TryNew(nodeSetup{Form: formRelay, Remembers: &ms})
				name := "no error"
				if thrown != nil {
					name = thrown.Name
				}
				t.Equal("SUBSTRATE-RELAY-007", "its construction is refused", errConfig, name)
			}))
	}
	return append(out,
		relayCase("sink-that-remembers", "an edge in front of a sink that remembers for as long as the ledger does works", laws("SUBSTRATE-RELAY-007"), nil, func(t *nodeT) {
			for _, ms := range []int64{sinkHorizon, sinkHorizon + 1, 10 * sinkHorizon} {
				n, thrown := t.TryNew(nodeSetup{Form: formRelay, Remembers: &ms})
				if !t.Check(thrown == nil, "SUBSTRATE-RELAY-007", "604800000 ms and more are enough", "a node", fmt.Sprint(thrown)) {
					return
				}
				e := &edge{node: n, ended: map[*deed]bool{}}
				e.Connect()
				f := e.Object("session").Make("send", "x")
				e.Gets(f)
				e.Acked("SUBSTRATE-RELAY-007", "it stores", e.Settle(), f)
			}
		}),
		relayCase("replay-after-six-days", "what was stored six days ago is stored again, and the sink knows it", laws("SUBSTRATE-RELAY-006", "SUBSTRATE-RELAY-007"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			f := o.Make("send", "x")
			e.Gets(f)
			e.Settle()
			e.Disconnect()
			e.Advance(6 * 86_400_000)
			e.Connect()
			f = o.Copy(f)
			e.Quietly("SUBSTRATE-RELAY-006", "the edge does not say so itself", e.Gets(f))
			e.Acked("SUBSTRATE-RELAY-006", "it is acked as a duplicate", e.Settle(), f)
		}),
	)
}

// overdueCases are about calls that take long.
func overdueCases() []conformance.Case {
	late := laws("SUBSTRATE-RELAY-008")
	return []conformance.Case{
		relayCase("late-result", "a result that comes after 30000 ms is ignored, and the op is stored once", late, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			f := o.Make("send", "x")
			e.Gets(f)
			d := e.Call("", "the op is being stored")
			e.Quiet("SUBSTRATE-RELAY-008", "a call that takes more than 30000 ms has failed", e.Advance(30_001))
			e.Quiet("SUBSTRATE-RELAY-008", "its late result is ignored", e.Stores(d))
			f = o.Copy(f)
			e.Gets(f)
			again := e.Call("SUBSTRATE-RELAY-008", "what is sent again is stored again")
			_, duplicate := e.Lies(again)
			t.Check(duplicate, "SUBSTRATE-RELAY-008", "the sink has it once", "the same id", again.String())
			e.Acked("SUBSTRATE-RELAY-008", "and it is acked", e.Stores(again), f)
		}),
		relayCase("late-result-of-another-call", "a late result does not end the call that came after it", late, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			f := o.Make("send", "x")
			e.Gets(f)
			d := e.Call("", "the op is being stored")
			e.Advance(30_001)
			e.ended[d] = true
			f = o.Copy(f)
			e.Gets(f)
			again := e.Call("SUBSTRATE-RELAY-008", "what is sent again is stored again")
			for _, result := range []storedRequest{{Seq: 1}, {Failed: true}} {
				e.Quiet("SUBSTRATE-RELAY-008", "a late result is ignored, whatever it says", e.Stored(d, result))
			}
			e.Acked("SUBSTRATE-RELAY-008", "the later call has a result of its own", e.Stores(again), f)
		}),
		relayCase("timeout-of-the-next-call", "each call of a chain has 30000 ms of its own", late, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			ops := o.Ops(3)
			for _, f := range ops {
				e.Gets(f)
			}
			for _, f := range ops {
				e.Quietly("SUBSTRATE-RELAY-008", "29999 ms are not too long", e.Advance(29_999))
				e.Acked("SUBSTRATE-RELAY-008", "a result in time counts", e.Stores(e.Call("SUBSTRATE-RELAY-008", "the call is out")), f)
			}
		}),
	}
}

// strandedCases are about calls whose connection ends, and about how many wait.
func strandedCases() []conformance.Case {
	late := laws("SUBSTRATE-RELAY-008")
	return []conformance.Case{
		relayCase("result-after-the-connection-has-gone", "the result of an op whose connection has gone acks nothing", late, nil, func(t *nodeT) {
			for _, next := range []string{"none", "another", "superseding"} {
				e := t.Edge(nodeSetup{})
				o := e.Object("session")
				f := o.Make("send", "x")
				e.Gets(f)
				d := e.Call("", "the op is being stored")
				if next != "superseding" {
					e.Disconnect()
				}
				if next != "none" {
					e.Connect()
				}
				e.Quiet("SUBSTRATE-RELAY-008", "no ack on another connection than the one that carried the op: "+next, e.Stores(d))
			}
		}),
		relayCase("sent-again-while-the-old-call-is-out", "an op that comes again on another connection is acked there once, by its own result", late, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			f := o.Make("send", "x")
			e.Gets(f)
			old := e.Call("", "the op is being stored")
			e.Reconnect()
			f = o.Copy(f)
			e.Quietly("SUBSTRATE-RELAY-008", "no ack before it is stored", e.Gets(f))
			var acks []*frame
			for _, d := range append(deeds{old}, slices.DeleteFunc(e.Out(), func(d *deed) bool { return d == old })...) {
				acks = append(acks, e.Stores(d).Frames("ack")...)
			}
			acks = append(acks, e.Settle().Frames("ack")...)
			seen := fmt.Sprint(len(acks), " acks")
			if len(acks) == 1 {
				seen = acks[0].without("level").String()
			}
			t.Equal("SUBSTRATE-RELAY-008", "one ack, of the copy", ackOf(f).String(), seen)
			t.Equal("SUBSTRATE-RELAY-008", "it lies there once", 1, len(e.sunk))
		}),
		relayCase("chain-is-bounded", "64 ops wait behind the one that is being stored, and the next is refused", late, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			for i, f := range o.Ops(1 + chainBound) {
				e.Quietly("SUBSTRATE-RELAY-008", fmt.Sprintf("%d ops wait", i), e.Gets(f))
			}
			over := o.Ops(1)[0]
			bounce := e.sent("SUBSTRATE-RELAY-008", "the 65th that would wait is refused", e.Gets(over), "err")
			t.Equal("SUBSTRATE-RELAY-008", "retryably", bounceOf(over, "queue_full").String(), bounce.without("msg").String())
			other := e.Object("session").Make("send", "x")
			e.Quietly("SUBSTRATE-RELAY-008", "another object has a chain of its own", e.Gets(other))
			e.Stores(e.Out()[0])
			e.Quietly("SUBSTRATE-RELAY-008", "then there is room", e.Gets(o.Copy(over)))
			e.Settle()
			t.Equal("SUBSTRATE-RELAY-008", "all are stored", 3+chainBound, len(e.sunk))
		}),
	}
}

// formCases are about what the form leaves as it is.
func formCases() []conformance.Case {
	base := laws("SUBSTRATE-RELAY-009")
	return []conformance.Case{
		relayCase("denied-op-is-not-stored", "the gate is before the sink", base, needs(GateRules), func(t *nodeT) {
			for _, verb := range []string{"open", "send", "req", "close"} {
				e := t.Edge(nodeSetup{Gate: []gateMember{{Verb: verb, Then: "deny", Code: "unauthorized"}}})
				o := e.Object("session")
				f := o.Make(verb, "")
				got := e.Gets(f)
				t.Check(len(got.Of(didStore)) == 0, "SUBSTRATE-RELAY-009", "a denied op never reaches the sink", "no store call", got.String())
				bounce := e.sent("SUBSTRATE-RELAY-009", "it is bounced", got, "err")
				t.Equal("SUBSTRATE-RELAY-009", "with the code of the denial", bounceOf(f, "unauthorized").String(), bounce.without("msg").String())
				e.Gate()
				f = o.At(verb, f.seq(), "")
				e.Gets(f)
				e.Acked("SUBSTRATE-RELAY-009", "its seq is not consumed: what the gate allows under it is stored", e.Settle(), f)
			}
		}),
		relayCase("gate-is-asked-first", "what is allowed is stored after the gate was asked, once", base, needs(GateRules), func(t *nodeT) {
			e := t.Edge(nodeSetup{Gate: []gateMember{{Then: "allow"}}})
			got := e.Gets(e.Object("session").Make("send", "x"))
			asks, stores := got.Of(didAsk), got.Of(didStore)
			ok := len(asks) == 1 && len(stores) == 1 && slices.Index(got, asks[0]) < slices.Index(got, stores[0])
			t.Check(ok, "SUBSTRATE-RELAY-009", "the gate precedes the sink", "one ask, then one store call", got.String())
		}),
		nodeCase("relay/base-profile-acks-by-itself", "without the form an op is acked as it is committed, and nothing says stored", base, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			for _, f := range []*frame{o.Make("send", "a"), o.Make("req", "b")} {
				got := n.Gets(f)
				if n.Acked("SUBSTRATE-RELAY-009", "acked at once", got, f) {
					t.Check(!got.Frames("ack")[0].has("level"), "SUBSTRATE-RELAY-009", "no level", "an ack without level", got.String())
				}
				t.Check(len(got.Of(didStore)) == 0, "SUBSTRATE-RELAY-009", "no sink", "no store call", got.String())
			}
		}),
		nodeCase("relay/base-profile-has-no-feeds", "without the form a resync asks for rows, and a frame of a feed is bad", laws("SUBSTRATE-RELAY-009", "SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			got := n.Gets(frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1))
			base := n.sent("SUBSTRATE-RELAY-009", "what was sent and freed is told by its base", got, "resync")
			t.Equal("SUBSTRATE-RELAY-009", "the base is the next seq", 2, int(base.number("base")))
			t.Check(len(got.Of(didResume)) == 0, "SUBSTRATE-RELAY-009", "no stream is asked for", "no resume", got.String())
			f := o.Make("send", "x").without("receipt").with("prev", 0)
			bounce := n.sent("SUBSTRATE-FEED-005", "a frame without receipt is no frame of a feed here", n.Gets(f), "err")
			t.Equal("SUBSTRATE-FEED-005", "it is bad", "bad_frame", bounce.code())
		}),
	}
}
