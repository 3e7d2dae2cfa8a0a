package substratetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeObserveCases are about what a node tells its observers: which measurements, when, and with which labels.
func nodeObserveCases() []conformance.Case {
	return slices.Concat(
		observeSentCases(), observeFreedCases(), observeDepthCases(), observeLatencyCases(), observeIngressCases(), observeConnCases(),
		observeRunCases(), observeBagCases(), observeSinkCases(),
	)
}

// String shows a measurement on one line, without the prefix that all names have.
func (m measure) String() string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(m.Name, "substrate."))
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		fmt.Fprintf(&b, " %s=%s", name, m.Labels[name])
	}
	sign := map[string]string{"count": "+", "gauge": "=", "sample": "<"}[m.As]
	fmt.Fprintf(&b, " %s%v", sign, m.Value)
	return b.String()
}

// Measured wants exactly these measurements since the last time, of those whose names are given, separated by spaces and without the
// prefix of all.
func (n *node) Measured(law, reason, names string, want ...string) bool {
	got := []string{}
	for _, m := range n.Signals().Measures {
		if slices.Contains(strings.Fields(names), strings.TrimPrefix(m.Name, "substrate.")) {
			got = append(got, m.String())
		}
	}
	if want == nil {
		want = []string{}
	}
	return n.t.Equal(law, reason, want, got)
}

// times returns a text so many times.
func times(count int, text string) []string { return slices.Repeat([]string{text}, count) }

// observeSentCases are about what enters the outbox.
func observeSentCases() []conformance.Case {
	const enqueued = "ops.enqueued"
	counted := laws("SUBSTRATE-OBSERVE-003")
	return []conformance.Case{
		nodeCase("observe/enqueued", "each row that is written is counted as enqueued, whatever it is", counted, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			n.Signals()
			const law, reason = "SUBSTRATE-OBSERVE-003", "enqueued +1 per durable enqueue, without a label"
			o := n.Ours("session")
			n.Measured(law, reason+": an open", enqueued, enqueued+" +1")
			n.Send(o.addr, "a")
			n.Measured(law, reason+": a send", enqueued, enqueued+" +1")
			n.Req(o.addr, "b")
			n.Measured(law, reason+": a req that waits behind it", enqueued, enqueued+" +1")
			got := n.Gets(o.Make("req", "c"))
			n.Respond(n.the("", "a req is delivered", got, didDeliver), "d")
			n.Measured(law, reason+": an answer", enqueued, enqueued+" +1")
			n.Close(o.addr)
			n.Measured(law, reason+": a close", enqueued, enqueued+" +1")
		}),
		nodeCase("observe/resends-are-not-enqueued", "nothing that is sent again counts as enqueued", counted, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Send(o.addr, "a")
			n.Signals()
			n.sent("", "the head is sent again", n.Advance(10_000), "send")
			n.sent("", "the head is sent again", n.Reconnect(), "send")
			n.Measured("SUBSTRATE-OBSERVE-003", "never on resend", enqueued)
		}),
		nodeCase("observe/failed-writes-are-not-enqueued", "what the store refuses does not count as enqueued", counted, needs(Signals, Refusing), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Signals()
			n.Refuse(0, -1)
			_, refused := n.TryCall("send", o.addr, callRequest{Body: []byte("a")})
			t.Check(refused != nil && refused.Name == errStoreRefused, "", "the store refuses the call", errStoreRefused, fmt.Sprint(refused))
			n.Refuse(0, 0)
			n.Measured("SUBSTRATE-OBSERVE-003", "never on a failed write", enqueued+" outbox.depth ops.purged")
		}),
		nodeCase("observe/refused-calls-are-not-enqueued", "what a rule of this side refuses does not count as enqueued", counted, needs(Signals, Lowered), func(t *nodeT) {
			n := t.New(nodeSetup{Limits: map[string]int{"outbox": 2}})
			o := n.Object("session")
			n.Open(o.addr, "session")
			n.Signals()
			n.TryCall("send", o.addr, callRequest{})
			n.TryCall("open", o.addr, callRequest{ObjKind: "session"})
			n.TryCall("send", "no address", callRequest{})
			n.Measured("SUBSTRATE-OBSERVE-003", "a call that never came to be is not counted", enqueued+" outbox.depth")
		}),
	}
}

