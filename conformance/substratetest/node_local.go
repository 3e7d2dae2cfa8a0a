package substratetest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// localStates are the states of an object that the local interface tells apart, how a node comes to each, and what open, send, req and
// close come to there: a code, or nothing where the call is taken.
func localStates() []struct {
	name                   string
	make                   func(n *node) *nodeObj
	open, send, req, close string
} {
	type state = struct {
		name                   string
		make                   func(n *node) *nodeObj
		open, send, req, close string
	}
	return []state{
		{"idle", func(n *node) *nodeObj { return n.Object("session") }, "", "", "", "not_live"},
		{"opening-by-this-side", func(n *node) *nodeObj {
			o := n.Object("session")
			n.Ack(n.sent("", "an open is sent", n.Open(o.addr, "session").Did, "open"))
			return o
		}, "already_exists", "not_live", "not_live", ""},
		{"opening-by-the-peer", func(n *node) *nodeObj {
			o := n.Object("session")
			n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
			return o
		}, "already_exists", "not_live", "not_live", "not_live"},
		{"live", func(n *node) *nodeObj { return n.Theirs("session") }, "already_exists", "", "", ""},
		{"live-queue", func(n *node) *nodeObj { return n.Ours("queue") }, "already_exists", "", "unsupported", ""},
		{"rejected-by-this-side", func(n *node) *nodeObj {
			o := n.Object("session")
			d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
			n.Ack(n.sent("", "a reject is sent", n.Answer("reject", d, answerRequest{Code: "app_error"}), "reject"))
			return o
		}, "", "not_live", "not_live", "not_live"},
		{"rejected-by-the-peer", func(n *node) *nodeObj {
			o := n.Object("session")
			open := n.sent("", "an open is sent", n.Open(o.addr, "session").Did, "open")
			n.Ack(open)
			n.Gets(o.Answer("reject", open, "").with("code", "app_error"))
			return o
		}, "", "not_live", "not_live", "not_live"},
		{"closed-by-this-side", func(n *node) *nodeObj {
			o := n.Theirs("session")
			n.Ack(n.sent("", "a close is sent", n.Close(o.addr).Did, "close"))
			return o
		}, "", "closed", "closed", "closed"},
		{"closed-by-the-peer", func(n *node) *nodeObj {
			o := n.Theirs("session")
			n.Gets(o.Make("close", ""))
			return o
		}, "", "closed", "closed", "closed"},
	}
}

