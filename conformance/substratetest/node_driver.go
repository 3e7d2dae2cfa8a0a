package substratetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// A node is one side of the substrate behind the adapter; the suite has the peer, the application, the clock and the store's moods.
type node struct {
	t             *nodeT
	name          string
	local, remote string
	epoch         []byte // that the peer says it has
	own           []byte // of the node
	conn          string // the live one, empty: none
	conns, calls  int
	lives         int   // processes before the present one
	feeding       bool  // it is an edge: what it sends of a stream has no receipt
	all           deeds // of its whole life
}

// noted reads the frames among deeds, and writes them into the transcript in words.
func (n *node) noted(did []*deed) deeds {
	for _, d := range did {
		if d == nil || !slices.Contains(didKinds(), d.Kind) {
			n.t.Inconclusive("the adapter tells of a deed that is none: %+v", d)
		}
		if d.Kind == didTransmit {
			d.frame = decode(d.Octets)
			for _, x := range n.faults(d.frame) {
				n.t.Blocked("substrate/peer/wire/frames-are-well-formed", "%s: %s [%s]", x.text, d.frame, x.law)
			}
		}
		n.t.Event(n.name, d.String())
	}
	n.all = append(n.all, did...)
	return did
}

// faults returns what is wrong with a frame that the node has sent (SUBSTRATE-FEED-005).
func (n *node) faults(f *frame) []fault {
	if !n.feeding || !f.has("prev") {
		return f.faults
	}
	return slices.DeleteFunc(slices.Clone(f.faults), func(x fault) bool { return x.text == f.kind()+" lacks receipt" })
}

// do makes a request that nothing speaks against, and returns what the node did.
func (n *node) do(op string, q any) deeds {
	did, _ := n.ask(op, q)
	return did
}

func (n *node) ask(op string, q any) (deeds, string) {
	var r didReply
	n.t.MustAsk(op, q, &r)
	return n.noted(r.Did), r.ID
}

// Advance lets virtual time pass, in ms. What is due is done at its time.
func (n *node) Advance(ms int64) deeds { return n.do("advance", advanceRequest{n.name, ms}) }

// Clock sets the wall clock, in ms since the epoch, without any time passing.
func (n *node) Clock(now int64) { n.do("clock", nodeClockRequest{n.name, now}) }

// Connect brings a fresh connection to ready; one that is live is superseded.
func (n *node) Connect() deeds {
	n.conns++
	n.conn = fmt.Sprintf("%s-c%d", n.name, n.conns)
	return n.do("connect", connRequest{n.name, n.conn, n.epoch})
}

// Disconnect ends the live connection.
func (n *node) Disconnect() deeds {
	conn := n.conn
	n.conn = ""
	return n.do("disconnect", connRequest{Node: n.name, Conn: conn})
}

// Reconnect is Disconnect and Connect.
func (n *node) Reconnect() deeds {
	did := n.Disconnect()
	return append(did, n.Connect()...)
}

// Restart kills the process and begins another over what is kept; the connection is gone with it.
func (n *node) Restart() deeds { return n.RestartAfter(0) }

// RestartAfter is Restart with ms of virtual time in between.
func (n *node) RestartAfter(ms int64) deeds { return n.restart(restartRequest{Node: n.name, MS: ms}) }

// Torn is Restart of a process that dies as it writes to its journal: so many octets of a record are there.
func (n *node) Torn(octets int) deeds { return n.restart(restartRequest{Node: n.name, Torn: octets}) }

// Stop ends the node as its host does.
func (n *node) Stop() {
	n.conn = ""
	n.do("stop", nodeRequest{n.name})
}

func (n *node) restart(q restartRequest) deeds {
	n.conn = ""
	n.lives++
	var r didReply
	n.t.MustAsk("restart", q, &r)
	n.own = r.Epoch
	return n.noted(r.Did)
}

// Gets hands the node a frame on the live connection.
func (n *node) Gets(f *frame) deeds { return n.GetsOn(n.conn, f) }

// GetsOn is Gets on any connection.
func (n *node) GetsOn(conn string, f *frame) deeds {
	f.raw = f.octets()
	n.t.Event(n.name, "gets "+f.String())
	return n.do("frame", nodeFrameRequest{n.name, conn, f.raw})
}

// Ack hands the node the ack of a frame that it sent.
func (n *node) Ack(f *frame) deeds { return n.Gets(ackOf(f)) }

// A nodeCall is a call of the application on a node.
type nodeCall struct {
	Name, ID string
	Did      deeds
}

// Settled returns how it was settled among deeds; nil: it was not.
func (c *nodeCall) Settled(ds deeds) *deed {
	for _, d := range ds.Of(didSettle) {
		if d.Call == c.Name {
			return d
		}
	}
	return nil
}

// Call makes a call that nothing speaks against.
func (n *node) Call(verb, obj string, o callRequest) *nodeCall {
	c, refused := n.TryCall(verb, obj, o)
	if refused != nil {
		n.t.Blocked("prerequisite", "%s on %s is refused: %s %s", verb, obj, refused.Name, refused.Code)
	}
	return c
}

// A refusedCall is why a call or an answer never came to be.
type refusedCall struct {
	Name, Code string
	Did        deeds
}

func (n *node) refusedBy(thrown *adapter.TargetError) *refusedCall {
	if thrown == nil {
		return nil
	}
	r := &refusedCall{Name: thrown.Name}
	if thrown.Name != errRefusedCall && thrown.Name != errStoreRefused {
		n.t.Blocked("prerequisite", "the target threw %s: %s", thrown.Name, thrown.Message)
	}
	if raw, given := thrown.Members["code"]; given && json.Unmarshal(raw, &r.Code) != nil {
		n.t.Inconclusive("the code of a refused call is %s", raw)
	}
	if raw, given := thrown.Members["did"]; given {
		var did []*deed
		if err := json.Unmarshal(raw, &did); err != nil {
			n.t.Inconclusive("what the node did besides: %v", err)
		}
		r.Did = n.noted(did)
	}
	return r
}

