package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeLimitCases are about the caps that hold inside the process.
func nodeLimitCases() []conformance.Case {
	return slices.Concat(outboxCapCases(), inboxCapCases(), objectCapCases(), memoryCapCases())
}

// refusedWith wants a call to be refused with a code, and nothing to have come of it.
func (n *node) refusedWith(law, reason, code, verb, obj string, o callRequest) {
	before := n.Kept()
	_, refused := n.TryCall(verb, obj, o)
	seen := "it is made"
	if refused != nil {
		seen = refused.Name + " " + refused.Code
	}
	n.t.Check(refused != nil && refused.Name == errRefusedCall && refused.Code == code, law, reason, errRefusedCall+" "+code, seen)
	n.t.Equal(law, reason+": it leaves no trace", before, n.Kept())
}

// outboxCapCases are about the depth of an outbox.
func outboxCapCases() []conformance.Case {
	const law = "SUBSTRATE-LIMIT-002"
	return []conformance.Case{
		nodeCase("config/outbox-of-1024", "1024 rows are queued for an object, and the next is refused", laws(law), needs(Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o, other := n.Ours("session"), n.Ours("session")
			n.Disconnect()
			for range 1024 {
				n.Send(o.addr, "x")
			}
			n.refusedWith(law, "the 1025th send", "queue_full", "send", o.addr, callRequest{})
			n.refusedWith(law, "the 1025th req", "queue_full", "req", o.addr, callRequest{})
			n.Send(other.addr, "of another object")
			heads := n.Connect().Frames("send")
			if !t.Check(len(heads) == 2, law, "the heads of both objects are sent", "two sends", n.all.String()) {
				return
			}
			next := n.sent("", "the next is sent", n.Ack(heads[0]), "send")
			n.Send(o.addr, "last")
			n.refusedWith(law, "after one is freed one passes", "queue_full", "send", o.addr, callRequest{})
			for range 1023 {
				next = n.sent(law, "stored rows are never dropped", n.Ack(next), "send")
			}
			t.Equal(law, "the refused one passes, in order", "last", string(next.body))
		}),
		nodeCase("config/outbox-exempts", "answers and close are exempt from the depth cap", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"outbox": 2}})
			o := n.Ours("session")
			d := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
			n.Send(o.addr, "a")
			n.Send(o.addr, "b")
			_, refused := n.TryCall("req", o.addr, callRequest{})
			t.Check(refused != nil, "", "the outbox is full", "queue_full", "it is made")
			_, no := n.TryAnswer("respond", d, answerRequest{Body: []byte("!")})
			t.Check(no == nil, law, "answers are exempt", "an answer", fmt.Sprint(no))
			_, no = n.TryCall("close", o.addr, callRequest{})
			t.Check(no == nil, law, "close is exempt", "a close", fmt.Sprint(no))
		}),
		nodeCase("config/outbox-of-an-open", "an open counts, and is refused when the outbox is full", laws(law), needs(Kept, Lowered), func(t *nodeT) {
			n := t.New(nodeSetup{Limits: map[string]int{"outbox": 2}})
			o := n.Object("session")
			n.Open(o.addr, o.kind)
			n.Close(o.addr)
			n.refusedWith(law, "an open beyond the cap", "queue_full", "open", o.addr, callRequest{ObjKind: o.kind})
		}),
	}
}

