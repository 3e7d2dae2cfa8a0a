package gotestee

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
)

const (
	// longestShown is how many octets of a body are reported as they are.
	longestShown = 64 << 10
	// queued bounds the events that were not asked for yet.
	queued = 4096
)

// Events keeps what a library told until it is asked for. Its exported methods may be called from any goroutine.
type Events struct {
	queue chan event

	mu       sync.Mutex
	messages []any // shown so far
}

type event struct {
	report  Report
	message any
}

func newEvents() *Events { return &Events{queue: make(chan event, queued)} }

// Message tells of a message; m is what the library acknowledges it by.
func (e *Events) Message(m any, headers map[string]string, body []byte) {
	e.put(event{show("message", headers, body), m})
}

// Error tells of an ERROR frame.
func (e *Events) Error(headers map[string]string, body []byte) {
	e.put(event{report: show("error", headers, body)})
}

// Receipt tells of the RECEIPT of an id.
func (e *Events) Receipt(id string) { e.put(event{report: Report{"event": "receipt", "id": id}}) }

// Closed tells that the connection is over.
func (e *Events) Closed(reason string) {
	e.put(event{report: Report{"event": "closed", "reason": reason}})
}

// put keeps an event; beyond what fits it is lost, as on a user who does not look.
func (e *Events) put(ev event) {
	select {
	case e.queue <- ev:
	default:
	}
}

// next reports the next event, or that none came before ctx was done.
func (e *Events) next(ctx context.Context, r Report) {
	var ev event
	select {
	case ev = <-e.queue:
	default:
		select {
		case ev = <-e.queue:
		case <-ctx.Done():
			ev.report = Report{"event": "none"}
		}
	}
	for k, v := range ev.report {
		r[k] = v
	}
	if ev.message != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.messages = append(e.messages, ev.message)
		r["message"] = len(e.messages)
	}
}

// message returns what the n-th message, from 1, is acknowledged by.
func (e *Events) message(n int) (any, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n < 1 || n > len(e.messages) {
		return nil, false
	}
	return e.messages[n-1], true
}

// show is the report of a frame with a body.
func show(kind string, headers map[string]string, body []byte) Report {
	r := Report{"event": kind, "headers": headers}
	if len(body) > longestShown {
		r["size"], r["sha256"] = len(body), fmt.Sprintf("%x", sha256.Sum256(body))
	} else {
		r["body"] = body
	}
	return r
}
