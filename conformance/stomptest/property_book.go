package stomptest

import "slices"

// A book keeps what a generated session did, from the client's side: enough to choose what to acknowledge and
// to name the law when the machine rejects an observation. It gives no verdict.
type book struct {
	version  string
	topic    string // the destination that is a topic
	sessions []*pageSession
	posts    map[string]*post
	hands    []*handed
	nacked   *handed // what the latest frame of all refused, nil if it was no NACK
}

// A pageSession is one session; the latest of a connection is the current one.
type pageSession struct {
	conn     int
	greeted  bool
	subs     []*pageSub
	receipts map[string]receiptState
	ended    bool // by DISCONNECT
}

type receiptState int

const (
	neverAsked receiptState = iota
	receiptPending
	receiptAnswered
	receiptRefused
)

type pageSub struct {
	id, dest, mode string
	closing        bool   // UNSUBSCRIBE was sent
	receipt        string // of the UNSUBSCRIBE
	removed        bool   // it was answered
}

type postFate int

const (
	postPlain postFate = iota
	postStaged
	postCommitted
	postAborted
	postAbandoned // its session ended before COMMIT
)

// A post is one SEND.
type post struct {
	dest    string
	session *pageSession
	tx      string
	fate    postFate
}

type handState int

const (
	handWaiting handState = iota
	handAcked
	handNacked
	handStaged  // named by an ACK or NACK of an open transaction
	handCovered // 1.0 only: an ACK of a later message may have covered it
)

// A handed is one MESSAGE that arrived.
type handed struct {
	body    string
	session *pageSession
	sub     *pageSub
	named   string // its subscription header
	frame   *wireFrame
	state   handState

	tx        string // transaction of a staged one
	command   string // what settled or will settle it
	viaTx     bool
	receipt   string // of the frame that settled it, "" if it had none
	confirmed bool   // that receipt came
	undone    bool   // it was named in a transaction that was not committed
}

func newBook(version, topic string, conns int) *book {
	b := &book{version: version, topic: topic, posts: map[string]*post{}}
	for c := range conns {
		b.open(c).greeted = true
	}
	return b
}

func (b *book) open(conn int) *pageSession {
	s := &pageSession{conn: conn, receipts: map[string]receiptState{}}
	b.sessions = append(b.sessions, s)
	return s
}

func (b *book) session(conn int) *pageSession {
	for _, s := range slices.Backward(b.sessions) {
		if s.conn == conn {
			return s
		}
	}
	return nil
}

// sub returns the latest subscription of that id, nil if there never was one.
func (s *pageSession) sub(id string) *pageSub {
	for _, sub := range slices.Backward(s.subs) {
		if sub.id == id {
			return sub
		}
	}
	return nil
}

// to returns the latest subscription to dest, nil if there never was one.
func (s *pageSession) to(dest string) *pageSub {
	for _, sub := range slices.Backward(s.subs) {
		if sub.dest == dest {
			return sub
		}
	}
	return nil
}

// wrote takes in a frame that the client sent. hand is the delivery that an ACK or NACK names.
func (b *book) wrote(conn int, f *wireFrame, hand *handed) {
	b.nacked = nil
	if f.Command == "CONNECT" {
		b.open(conn)
		return
	}
	s := b.session(conn)
	receipt := f.Get("receipt")
	if receipt != "" {
		s.receipts[receipt] = receiptPending
	}
	tx := f.Get("transaction")
	switch f.Command {
	case "SEND":
		p := &post{dest: f.Get("destination"), session: s, tx: tx}
		if tx != "" {
			p.fate = postStaged
		}
		b.posts[string(f.Body)] = p
	case "SUBSCRIBE":
		s.subs = append(s.subs, &pageSub{id: f.Get("id"), dest: f.Get("destination"), mode: f.Get("ack")})
	case "UNSUBSCRIBE":
		sub := s.sub(f.Get("id"))
		if _, named := f.Lookup("id"); !named {
			sub = s.to(f.Get("destination"))
		}
		sub.closing, sub.receipt = true, receipt
	case "ACK", "NACK":
		if f.Command == "NACK" && tx == "" {
			b.nacked = hand
		}
		for _, h := range b.covered(hand) {
			h.command, h.receipt = f.Command, receipt
			if tx != "" {
				h.state, h.tx = handStaged, tx
			} else {
				b.settle(h)
			}
		}
	case "COMMIT", "ABORT":
		b.finish(s, tx, f.Command == "COMMIT", receipt)
	case "DISCONNECT":
		s.ended = true
		b.abandon(s)
	}
}

