package stompmodel

import (
	"fmt"
	"slices"
	"strings"
)

// A sessionPhase is how far a session is.
type sessionPhase uint8

const (
	connecting sessionPhase = iota // CONNECT sent, CONNECTED not seen
	open
	doomed // ERROR was sent: nothing but the close may follow
	gone   // closed by either side, as the client sees it
)

// A session is one connection from its CONNECT to its end.
type session struct {
	conn  int
	phase sessionPhase
	// fault is true once an ERROR was seen: a close then has its cause.
	fault bool
	// fading means that the broker ended the session although the client has not seen it yet: what still arrives was sent before.
	fading bool
	cut    []inFrame // with fading: frames that were not taken any more, of which one may be to blame
	blamed []string  // receipts of frames that an ERROR named, if the session goes on
	// over is true once the broker took a DISCONNECT; ended, once it ended the session of a closed connection.
	over, ended bool
	inbox       []inFrame // sent and not yet taken by the broker
	subs        []subscription
	subscribed  int // SUBSCRIBE frames sent, to number them
	begun       int // transactions begun, to number them
	txs         []transaction
	owed        []owedReceipt // of frames that were taken
	suspects    []ClientFrame // frames that were taken although wrong, and not answered: an ERROR may follow
	delivered   int           // MESSAGEs sent

	// What only the invariants look at.
	greeted  int      // CONNECTED frames sent
	erred    bool     // an ERROR was sent
	must     bool     // the ERROR obliges the broker to close
	removed  []string // ids whose UNSUBSCRIBE was answered by RECEIPT, and not used again
	asked    []string // receipts requested by frames that may get one
	answered []string // receipts sent
}

// An inFrame is a frame on its way. n is the number of a SUBSCRIBE in its session, or of the delivery that an ACK or NACK names, 0 if it names none.
type inFrame struct {
	ClientFrame
	n int
}

// A subscription is one SUBSCRIBE that took effect.
type subscription struct {
	n       int
	id      string
	dest    string
	mode    string
	closing bool // UNSUBSCRIBE was taken; MESSAGEs may still be under way
	sure    bool // the RECEIPT of SUBSCRIBE was seen
}

// A transaction is an open one, with the frames that wait for its COMMIT.
type transaction struct {
	id     string
	n      int
	frames []inFrame
}

// An owedReceipt is the RECEIPT of a frame that was taken, and what its arrival proves.
type owedReceipt struct {
	frame ClientFrame
	n     int      // the subscription that UNSUBSCRIBE removes or SUBSCRIBE makes
	about []string // messages published or settled
	// waived means that the frame's transaction was aborted, so that it may count as never processed and get no RECEIPT.
	waived bool
}

// A messageState is how far a message is.
type messageState uint8

const (
	onItsWay messageState = iota // its SEND was not taken
	staged                       // in an open transaction
	visible                      // at its destination
	void                         // it never takes effect: aborted, failed or lost with its connection
)

// A message is one SEND.
type message struct {
	body, dest string
	from       int // session
	state      messageState
	// sure means that the broker must still have the message if nobody got it.
	sure bool
	// vouched means that the RECEIPT of its SEND or COMMIT was seen.
	vouched bool
	// routed, if not nil, holds for each session how many of its subscriptions were in time for this message; topics only.
	routed []int
	hands  []hand
	due    []due // topic subscriptions that were confirmed before the SEND
	left   []due // closing subscriptions that had it, and will not get it again

	// What only the invariants look at.
	txn                  int // number of its transaction in its session, or 0
	tx                   string
	published, committed bool
	aborted              bool
	consumed             int // times that it was settled
	nacked               bool
}

// A due is a subscription, as a message sees it.
type due struct{ session, n int }

// A hand is one delivery that still matters.
type hand struct {
	session, n int // the subscription
	id         string
	mode       string
	at         int // position among the MESSAGEs of the session
	settled    bool
	confirmed  bool // the RECEIPT of what settled it was seen, or the mode is auto
	loose      bool // the broker may hand the message to somebody else
	dead       bool // NACKed: nothing further but a dead letter
	staged     bool // named by an ACK or NACK of an open transaction
}

// A BrokerState is what the broker may be doing, given what was observed. It is a value: the machine never changes one that it gave out.
type BrokerState struct {
	sessions []session
	messages []message
	leaky    []leak
	used     uint64 // actions of the scope that were taken
}

