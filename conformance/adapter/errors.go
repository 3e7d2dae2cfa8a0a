package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Names of errors that are about the adapter rather than thrown by the target.
const (
	nameUnsupported = "unsupported" // the adapter has no such operation, or not with these fields
	nameAdapter     = "adapter"     // the adapter could not understand or carry out the request
)

// A Kind says in which way an adapter erred.
type Kind string

// The kinds of faults.
const (
	Silent  Kind = "silent"  // no reply line within the deadline
	Ended   Kind = "ended"   // the adapter closed its output, perhaps in the middle of a line
	Garbage Kind = "garbage" // a line that is no JSON object in UTF-8
	Shape   Kind = "shape"   // a JSON object that is no reply, or whose ok does not fit the operation
	Stray   Kind = "stray"   // a line that answers no request
	TooLong Kind = "long"    // a line beyond the limit
	Deaf    Kind = "deaf"    // the adapter does not take the request
	Refused Kind = "refused" // the adapter says itself that it could not carry out the request
)

// A FaultError is a fault of the adapter: nothing that was observed through it since may count for or
// against the target.
type FaultError struct {
	Op   string // the operation that was waited for; empty between two calls
	Kind Kind
	Text string // what was found, and the limit if there is one
	Line string // the beginning of the line in question, empty if there is none
	Err  error  // the cause, may be nil
}

func (e *FaultError) Error() string {
	text := "adapter: " + e.Text
	if e.Op != "" {
		text = fmt.Sprintf("adapter: on %q: %s", e.Op, e.Text)
	}
	if e.Line != "" {
		text += ": " + e.Line
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

// A TargetError is an error that the target raised while it carried out an operation.
type TargetError struct {
	Name    string // the error's type or name, as the target calls it
	Message string
	// Limit is the error's limit where it carries one as an integer; nil otherwise.
	Limit *int64
	// Members are all members of the error object as they came, name and message included. Nil in an error made
	// by an adapter in Go, which sets the fields above.
	Members map[string]json.RawMessage
}

func (e *TargetError) Error() string { return fmt.Sprintf("target: %s: %s", e.Name, e.Message) }

// An UnsupportedError says that an adapter has no such operation, or that its target cannot be asked for it.
type UnsupportedError struct {
	Op     string
	Reason string
}

func (e *UnsupportedError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("adapter does not support %q", e.Op)
	}
	return fmt.Sprintf("adapter does not support %q: %s", e.Op, e.Reason)
}

// ErrClosed is returned by calls on a Conn that was closed.
var ErrClosed = errors.New("adapter: connection closed")