// inboxCapCases are about what waits for the application.
func inboxCapCases() []conformance.Case {
	const law = "SUBSTRATE-LIMIT-002"
	return []conformance.Case{
		nodeCase("config/inbox-of-1024", "1024 ops of an object wait for the application, and the next is refused for now", laws(law), needs(Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			var first *deed
			for i := range 1024 {
				got := n.Gets(o.Make("send", fmt.Sprint(i)))
				if i == 0 {
					first = n.the("", "the first is delivered", got, didDeliver)
				}
			}
			kept := n.Kept()
			f := o.Make("send", "last")
			for range 2 {
				t.Now(law, "a further fresh op gets a retryable err, each time it comes", n.Gets(f), "transmit err code=queue_full")
			}
			t.Equal(law, "there is no commit", kept, n.Kept())
			t.Now(law, "there is no move of the frontier", n.Gets(o.At("send", f.seq(), "another in its place")), "transmit err code=queue_full")
			n.Handled(first)
			n.Acked(law, "after one is consumed the refused one passes", n.Gets(f), f)
		}),
		nodeCase("config/inbox-exempts", "close and answers are always admitted", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"inbox": 2}})
			o := n.Theirs("session")
			req := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
			n.Ack(req)
			n.Gets(o.Make("send", "a"))
			n.Gets(o.Make("send", "b"))
			full := o.At("req", o.seq+1, "c")
			t.Now("", "the inbox is full", n.Gets(full), "transmit err code=queue_full")
			answer := o.Answer("res", req, "!")
			n.Acked(law, "an answer is admitted", n.Gets(answer), answer)
			end := o.Make("close", "")
			n.Acked(law, "a close is admitted", n.Gets(end), end)
		}),
		nodeCase("config/inbox-of-one-object", "a full inbox of one object is none of another's business", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"inbox": 1}})
			o, other := n.Theirs("session"), n.Theirs("session")
			n.Gets(o.Make("send", "a"))
			t.Now("", "the inbox is full", n.Gets(o.Make("send", "b")), "transmit err code=queue_full")
			f := other.Make("send", "c")
			n.Acked(law, "the cap is per object", n.Gets(f), f)
		}),
		nodeCase("config/inbox-of-a-host", "what waits in the inbox of a queue counts until the host takes it", laws(law), needs(Lowered, HostInbox), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"inbox": 3}})
			o := n.Object("queue")
			d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
			n.Answer("accept", d, answerRequest{Queue: true})
			for i := range 3 {
				n.Gets(o.Make("send", fmt.Sprint(i)))
			}
			f := o.Make("send", "last")
			t.Now(law, "1 more than the cap", n.Gets(f), "transmit err code=queue_full")
			n.Inbox(o.addr, 1)
			n.Acked(law, "after one is taken the refused one passes", n.Gets(f), f)
		}),
	}
}

// objectCapCases are about objects that are opening or live.
func objectCapCases() []conformance.Case {
	const law = "SUBSTRATE-LIMIT-003"
	return []conformance.Case{
		nodeCase("config/objects-of-a-peer", "256 opens are taken, the next is rejected with rate_limited, and closing one allows one", laws(law), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			var all []*nodeObj
			for range 256 {
				o := n.Object("session")
				f := o.Make("open", "")
				n.Acked(law, "256 opens are taken", n.Gets(f), f)
				all = append(all, o)
			}
			o := n.Object("session")
			f := o.Make("open", "")
			got := n.Gets(f)
			reject := n.sent(law, "the 257th is rejected", got, "reject")
			t.Equal(law, "with rate_limited", "rate_limited", reject.code())
			n.Acked(law, "it is answered and not bounced", got, f)
			n.Gets(all[0].Make("close", ""))
			another := n.Object("session")
			n.the(law, "a closed record does not count", n.Gets(another.Make("open", "")), didDeliver)
		}),
		nodeCase("config/objects-of-this-side", "a local open beyond the cap is refused with rate_limited", laws(law), needs(Lowered, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"objects": 3}})
			n.Theirs("session")
			a := n.Ours("queue")
			b := n.Object("session")
			n.Open(b.addr, b.kind)
			n.refusedWith(law, "opening and live ones count, of whoever", "rate_limited", "open", n.Object("session").addr, callRequest{ObjKind: "session"})
			n.Gets(a.Make("close", ""))
			_, refused := n.TryCall("open", n.Object("session").addr, callRequest{ObjKind: "session"})
			t.Check(refused == nil, law, "closing one allows one", "an open", fmt.Sprint(refused))
		}),
		nodeCase("config/objects-after-restart", "objects are counted on after a restart", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Store: t.lasting(), Limits: map[string]int{"objects": 2}})
			n.Theirs("session")
			n.Theirs("session")
			n.Restart()
			n.Connect()
			reject := n.sent(law, "one more is rejected", n.Gets(n.Object("session").Make("open", "")), "reject")
			t.Equal(law, "with rate_limited", "rate_limited", reject.code())
		}),
		nodeCase("config/objects-of-an-edge", "an edge bounces any op of a further name with rate_limited", laws(law), needs(Lowered, RelayForm), func(t *nodeT) {
			n := t.Connected(nodeSetup{Form: formRelay, Limits: map[string]int{"objects": 2}})
			for range 2 {
				d := n.the("", "an op is to be stored", n.Gets(n.Object("session").Make("send", "a")), didStore)
				n.Stored(d, storedRequest{Seq: 1})
			}
			for _, verb := range []string{"open", "send", "req"} {
				t.Now(law, "an edge has no outbox for a reject: "+verb, n.Gets(n.Object("session").At(verb, 1, "b")), "transmit err code=rate_limited")
			}
		}),
	}
}

