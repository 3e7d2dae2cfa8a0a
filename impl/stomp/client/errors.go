package client

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// ErrClosed is the cause of errors of a client that was closed by [Client.Close] or [Client.Disconnect], or by a
// DISCONNECT frame.
var ErrClosed = errors.New("the client was closed")

// ErrTimeout matches every [*TimeoutError] in [errors.Is].
var ErrTimeout = errors.New("timeout")

// Code is the stable code of an [*Error] (STOMP-ERROR-010).
type Code string

const (
	// Invalid is a frame that the protocol does not allow, from either side, or a limit that was exceeded. The
	// connection is closed.
	Invalid Code = "STOMP_INVALID"
	// Argument is an argument or a configuration that was refused. Nothing was sent, and the connection is as it was.
	Argument Code = "STOMP_ARGUMENT"
	// BrokerError is an ERROR frame, which is in Error.Frame. The connection is closed.
	BrokerError Code = "STOMP_BROKER_ERROR"
	// Handle is the use of something that is over, or belongs to another client: a closed client, a finished
	// transaction, a settled delivery. Nothing was sent, and the connection is as it was.
	Handle Code = "STOMP_HANDLE"
)

// Error is an error that the protocol, the server or the caller is to blame for.
type Error struct {
	// Op is what was attempted, such as "send", "receive", "wait" or "connect".
	Op string
	// Code says whose fault it was.
	Code Code
	// Reason says what was wrong: a word of the session, such as "ack-id" (see [session.Reason]), or one of the client's
	// own, such as "waiters".
	Reason string
	// Detail says more, with the limit and the number found if there are any. It may be empty.
	Detail string
	// Frame is the ERROR frame of a BrokerError, otherwise nil.
	Frame *frame.Frame
	// Cause is the error of the session, or why the client is closed, or nil.
	Cause error
}

// Error returns a one line description.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stomp client: %s: %s: %s", e.Op, e.Code, e.Reason)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// ConnectionError is the end of the connection, or its failure: io.EOF for a stream that ended between frames,
// io.ErrUnexpectedEOF for one that ended inside a frame, otherwise the error of the network (STOMP-ERROR-011).
type ConnectionError struct {
	Op    string // such as "dial", "read" or "write"
	Cause error
}

// Error returns a one line description.
func (e *ConnectionError) Error() string { return "stomp client: " + e.Op + ": " + e.Cause.Error() }

// Unwrap returns Cause.
func (e *ConnectionError) Unwrap() error { return e.Cause }

// TimeoutError is a wait that was in vain. After a wait for a receipt it is not known whether the server processed the
// frame, so it is no reason to send it again (STOMP-WAIT-013).
type TimeoutError struct {
	Op    string
	After time.Duration
}

// Error returns a one line description.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("stomp client: %s: no answer in %v", e.Op, e.After)
}

// Is reports whether target is ErrTimeout.
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Timeout returns true, as package net has it.
func (e *TimeoutError) Timeout() bool { return true }

func argument(op, reason, format string, args ...any) *Error {
	return &Error{Op: op, Code: Argument, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

func misuse(op, reason, format string, args ...any) *Error {
	return &Error{Op: op, Code: Handle, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

func interrupted(op string, cause error) error { return fmt.Errorf("stomp client: %s: %w", op, cause) }

// invalid is an error of the session that closes the connection.
func invalid(op string, err error) *Error {
	e := &Error{Op: op, Code: Invalid, Reason: "invalid", Cause: err}
	if p := (*session.Error)(nil); errors.As(err, &p) {
		e.Reason = p.Reason.String()
	}
	return e
}

// exceeded is a limit of the client that was exceeded, which closes the connection.
func exceeded(op, reason string, limit, found int) *Error {
	return &Error{Op: op, Code: Invalid, Reason: reason, Detail: fmt.Sprintf("limit %d, found %d", limit, found)}
}

// declined is a refusal of the session that leaves the connection as it was: whose fault it is depends on the reason.
func declined(op string, err error) *Error {
	e := invalid(op, err)
	e.Code = Argument
	if p := (*session.Error)(nil); errors.As(err, &p) {
		switch p.Reason {
		case session.ReasonAckID, session.ReasonStaged, session.ReasonOverlap, session.ReasonTransactionUnknown,
			session.ReasonUnsubscribeID, session.ReasonUnsubscribing, session.ReasonDisconnecting, session.ReasonClosed:
			e.Code = Handle
		}
	}
	return e
}

// brokerError is the typed error of an ERROR frame.
func brokerError(f *frame.Frame) *Error {
	// STOMP-ERROR-009
	e := &Error{Op: "receive", Code: BrokerError, Reason: "ERROR", Frame: f}
	if m, _ := f.Get("message"); m != "" {
		e.Detail = fmt.Sprintf("%.200q", m)
	}
	return e
}

// ended is the end of the stream: inside a frame if truncated is not nil.
func ended(truncated error) error {
	// STOMP-ERROR-011
	if truncated == nil {
		return &ConnectionError{Op: "read", Cause: io.EOF}
	}
	return &ConnectionError{Op: "read", Cause: fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, truncated)}
}
