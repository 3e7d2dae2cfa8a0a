package frame

// Command is one of the fifteen STOMP commands. The zero value is no command: decoding never yields it and encoding
// refuses it.
type Command uint8

// The eleven client commands (STOMP-FRAME-003), then the four server commands (STOMP-FRAME-004).
const (
	CONNECT Command = iota + 1
	STOMP
	SEND
	SUBSCRIBE
	UNSUBSCRIBE
	BEGIN
	COMMIT
	ABORT
	ACK
	NACK
	DISCONNECT
	CONNECTED
	MESSAGE
	RECEIPT
	ERROR
)

const longestCommand = len("UNSUBSCRIBE")

// String returns the command as it stands on the wire, or "unknown" for a value that is none of the fifteen.
func (c Command) String() string {
	switch c {
	case CONNECT:
		return "CONNECT"
	case STOMP:
		return "STOMP"
	case SEND:
		return "SEND"
	case SUBSCRIBE:
		return "SUBSCRIBE"
	case UNSUBSCRIBE:
		return "UNSUBSCRIBE"
	case BEGIN:
		return "BEGIN"
	case COMMIT:
		return "COMMIT"
	case ABORT:
		return "ABORT"
	case ACK:
		return "ACK"
	case NACK:
		return "NACK"
	case DISCONNECT:
		return "DISCONNECT"
	case CONNECTED:
		return "CONNECTED"
	case MESSAGE:
		return "MESSAGE"
	case RECEIPT:
		return "RECEIPT"
	case ERROR:
		return "ERROR"
	}
	return "unknown"
}

// ParseCommand returns the command named by exactly these octets. Letter case and surrounding white space matter
// (STOMP-FRAME-005, STOMP-FRAME-013).
func ParseCommand(name string) (Command, bool) {
	c := commandOf(name)
	return c, c != 0
}

// commandOf returns the command named s, or 0. Switching on the length first leaves at most three comparisons.
func commandOf(s string) Command {
	switch len(s) {
	case 3:
		if s == "ACK" {
			return ACK
		}
	case 4:
		switch s {
		case "SEND":
			return SEND
		case "NACK":
			return NACK
		}
	case 5:
		switch s {
		case "ERROR":
			return ERROR
		case "BEGIN":
			return BEGIN
		case "ABORT":
			return ABORT
		case "STOMP":
			return STOMP
		}
	case 6:
		if s == "COMMIT" {
			return COMMIT
		}
	case 7:
		switch s {
		case "MESSAGE":
			return MESSAGE
		case "RECEIPT":
			return RECEIPT
		case "CONNECT":
			return CONNECT
		}
	case 9:
		switch s {
		case "SUBSCRIBE":
			return SUBSCRIBE
		case "CONNECTED":
			return CONNECTED
		}
	case 10:
		if s == "DISCONNECT" {
			return DISCONNECT
		}
	case longestCommand:
		if s == "UNSUBSCRIBE" {
			return UNSUBSCRIBE
		}
	}
	return 0
}

// Client reports whether a client may send the command in some version (STOMP-FRAME-003).
func (c Command) Client() bool { return c >= CONNECT && c <= DISCONNECT }

// Server reports whether a server may send the command (STOMP-FRAME-004).
func (c Command) Server() bool { return c >= CONNECTED && c <= ERROR }

// in reports whether the command exists in version v.
func (c Command) in(v Version) bool {
	// STOMP-FRAME-002: NACK and STOMP came with 1.1.
	if v == V10 && (c == NACK || c == STOMP) {
		return false
	}
	return c.Client() || c.Server()
}

// verbatim reports whether the headers of the command are neither escaped nor unescaped in version v.
func (c Command) verbatim(v Version) bool {
	// STOMP-ESC-007, STOMP-ESC-010; STOMP-ESC-009 keeps the STOMP command out of the exception.
	return v == V10 || c == CONNECT || c == CONNECTED
}

// bodied reports whether a frame with this command may carry body octets in version v.
func (c Command) bodied(v Version) bool {
	// STOMP-BODY-001; STOMP-BODY-002 leaves 1.0 open.
	return v == V10 || c == SEND || c == MESSAGE || c == ERROR
}

// negotiates reports whether the frame takes part in choosing the version.
func (c Command) negotiates() bool { return c == CONNECT || c == STOMP || c == CONNECTED }