// observeFreedCases are about what leaves the outbox, and why.
func observeFreedCases() []conformance.Case {
	const freed = "ops.acked ops.answered ops.purged"
	return []conformance.Case{
		nodeCase("observe/acked", "each row that an ack frees is counted as acked, and no stale ack", laws("SUBSTRATE-OBSERVE-003"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			f := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
			n.Signals()
			const law = "SUBSTRATE-OBSERVE-003"
			n.Ack(f.with("receipt", []byte("another")))
			n.Measured(law, "an ack with another receipt frees nothing", freed)
			n.Ack(f)
			n.Measured(law, "acked +1 per row that is freed", freed, "ops.acked +1")
			n.Ack(f)
			n.Measured(law, "never on a duplicate ack", freed)
		}),
		nodeCase("observe/answered", "a row that an answer frees is counted as answered", laws("SUBSTRATE-OBSERVE-012", "SUBSTRATE-OBSERVE-003"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Object("session")
			open := n.sent("", "an open is sent", n.Open(o.addr, o.kind).Did, "open")
			n.Signals()
			const law = "SUBSTRATE-OBSERVE-012"
			n.Gets(o.Answer("accept", open, ""))
			n.Measured(law, "an accept ahead of the ack frees the open", freed, "ops.answered +1")
			n.Ack(open)
			n.Measured("SUBSTRATE-OBSERVE-003", "the ack after it is stale", freed)
			req := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
			n.Ack(req)
			n.Gets(o.Answer("res", req, "!"))
			n.Measured(law, "an answer to a row that is gone frees nothing more", freed, "ops.acked +1")
			late := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
			n.Gets(o.Answer("end", late, ""))
			n.Measured(law, "an end frees it as well", freed, "ops.answered +1")
		}),
		nodeCase("observe/purged-by-bounce", "a row that a bounce purges is counted as purged", laws("SUBSTRATE-OBSERVE-012", "SUBSTRATE-OBSERVE-009"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			f := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
			n.Signals()
			n.Gets(bounceOf(f, "busy"))
			n.Measured("SUBSTRATE-OBSERVE-012", "a retryable code purges nothing", freed+" futile")
			f = n.sent("", "the send is sent again", n.Advance(1_000), "send")
			n.Gets(bounceOf(f, "unauthorized"))
			n.Measured("SUBSTRATE-OBSERVE-012", "purged +1 per row that a bounce purges", freed+" futile", "ops.purged +1", "futile code=unauthorized +1")
			n.Gets(bounceOf(f, "unauthorized"))
			n.Measured("SUBSTRATE-OBSERVE-009", "the same bounce again is about nothing", freed+" futile")
		}),
		nodeCase("observe/purged-by-death", "all rows of an object that dies are counted as purged",
			laws("SUBSTRATE-OBSERVE-012", "SUBSTRATE-OBSERVE-009", "SUBSTRATE-OBSERVE-004"), needs(Signals), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o, other := n.Ours("session"), n.Ours("session")
				for range 3 {
					n.Send(o.addr, "a")
				}
				n.Send(other.addr, "b")
				n.Signals()
				n.Gets(o.Make("close", ""))
				r := n.Signals()
				t.Equal("SUBSTRATE-OBSERVE-012", "purged +1 per row of the object, and of no other", 3.0, r.Count("substrate.ops.purged"))
				t.Equal("SUBSTRATE-OBSERVE-009", "futile +1 for each", 3.0, r.Count("substrate.futile"))
				for _, m := range r.Measures {
					if m.Name == "substrate.futile" {
						t.Equal("SUBSTRATE-OBSERVE-009", "futile is labelled by the code", map[string]string{"code": "closed"}, m.Labels)
					}
				}
				t.Equal("SUBSTRATE-OBSERVE-004", "the depth is 0 in the end", 0.0, r.last("substrate.outbox.depth", o.addr))
			}),
		nodeCase("observe/purged-by-expiry", "a row that expires is counted as purged", laws("SUBSTRATE-OBSERVE-012"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Send(o.addr, "a")
			n.Disconnect()
			n.Signals()
			n.Advance(8 * 24 * 3_600_000)
			n.Connect()
			n.Measured("SUBSTRATE-OBSERVE-012", "purged +1 per row that expires", freed, "ops.purged +1")
		}),
	}
}

