package substratetest

import (
	"github.com/seed-6f28358b/assay/conformance"
)

// The peer of a glare that wins it: its id is the smaller one.
const winner = "alpha"

// nodeCrossCases are about opens, closes and answers of both sides that cross.
func nodeCrossCases() []conformance.Case {
	var out []conformance.Case
	for _, how := range []string{"closed", "rejected", "accepted-and-closed", "killed"} {
		for _, answer := range []string{"accept", "reject"} {
			out = append(out, nodeCase("cross/glare-"+how+"-"+answer, "the open that won a glare is "+how+", and the own one gets its "+answer,
				laws("SUBSTRATE-OBJ-011", "SUBSTRATE-OBJ-006", "SUBSTRATE-ANSWER-007"), nil, func(t *nodeT) { t.takenUp(how, answer) }))
		}
	}
	return append(out,
		nodeCase("cross/close-and-open", "a close that crosses an open of this side changes nothing",
			laws("SUBSTRATE-OBJ-010"), nil, (*nodeT).closeCrosses),
		nodeCase("cross/closes", "two closes that cross: both are acked, none is bounced", laws("SUBSTRATE-FINALITY-009"), nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			own := n.sent("", "a close is sent", n.Close(o.addr).Did, "close")
			f := o.Make("close", "")
			got := n.Gets(f)
			n.Acked("SUBSTRATE-FINALITY-009", "the close of the peer is acked", got, f)
			t.Equal("SUBSTRATE-FINALITY-009", "nothing else comes of it", 1, len(got.Outward()))
			got = n.Ack(own)
			t.Equal("SUBSTRATE-FINALITY-009", "and its ack settles the own one", 1, len(got.Of(didSettle)))
			if !t.lacks(Happenings) {
				t.Equal("SUBSTRATE-FINALITY-009", "the object has come to its end once", 1, len(n.all.Events("bridge/closed")))
			}
		}),
		nodeCase("cross/close-of-what-the-peer-opened", "an open of the peer is answered and not closed",
			laws("SUBSTRATE-OBJ-010", "SUBSTRATE-OBJ-012"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Object("session")
				d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
				_, refused := n.TryCall("close", o.addr, callRequest{})
				if t.Check(refused != nil, "SUBSTRATE-OBJ-010", "close is refused", "not_live", "a call") {
					t.Equal("SUBSTRATE-OBJ-010", "its code", "not_live", refused.Code)
				}
				n.sent("SUBSTRATE-OBJ-010", "reject is there for that", n.Answer("reject", d, answerRequest{Code: "app_error"}), "reject")
			}),
		nodeCase("cross/answer-without-a-record", "an answer that somebody waits for settles a req of which there is no record",
			laws("SUBSTRATE-ANSWER-007", "SUBSTRATE-OBJ-012"), nil,
			func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Object("session")
				c := n.Req(o.addr, "?")
				q := n.sent("SUBSTRATE-OBJ-012", "a req on an idle name is sent", c.Did, "req")
				n.Ack(q)
				f := o.Answer("res", q, "!")
				got := n.Gets(f)
				n.Acked("SUBSTRATE-ANSWER-007", "the answer is acked", got, f)
				s := c.Settled(got)
				t.Check(s != nil && s.Verb == "res" && string(s.Body) == "!", "SUBSTRATE-ANSWER-007", "and settles the req",
					"settle res", deeds{s}.first())
			}),
		nodeCase("cross/answer-of-an-earlier-incarnation", "answers to what an earlier incarnation delivered are refused",
			laws("SUBSTRATE-ANSWER-008"), nil,
			(*nodeT).earlierIncarnation),
		nodeCase("cross/answer-of-a-forgotten-incarnation", "an answer to a req that outlived the memory of its object is refused",
			laws("SUBSTRATE-ANSWER-008"), nil,
			(*nodeT).forgottenIncarnation),
		nodeCase("cross/answer-of-a-closed-object", "answers to what a closed object delivered are refused",
			laws("SUBSTRATE-ANSWER-008"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				d := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
				n.Gets(o.Make("close", ""))
				for _, verb := range []string{"respond", "end", "fail"} {
					_, refused := n.TryAnswer(verb, d, codeFor(verb))
					t.Check(refused != nil && refused.Code == "closed", "SUBSTRATE-ANSWER-008", verb+" is refused with closed", "closed", refused.String())
				}
				_, refused := n.TryAnswer("handled", d, answerRequest{})
				t.Check(refused == nil, "SUBSTRATE-ANSWER-008", "the delivery can still be marked as handled", "done", refused.String())
			}),
		nodeCase("cross/two-nodes", "two nodes talk: lifecycle, both acks, a disconnect",
			laws("SUBSTRATE-OBJ-009", "SUBSTRATE-RECONNECT-001", "SUBSTRATE-VERB-001", "SUBSTRATE-VERB-002", "SUBSTRATE-VERB-003"), nil,
			(*nodeT).twoNodes),
	)
}

// String says why a call was refused, or that it was not.
func (r *refusedCall) String() string {
	if r == nil {
		return "it is not refused"
	}
	return r.Name + " " + r.Code
}

