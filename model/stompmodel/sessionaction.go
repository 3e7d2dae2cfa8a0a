package stompmodel

import (
	"fmt"
	"strings"
)

// A SessionOp is one of the calls of a client session.
type SessionOp string

// The calls. SessionDeliver is SessionReceive with frames in the place of octets.
const (
	SessionSend    SessionOp = "send"
	SessionReceive SessionOp = "receive"
	SessionDeliver SessionOp = "deliver"
	SessionTick    SessionOp = "tick"
	SessionEnd     SessionOp = "end"
	SessionFail    SessionOp = "fail"
)

func (op SessionOp) known() bool {
	switch op {
	case SessionSend, SessionReceive, SessionDeliver, SessionTick, SessionEnd, SessionFail:
		return true
	}
	return false
}

// A SessionRest is what follows the last whole frame of a delivered chunk.
type SessionRest uint8

const (
	// RestNothing means that the chunk ends there.
	RestNothing SessionRest = iota
	// RestBegun means that a frame begins which the chunk does not finish.
	RestBegun
	// RestBroken means octets that no decoder takes.
	RestBroken
)

// A SessionAction is one call of a client session.
type SessionAction struct {
	Op SessionOp
	// Now is the time in milliseconds; SessionEnd and SessionFail have none.
	Now int64
	// Frame is what SessionSend sends.
	Frame Frame
	// Chunk holds the octets of SessionReceive.
	Chunk string
	// Frames are those of SessionDeliver, whole and in order; the zero frame is a heart-beat. Rest follows them.
	Frames []Frame
	Rest   SessionRest
}

// String returns the action on one line.
func (a SessionAction) String() string {
	switch a.Op {
	case SessionSend:
		return fmt.Sprintf("send at %d %s", a.Now, inShort(a.Frame))
	case SessionReceive:
		return fmt.Sprintf("receive at %d %.400q", a.Now, a.Chunk)
	case SessionDeliver:
		var b strings.Builder
		fmt.Fprintf(&b, "deliver at %d", a.Now)
		for _, f := range a.Frames {
			if f.Command == "" {
				b.WriteString(" EOL")
				continue
			}
			b.WriteString(" " + inShort(f))
		}
		return b.String() + [...]string{"", " and a part of a frame", " and octets that are no frame"}[a.Rest]
	case SessionTick:
		return fmt.Sprintf("tick at %d", a.Now)
	}
	return string(a.Op)
}

// inShort writes a frame with no more of its body than a line has room for.
func inShort(f Frame) string {
	out := fmt.Sprintf("%s %.400q", f.Command, f.Headers)
	if len(f.Body) > 0 {
		out += fmt.Sprintf(" %d octets %.40q", len(f.Body), f.Body)
	}
	return out
}

// A SessionEventKind says what a [SessionEvent] reports.
type SessionEventKind string

// The kinds of event; all but the first carry a frame.
const (
	EventHeartBeat   SessionEventKind = "heart-beat"
	EventConnected   SessionEventKind = "connected"
	EventMessage     SessionEventKind = "message"
	EventReceipt     SessionEventKind = "receipt"
	EventServerError SessionEventKind = "server-error"
)

// A SessionEvent is what a receive reports.
type SessionEvent struct {
	Kind  SessionEventKind
	Frame Frame
}

// SessionCounts are the sizes of the records. Subscriptions that await their UNSUBSCRIBE receipt count in both of the first two.
type SessionCounts struct{ Subscriptions, Unsubscribing, Transactions, Receipts, Deliveries int }

// A SessionOutput is what a caller sees of one call: the refusal or the fault that closed the session, what it returned, and the session after it.
type SessionOutput struct {
	// Reason is "" when the call succeeded. Of a send it is why the frame was refused, of the others why the session closed.
	Reason SessionReason
	// Law is the law that says so.
	Law string
	// Rule is the codec's rule when it is the codec that refuses.
	Rule Rule
	// Octets are to be written to the peer.
	Octets string
	// Events are what a receive reports.
	Events []SessionEvent

	State         SessionPhase
	Version       Version
	Counts        SessionCounts
	Send, Receive int64 // negotiated intervals, in ms
	// Next is the first time at which a tick has something to do, NeverTick if none has.
	Next int64
}

// String returns the output on one line.
func (o SessionOutput) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %v", o.State, o.Version, o.Counts)
	if o.Reason != "" {
		fmt.Fprintf(&b, " %s (%s)", o.Reason, o.Law)
	}
	if o.Rule != "" {
		fmt.Fprintf(&b, " by %s", o.Rule)
	}
	if o.Octets != "" {
		fmt.Fprintf(&b, " writes %.400q", o.Octets)
	}
	for _, e := range o.Events {
		fmt.Fprintf(&b, " %s %s", e.Kind, inShort(e.Frame))
	}
	return b.String()
}