// last returns what a gauge of an object was set to last; -1: it was not.
func (r *signalsReply) last(name, obj string) float64 {
	v := -1.0
	for _, m := range r.Measures {
		if m.Name == name && m.As == "gauge" && m.Labels["obj"] == obj {
			v = m.Value
		}
	}
	return v
}

// observeDepthCases are about the backlog of an object.
func observeDepthCases() []conformance.Case {
	const depth = "outbox.depth"
	backlog := laws("SUBSTRATE-OBSERVE-004")
	is := func(o *nodeObj, v int) string { return fmt.Sprintf("%s obj=%s =%d", depth, o.addr, v) }
	return []conformance.Case{
		nodeCase("observe/depth", "the depth is set at every enqueue, free and purge, for its object", backlog, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			a, b := n.Ours("session"), n.Ours("session")
			n.Signals()
			const law, reason = "SUBSTRATE-OBSERVE-004", "the gauge is the number of unfreed rows of that object"
			f := n.sent("", "a send is sent", n.Send(a.addr, "1").Did, "send")
			n.Measured(law, reason+", at an enqueue", depth, is(a, 1))
			n.Send(a.addr, "2")
			n.Measured(law, reason+", behind another", depth, is(a, 2))
			n.Send(b.addr, "3")
			n.Measured(law, reason+", of another object", depth, is(b, 1))
			next := n.sent("", "the next send is sent", n.Ack(f), "send")
			n.Measured(law, reason+", at a free", depth, is(a, 1))
			n.Ack(f)
			n.Measured(law, reason+": a stale ack changes nothing", depth)
			n.Gets(bounceOf(next, "unauthorized"))
			n.Measured(law, reason+", at a purge", depth, is(a, 0))
		}),
		nodeCase("observe/depth-after-restart", "the depth of each object is restored after a restart", backlog, needs(Signals), func(t *nodeT) {
			n := t.Durable()
			a, b, c := n.Ours("session"), n.Ours("queue"), n.Ours("session")
			for range 3 {
				n.Send(a.addr, "1")
			}
			n.Send(b.addr, "2")
			n.Ack(n.sent("", "a send is sent", n.Send(c.addr, "3").Did, "send"))
			n.Signals()
			n.Restart()
			r := n.Signals()
			got := []float64{r.last("substrate.outbox.depth", a.addr), r.last("substrate.outbox.depth", b.addr), max(0, r.last("substrate.outbox.depth", c.addr))}
			t.Equal("SUBSTRATE-OBSERVE-004", "restored after restart", []float64{3, 1, 0}, got)
		}),
		nodeCase("observe/depth-of-a-failed-write", "the depth is what it was when the store refuses", backlog, needs(Signals, Refusing), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Send(o.addr, "1")
			n.Refuse(0, 1)
			n.TryCall("send", o.addr, callRequest{Body: []byte("2")})
			n.Refuse(0, 0)
			n.Signals()
			n.Send(o.addr, "3")
			n.Measured("SUBSTRATE-OBSERVE-004", "what was refused does not count", depth, is(o, 2))
		}),
	}
}

