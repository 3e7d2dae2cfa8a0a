// Package gotestee is what testees in Go have in common: it reads orders, keeps events until they are asked for,
// and writes reports, as spec/testee.md says. What is left to a testee is a [Subject]: a few lines for each order
// that use the library as its documentation shows.
package gotestee

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
	"unicode/utf16"
)

// A Subject is the connection that is judged. Each method carries out the order of its name within ctx.
type Subject interface {
	// Connect returns the version that was negotiated.
	Connect(ctx context.Context, o Order) (version string, err error)
	// Send reports whether the library itself waited for the receipt that the order asks for.
	Send(ctx context.Context, o Order) (confirmed bool, err error)
	Subscribe(ctx context.Context, o Order) error
	Unsubscribe(ctx context.Context, o Order) error
	// Settle carries out ack and nack of what [Events.Message] was given.
	Settle(ctx context.Context, o Order, message any) error
	// Transact carries out begin, commit and abort.
	Transact(ctx context.Context, o Order) error
	Disconnect(ctx context.Context) error
	// Close lets go of a connection that may have ended or never been, or that a Connect which does not return may still make.
	Close()
}

// A Testee is a library under judgement.
type Testee struct {
	Library, Release string
	Can              []string // see the contract
	// New returns a subject that is not connected and tells its events to e.
	New func(e *Events) Subject
}

// An Order is the body of one MESSAGE of the control connection.
type Order struct {
	N, Wait, Message, Size                                          int
	Do, Version, Login, Passcode, Destination, Transaction, ID, Ack string
	Beats                                                           []int64
	Headers                                                         map[string]string
	Body                                                            []byte
	Receipt, Text                                                   bool
}

// Content is the body of a message to send.
func (o Order) Content() []byte {
	if o.Size == 0 || len(o.Body) == 0 {
		return o.Body
	}
	return bytes.Repeat(o.Body, o.Size/len(o.Body)+1)[:o.Size]
}

// A Report is the answer to one order.
type Report map[string]any

// An Unsupported error says that a library cannot do at all what an order wants.
type Unsupported string

// Error returns the reason.
func (u Unsupported) Error() string { return string(u) }

// grace is how much longer than told a library is let, which may have no limit for a call. Whoever gave the order
// waits longer still.
const grace = time.Second

// Serve carries out orders until they end or one cannot be read or answered. The end of the control connection,
// which is an error of orders or none, is no error of Serve.
func (t Testee) Serve(ctx context.Context, orders iter.Seq2[[]byte, error], tell func(report []byte) error) error {
	s := session{testee: t, events: newEvents()}
	defer func() {
		if s.subject != nil {
			s.subject.Close()
		}
	}()
	for body, err := range orders {
		if err != nil {
			return nil
		}
		var o Order
		if err := json.Unmarshal(body, &o); err != nil {
			return fmt.Errorf("order %q: %w", body, err)
		}
		report, err := json.Marshal(s.within(ctx, o))
		if err != nil {
			return fmt.Errorf("report on order %d: %w", o.N, err)
		}
		if err := tell(ascii(report)); err != nil {
			return fmt.Errorf("report on order %d: %w", o.N, err)
		}
	}
	return nil
}

// A session is what orders are carried out on. Each has a copy of its own, since one that does not return goes on beside the next.
type session struct {
	testee  Testee
	subject Subject
	events  *Events
	before  Subject // what a connect replaces
}

// within carries an order out, and reports that it did not return when a library has no limit for the call.
func (s *session) within(ctx context.Context, o Order) Report {
	limit := time.Duration(max(o.Wait, 1)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if o.Do == "receive" || o.Do == "hello" {
		return s.carryOut(ctx, o) // it asks nothing of the library
	}
	if o.Do == "connect" {
		s.before, s.events = s.subject, newEvents()
		s.subject = s.testee.New(s.events)
	}
	now, done := *s, make(chan Report, 1)
	go func() { done <- now.carryOut(ctx, o) }()
	select {
	case r := <-done:
		return r
	case <-time.After(limit + grace):
		return Report{"n": o.N, "error": o.Do + " does not return", "hangs": true}
	}
}

// carryOut carries an order out. A panic of the library is its error.
func (s *session) carryOut(ctx context.Context, o Order) (r Report) {
	r = Report{"n": o.N}
	defer func() {
		if p := recover(); p != nil {
			r = Report{"n": o.N, "error": fmt.Sprint("panic: ", p)}
		}
	}()
	err := s.try(ctx, o, r)
	var cannot Unsupported
	switch {
	case errors.As(err, &cannot):
		r["unsupported"] = cannot.Error()
	case err != nil:
		r["error"] = err.Error()
	}
	return r
}

func (s *session) try(ctx context.Context, o Order, r Report) (err error) {
	switch {
	case o.Do == "hello":
		r["library"], r["version"], r["language"], r["can"] = s.testee.Library, s.testee.Release, "Go", s.testee.Can
		return nil
	case o.Do == "connect":
		if s.before != nil {
			s.before.Close()
		}
		r["version"], err = s.subject.Connect(ctx, o)
		return err
	case o.Do == "receive":
		s.events.next(ctx, r)
		return nil
	case s.subject == nil:
		return errors.New("not connected")
	}
	switch o.Do {
	case "send":
		confirmed, err := s.subject.Send(ctx, o)
		if confirmed && err == nil {
			r["receipt"] = true
		}
		return err
	case "subscribe":
		return s.subject.Subscribe(ctx, o)
	case "unsubscribe":
		return s.subject.Unsubscribe(ctx, o)
	case "ack", "nack":
		m, ok := s.events.message(o.Message)
		if !ok {
			return fmt.Errorf("no message %d", o.Message)
		}
		return s.subject.Settle(ctx, o, m)
	case "begin", "commit", "abort":
		return s.subject.Transact(ctx, o)
	case "disconnect":
		return s.subject.Disconnect(ctx)
	}
	return fmt.Errorf("no order %q", o.Do)
}

// ascii escapes what is not printable ASCII in JSON text.
func ascii(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		if r < 0x7f {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