// covered returns the deliveries that an ACK or NACK of h is about.
func (b *book) covered(h *handed) []*handed {
	out := []*handed{h}
	if h.sub.mode != "client" || b.version == "1.0" {
		return out
	}
	for _, other := range b.hands {
		if other == h {
			break
		}
		if other.sub == h.sub && other.state == handWaiting {
			out = append(out, other)
		}
	}
	return out
}

func (b *book) settle(h *handed) {
	h.state = handAcked
	if h.command == "NACK" {
		h.state = handNacked
	}
	if b.version != "1.0" {
		return
	}
	// No text of 1.0 says whether client mode is cumulative, so earlier ones are left alone from here on.
	for _, other := range b.hands {
		if other == h {
			return
		}
		if other.sub == h.sub && other.state == handWaiting {
			other.state = handCovered
		}
	}
}

func (b *book) finish(s *pageSession, tx string, commit bool, receipt string) {
	for _, p := range b.posts {
		if p.session == s && p.tx == tx && p.fate == postStaged {
			p.fate = postAborted
			if commit {
				p.fate = postCommitted
			}
		}
	}
	for _, h := range b.hands {
		if h.session != s || h.tx != tx || h.state != handStaged {
			continue
		}
		h.state, h.tx, h.undone = handWaiting, "", !commit
		if commit {
			h.viaTx, h.receipt = true, receipt
			b.settle(h)
		}
	}
}

// abandon ends the open transactions of s (STOMP-TX-005).
func (b *book) abandon(s *pageSession) {
	for _, p := range b.posts {
		if p.session == s && p.fate == postStaged {
			p.fate = postAbandoned
		}
	}
	for _, h := range b.hands {
		if h.session == s && h.state == handStaged {
			h.state, h.tx, h.undone = handWaiting, "", true
		}
	}
}

// dropped takes in the end of a connection.
func (b *book) dropped(conn int) { b.abandon(b.session(conn)) }

// read takes in a frame that the machine allowed.
func (b *book) read(conn int, f *wireFrame) {
	s := b.session(conn)
	switch f.Command {
	case "CONNECTED":
		s.greeted = true
	case "MESSAGE":
		h := &handed{body: string(f.Body), session: s, named: f.Get("subscription"), frame: f}
		h.sub = s.sub(h.named)
		if p := b.posts[h.body]; h.sub == nil && p != nil {
			h.sub = s.to(p.dest)
		}
		if h.sub != nil {
			b.hands = append(b.hands, h)
		}
	case "RECEIPT":
		id := f.Get("receipt-id")
		s.receipts[id] = receiptAnswered
		for _, sub := range s.subs {
			sub.removed = sub.removed || sub.closing && sub.receipt == id
		}
		for _, h := range b.hands {
			h.confirmed = h.confirmed || h.session == s && h.receipt == id && (h.state == handAcked || h.state == handNacked)
		}
	case "ERROR":
		if id, ok := f.Lookup("receipt-id"); ok && s.receipts[id] == receiptPending {
			s.receipts[id] = receiptRefused
		}
	}
}

// waiting returns the deliveries of conn that a client may acknowledge without any target having a reason to
// refuse: of an open subscription that acknowledges, neither settled nor staged, nor together with one that is staged.
func (b *book) waiting(conn int) []*handed {
	s := b.session(conn)
	var out []*handed
	for i, h := range b.hands {
		if h.session == s && !h.sub.closing && h.sub.mode != "auto" && h.state == handWaiting && b.latest(h) && !b.stagedWith(i) {
			out = append(out, h)
		}
	}
	return out
}

// stagedWith reports whether a cumulative ACK of delivery i may meet one that an open transaction settles: an earlier
// one, or in 1.0, where some targets are cumulative and some are not, any.
func (b *book) stagedWith(i int) bool {
	h := b.hands[i]
	for j, other := range b.hands {
		if other.sub == h.sub && other.state == handStaged && h.sub.mode == "client" && (j < i || b.version == "1.0") {
			return true
		}
	}
	return false
}

// latest reports whether nobody got the message of h on a queue after it.
func (b *book) latest(h *handed) bool {
	for _, other := range slices.Backward(b.hands) {
		if other == h {
			return true
		}
		if other.body == h.body && other.sub == h.sub {
			return false
		}
	}
	return true
}

// deliveries returns how often the message of that body arrived.
func (b *book) deliveries(body string) int {
	n := 0
	for _, h := range b.hands {
		if h.body == body {
			n++
		}
	}
	return n
}