// closeCrosses has a close of the peer come while an open of the node is out.
func (t *nodeT) closeCrosses() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	n.Ack(n.sent("", "a close is sent", n.Close(o.addr).Did, "close"))
	c := n.Open(o.addr, "session")
	open := n.sent("", "the name is opened again", c.Did, "open")
	n.Ack(open)
	f := o.Make("close", "")
	got := n.Gets(f)
	n.Acked("SUBSTRATE-OBJ-010", "the close is committed and acked", got, f)
	t.Check(c.Settled(got) == nil, "SUBSTRATE-OBJ-010", "the open waits on", "no settle", got.String())
	accept := o.Answer("accept", open, "")
	got = n.Gets(accept)
	n.Acked("SUBSTRATE-OBJ-010", "the accept is acked", got, accept)
	s := c.Settled(got)
	t.Check(s != nil && s.Verb == "accept", "SUBSTRATE-OBJ-010", "and settles the open", "settle accept", got.String())
	_, refused := n.TryCall("send", o.addr, callRequest{})
	t.Check(refused == nil, "SUBSTRATE-OBJ-010", "the object is live", "a call", refused.String())
}

// takenUp has the open that won a glare end, and the own open answered after that.
func (t *nodeT) takenUp(how, answer string) {
	n := t.Connected(nodeSetup{Remote: winner})
	o := n.Object("session")
	c := n.Open(o.addr, "session")
	own := n.sent("", "an open is sent", c.Did, "open")
	n.Ack(own)
	theirs := o.Make("open", "")
	got := n.Gets(theirs)
	n.Acked("SUBSTRATE-OBJ-006", "the open of the smaller id is taken", got, theirs)
	d := n.the("SUBSTRATE-OBJ-006", "and delivered", got, didDeliver)
	switch how {
	case "closed":
		n.Gets(o.Make("close", ""))
		n.Handled(d)
	case "rejected":
		n.Ack(n.sent("", "a reject is sent", n.Answer("reject", d, answerRequest{Code: "app_error"}), "reject"))
	case "accepted-and-closed":
		n.Ack(n.sent("", "an accept is sent", n.Accept(d), "accept"))
		n.Gets(o.Make("close", ""))
	case "killed":
		accept := n.sent("", "an accept is sent", n.Accept(d), "accept")
		n.Gets(bounceOf(accept, "no_such_object"))
	}
	t.Check(c.Settled(n.all) == nil, "SUBSTRATE-OBJ-011", "the own open still waits for its answer",
		"no settle", deeds{c.Settled(n.all)}.first())
	for _, d := range n.all.Of(didDeliver) {
		if d.Verb == "close" {
			n.Handled(d)
		}
	}
	f := o.Answer(answer, own, "")
	if answer == "reject" {
		f = f.with("code", "open_conflict")
	}
	got = n.Gets(f)
	n.Acked("SUBSTRATE-ANSWER-007", "the answer of the own open is acked, not bounced", got, f)
	s := c.Settled(got)
	t.Check(s != nil && s.Verb == answer, "SUBSTRATE-ANSWER-007", "it settles the open", "settle "+answer, got.String())
	_, refused := n.TryCall("send", o.addr, callRequest{})
	if answer == "accept" {
		t.Check(refused == nil, "SUBSTRATE-OBJ-011", "the own open was taken up: the object is live", "a call", refused.String())
	} else {
		t.Check(refused != nil && refused.Code == "not_live", "SUBSTRATE-OBJ-011", "the object is rejected", "not_live", refused.String())
	}
}

// earlierIncarnation answers what was delivered before an object was closed and opened again.
func (t *nodeT) earlierIncarnation() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	req := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
	n.Handled(req)
	send := n.the("", "a send is delivered", n.Gets(o.Make("send", "!")), didDeliver)
	n.Gets(o.Make("close", ""))
	n.Gets(o.Make("open", ""))
	for _, x := range []struct {
		d    *deed
		verb string
	}{{req, "respond"}, {req, "end"}, {req, "fail"}, {send, "fail"}} {
		_, refused := n.TryAnswer(x.verb, x.d, codeFor(x.verb))
		ok := refused != nil && (refused.Code == "closed" || refused.Code == "not_pending" && x.d == req)
		t.Check(ok, "SUBSTRATE-ANSWER-008", x.verb+" to the "+x.d.Verb+" of an earlier incarnation is refused",
			"closed, or not_pending of a req", refused.String())
	}
	// The send was handed over before, and what came after it follows when it is handled.
	got := n.Handled(send)
	for range 2 {
		next := n.the("SUBSTRATE-ANSWER-008", "the delivery can be marked as handled, and the next one follows", got, didDeliver)
		if next.Verb == "open" {
			accept := n.sent("SUBSTRATE-ANSWER-008", "the new object lives", n.Accept(next), "accept")
			t.Equal("SUBSTRATE-ANSWER-008", "nothing was queued in between", uint64(2), accept.seq())
			return
		}
		got = n.Handled(next)
	}
}

