package substratetest

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
)

// coded is a call or an answer that a local rule speaks against.
func (n *refNode) coded(code string, err error) error {
	if h := n.b.hooks.code; h != nil {
		code = h(code)
	}
	return &adapter.TargetError{Name: errRefusedCall, Message: err.Error(), Members: map[string]json.RawMessage{"code": quotedText(code)}}
}

func quotedText(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

// unwritten is a call or an answer that the store did not write. What the node did besides goes with it.
func (n *refNode) unwritten(err error) error {
	did, bad := json.Marshal(n.took())
	if bad != nil {
		return bad
	}
	return &adapter.TargetError{Name: errStoreRefused, Message: err.Error(), Members: map[string]json.RawMessage{"did": did}}
}

// call makes a call of the application.
func (b *nodeBridge) call(verb string, q callRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	n.asked(verb)
	c, err := n.eng.Enqueue(n.now, engine.Op{Kind: verb, Obj: q.Obj, ObjKind: q.ObjKind, ID: q.ID, Cap: q.Cap, Body: q.Body})
	if err != nil {
		return nil, n.refused(err)
	}
	n.calls[c.ID] = q.Call
	n.commit()
	for i, d := range n.did {
		if d.Kind == didSettle && d.Call == q.Call && d.err != nil {
			n.did = append(n.did[:i:i], n.did[i+1:]...)
			return nil, n.unwritten(d.err)
		}
	}
	return didReply{ID: c.ID, Did: n.took()}, nil
}

// answer is what the application says to a delivery.
func (b *nodeBridge) answer(verb string, q answerRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	d, known := n.given[q.Delivery]
	if !known {
		return nil, fmt.Errorf("no delivery %q", q.Delivery)
	}
	n.asked(verb)
	switch e := n.eng; verb {
	case "accept":
		accept := e.Accept
		if q.Queue {
			accept = e.AcceptQueue
		}
		err = accept(n.now, d)
	case "reject":
		err = e.Reject(n.now, d, q.Code, q.Msg)
	case "respond":
		err = e.Respond(n.now, d, q.Body)
	case "end":
		err = e.End(n.now, d)
	case "fail":
		err = e.Fail(n.now, d, q.Code, q.Msg)
	case "handled":
		err = e.Handled(n.now, d)
	}
	if err != nil {
		return nil, n.refused(err)
	}
	n.commit()
	for i, x := range n.did {
		if x.Kind == didSettle && x.Delivery == q.Delivery {
			n.did = append(n.did[:i:i], n.did[i+1:]...)
			return nil, n.unwritten(x.err)
		}
	}
	return didReply{Did: n.took()}, nil
}

// take notes what the engine has released.
func (n *refNode) take() {
	for _, x := range n.eng.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			n.note(&deed{Kind: didTransmit, Conn: x.Conn, Octets: x.Bytes})
		case engine.EndConn:
			n.note(&deed{Kind: didEnd, Conn: x.Conn, Close: int(x.Code)})
		case engine.Deliver:
			n.handed++
			name := "d" + strconv.Itoa(n.handed)
			n.given[name] = x.Delivery
			n.note(&deed{
				Kind: didDeliver, Delivery: name, Redelivered: x.Redelivered, Feed: x.Feed, Verb: x.Kind, Obj: x.Obj, ObjKind: x.ObjKind,
				ID: x.ID, Seq: x.Seq, Code: x.Code, Msg: x.Msg, Cap: x.Cap, Body: x.Body,
			})
		case engine.Arrive:
			n.note(&deed{Kind: didArrive, Obj: x.Obj})
		case engine.Settle:
			n.note(&deed{
				Kind: didSettle, Call: n.calls[x.Call.ID], Retryable: x.Retryable, Unknown: x.Unknown, Verb: x.Kind, Obj: x.Call.Obj, ID: x.Call.ID,
				Code: x.Code, Msg: x.Msg, Body: x.Body, err: x.Err,
			})
		case engine.Refuse:
			n.note(&deed{Kind: didSettle, Delivery: n.nameOf(&x.Delivery), err: x.Err})
		case engine.Event:
			n.note(&deed{
				Kind: didEvent, Name: x.Name, Level: x.Level.String(), From: x.From, To: x.To, Unknown: x.Unknown, Verb: x.Verb, Obj: x.Obj,
				ObjKind: x.ObjKind, ID: x.ID, Code: x.Code,
			})
		case engine.StoreOp:
			n.note(&deed{
				Kind: didStore, Token: strconv.FormatUint(x.Token, 10), Peer: x.Peer, Verb: x.Row.Kind, Obj: x.Row.Obj, ObjKind: x.Row.ObjKind,
				ID: x.Row.ID, Seq: x.Row.Seq, Code: x.Row.Code, Msg: x.Row.Msg, Cap: x.Row.Cap, Body: x.Row.Body,
			})
		case engine.Resume:
			n.note(&deed{Kind: didResume, Obj: x.Obj, ObjKind: x.ObjKind, From: x.From})
		}
	}
}

// nameOf returns the name of a delivery.
func (n *refNode) nameOf(d *engine.Delivery) string {
	for name, g := range n.given {
		if g.N == d.N && g.Feed == d.Feed && g.ID == d.ID {
			return name
		}
	}
	return ""
}
