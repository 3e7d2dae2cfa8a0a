package client

import (
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// Event is one thing that the server said; see [session.Event]. Its frame must not be changed.
type Event = session.Event

// The kinds of events; see [session.Kind].
const (
	HeartBeat   = session.HeartBeat
	Connected   = session.Connected
	MessageKind = session.Message
	ReceiptKind = session.Receipt
	ServerError = session.ServerError
)

// ReceiptID returns the receipt-id of a RECEIPT, and false for any other event.
func ReceiptID(e Event) (string, bool) {
	if e.Kind != session.Receipt {
		return "", false
	}
	return e.Frame.Get("receipt-id")
}

// eventSize returns how many octets e would have as compact JSON: an object with the name of the event, and with the id
// of a receipt or the command, the header pairs and the octets of the frame.
func eventSize(e Event) int {
	// STOMP-WAIT-002
	name := map[session.Kind]string{
		session.HeartBeat: "heartbeat", session.Connected: "connected", session.Message: "message",
		session.Receipt: "receipt", session.ServerError: "error",
	}[e.Kind]
	n := len(`{"event":""}`) + len(name)
	switch {
	case e.Kind == session.Receipt:
		id, _ := ReceiptID(e)
		n += len(`,"id":`) + stringSize(id)
	case e.Frame != nil:
		n += len(`,"frame":`) + frameSize(e.Frame)
	}
	return n
}

func frameSize(f *frame.Frame) int {
	n := len(`{"command":"","headers":[],"body":[]}`) + len(f.Command.String())
	for _, h := range f.Headers {
		n += len(`[,]`) + stringSize(h.Name) + stringSize(h.Value)
	}
	n += max(len(f.Headers)-1, 0)
	for _, b := range f.Body {
		// One digit and the comma; the last octet has no comma.
		n += 2
		if b >= 10 {
			n++
		}
		if b >= 100 {
			n++
		}
	}
	return n - min(len(f.Body), 1)
}

// stringSize returns the size of s as a JSON string with the escapes that are necessary and no other.
func stringSize(s string) int {
	n := len(`""`)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			n += utf8.RuneLen(r)
			i += size
			continue
		case c == '"', c == '\\', c == '\b', c == '\f', c == '\n', c == '\r', c == '\t':
			n += 2
		case c < ' ':
			n += len(`\u0000`)
		default:
			n++
		}
		i++
	}
	return n
}
