package engine_test

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
)

// A node is one side, driven by hand.
type node struct {
	name string
	*engine.Engine
	peer *node
}

// settle commits what a node was told and does what follows, on both sides, until nothing does (SUBSTRATE-OBJ-009).
func (n *node) settle(now time.Time) {
	if err := n.Commit(now, nil); err != nil {
		fmt.Println(err)
	}
	for _, x := range n.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			n.peer.Receive(now, x.Conn, x.Bytes)
			n.peer.settle(now)
		case engine.Deliver:
			fmt.Printf("%s gets %s on %s: %q\n", n.name, x.Kind, x.Obj, x.Body)
			switch x.Kind {
			case "open":
				_ = n.Accept(now, x.Delivery)
			case "req":
				_ = n.Respond(now, x.Delivery, []byte("pong"))
			default:
				_ = n.Handled(now, x.Delivery)
			}
			n.settle(now)
		case engine.Settle:
			fmt.Printf("%s: %s ended with %s %q\n", n.name, x.Call.Kind, x.Kind, x.Body)
		}
	}
}

// Two engines, a connection that is lost while an op is under way, and the op that is delivered once nevertheless.
func Example() {
	now := time.UnixMilli(0)
	make1 := func(local, remote string) *node {
		e, err := engine.New(now, engine.Config{Local: local, Remote: remote, Authorize: engine.AllowAll})
		if err != nil {
			panic(err)
		}
		return &node{name: local, Engine: e}
	}
	a, b := make1("a", "b"), make1("b", "a")
	a.peer, b.peer = b, a
	connect := func(id string) {
		a.Connected(now, engine.Conn{ID: id, Epoch: b.Epoch()})
		b.Connected(now, engine.Conn{ID: id, Epoch: a.Epoch()})
		b.settle(now)
		a.settle(now)
	}
	connect("c1")
	_, _ = a.Open(now, "session", "chat", nil)
	a.settle(now)
	_, _ = a.Req(now, "chat", []byte("ping"))
	a.settle(now)
	a.Disconnected(now, "c1")
	b.Disconnected(now, "c1")
	_, _ = a.Send(now, "chat", []byte("later"))
	a.settle(now)
	connect("c2")
	// Output:
	// b gets open on chat: ""
	// a: open ended with accept ""
	// b gets req on chat: "ping"
	// a: req ended with res "pong"
	// a: send ended with ack ""
	// b gets send on chat: "later"
}
