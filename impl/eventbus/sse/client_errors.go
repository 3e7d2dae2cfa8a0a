package sse

import (
	"errors"
	"fmt"
	"time"
)

// ErrBusy says that a client is read by two loops at once.
var ErrBusy = errors.New("sse read: the client is being read already")

// StatusError is an answer that is neither a stream nor the end of one. It ends the reading: a client that is ranged over
// again tries again.
type StatusError struct {
	Status int
	// RetryAfter is what the answer says, in whole seconds; 0 if it does not.
	RetryAfter time.Duration
	// Body is the start of what it says, at most 512 octets.
	Body string
}

// Error names the status and the start of the body.
func (e *StatusError) Error() string {
	return fmt.Sprintf("sse read: status %d, want 200: %q", e.Status, short(e.Body))
}

// ContentTypeError is an answer with status 200 that is not an event stream. It ends the reading.
type ContentTypeError struct{ Found string }

// Error names the type.
func (e *ContentTypeError) Error() string {
	return fmt.Sprintf("sse read: content type %q, want text/event-stream", short(e.Found))
}

// RedirectError is one redirect too many. It ends the reading.
type RedirectError struct {
	Limit int
	To    string
}

// Error names the limit and where the redirect led.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("sse read: more than %d redirects, the last to %q", e.Limit, short(e.To))
}

// FailuresError says that as many connections in a row failed as are allowed.
type FailuresError struct {
	Limit int
	Last  error // why the last one did
}

// Error names the limit and the last failure.
func (e *FailuresError) Error() string {
	return fmt.Sprintf("sse read: %d connections in a row failed: %v", e.Limit, e.Last)
}

// Unwrap returns the last failure.
func (e *FailuresError) Unwrap() error { return e.Last }

// Reasons to connect again, which only [FailuresError] and logs show.
var (
	errEnd     = errors.New("the stream ended before it brought anything")
	errIdle    = errors.New("the stream brought nothing for too long")
	errConnect = errors.New("the answer took too long")
)
