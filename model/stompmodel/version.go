package stompmodel

import "fmt"

// A Version is a protocol version as the version header spells it. The zero value is no version; every configuration that needs one refuses it.
type Version string

// The three versions of STOMP.
const (
	V10 Version = "1.0"
	V11 Version = "1.1"
	V12 Version = "1.2"
)

// Versions returns the three versions, oldest first.
func Versions() []Version { return []Version{V10, V11, V12} }

// ParseVersion returns the version of that name.
func ParseVersion(name string) (Version, error) {
	if v := Version(name); v.Known() {
		return v, nil
	}
	return "", fmt.Errorf("stompmodel: version %q, want 1.0, 1.1 or 1.2", name)
}

// Known reports whether v is one of the three versions.
func (v Version) Known() bool { return v == V10 || v == V11 || v == V12 }

// ClientCommand reports whether name is a client command of v, octet for octet.
func (v Version) ClientCommand(name string) bool {
	switch name {
	// STOMP-FRAME-002: the nine client commands of 1.0. STOMP-FRAME-005: compared octet for octet.
	case "CONNECT", "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "DISCONNECT":
		return v.Known()
	// STOMP-FRAME-003: 1.1 and 1.2 add two.
	case "NACK", "STOMP":
		return v == V11 || v == V12
	}
	return false
}

// ServerCommand reports whether name is a server command, which are the same four in every version.
func (v Version) ServerCommand(name string) bool {
	switch name {
	// STOMP-FRAME-004
	case "CONNECTED", "MESSAGE", "RECEIPT", "ERROR":
		return v.Known()
	}
	return false
}

// Command reports whether name is a client or server command of v.
func (v Version) Command(name string) bool { return v.ClientCommand(name) || v.ServerCommand(name) }

// MayHaveBody reports whether a frame of command may carry body octets in v.
func (v Version) MayHaveBody(command string) bool {
	// The 1.0 grammar allows content on any frame.
	if v == V10 {
		return true
	}
	// STOMP-BODY-001
	return command == "SEND" || command == "MESSAGE" || command == "ERROR"
}

// escapes reports whether the headers of command are escaped in v.
func (v Version) escapes(command string) bool {
	// STOMP-ESC-010: nothing is escaped in 1.0. STOMP-ESC-007: CONNECT and CONNECTED never are; STOMP-ESC-009: STOMP is not one of them.
	return v != V10 && command != "CONNECT" && command != "CONNECTED"
}
