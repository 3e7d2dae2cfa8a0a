package stompmodel

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/model"
)

// An ActionKind says who does what.
type ActionKind uint8

const (
	// ActSend is the client writing Frame on Conn.
	ActSend ActionKind = iota + 1
	// ActReceive is the client reading what comes next on Conn; the outcome says what it was.
	ActReceive
	// ActDrop is the client closing the socket of Conn, or losing it.
	ActDrop
	// ActQuiet is the client seeing nothing on Conn, or on any connection if Conn is negative, for its window.
	ActQuiet
	// ActWork is the broker taking the next frame of session Conn; Explicit machines only.
	ActWork
	// ActEnd is the broker ending session Conn after its connection was closed; Explicit machines only.
	ActEnd
)

// A ClientFrame is what the machine needs to know about a frame of the client. A field that the command has no use for stays empty.
type ClientFrame struct {
	Command     string
	Destination string
	// ID is the id of SUBSCRIBE and UNSUBSCRIBE, and the subscription of ACK and NACK where the observer knows it ("" finds it).
	ID string
	// Ack is the ack header of SUBSCRIBE.
	Ack         string
	Transaction string
	Receipt     string
	// Body is the body of SEND. It names the message: every SEND of a trace has a different one.
	Body string
	// Message is the body of the message that an ACK or NACK names, in the delivery that was the latest on its connection when it was sent.
	Message string
}

// An Action is one step of the client, or of the broker if the machine is Explicit. It is comparable.
type Action struct {
	Kind ActionKind
	// Conn is a connection, from 0; for ActWork and ActEnd it is the index of a session.
	Conn  int
	Frame ClientFrame
	// Obliged, with ActQuiet, says that the window was long enough for everything that the broker owes, so that silence may break a law.
	Obliged bool
	// Seen, with ActReceive, is what was read, if that is known beforehand: the machine then spares itself the outcomes that do not match, unless none
	// does. It changes no verdict.
	Seen Output
}

// An Output is what the client saw: a frame of the server or the end of the connection. The zero Output is the outcome of everything but a receive.
type Output struct {
	Conn    int
	Command string // CONNECTED, MESSAGE, RECEIPT or ERROR; "" with Closed
	Closed  bool

	Subscription string // of MESSAGE
	Destination  string // of MESSAGE
	Body         string // of MESSAGE
	ReceiptID    string // of RECEIPT and ERROR
}

// A TraceStep is one line of a recorded trace.
type TraceStep = model.Step[Action, Output]

// Sent records that the client wrote f on conn.
func Sent(conn int, f ClientFrame) TraceStep {
	return TraceStep{Action: Action{Kind: ActSend, Conn: conn, Frame: f}}
}

// Received records that the client read o on conn; o.Conn is set by it.
func Received(conn int, o Output) TraceStep {
	o.Conn = conn
	return TraceStep{Action: Action{Kind: ActReceive, Conn: conn, Seen: o}, Outcome: o}
}

// Closed records that the server closed conn.
func Closed(conn int) TraceStep { return Received(conn, Output{Closed: true}) }

// Dropped records that the client closed or lost conn.
func Dropped(conn int) TraceStep {
	return TraceStep{Action: Action{Kind: ActDrop, Conn: conn}}
}

// Quiet records that nothing arrived on conn, or on any connection if conn is negative, for the window. Only with obliged can it be
// rejected: the caller then vouches that the window was long enough.
func Quiet(conn int, obliged bool) TraceStep {
	return TraceStep{Action: Action{Kind: ActQuiet, Conn: conn, Obliged: obliged}}
}

// Match reports whether got is the outcome that the machine allows as want. The destination of a MESSAGE is compared only if got has one that
// the caller wants judged; that it should be the one of the SEND is a SHOULD (STOMP-SEND-002), so callers leave it empty to be lenient.
func Match(want, got Output) bool {
	if got.Destination == "" {
		want.Destination = ""
	}
	return want == got
}

// String returns the action in a few words.
func (a Action) String() string {
	switch a.Kind {
	case ActSend:
		return fmt.Sprintf("c%d sends %v", a.Conn, a.Frame)
	case ActReceive:
		return fmt.Sprintf("c%d receives", a.Conn)
	case ActDrop:
		return fmt.Sprintf("c%d drops", a.Conn)
	case ActQuiet:
		text := "nothing arrives"
		if a.Conn >= 0 {
			text = fmt.Sprintf("nothing arrives on c%d", a.Conn)
		}
		if a.Obliged {
			text += " for long enough"
		}
		return text
	case ActWork:
		return fmt.Sprintf("broker takes a frame of session %d", a.Conn)
	case ActEnd:
		return fmt.Sprintf("broker ends session %d", a.Conn)
	}
	return fmt.Sprintf("action %d", a.Kind)
}

// String returns the frame's command and the fields that are set.
func (f ClientFrame) String() string {
	var b strings.Builder
	b.WriteString(f.Command)
	for _, field := range []struct{ name, value string }{
		{"id", f.ID},
		{"destination", f.Destination},
		{"ack", f.Ack},
		{"message", f.Message},
		{"transaction", f.Transaction},
		{"receipt", f.Receipt},
		{"body", f.Body},
	} {
		if field.value != "" {
			fmt.Fprintf(&b, " %s=%s", field.name, field.value)
		}
	}
	return b.String()
}

// String returns the output in a few words; "-" is the zero output.
func (o Output) String() string {
	switch {
	case o.Closed:
		return fmt.Sprintf("c%d closed", o.Conn)
	case o.Command == "MESSAGE":
		return fmt.Sprintf("c%d MESSAGE %s for %s", o.Conn, o.Body, o.Subscription)
	case o.Command == "RECEIPT" || (o.Command == "ERROR" && o.ReceiptID != ""):
		return fmt.Sprintf("c%d %s %s", o.Conn, o.Command, o.ReceiptID)
	case o.Command != "":
		return fmt.Sprintf("c%d %s", o.Conn, o.Command)
	}
	return "-"
}
