package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// An honest is a peer that keeps the laws, an application that does its work, and the wire between them and a node. It looks at all that
// the node does, and holds it to what is true whatever happens on the way.
type honest struct {
	n    *node
	objs map[string]*honestObj
	keys []string // of objs, in the order in which they came to be

	toNode, toPeer []*frame
	given          []*deed // deliveries that the application has not begun with
	settles        map[string]int
	calls          []string // ids of those of the node, of all objects
	crashes        int
	first          map[string][]byte // octets of rows in this process, by object, class and id
	broke          *conformance.Break
	mishap         mishap
	requests       int
	passing        bool // a bounce said that the peer should come again
}

// An honestObj is one object as the peer and the application know it.
type honestObj struct {
	*nodeObj
	out    []*frame       // of the peer, by seq; the first is in flight
	asked  []string       // ids of the peer's ops, in the order in which they were queued
	first  []string       // ids in the order in which the application saw them first
	fresh  map[string]int // deliveries that were no redelivery
	again  map[string]int
	taken  []string // class and id of what the peer has taken from the node, in order
	flying string   // class and id of what the node has sent and the peer has not acked
	acked  map[string]bool
	freed  map[string]bool // ids of the peer's ops
	last   uint64
}

func newHonest(n *node) *honest {
	return &honest{n: n, objs: map[string]*honestObj{}, settles: map[string]int{}, first: map[string][]byte{}}
}

// object makes an object known.
func (h *honest) object(addr, kind string) *honestObj {
	o := h.objs[addr]
	if o == nil {
		o = &honestObj{
			nodeObj: &nodeObj{n: h.n, addr: addr, kind: kind}, fresh: map[string]int{}, again: map[string]int{},
			acked: map[string]bool{}, freed: map[string]bool{},
		}
		h.objs[addr] = o
		h.keys = append(h.keys, addr)
	}
	return o
}

// wrong notes the first law that was seen broken.
func (h *honest) wrong(law, reason, expected, seen string) {
	if h.broke == nil {
		h.broke = &conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: seen}
	}
}

func (h *honest) want(ok bool, law, reason, expected, seen string) {
	if !ok {
		h.wrong(law, reason, expected, seen)
	}
}

// queue queues an op or an answer of the peer.
func (h *honest) queue(o *honestObj, f *frame) {
	o.out = append(o.out, f)
	if class(f) == "op" {
		o.asked = append(o.asked, f.id())
	}
	if len(o.out) == 1 && h.n.conn != "" {
		h.toNode = append(h.toNode, f)
	}
}

// class returns which of the two kinds of entries of a ledger a frame is.
func class(f *frame) string {
	if slices.Contains([]string{"open", "close", "send", "req"}, f.kind()) {
		return "op"
	}
	return "answer"
}

// connect makes a connection ready: both sides send what they have in flight.
func (h *honest) connect() {
	h.cut()
	h.absorb(h.n.Connect())
	h.again()
}

// again has the peer send once more what it has in flight.
func (h *honest) again() {
	for _, key := range h.keys {
		if o := h.objs[key]; len(o.out) > 0 && h.n.conn != "" {
			h.toNode = append(h.toNode, o.out[0])
		}
	}
}

// cut empties the wire.
func (h *honest) cut() {
	h.toNode, h.toPeer = nil, nil
}

// disconnect ends the connection, if there is one.
func (h *honest) disconnect() {
	h.cut()
	if h.n.conn != "" {
		h.absorb(h.n.Disconnect())
	}
}

// crash kills the process of the node. What was handed over is handed over again.
func (h *honest) crash() {
	h.cut()
	h.crashes++
	h.given = nil
	h.first = map[string][]byte{}
	h.absorb(h.n.Restart())
}

// hear lets the node have the next frame.
func (h *honest) hear() {
	f := h.toNode[0]
	h.toNode = h.toNode[1:]
	if o := h.objs[f.obj()]; o != nil && (f.kind() == "ack" || class(f) == "answer") {
		// What it was about is freed by it, whether that could be written or not.
		o.acked["op "+f.id()], o.acked["answer "+f.id()] = true, true
	}
	h.absorb(h.n.Gets(f))
}

// tell lets the peer have the next frame.
func (h *honest) tell() {
	f := h.toPeer[0]
	h.toPeer = h.toPeer[1:]
	h.take(f)
}

// A mishap is what is to go wrong.
type mishap struct {
	at    int  // request after which the process dies, or commit that is refused, from 1; 0: none
	crash bool // it is the process that dies
	lost  bool // nothing that the node did in the last request is seen by anybody
	times int  // commits that are refused
}