// nodeLocalCases are about what the local interface takes, and about limits that a case can lower.
func nodeLocalCases() []conformance.Case {
	var out []conformance.Case
	for _, s := range localStates() {
		out = append(out, nodeCase("local/"+s.name, "what the local interface takes of an object that is "+s.name,
			laws("SUBSTRATE-OBJ-012", "SUBSTRATE-OBJ-005"), nil,
			func(t *nodeT) {
				t.localCall(s.make, "open", s.open)
				t.localCall(s.make, "send", s.send)
				t.localCall(s.make, "req", s.req)
				t.localCall(s.make, "close", s.close)
			}))
	}
	return append(out,
		nodeCase("local/addresses", "the local interface refuses what is no address",
			laws("SUBSTRATE-ADDR-003", "SUBSTRATE-ADDR-002"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				for _, addr := range []string{"", "A", "a b", "a@b", "A@"} {
					code := "bad_address"
					if strings.Contains(addr, "@") {
						code = "routing_not_supported"
					}
					for _, verb := range []string{"open", "send", "req", "close"} {
						_, refused := n.TryCall(verb, addr, callRequest{})
						t.Check(refused != nil && refused.Code == code, "SUBSTRATE-ADDR-003", fmt.Sprintf("%s on %q is refused",
							verb, addr), code, refused.String())
					}
				}
				n.Silent("SUBSTRATE-ADDR-003", "nothing is sent", n.Reconnect())
			}),
		nodeCase("local/idle-send-is-bounced", "a send on an idle name is sent, and ends as the peer says",
			laws("SUBSTRATE-OBJ-012", "SUBSTRATE-FINALITY-006"), nil,
			func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Object("session")
				c := n.Send(o.addr, "a")
				f := n.sent("SUBSTRATE-OBJ-012", "it is sent", c.Did, "send")
				t.Equal("SUBSTRATE-OBJ-012", "as objKind session", "session", f.objKind())
				got := n.Gets(bounceOf(f, "no_such_object"))
				s := c.Settled(got)
				t.Check(s != nil && s.Code == "no_such_object", "SUBSTRATE-FINALITY-006", "the call ends with the code",
					"settle no_such_object", got.String())
				n.Silent("SUBSTRATE-FINALITY-006", "the row is gone", n.Reconnect())
			}),
		nodeCase("limit/names", "of 4 names that may be remembered a fifth is bounced rate_limited",
			laws("SUBSTRATE-LIMIT-006"), needs(Lowered), (*nodeT).names),
		nodeCase("limit/refusals", "of 4 rejects that may await their ack a fifth open is bounced busy",
			laws("SUBSTRATE-LIMIT-007", "SUBSTRATE-OBJ-006"), needs(Lowered), (*nodeT).refusals),
		nodeCase("limit/outbox", "of 2 rows that may wait a third call is refused, answers and close are not",
			laws("SUBSTRATE-LIMIT-002"), needs(Lowered), (*nodeT).fullOutbox),
		nodeCase("limit/inbox", "of 2 ops that may wait for the application a third is asked to come later",
			laws("SUBSTRATE-LIMIT-002"), needs(Lowered), (*nodeT).fullInbox),
		nodeCase("limit/objects", "of 2 objects a third open is rejected, and a local one refused",
			laws("SUBSTRATE-LIMIT-003"), needs(Lowered), (*nodeT).fullObjects),
		nodeCase("limit/tombstones", "of 3 tombstones the oldest makes room",
			laws("SUBSTRATE-TOMBSTONE-003", "SUBSTRATE-TOMBSTONE-004"), needs(Lowered), func(t *nodeT) {
				n := t.Connected(nodeSetup{Limits: map[string]int{"tombstones": 3}})
				var all []*frame
				for range 4 {
					f := n.Object("session").Make("send", "x")
					all = append(all, f)
					n.sent("", "a send on no object is bounced", n.Gets(f), "err")
				}
				for _, f := range all[1:] {
					n.Silent("SUBSTRATE-TOMBSTONE-003", "a tombstone swallows", n.Gets(f))
				}
				n.sent("SUBSTRATE-TOMBSTONE-004", "the oldest was evicted", n.Gets(all[0]), "err")
			}),
	)
}

// localCall makes a call in a state, and wants it taken or refused with a code. What is refused leaves nothing.
func (t *nodeT) localCall(make func(n *node) *nodeObj, verb, code string) {
	n := t.Connected(nodeSetup{})
	o := make(n)
	before := ""
	if !t.lacks(Kept) {
		before = fmt.Sprint(n.Kept())
	}
	c, refused := n.TryCall(verb, o.addr, callRequest{})
	if code == "" {
		if t.Check(refused == nil, "SUBSTRATE-OBJ-012", verb+" is taken", "a call", refused.String()) {
			n.sent("SUBSTRATE-OBJ-012", verb+" is sent", c.Did, verb)
		}
		return
	}
	t.Check(refused != nil && refused.Code == code, "SUBSTRATE-OBJ-012", verb+" is refused", code, refused.String())
	n.Silent("SUBSTRATE-OBJ-012", "nothing is sent", n.Advance(9_000))
	if before != "" {
		t.Equal("SUBSTRATE-OBJ-012", "what is kept has not changed", before, fmt.Sprint(n.Kept()))
	}
}

// names opens more names than may be remembered.
func (t *nodeT) names() {
	n := t.Connected(nodeSetup{Limits: map[string]int{"names": 4}})
	var known []*nodeObj
	for range 4 {
		o := n.Theirs("session")
		n.Ack(n.sent("", "a close is sent", n.Close(o.addr).Did, "close"))
		known = append(known, o)
	}
	fifth := n.Object("session")
	f := fifth.Make("open", "")
	got := n.Gets(f)
	t.Now("SUBSTRATE-LIMIT-006", "nothing is committed, acked or delivered", got, "transmit err code=rate_limited")
	got = n.Gets(f)
	t.Now("SUBSTRATE-LIMIT-006", "the code is retryable: it leaves no tombstone", got, "transmit err code=rate_limited")
	again := known[0].Make("open", "")
	got = n.Gets(again)
	n.Acked("SUBSTRATE-LIMIT-006", "a name that is known is not affected", got, again)
	n.the("SUBSTRATE-LIMIT-006", "its open is delivered", got, didDeliver)
}