// A leak is a destination where a session that nobody reads any more may swallow messages.
type leak struct {
	dest    string
	session int
}

// Sessions returns the number of sessions opened so far.
func (s BrokerState) Sessions() int { return len(s.sessions) }

// clone returns a state whose sessions and messages may be changed in place. Inboxes, receipts and hands stay shared: they are only ever
// replaced (see own).
func (s BrokerState) clone() BrokerState {
	s.sessions = slices.Clone(s.sessions)
	for i := range s.sessions {
		ses := &s.sessions[i]
		ses.inbox = slices.Clip(ses.inbox)
		ses.cut = slices.Clip(ses.cut)
		ses.suspects = slices.Clip(ses.suspects)
		ses.blamed = slices.Clip(ses.blamed)
		ses.subs = slices.Clone(ses.subs)
		ses.txs = slices.Clone(ses.txs)
		ses.owed = slices.Clone(ses.owed)
		ses.removed = slices.Clip(ses.removed)
		ses.asked = slices.Clip(ses.asked)
		ses.answered = slices.Clip(ses.answered)
	}
	s.messages = slices.Clone(s.messages)
	s.leaky = slices.Clip(s.leaky)
	return s
}

// own makes the hands of m its own, so that they may be changed in place.
func (m *message) own() *message {
	m.hands = slices.Clone(m.hands)
	return m
}

// current returns the index of the latest session of conn, or -1.
func (s BrokerState) current(conn int) int {
	for i := len(s.sessions) - 1; i >= 0; i-- {
		if s.sessions[i].conn == conn {
			return i
		}
	}
	return -1
}

func (s BrokerState) message(body string) int {
	return slices.IndexFunc(s.messages, func(m message) bool { return m.body == body })
}

func (ses *session) tx(id string) int {
	return slices.IndexFunc(ses.txs, func(t transaction) bool { return t.id == id })
}

// sub returns the index of the subscription that UNSUBSCRIBE or SUBSCRIBE f is about, the latest one, or -1.
func (ses *session) sub(f ClientFrame) int {
	for i := len(ses.subs) - 1; i >= 0; i-- {
		sub := ses.subs[i]
		if !sub.closing && (sub.id == f.ID && f.ID != "" || f.ID == "" && sub.dest == f.Destination) {
			return i
		}
	}
	return -1
}

// held returns the index of the message's hand that an ACK or NACK of session si for subscription id is about, or -1.
func (m *message) held(si int, id string) int {
	for i := len(m.hands) - 1; i >= 0; i-- {
		h := m.hands[i]
		if h.session == si && !h.settled && !h.dead && (id == "" || id == h.id) {
			return i
		}
	}
	return -1
}

// mayEnd reports that the broker may have ended the session.
func (ses *session) mayEnd() bool {
	return ses.phase == doomed || ses.phase == gone || ses.over || ses.fading
}

// String returns the state on one line, settled messages left out.
func (s BrokerState) String() string {
	var b strings.Builder
	for i := range s.sessions {
		ses := &s.sessions[i]
		fmt.Fprintf(&b, "[c%d %s", ses.conn, [...]string{"connecting", "open", "doomed", "gone"}[ses.phase])
		for _, sub := range ses.subs {
			fmt.Fprintf(&b, " sub %s@%s", sub.id, sub.dest)
			if sub.closing {
				b.WriteString("(closing)")
			}
		}
		for _, t := range ses.txs {
			fmt.Fprintf(&b, " tx %s:%d", t.id, len(t.frames))
		}
		for _, f := range ses.inbox {
			fmt.Fprintf(&b, " <%v>", f.ClientFrame)
		}
		for _, o := range ses.owed {
			fmt.Fprintf(&b, " owes %s", o.frame.Receipt)
		}
		b.WriteString("]")
	}
	for i := range s.messages {
		m := &s.messages[i]
		fmt.Fprintf(&b, " %s@%s:%s", m.body, m.dest, [...]string{"sent", "staged", "visible", "void"}[m.state])
		for _, h := range m.hands {
			state := "held"
			switch {
			case h.settled:
				state = "settled"
			case h.dead:
				state = "dead"
			case h.loose:
				state = "loose"
			}
			fmt.Fprintf(&b, "(%s by %d/%s)", state, h.session, h.id)
		}
	}
	return b.String()
}