// absorb looks at what the node did in a request, unless that is when its process dies and nobody sees it.
func (h *honest) absorb(did deeds) {
	h.requests++
	dies := h.mishap.crash && h.requests == h.mishap.at
	if !dies || !h.mishap.lost {
		h.see(did)
	}
	if !dies {
		return
	}
	for len(h.toPeer) > 0 {
		h.tell()
	}
	h.crash()
	h.connect()
}

// see looks at what the node did.
func (h *honest) see(did deeds) {
	for _, d := range did {
		switch d.Kind {
		case didTransmit:
			h.sent(d)
		case didDeliver:
			h.delivered(d)
		case didEnd:
			if d.Conn == h.n.conn {
				h.n.conn = ""
				h.cut()
			}
		case didSettle:
			h.settles[d.Call]++
			h.want(h.settles[d.Call] == 1, "SUBSTRATE-ANSWER-001", "a call is settled once", "1", fmt.Sprint(h.settles[d.Call]))
		}
	}
}

// sent looks at a frame that the node sends.
func (h *honest) sent(d *deed) {
	f := d.frame
	h.want(d.Conn == h.n.conn, "SUBSTRATE-ACK-007", "what is sent is sent on the live connection", h.n.conn, d.Conn)
	h.toPeer = append(h.toPeer, f)
	o := h.objs[f.obj()]
	if !f.durable() || o == nil {
		return
	}
	key := class(f) + " " + f.id()
	if o.flying != "" && o.flying != key {
		h.want(o.acked[o.flying], "SUBSTRATE-OUTBOX-002", "an op is sent when no earlier one awaits its ack", "the ack of "+o.flying, f.String())
	}
	o.flying = key
	row := o.addr + " " + key
	if was := h.first[row]; was != nil {
		h.want(slices.Equal(was, f.raw), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", brief(was), brief(f.raw))
	}
	h.first[row] = f.raw
}

// delivered looks at what the application is handed.
func (h *honest) delivered(d *deed) {
	o := h.objs[d.Obj]
	if o == nil {
		h.wrong("SUBSTRATE-DEDUPE-001", "what is handed over was sent", "an object that the peer knows", d.String())
		return
	}
	if d.Redelivered {
		o.again[d.ID]++
		h.want(o.again[d.ID] <= h.crashes, "SUBSTRATE-DEDUPE-008", "an op is handed over again once for each crash",
			fmt.Sprint(h.crashes), d.String())
	} else {
		o.fresh[d.ID]++
		h.want(o.fresh[d.ID] == 1 && o.again[d.ID] == 0, "SUBSTRATE-DEDUPE-001", "an op is handed over once", "no second time", d.String())
	}
	if !slices.Contains(o.first, d.ID) {
		o.first = append(o.first, d.ID)
		o.inOrder(h)
	}
	h.given = append(h.given, d)
}

// inOrder holds the order in which ops were seen first to that in which they were queued.
func (o *honestObj) inOrder(h *honest) {
	at := -1
	for _, id := range o.first {
		next := slices.Index(o.asked, id)
		h.want(next > at, "SUBSTRATE-SEQ-003", "ops are handed over in the order in which they were queued",
			strings.Join(o.asked, " "), strings.Join(o.first, " "))
		at = next
	}
}

// take is what the peer does with a frame.
func (h *honest) take(f *frame) {
	o := h.objs[f.obj()]
	switch {
	case f.bounce():
		h.bounced(f)
	case o == nil:
	case f.kind() == "ack":
		h.freed(o, f)
	case f.durable():
		key := class(f) + " " + f.id()
		if !slices.Contains(o.taken, key) {
			o.taken = append(o.taken, key)
			h.want(f.seq() > o.last, "SUBSTRATE-SEQ-003", "what the node sends comes in the order of its seqs",
				fmt.Sprint("above ", o.last), f.String())
			o.last = max(o.last, f.seq())
			switch f.kind() {
			case "open":
				h.queue(o, o.Answer("accept", f, ""))
			case "req":
				h.queue(o, o.Answer("res", f, "re:"+string(f.body)))
			}
		}
		if class(f) == "answer" && len(o.out) > 0 && o.out[0].id() == f.id() && class(o.out[0]) == "op" {
			h.next(o)
		}
		h.toNode = append(h.toNode, ackOf(f))
	}
}

// freed is an ack for a row of the peer.
func (h *honest) freed(o *honestObj, f *frame) {
	if len(o.out) == 0 || o.out[0].id() != f.id() || !slices.Equal(o.out[0].receipt(), f.receipt()) {
		return
	}
	h.next(o)
}

// next frees the head of the peer's outbox and sends the one behind it.
func (h *honest) next(o *honestObj) {
	if class(o.out[0]) == "op" {
		o.freed[o.out[0].id()] = true
	}
	if o.out = o.out[1:]; len(o.out) > 0 && h.n.conn != "" {
		h.toNode = append(h.toNode, o.out[0])
	}
}

// bounced is a bounce of what the peer has in flight: a code that passes is waited out, and there is no other reason for one.
func (h *honest) bounced(f *frame) {
	retryable := slices.Contains([]string{"queue_full", "rate_limited", "busy", "store_unavailable"}, f.code())
	h.want(retryable, "SUBSTRATE-BOUNCE-001", "what an honest peer sends is not bounced for good", "an ack", f.String())
	h.passing = true
}

// work has the application do its work with the next delivery.
func (h *honest) work() {
	d := h.given[0]
	h.given = h.given[1:]
	verb := map[string]string{"open": "accept", "req": "respond"}[d.Verb]
	if verb == "" {
		verb = "handled"
	}
	life := h.crashes
	did, refused := h.n.TryAnswer(verb, d, answerRequest{})
	if refused != nil && refused.Name == errRefusedCall {
		// It was answered before a crash, or its object has ended: what is left is to say that it is handled.
		answered := d.Redelivered || d.Verb == "req" || d.Verb == "open"
		h.want(answered, "SUBSTRATE-DEDUPE-008", "what is handed over can be handled", verb, refused.String())
		did, refused = h.n.TryAnswer("handled", d, answerRequest{})
	}
	if refused == nil {
		h.absorb(did)
		return
	}
	h.absorb(refused.Did)
	if refused.Name == errStoreRefused && life == h.crashes {
		h.given = append([]*deed{d}, h.given...)
	}
}

// quiet lets everything happen that can without time.
func (h *honest) quiet() {
	patience := 10
	for range 10_000 {
		switch {
		case h.broke != nil:
			return
		case len(h.toPeer) > 0:
			h.tell()
		case len(h.toNode) > 0:
			h.hear()
		case len(h.given) > 0:
			h.work()
		case h.passing && patience > 0:
			patience--
			h.passing = false
			h.absorb(h.n.Advance(1_000))
			h.again()
		default:
			return
		}
	}
	h.wrong("SUBSTRATE-RECONNECT-001", "a dialogue comes to an end", "silence", "10000 frames and more")
}

// finish lets the connection be stable and the store work, and wants everything to have come to its end.
func (h *honest) finish() {
	h.n.Refuse(0, 0)
	for range 4 {
		h.disconnect()
		h.connect()
		h.quiet()
		h.absorb(h.n.Advance(70_000))
		h.quiet()
	}
	for _, key := range h.keys {
		o := h.objs[key]
		for _, id := range o.asked {
			law, reason := "SUBSTRATE-RECONNECT-001", "each op is handed over"
			if o.freed[id] {
				law, reason = "SUBSTRATE-ACK-002", "what is acked was taken for good, and is handed over"
			}
			h.want(slices.Contains(o.first, id), law, reason, id, strings.Join(o.first, " "))
		}
		if len(o.out) > 0 {
			h.wrong("SUBSTRATE-ACK-006", "each row of the peer is freed", "none is left", o.out[0].String())
		}
	}
	h.tookEachCall()
	if h.n.t.lacks(Kept) {
		return
	}
	for _, r := range h.n.Kept().Outbox {
		h.wrong("SUBSTRATE-RECONNECT-001", "each row of the node is freed", "none is left", fmt.Sprintf("%s %s on %s", r.Verb, r.ID, r.Obj))
	}
}

// tookEachCall wants what the peer has taken to be what the node was asked to send.
func (h *honest) tookEachCall() {
	var taken []string
	for _, key := range h.keys {
		for _, entry := range h.objs[key].taken {
			if id, op := strings.CutPrefix(entry, "op "); op {
				taken = append(taken, id)
				h.want(slices.Contains(h.calls, id), "SUBSTRATE-OUTBOX-003", "what arrives has the id of a call", strings.Join(h.calls, " "), id)
			}
		}
	}
	for _, id := range h.calls {
		h.want(slices.Contains(taken, id), "SUBSTRATE-OUTBOX-006", "each op of the node arrives: nothing rids an outbox of it",
			id, strings.Join(taken, " "))
	}
}

// call makes a call of the application, once more if the store refuses it, and reports whether it was taken.
func (h *honest) call(verb string, o *honestObj, body string) *nodeCall {
	for range 2 {
		q := callRequest{Body: []byte(body)}
		if verb == "open" {
			q = callRequest{ObjKind: o.kind}
		}
		c, refused := h.n.TryCall(verb, o.addr, q)
		if refused == nil {
			h.calls = append(h.calls, c.ID)
			h.absorb(c.Did)
			return c
		}
		h.absorb(refused.Did)
	}
	return nil
}
