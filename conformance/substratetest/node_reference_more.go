package substratetest

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// refusedConfig is a configuration of which a field cannot be used.
func refusedConfig(field string, err error) error {
	return &adapter.TargetError{Name: errConfig, Message: err.Error(), Members: map[string]json.RawMessage{"field": quotedText(field)}}
}

// limitsOf reads limits by their names.
func limitsOf(given map[string]int) (l engine.Limits, err error) {
	fields := map[string]*int{
		"outbox": &l.Outbox, "inbox": &l.Inbox, "objects": &l.Objects, "window": &l.Window, "gapBytes": &l.GapBytes,
		"peerGapBytes": &l.PeerGapBytes, "tombstones": &l.Tombstones, "chain": &l.Chain, "names": &l.Names, "refusals": &l.Refusals,
	}
	for name, v := range given {
		field, known := fields[name]
		if !known {
			return l, &adapter.UnsupportedError{Reason: "limit " + name}
		}
		*field = v
	}
	return l, nil
}

// interceptor makes the gate of a node.
func (q newNodeRequest) interceptor() (func(*refNode) engine.Interceptor, error) {
	return gateOf(q.Gate)
}

func gateOf(members []gateMember) (func(*refNode) engine.Interceptor, error) {
	for _, m := range members {
		switch m.Then {
		case "", "allow", "deny", "panic", "unusable":
		default:
			return nil, &adapter.UnsupportedError{Reason: "a member of the gate that does " + m.Then}
		}
	}
	return func(n *refNode) engine.Interceptor {
		var chain []engine.Interceptor
		for i := range members {
			chain = append(chain, n.member(i, &members[i]))
		}
		return engine.Chain(chain...)
	}, nil
}

// member makes one member of the gate, which notes that it is asked.
func (n *refNode) member(i int, m *gateMember) engine.Interceptor {
	scopes := engine.ScopeAuthorizer(func(peer string) []string { return m.Scopes[peer] }, m.Matrix)
	return func(c *engine.OpContext) engine.Denial {
		n.note(&deed{
			Kind: didAsk, Member: &i, Conn: c.Conn, Peer: c.Peer, Verb: c.Verb, Obj: c.Obj, ObjKind: c.ObjKind, ID: c.ID, Cap: c.Cap,
		})
		switch {
		case m.Verb != "" && m.Verb != c.Verb, m.Obj != "" && m.Obj != c.Obj:
			return engine.Denial{}
		case m.Then == "":
			return scopes(c)
		case m.Then == "deny":
			return engine.Deny(m.Code)
		case m.Then == "panic":
			panic("a member of the gate")
		case m.Then == "unusable":
			return engine.Deny("No Code")
		}
		return engine.Denial{}
	}
}

// replace puts other members into the gate.
func (q gateRequest) replace(n *refNode) error {
	gate, err := gateOf(q.Gate)
	if err != nil {
		return err
	}
	if n.q.Gate == nil {
		return fmt.Errorf("node %s was made without a gate", n.name)
	}
	n.gate = gate(n)
	return nil
}

// tell says how a store call of an edge ended.
func (q storedRequest) tell(n *refNode) error {
	var token uint64
	if _, err := fmt.Sscan(q.Token, &token); err != nil {
		return fmt.Errorf("no token %q", q.Token)
	}
	if h := n.b.hooks.stored; h != nil {
		h(n, &q)
	}
	var failed error
	if q.Failed {
		failed = errDiskFull
	}
	n.eng.Stored(n.now, token, q.Seq, q.Duplicate, failed)
	return nil
}

// push pushes a frame of a stream.
func (q feedRequest) push(n *refNode) error {
	if q.Base != 0 {
		return n.eng.FeedBase(n.now, q.Obj, q.ObjKind, q.Base)
	}
	return n.eng.Feed(n.now, engine.FeedFrame{
		Obj: q.Obj, ObjKind: q.ObjKind, Kind: q.Verb, ID: q.ID, Seq: q.Seq, Prev: q.Prev, Code: q.Code, Msg: q.Msg, Body: q.Body,
	})
}

func (q followRequest) follow(n *refNode) error {
	return n.eng.Follow(n.now, engine.Following{Obj: q.Obj, ObjKind: q.ObjKind, Last: q.Last})
}

func (b *nodeBridge) followed(q objRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	return seqReply{n.eng.Followed(q.Obj)}, nil
}

// inbox reads the inbox of a queue as the host does, with its own handle of the store.
func (b *nodeBridge) inbox(q inboxRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	if n.disk.Store == nil {
		return nil, &adapter.UnsupportedError{Reason: "an edge keeps nothing"}
	}
	rows, err := n.disk.Inbox(n.q.Remote, q.Obj, 0)
	if err != nil {
		return nil, err
	}
	if q.Take > len(rows) {
		return nil, fmt.Errorf("%d rows to take, there are %d", q.Take, len(rows))
	}
	var gone store.Batch
	for _, r := range rows[:q.Take] {
		gone.DropInbound = append(gone.DropInbound, r.N)
	}
	if !gone.Empty() {
		gone.Durable = true
		if err := n.disk.Apply(n.q.Remote, &gone); err != nil {
			return nil, err
		}
	}
	return rowsReply{inboundRows(rows)}, nil
}

func inboundRows(rows []store.Inbound) []keptRow {
	out := []keptRow{}
	for _, r := range rows {
		out = append(out, keptRow{r.Obj, r.Kind, r.ID, r.Seq, r.Body})
	}
	return out
}

// kept reads what the store has for the peer of a node.
func (b *nodeBridge) kept(q nodeRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	if n.disk.Store == nil {
		return nil, &adapter.UnsupportedError{Reason: "an edge keeps nothing"}
	}
	s, err := n.disk.Load(n.q.Remote)
	if err != nil {
		return nil, err
	}
	r := keptReply{Outbox: []keptRow{}, Inbox: inboundRows(s.Inbound), Objects: []keptObject{}}
	for _, x := range s.Rows {
		r.Outbox = append(r.Outbox, keptRow{x.Obj, x.Kind, x.ID, x.Seq, x.Body})
	}
	for _, o := range s.Objects {
		r.Objects = append(r.Objects, keptObject{o.Obj, o.Kind, o.State, o.Participants})
	}
	return r, nil
}