// TryCall is Call where it may be refused.
func (n *node) TryCall(verb, obj string, o callRequest) (*nodeCall, *refusedCall) {
	n.calls++
	o.Node, o.Call, o.Obj = n.name, fmt.Sprintf("%s-k%d", n.name, n.calls), obj
	n.t.Event(n.name, "the application calls "+verb+" on "+obj)
	var r didReply
	if thrown := n.t.Ask(verb, o, &r); thrown != nil {
		return nil, n.refusedBy(thrown)
	}
	return &nodeCall{o.Call, r.ID, n.noted(r.Did)}, nil
}

// Open, Send, Req and Close are Call with what most cases give.
func (n *node) Open(obj, kind string) *nodeCall {
	return n.Call("open", obj, callRequest{ObjKind: kind})
}

// Send sends a text.
func (n *node) Send(obj, body string) *nodeCall {
	return n.Call("send", obj, callRequest{Body: []byte(body)})
}

// Req asks a text.
func (n *node) Req(obj, body string) *nodeCall {
	return n.Call("req", obj, callRequest{Body: []byte(body)})
}

// Close closes an object.
func (n *node) Close(obj string) *nodeCall { return n.Call("close", obj, callRequest{}) }

// Answer has the application answer a delivery: accept, reject, respond, end, fail or handled.
func (n *node) Answer(verb string, d *deed, o answerRequest) deeds {
	did, refused := n.TryAnswer(verb, d, o)
	if refused != nil {
		n.t.Blocked("prerequisite", "%s is refused: %s %s", verb, refused.Name, refused.Code)
	}
	return did
}

// TryAnswer is Answer where it may be refused.
func (n *node) TryAnswer(verb string, d *deed, o answerRequest) (deeds, *refusedCall) {
	o.Node, o.Delivery = n.name, d.Delivery
	n.t.Event(n.name, "the application says "+verb+" to "+d.String())
	var r didReply
	if thrown := n.t.Ask(verb, o, &r); thrown != nil {
		return nil, n.refusedBy(thrown)
	}
	return n.noted(r.Did), nil
}

// Accept accepts an open that was delivered, Handled is done with a delivery, Respond answers a req.
func (n *node) Accept(d *deed) deeds { return n.Answer("accept", d, answerRequest{}) }

// Handled says that the application is done with a delivery.
func (n *node) Handled(d *deed) deeds { return n.Answer("handled", d, answerRequest{}) }

// Respond answers a req with a text.
func (n *node) Respond(d *deed, body string) deeds {
	return n.Answer("respond", d, answerRequest{Body: []byte(body)})
}

// Refuse has the store refuse so many commits after so many that succeed; -1: all of them, 0: none any more. It returns how many commits
// were tried before.
func (n *node) Refuse(after, times int) refuseReply {
	return n.refuse(refuseRequest{Node: n.name, After: after, Times: times})
}

func (n *node) refuse(q refuseRequest) (r refuseReply) {
	n.t.MustAsk("refuse", q, &r)
	return r
}

// Gate replaces the members of the gate.
func (n *node) Gate(members ...gateMember) { n.do("gate", gateRequest{n.name, members}) }

// Stored tells an edge how a store call ended.
func (n *node) Stored(d *deed, q storedRequest) deeds {
	q.Node, q.Token = n.name, d.Token
	return n.do("stored", q)
}

// Feed pushes a frame of a stream by an edge.
func (n *node) Feed(q feedRequest) deeds {
	q.Node = n.name
	return n.do("feed", q)
}

// Follow makes a stream known to a node that follows feeds.
func (n *node) Follow(obj, kind string, last uint64) deeds {
	return n.do("follow", followRequest{n.name, obj, kind, last})
}

// Followed returns the seq of the last frame of a stream that the application is done with.
func (n *node) Followed(obj string) uint64 {
	var r seqReply
	n.t.MustAsk("followed", objRequest{n.name, obj}, &r)
	return r.Seq
}

// Inbox returns the rows that wait in the inbox of a queue, and then takes the first of them out.
func (n *node) Inbox(obj string, take int) []keptRow {
	var r rowsReply
	n.t.MustAsk("inbox", inboxRequest{n.name, obj, take}, &r)
	return r.Rows
}

// Kept returns what the store has.
func (n *node) Kept() (r keptReply) {
	n.t.MustAsk("kept", nodeRequest{n.name}, &r)
	return r
}

// Signals returns what was observed since the last time.
func (n *node) Signals() (r signalsReply) {
	n.t.MustAsk("signals", nodeRequest{n.name}, &r)
	return r
}

// Count returns the sum of a counter among measures.
func (r *signalsReply) Count(name string) (sum float64) {
	for _, m := range r.Measures {
		if m.Name == name && m.As == "count" {
			sum += m.Value
		}
	}
	return sum
}

// Config has a side made of a configuration, and returns the field that speaks against it, empty if none does.
func (t *nodeT) Config(q configRequest) (field string) {
	thrown := t.Ask("config", q, nil)
	switch {
	case thrown == nil:
		return ""
	case thrown.Name != errConfig || json.Unmarshal(thrown.Members["field"], &field) != nil:
		t.Blocked("prerequisite", "the target threw %s: %s", thrown.Name, thrown.Message)
	}
	return field
}

// Storage has a listener choose where to keep things.
func (t *nodeT) Storage(q storageRequest) (r storageReply) {
	t.MustAsk("storage", q, &r)
	return r
}
