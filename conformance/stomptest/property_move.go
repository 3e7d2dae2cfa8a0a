package stomptest

import (
	"fmt"
	"strings"
)

// What a move does.
const (
	opConnect     = "connect"     // a closed connection opens again
	opDrop        = "drop"        // the connection is reset
	opDisconnect  = "disconnect"  // DISCONNECT with a receipt, then the connection is closed
	opSubscribe   = "subscribe"   // SUBSCRIBE
	opUnsubscribe = "unsubscribe" // UNSUBSCRIBE
	opSend        = "send"        // SEND of a body of its own
	opAck         = "ack"         // ACK of a delivery that waits for one
	opNack        = "nack"        // NACK of one
	opBegin       = "begin"       // BEGIN
	opCommit      = "commit"      // COMMIT
	opAbort       = "abort"       // ABORT
	opWatch       = "watch"       // nothing is sent for a moment
	opEnd         = "end"         // what is owed is waited for, and what is left in the queues is looked at
)

// Sizes of what a sequence plays with.
const (
	propertyDests = 3 // two queues and a topic
	propertySubs  = 3 // of one connection
	propertyTxs   = 2 // of one connection
	topicDest     = propertyDests - 1
)

// A move is one command of a generated session: a plain value, chosen before anything is sent, so that a
// sequence can be shrunk, saved and played again.
type move struct {
	Op   string `json:"op"`
	Conn int    `json:"conn"`           // from 0
	Dest int    `json:"dest,omitempty"` // from 0; the last is the topic
	Sub  int    `json:"sub,omitempty"`  // slot of the subscription on its connection, from 0
	Mode string `json:"mode,omitempty"` // ack mode of SUBSCRIBE
	Tx   int    `json:"tx,omitempty"`   // slot of the transaction on its connection, from 1; 0 is none
	// Pick says which of the deliveries that wait for an ACK on the connection is meant, counted from the
	// oldest and starting again behind the newest.
	Pick int `json:"pick,omitempty"`
	// Bare leaves out the receipt that otherwise waits until the target has dealt with the frame.
	Bare bool `json:"bare,omitempty"`
	// ByDestination makes a 1.0 UNSUBSCRIBE name the destination.
	ByDestination bool `json:"byDestination,omitempty"`
}

// command returns the command of the frame that the move sends, empty if it sends none.
func (m move) command() string {
	switch m.Op {
	case opSubscribe, opUnsubscribe, opSend, opAck, opNack, opBegin, opCommit, opAbort, opDisconnect:
		return strings.ToUpper(m.Op)
	}
	return ""
}

// String says the move in a few words.
func (m move) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "c%d %s", m.Conn, m.Op)
	switch m.Op {
	case opWatch, opEnd:
		return m.Op
	case opSubscribe:
		fmt.Fprintf(&b, " s%d to %s, ack %s", m.Sub, destLabel(m.Dest), m.Mode)
	case opUnsubscribe:
		fmt.Fprintf(&b, " s%d", m.Sub)
		if m.ByDestination {
			b.WriteString(" by destination")
		}
	case opSend:
		fmt.Fprintf(&b, " to %s", destLabel(m.Dest))
	case opAck, opNack:
		fmt.Fprintf(&b, " of waiting delivery %d", m.Pick)
	case opBegin, opCommit, opAbort:
		fmt.Fprintf(&b, " t%d", m.Tx)
		return b.String() + m.bareness()
	}
	if m.Tx > 0 {
		fmt.Fprintf(&b, " in t%d", m.Tx)
	}
	return b.String() + m.bareness()
}

func (m move) bareness() string {
	if m.Bare {
		return ", no receipt"
	}
	return ""
}

func destLabel(dest int) string {
	if dest == topicDest {
		return "the topic"
	}
	return fmt.Sprintf("queue %d", dest)
}

// Simpler returns moves that do less than m, for shrinking.
func (m move) Simpler() []move {
	var out []move
	if m.Bare {
		c := m
		c.Bare = false
		out = append(out, c)
	}
	if m.Pick > 0 {
		c := m
		c.Pick = 0
		out = append(out, c)
	}
	if m.Tx > 0 && (m.Op == opSend || m.Op == opAck || m.Op == opNack) {
		c := m
		c.Tx = 0
		out = append(out, c)
	}
	return out
}
