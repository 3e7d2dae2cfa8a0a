package session

import (
	"fmt"
	"strings"
)

// Op is the call that an Error came from.
type Op uint8

// The four calls that can fail.
const (
	OpSend Op = iota + 1
	OpReceive
	OpTick
	OpEnd
)

// String returns the call in lower case, such as "send".
func (o Op) String() string {
	switch o {
	case OpSend:
		return "send"
	case OpReceive:
		return "receive"
	case OpTick:
		return "tick"
	case OpEnd:
		return "end"
	}
	return "unknown"
}

// Error is every error of a [Session]. Use errors.As to reach it. From Send it is a refusal, from the other calls it
// says why the session is closed.
type Error struct {
	Op     Op
	Reason Reason
	// Law is the id of the law that was applied.
	Law string
	// Limit and Found are the bound and the number that met it, both 0 for a rule without numbers. For a time they are
	// the earliest time acceptable and the time given; for a timeout the longest silence allowed and the silence, in
	// milliseconds.
	Limit, Found int64
	// Detail says in words what was found. It may hold a short excerpt of a header, quoted.
	Detail string
	// Cause is the codec's error for encoding, syntax and truncated, the heart-beat parser's for the heart-beat
	// headers, otherwise nil.
	Cause error
}

// Error returns a one line description.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stomp session: %s: %s", e.Op, e.Reason)
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	if e.Limit != 0 || e.Found != 0 {
		fmt.Fprintf(&b, " (limit %d, found %d)", e.Limit, e.Found)
	}
	fmt.Fprintf(&b, " [%s]", e.Law)
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

func problem(op Op, r Reason, format string, args ...any) *Error {
	_, law := r.entry()
	return &Error{Op: op, Reason: r, Law: law, Detail: fmt.Sprintf(format, args...)}
}

func exceed(op Op, r Reason, limit, found int64, what string) *Error {
	_, law := r.entry()
	return &Error{Op: op, Reason: r, Law: law, Limit: limit, Found: found, Detail: what}
}

func caused(op Op, r Reason, cause error) *Error {
	_, law := r.entry()
	return &Error{Op: op, Reason: r, Law: law, Cause: cause}
}

// refuse is an error of Send about a rule without numbers.
func refuse(r Reason, format string, args ...any) *Error { return problem(OpSend, r, format, args...) }
