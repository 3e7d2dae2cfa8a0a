package substrate

import (
	"errors"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// ErrClosed is what calls fail with when the peer has been closed or released. What they have queued in a durable store is sent by the
// next one that goes on with it.
var ErrClosed = errors.New("the peer is closed")

// ErrEnd is returned by a handler of requests to answer with an end, which has no body (SUBSTRATE-VERB-003).
var ErrEnd = errors.New("end of answer")

// ErrRetry is returned by a handler, perhaps wrapped with a cause, that could not do now what it has to: it is called again after a second
// with the same op, and the ops behind that wait.
var ErrRetry = errors.New("to be tried again")

// An Error is a call that did not come to a good end.
type Error struct {
	Verb string // open, send, req, close, accept, reject, follow or take
	Obj  string // empty if it is no address (SUBSTRATE-ADDR-003)
	ID   string // of the op; empty if there is none
	// Code is why: one of package wire or engine, or one that the peer chose. Empty: Err is all there is.
	Code, Msg string
	// Remote says that the peer, or the lack of an answer from it, has ended the call; otherwise nothing was queued.
	Remote    bool
	Retryable bool // it may go well later (SUBSTRATE-FINALITY-007)
	// Unknown says that the op may be, or become, effective nevertheless: it stays queued, or was sent.
	Unknown bool
	Err     error
}

// Error returns a one line description.
func (e *Error) Error() string {
	text := "substrate " + e.Verb
	if e.Obj != "" {
		text += " on " + e.Obj
	}
	if e.Code != "" {
		text += ": " + e.Code
	}
	if e.Msg != "" {
		text += fmt.Sprintf(" (%s)", e.Msg)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Unknown {
		text += "; the outcome is not known"
	}
	return text
}

// Unwrap returns what has caused e.
func (e *Error) Unwrap() error { return e.Err }

// failed says how a call failed before it was queued.
func failed(verb, obj string, err error) *Error {
	e := &Error{Verb: verb, Obj: obj, Err: err}
	var refused *engine.Error
	switch {
	case errors.As(err, &refused):
		e.Obj, e.Code, e.Err = refused.Obj, refused.Code, nil
		if refused.Limit != 0 {
			e.Msg = fmt.Sprintf("limit %d, found %d", refused.Limit, refused.Found)
		}
		terminal, _ := wire.ClassOf(refused.Code)
		e.Retryable = !terminal
	case wire.ValidAddress(obj) != nil:
		e.Obj = ""
	}
	return e
}

// A Failure is returned by a handler to choose what the peer is told. Of any other error the peer learns no more than app_error.
type Failure struct {
	Code string // 1 to 64 characters of a-z, 0-9 and "_"
	Msg  string // for people, at most 256 octets
}

// Error returns a one line description.
func (f *Failure) Error() string {
	if f.Msg == "" {
		return f.Code
	}
	return f.Code + ": " + f.Msg
}

// failure returns what the peer is told of the error of a handler.
func failure(err error) (code, msg string) {
	var f *Failure
	if !errors.As(err, &f) || !wire.ValidCode(f.Code) {
		return wire.AppError, ""
	}
	if len(f.Msg) > wire.MaxMsg {
		return f.Code, ""
	}
	return f.Code, f.Msg
}