// refusals has more opens refused than may await their ack.
func (t *nodeT) refusals() {
	n := t.Connected(nodeSetup{Limits: map[string]int{"refusals": 4}})
	o := n.Theirs("session")
	var head *frame
	for range 4 {
		f := o.Make("open", "")
		got := n.Gets(f)
		n.Acked("SUBSTRATE-OBJ-006", "an open of a live name is taken", got, f)
		if sent := got.Frames("reject"); len(sent) > 0 {
			head = sent[0]
		}
	}
	t.Check(head != nil, "SUBSTRATE-OBJ-006", "and rejected", "a reject", "none")
	f := o.Make("open", "")
	t.Now("SUBSTRATE-LIMIT-007", "beyond the limit an open is bounced", n.Gets(f), "transmit err code=busy")
	if head == nil {
		return
	}
	t.Equal("SUBSTRATE-OBJ-006", "the code of the rejects", "already_exists", head.code())
	n.Ack(head)
	got := n.Gets(f)
	n.Acked("SUBSTRATE-LIMIT-007", "once one is acked the next is taken", got, f)
}

// fullOutbox fills an outbox.
func (t *nodeT) fullOutbox() {
	n := t.Connected(nodeSetup{Limits: map[string]int{"outbox": 2}})
	o := n.Theirs("session")
	d := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
	first := n.sent("", "a send is sent", n.Send(o.addr, "1").Did, "send")
	n.Send(o.addr, "2")
	for _, verb := range []string{"send", "req"} {
		_, refused := n.TryCall(verb, o.addr, callRequest{})
		t.Check(refused != nil && refused.Code == "queue_full", "SUBSTRATE-LIMIT-002", verb+" is refused", "queue_full", refused.String())
	}
	_, refused := n.TryAnswer("respond", d, answerRequest{})
	t.Check(refused == nil, "SUBSTRATE-LIMIT-002", "answers are exempt", "an answer", refused.String())
	got := n.Ack(n.sent("", "the second send is sent", n.Ack(first), "send"))
	n.Ack(n.sent("SUBSTRATE-LIMIT-002", "the answer follows in its turn", got, "res"))
	for range 2 {
		_, refused = n.TryCall("send", o.addr, callRequest{})
		t.Check(refused == nil, "SUBSTRATE-LIMIT-002", "when rows are freed there is room", "a call", refused.String())
	}
	_, refused = n.TryCall("close", o.addr, callRequest{})
	t.Check(refused == nil, "SUBSTRATE-LIMIT-002", "close is exempt", "a call", refused.String())
}

// fullInbox fills an inbox.
func (t *nodeT) fullInbox() {
	n := t.Connected(nodeSetup{Limits: map[string]int{"inbox": 2}})
	o := n.Theirs("session")
	d := n.the("", "a send is delivered", n.Gets(o.Make("send", "1")), didDeliver)
	f := o.Make("send", "2")
	n.Acked("SUBSTRATE-LIMIT-002", "the second waits", n.Gets(f), f)
	third := o.Make("send", "3")
	t.Now("SUBSTRATE-LIMIT-002", "the third is not taken", n.Gets(third), "transmit err code=queue_full")
	n.Handled(d)
	got := n.Gets(third)
	n.Acked("SUBSTRATE-LIMIT-002", "when there is room it is taken: the frontier has not moved", got, third)
}

// fullObjects opens more objects than there may be.
func (t *nodeT) fullObjects() {
	n := t.Connected(nodeSetup{Limits: map[string]int{"objects": 2}})
	n.Theirs("session")
	second := n.Theirs("session")
	third := n.Object("session")
	f := third.Make("open", "")
	got := n.Gets(f)
	n.Acked("SUBSTRATE-LIMIT-003", "the open of a third is taken", got, f)
	reject := n.sent("SUBSTRATE-LIMIT-003", "and rejected", got, "reject")
	t.Equal("SUBSTRATE-LIMIT-003", "with rate_limited", "rate_limited", reject.code())
	n.Ack(reject)
	_, refused := n.TryCall("open", n.Object("session").addr, callRequest{ObjKind: "session"})
	t.Check(refused != nil && refused.Code == "rate_limited", "SUBSTRATE-LIMIT-003", "a local open is refused",
		"rate_limited", refused.String())
	n.Gets(second.Make("close", ""))
	got = n.Gets(third.Make("open", ""))
	n.the("SUBSTRATE-LIMIT-003", "when one is closed there is room", got, didDeliver)
}