// forgottenIncarnation answers what was asked before an object was closed, forgotten and opened again, and is delivered only then.
func (t *nodeT) forgottenIncarnation() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	slow := n.the("", "a send is delivered", n.Gets(o.Make("send", "!")), didDeliver)
	t.Equal("", "a req waits behind it", 0, len(n.Gets(o.Make("req", "?")).Of(didDeliver)))
	n.Gets(o.Make("close", ""))
	n.Advance(8 * day)
	n.Gets(o.Make("open", ""))
	req := n.the("SUBSTRATE-ANSWER-008", "the req follows when the send is handled", n.Handled(slow), didDeliver)
	_, refused := n.TryAnswer("respond", req, codeFor("respond"))
	t.Check(refused != nil && (refused.Code == "closed" || refused.Code == "not_pending"), "SUBSTRATE-ANSWER-008",
		"an answer to a req of an incarnation that is forgotten is refused", "closed or not_pending", refused.String())
}

// A nodePair is two nodes and the wire between them, on which a frame stays until the case has it delivered.
type nodePair struct {
	a, b *node
}

// connect makes a connection ready on both, and returns what each sends.
func (p nodePair) connect() (fromA, fromB []*frame) {
	p.a.epoch, p.b.epoch = p.b.own, p.a.own
	return p.a.Connect().Frames(), p.b.Connect().Frames()
}

// run delivers frames in turn until both are quiet. React is what the application of a node does with what is delivered.
func (p nodePair) run(fromA, fromB []*frame, react func(n *node, d *deed) deeds) {
	for len(fromA)+len(fromB) > 0 {
		if len(fromA) > 0 {
			fromB = append(fromB, p.hand(p.b, fromA[0], react)...)
			fromA = fromA[1:]
		}
		if len(fromB) > 0 {
			fromA = append(fromA, p.hand(p.a, fromB[0], react)...)
			fromB = fromB[1:]
		}
	}
}

// hand gives a node a frame as it came, and returns what it sends.
func (p nodePair) hand(n *node, f *frame, react func(n *node, d *deed) deeds) (out []*frame) {
	got := n.do("frame", nodeFrameRequest{n.name, n.conn, f.raw})
	for len(got) > 0 {
		d := got[0]
		got = got[1:]
		switch d.Kind {
		case didTransmit:
			out = append(out, d.frame)
		case didDeliver:
			got = append(got, react(n, d)...)
		}
	}
	return out
}

// twoNodes is the scripted dialogue of two nodes.
func (t *nodeT) twoNodes() {
	p := nodePair{t.New(nodeSetup{Local: "left", Remote: "right"}), t.New(nodeSetup{Local: "right", Remote: "left"})}
	delivered := map[string]int{}
	react := func(n *node, d *deed) deeds {
		delivered[n.local+" "+d.Verb]++
		switch d.Verb {
		case "open":
			return n.Accept(d)
		case "req":
			return n.Respond(d, "re:"+string(d.Body))
		}
		return n.Handled(d)
	}
	settled := func(law string, c *nodeCall, verb string) {
		s := c.Settled(append(p.a.all, p.b.all...))
		t.Check(s != nil && s.Verb == verb && s.Code == "", law, "a call ends with "+verb, "settle "+verb, deeds{s}.first())
	}
	p.connect()
	obj := t.Unique("o")
	open := p.a.Open(obj, "session")
	p.run(open.Did.Frames(), nil, react)
	settled("SUBSTRATE-VERB-001", open, "accept")
	req := p.b.Req(obj, "what")
	send := p.a.Send(obj, "this")
	p.run(send.Did.Frames(), req.Did.Frames(), react)
	settled("SUBSTRATE-VERB-003", req, "res")
	settled("SUBSTRATE-VERB-002", send, "ack")
	// The connection drops with an ack under way.
	send = p.a.Send(obj, "that")
	p.hand(p.b, p.a.sent("SUBSTRATE-VERB-002", "a send that nothing is in front of is sent", send.Did, "send"), react)
	p.a.Disconnect()
	p.b.Disconnect()
	offline := p.b.Send(obj, "later")
	fromA, fromB := p.connect()
	p.run(fromA, fromB, react)
	settled("SUBSTRATE-VERB-002", send, "ack")
	settled("SUBSTRATE-VERB-002", offline, "ack")
	end := p.b.Close(obj)
	p.run(nil, end.Did.Frames(), react)
	settled("SUBSTRATE-VERB-001", end, "ack")
	t.Equal("SUBSTRATE-OBJ-009", "the script has run: each of its calls has ended once",
		6, len(append(p.a.all.Of(didSettle), p.b.all.Of(didSettle)...)))
	for _, want := range []struct {
		what string
		n    int
	}{{"right open", 1}, {"left req", 1}, {"right send", 2}, {"left send", 1}, {"left close", 1}} {
		t.Equal("SUBSTRATE-RECONNECT-001", "each op is delivered once: "+want.what, want.n, delivered[want.what])
	}
	_, refused := p.a.TryCall("send", obj, callRequest{})
	t.Check(refused != nil && refused.Code == "closed", "SUBSTRATE-VERB-001", "both ends know that it is closed", "closed", refused.String())
}
