package substratetest

import "slices"

// A nodeObj is an object between a node and the peer that the suite plays, which assigns the seqs of its direction.
type nodeObj struct {
	n    *node
	addr string
	kind string
	seq  uint64 // last assigned by the peer
	open *frame // that made it live, whoever sent it
}

// Object returns an object of a fresh name that nobody has opened.
func (n *node) Object(kind string) *nodeObj { return &nodeObj{n: n, addr: n.t.Unique("o"), kind: kind} }

// Make returns the next op of the peer: a fresh id, the next seq, a fresh receipt.
func (o *nodeObj) Make(kind, body string) *frame {
	o.seq++
	return o.At(kind, o.seq, body)
}

// At returns an op of the peer with a seq of the case's choice. A body of no text is none.
func (o *nodeObj) At(kind string, seq uint64, body string) *frame {
	receipt := []byte(o.n.t.Unique("r"))
	f := frameOf("kind", kind, "obj", o.addr, "objKind", o.kind, "id", o.n.t.Unique("i"), "seq", int(seq), "receipt", receipt)
	if body != "" {
		f.body = []byte(body)
	}
	return f
}

// Answer returns the answer of a kind of the peer to an op of the node.
func (o *nodeObj) Answer(kind string, to *frame, body string) *frame {
	return o.Make(kind, body).with("id", to.id())
}

// Theirs makes the object live by an open of the peer, which the application accepts and whose accept is acked.
func (n *node) Theirs(kind string) *nodeObj {
	o := n.Object(kind)
	o.open = o.Make("open", "")
	got := n.Gets(o.open)
	d := n.the("", "an open is delivered", got, didDeliver)
	accept := n.sent("", "an accept is sent", n.Accept(d), "accept")
	n.Ack(accept)
	return o
}

// Ours makes the object live by an open of the node, which the peer acks and accepts.
func (n *node) Ours(kind string) *nodeObj {
	o := n.Object(kind)
	o.open = n.sent("", "an open is sent", n.Open(o.addr, kind).Did, "open")
	n.Ack(o.open)
	n.Gets(o.Answer("accept", o.open, ""))
	return o
}

// the returns the only deed of a kind among deeds; any other number of them breaks law and ends the case.
func (n *node) the(law, reason string, got deeds, kind string) *deed {
	found := got.Of(kind)
	if !n.t.Check(len(found) == 1, law, reason, "one "+kind, got.String()) {
		n.t.Stop()
	}
	return found[0]
}

// sent returns the only frame of a kind among deeds; any other number of them breaks law and ends the case.
func (n *node) sent(law, reason string, got deeds, kind string) *frame {
	found := got.Frames(kind)
	if !n.t.Check(len(found) == 1, law, reason, "one "+kind, got.String()) {
		n.t.Stop()
	}
	return found[0]
}

// Acked wants one ack of a frame of the peer among deeds, and of no other.
func (n *node) Acked(law, reason string, got deeds, f *frame) bool {
	acks := got.Frames("ack")
	ok := len(acks) == 1 && acks[0].id() == f.id() && acks[0].obj() == f.obj() && slices.Equal(acks[0].receipt(), f.receipt())
	return n.t.Check(ok, law, reason, "one "+ackOf(f).String(), got.String())
}

// Silent wants nothing that is seen outside of the process.
func (n *node) Silent(law, reason string, got deeds) bool { return n.t.Now(law, reason, got) }
