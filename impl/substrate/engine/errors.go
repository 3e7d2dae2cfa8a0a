package engine

import "fmt"

// Codes of local errors that never come from the other side. The other codes are those of package wire.
const (
	NotLive      = "not_live"      // the object is not live, so that nothing can be sent on it (SUBSTRATE-OBJ-005)
	SeqExhausted = "seq_exhausted" // the object has used all its numbers (SUBSTRATE-SEQ-012)
	Expired      = "expired"       // sent for a week without an answer: the outcome is not known (SUBSTRATE-OUTBOX-008)
	NotPending   = "not_pending"   // what is answered has been answered already, or never came
)

// Close codes with which an engine ends a connection. The others are in package wire.
const (
	CloseSuperseded = 4005 // the same peer has a newer connection (SUBSTRATE-RECONNECT-004)
	CloseTimeout    = 4008 // acks, or answers to resyncs, stay out (SUBSTRATE-OUTBOX-005, SUBSTRATE-SEQ-007)
)

// A ConfigError is a field of [Config] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "substrate engine: " + e.Field + " " + e.Problem }

// An Error is a call of the application that was refused. It has changed nothing.
type Error struct {
	Verb string // what was tried, such as send
	Obj  string // empty if it is no address (SUBSTRATE-ADDR-003)
	Code string
	// Limit and Found are the bound and the number that met it, where there is one.
	Limit, Found int
}

// Error returns a one line description.
func (e *Error) Error() string {
	text := "substrate " + e.Verb
	if e.Obj != "" {
		text += " on " + e.Obj
	}
	text += ": " + e.Code
	if e.Limit != 0 {
		text += fmt.Sprintf(" (limit %d, found %d)", e.Limit, e.Found)
	}
	return text
}