// memoryCapCases are about what a peer can make a node hold in memory.
func memoryCapCases() []conformance.Case {
	const law = "SUBSTRATE-LIMIT-005"
	body := func(octets int) string { return string(make([]byte, octets)) }
	// filled has o wait for a frame while so many others, of so many octets each, come ahead of it, and returns how many were kept.
	filled := func(n *node, o *nodeObj, count, octets int) int {
		lost := o.Make("send", "lost")
		for range count {
			n.Silent(law, "a frame ahead of its turn is not acked", n.Gets(o.Make("send", body(octets))))
		}
		kept := len(n.Gets(lost).Frames("ack")) - 1
		o.seq = lost.seq() + uint64(max(kept, 0))
		return kept
	}
	return []conformance.Case{
		nodeCase("config/gap-of-64-frames", "64 frames of an object are buffered", laws(law), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			t.Equal(law, "64 frames per object", 63, filled(n, n.Theirs("session"), 63, 10))
		}),
		nodeCase("config/gap-of-an-object", "the bodies that are buffered for an object are bounded", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"gapBytes": 1000}})
			t.Equal(law, "what does not fit is not held", 4, filled(n, n.Theirs("session"), 8, 250))
		}),
		nodeCase("config/gap-of-a-peer", "the bodies that are buffered for all objects of a peer are bounded", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"peerGapBytes": 1000}})
			a, b := n.Theirs("session"), n.Theirs("session")
			lost := a.Make("send", "lost")
			for range 3 {
				n.Gets(a.Make("send", body(250)))
			}
			t.Equal(law, "one object takes from what another may have", 1, filled(n, b, 5, 250))
			t.Equal(law, "what was held is there", 4, len(n.Gets(lost).Frames("ack")))
			t.Equal(law, "and what is let go leaves room", 4, filled(n, b, 5, 250))
		}),
		nodeCase("config/gap-and-reconnect", "what was buffered on a connection leaves its room with it", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"peerGapBytes": 1000}})
			o := n.Theirs("session")
			for i := range 4 {
				n.Gets(o.At("send", o.seq+2+uint64(i), body(250)))
			}
			n.Reconnect()
			t.Equal(law, "nothing is left of what the old one held", 4, filled(n, o, 6, 250))
		}),
		nodeCase("config/tombstones", "the oldest tombstone makes room for a new one", laws(law), needs(Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"tombstones": 3}})
			var all []*frame
			for range 4 {
				f := n.Object("session").At("send", 1, "nobody")
				all = append(all, f)
				n.sent("", "an op of no object is bounced", n.Gets(f), "err")
			}
			for _, f := range all[1:] {
				n.Silent(law, "three are remembered", n.Gets(f))
			}
			n.sent(law, "the fourth is not held any more", n.Gets(all[0]), "err")
		}),
	}
}