// observeLatencyCases are about the time that things take.
func observeLatencyCases() []conformance.Case {
	const ack, answer = "ack.latency_ms", "answer.latency_ms"
	latency := laws("SUBSTRATE-OBSERVE-005")
	const law = "SUBSTRATE-OBSERVE-005"
	return []conformance.Case{
		nodeCase("observe/ack-latency", "the latency of an ack counts from the first transmission", latency, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			f := n.sent("", "a send is sent", n.Send(o.addr, "1").Did, "send")
			n.Send(o.addr, "2")
			n.Signals()
			n.Advance(1_234)
			next := n.sent("", "the next send is sent", n.Ack(f), "send")
			n.Measured(law, "first transmission to free by ack", ack+" "+answer, ack+" <1234")
			n.Advance(7)
			n.Ack(next)
			n.Measured(law, "the time behind another does not count", ack+" "+answer, ack+" <7")
		}),
		nodeCase("observe/ack-latency-across-resends", "the latency of an ack goes on across resends and reconnects", latency, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Send(o.addr, "1")
			n.Signals()
			n.sent("", "the send is sent again", n.Advance(10_000), "send")
			n.Disconnect()
			n.Advance(500)
			f := n.sent("", "the send is sent again", n.Connect(), "send")
			n.Advance(20)
			n.Ack(f)
			n.Measured(law, "one sample per op, from the very first transmission", ack, ack+" <10520")
		}),
		nodeCase("observe/ack-latency-offline", "the time without a connection before the first transmission does not count", latency, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Disconnect()
			n.Send(o.addr, "1")
			n.Advance(3_000)
			f := n.sent("", "the send is sent", n.Connect(), "send")
			n.Signals()
			n.Advance(40)
			n.Ack(f)
			n.Measured(law, "first transmission to free by ack", ack, ack+" <40")
		}),
		nodeCase("observe/ack-latency-after-the-clock-was-set-back", "no latency is below zero, whatever became of the wall clock over a restart",
			latency, needs(Signals, HostStore, WallClock), func(t *nodeT) {
				n := t.Connected(nodeSetup{Store: storeHost})
				n.Send(n.Ours("session").addr, "1")
				n.Clock(startOfTime - day)
				n.Restart()
				f := n.sent("", "the send is sent again", n.Connect(), "send")
				n.Signals()
				n.Ack(f)
				for _, m := range n.Signals().Measures {
					t.Check(m.As != "sample" || m.Value >= 0, law, "a latency is the time that has passed", "0 ms at the least", fmt.Sprint(m.Value))
				}
			}),
		nodeCase("observe/answer-latency", "the latency of an answer counts from the enqueue", latency, needs(Signals), func(t *nodeT) {
			n := t.New(nodeSetup{})
			o := n.Object("session")
			n.Open(o.addr, o.kind)
			n.Advance(2_000)
			open := n.sent("", "the open is sent", n.Connect(), "open")
			n.Ack(open)
			n.Signals()
			n.Advance(500)
			accept := o.Answer("accept", open, "")
			n.Gets(accept)
			n.Measured(law, "enqueue of an open to its answer", ack+" "+answer, answer+" <2500")
			n.Gets(accept)
			n.Measured(law, "one sample per op: a redelivered answer makes none", ack+" "+answer)
			n.Send(o.addr, "before")
			n.Req(o.addr, "?")
			n.Advance(60)
			n.Signals()
			req := n.sent("", "the req is sent", n.Reconnect().next(n), "req")
			n.Ack(req)
			n.Signals()
			n.Advance(5)
			n.Gets(o.Answer("res", req, "!"))
			n.Measured(law, "enqueue of a req to its answer", ack+" "+answer, answer+" <65")
		}),
		nodeCase("observe/answer-latency-of-no-answer", "an op that has no answer makes no sample of one", latency, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Signals()
			n.Ack(n.sent("", "a send is sent", n.Send(o.addr, "1").Did, "send"))
			n.Ack(n.sent("", "a close is sent", n.Close(o.addr).Did, "close"))
			n.Measured(law, "only a req and an open have an answer", answer)
		}),
	}
}

// next acks the first frame among deeds, and returns what follows.
func (ds deeds) next(n *node) deeds {
	if all := ds.Frames(); len(all) > 0 {
		return n.Ack(all[0])
	}
	return nil
}
