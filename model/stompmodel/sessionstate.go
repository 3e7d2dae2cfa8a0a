package stompmodel

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A SessionPhase is one of the five states of STOMP-CLIENT-001.
type SessionPhase string

// The five states.
const (
	SessionFresh         SessionPhase = "fresh"
	SessionConnecting    SessionPhase = "connecting"
	SessionActive        SessionPhase = "active"
	SessionDisconnecting SessionPhase = "disconnecting"
	SessionClosed        SessionPhase = "closed"
)

// NeverTick is the time of a tick that never has anything to do.
const NeverTick = math.MaxInt64

// The ack modes of a subscription.
const (
	modeAuto       = "auto"
	modeClient     = "client"
	modeIndividual = "client-individual"
)

// A clientSub is a subscription on record.
type clientSub struct {
	id, dest, mode string
	// leaving is the receipt of its UNSUBSCRIBE, "" while none was sent.
	leaving string
}

// A clientReceipt is a receipt that was requested and has not come.
type clientReceipt struct {
	id string
	// bye is true of DISCONNECT's.
	bye bool
}

// A clientDelivery is a message that waits for its acknowledgement. The list of them is in the order of arrival.
type clientDelivery struct {
	sub, messageID, ack string
	// mode is that of the subscription when the message came.
	mode string
	// tx is the transaction in which it is staged, "" for none.
	tx string
}

// A SessionState is a client session between two calls. It is a value: the machine never changes one that it gave out.
type SessionState struct {
	phase SessionPhase
	now   int64 // last accepted time

	offered     []Version
	can, want   int // of the heart-beat of CONNECT
	connected   bool
	version     Version // negotiated, once connected
	decoder     CodecState
	begun       bool // a delivered chunk ended within a frame
	sendEvery   int64
	expectEvery int64
	sent        int64 // last time that octets went out
	received    int64 // last time that octets came in

	subs       []clientSub
	txs        []string
	receipts   []clientReceipt
	deliveries []clientDelivery
}

// Phase returns which of the five states it is.
func (s SessionState) Phase() SessionPhase { return s.phase }

// Now returns the last accepted time.
func (s SessionState) Now() int64 { return s.now }

// SessionRecords names what is on record, each kind in the order in which it came.
type SessionRecords struct {
	Subscriptions, Transactions, Receipts []string
	Deliveries                            []SessionDelivery
}

// A SessionDelivery is a message that waits for its acknowledgement.
type SessionDelivery struct {
	Subscription, MessageID, Ack string
	Staged                       bool
}

// Records returns what is on record.
func (s SessionState) Records() SessionRecords {
	out := SessionRecords{Transactions: slices.Clone(s.txs)}
	for _, sub := range s.subs {
		out.Subscriptions = append(out.Subscriptions, sub.id)
	}
	for _, r := range s.receipts {
		out.Receipts = append(out.Receipts, r.id)
	}
	for _, d := range s.deliveries {
		out.Deliveries = append(out.Deliveries, SessionDelivery{d.sub, d.messageID, d.ack, d.tx != ""})
	}
	return out
}

// Init returns a fresh session.
func (m *Session) Init() SessionState { return SessionState{phase: SessionFresh} }

// clone returns a state whose lists may be changed in place.
func (s SessionState) clone() SessionState {
	s.subs = slices.Clone(s.subs)
	s.txs = slices.Clone(s.txs)
	s.receipts = slices.Clone(s.receipts)
	s.deliveries = slices.Clone(s.deliveries)
	return s
}

// closed returns the state after the session ended for any cause: nothing is on record, and only the time and the version stay.
func (s SessionState) closed() SessionState {
	// STOMP-CLIENT-005, STOMP-CLIENT-006
	return SessionState{phase: SessionClosed, now: s.now, offered: s.offered, connected: s.connected, version: s.version}
}

// speaks returns the version in force: the negotiated one, or before CONNECTED the highest offered, or that may be.
func (s SessionState) speaks() Version {
	switch {
	case s.connected:
		return s.version
	case len(s.offered) > 0:
		return s.offered[len(s.offered)-1]
	}
	return V12
}

// encodes returns the version whose rules write what is sent.
func (s SessionState) encodes() Version {
	if s.connected {
		return s.version
	}
	return V12
}

// value returns the first value of a header that the protocol defines, and whether there is one.
func (s SessionState) value(f Frame, name string) (string, bool) {
	v, ok := f.Get(name)
	// STOMP-HDR-008: 1.0 pads values.
	if s.connected && s.version == V10 {
		v = strings.Trim(v, " ")
	}
	return v, ok
}

func (s SessionState) sub(id string) int {
	return slices.IndexFunc(s.subs, func(c clientSub) bool { return c.id == id })
}

func (s SessionState) receipt(id string) int {
	return slices.IndexFunc(s.receipts, func(r clientReceipt) bool { return r.id == id })
}

// key is what a delivery is known by.
func (s SessionState) key(d clientDelivery) string {
	switch s.version {
	// STOMP-ACK-010
	case V12:
		return d.ack
	case V11:
		return fmt.Sprintf("%q %q", d.sub, d.messageID)
	}
	return d.messageID
}

func (s SessionState) counts() SessionCounts {
	c := SessionCounts{Subscriptions: len(s.subs), Transactions: len(s.txs), Receipts: len(s.receipts), Deliveries: len(s.deliveries)}
	for _, sub := range s.subs {
		if sub.leaving != "" {
			c.Unsubscribing++
		}
	}
	return c
}

// next returns the first time at which a tick has something to do.
func (s SessionState) next(tolerance int64) int64 {
	if s.phase != SessionActive {
		return NeverTick
	}
	at := int64(NeverTick)
	if s.sendEvery > 0 {
		at = min(at, later(s.sent, s.sendEvery))
	}
	if s.expectEvery > 0 {
		at = min(at, later(s.received, s.expectEvery+tolerance+1))
	}
	return at
}

// later returns at+wait, or NeverTick if there is no such time.
func later(at, wait int64) int64 {
	if wait > 0 && at > NeverTick-wait {
		return NeverTick
	}
	return at + wait
}

// String returns the state on one line.
func (s SessionState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s at %d", s.phase, s.speaks(), s.now)
	for _, sub := range s.subs {
		fmt.Fprintf(&b, " sub %q@%q:%s", sub.id, sub.dest, sub.mode)
		if sub.leaving != "" {
			fmt.Fprintf(&b, "(until %q)", sub.leaving)
		}
	}
	for _, tx := range s.txs {
		fmt.Fprintf(&b, " tx %q", tx)
	}
	for _, r := range s.receipts {
		fmt.Fprintf(&b, " owed %q", r.id)
	}
	for _, d := range s.deliveries {
		fmt.Fprintf(&b, " holds %q/%q/%q:%s", d.sub, d.messageID, d.ack, d.mode)
		if d.tx != "" {
			fmt.Fprintf(&b, "(in %q)", d.tx)
		}
	}
	return b.String()
}
