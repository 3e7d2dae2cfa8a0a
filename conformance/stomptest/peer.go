package stomptest

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A wire is one connection of the suite to the target: the client's side of a STOMP session. Its
// frames wait in an inbox until a case asks for them, so that a frame which arrives early is not
// lost and the order of unrelated frames does not matter.
type wire struct {
	Name string

	s        *serverT
	conn     *conformance.Conn
	reader   reader
	inbox    []*wireFrame
	arrivals []time.Time // of octets, the last maxArrivals of them
	version  string      // rules for what is sent
	receipts bool        // gives the receipts that a client asks for as soon as its frames are read
	opened   time.Time
}

// Bounds of what a peer keeps.
const (
	maxArrivals = 4096
	maxInbox    = 50_000 // frames that no case has asked for
)

// Send writes one frame by the session's rules.
func (p *wire) Send(f *wireFrame) { p.Raw(f.Encode(p.version)) }

// SendAll writes several frames in one piece.
func (p *wire) SendAll(frames ...*wireFrame) {
	var out []byte
	for _, f := range frames {
		out = append(out, f.Encode(p.version)...)
	}
	p.Raw(out)
}

// Raw writes octets as they are. A write that fails is no finding by itself: what the target did to
// the connection shows when the case reads.
func (p *wire) Raw(octets []byte) { _, _ = p.conn.Write(octets) }

// RawString is Raw for text.
func (p *wire) RawString(octets string) { p.Raw([]byte(octets)) }

// Close ends the connection in an orderly way, without DISCONNECT.
func (p *wire) Close() { p.conn.Close() }

// Reset ends the connection abruptly.
func (p *wire) Reset() { p.conn.Reset() }

// EOLs returns how many EOLs the target has sent between frames so far.
func (p *wire) EOLs() int { return p.reader.eols }

// pull takes in what arrives until deadline; false when nothing did or the connection has ended. What
// arrived later is kept, but ends the wait: a target that sends without end must not prolong it.
func (p *wire) pull(deadline time.Time) bool {
	chunk, ok := p.conn.Next(p.s.T.Context(), deadline)
	if !ok {
		return false
	}
	if len(p.inbox) > maxInbox {
		p.s.T.Inconclusive("the target sent over %d frames that nobody asked for on connection %s", maxInbox, p.Name)
	}
	if len(p.arrivals) == maxArrivals {
		p.arrivals = p.arrivals[1:]
	}
	p.arrivals = append(p.arrivals, chunk.At)
	frames := p.reader.feed(chunk.Data, chunk.At)
	p.inbox = append(p.inbox, frames...)
	if p.receipts {
		for _, f := range frames {
			p.confirm(f)
		}
	}
	return !chunk.At.After(deadline)
}

// confirm gives the receipt that a client's frame asks for, if it does.
func (p *wire) confirm(f *wireFrame) {
	if id, ok := f.Lookup("receipt"); ok {
		p.Send(frameOf("RECEIPT", "receipt-id", id))
	}
}

// A match tells whether a frame is the one waited for.
type match func(*wireFrame) bool

// is matches frames by command and header values.
func is(command string, kv ...string) match {
	return func(f *wireFrame) bool {
		if f.Command != command {
			return false
		}
		for i := 0; i+1 < len(kv); i += 2 {
			if v, ok := f.Lookup(kv[i]); !ok || v != kv[i+1] {
				return false
			}
		}
		return true
	}
}

// carries matches a MESSAGE with that body.
func carries(body string) match {
	return func(f *wireFrame) bool { return f.Command == "MESSAGE" && string(f.Body) == body }
}

// reply is what waiting for a frame came to.
type reply struct {
	Frame *wireFrame // the frame, nil if it did not come
	Error *wireFrame // an ERROR that came instead
	Ended conformance.Ending
	Timed bool // the deadline passed with the connection open
}

// String says what was seen, for a report.
func (o reply) String() string {
	switch {
	case o.Frame != nil:
		return o.Frame.String()
	case o.Error != nil:
		return o.Error.String()
	case o.Ended != conformance.Open:
		return "connection " + o.Ended.String()
	default:
		return "nothing"
	}
}

// Kind says what was seen without anything that differs from run to run.
func (o reply) Kind() string {
	switch {
	case o.Frame != nil:
		return o.Frame.Command
	case o.Error != nil:
		return "ERROR"
	case o.Ended != conformance.Open:
		return "connection " + o.Ended.String()
	default:
		return "no answer"
	}
}

// Await waits for the first frame that matches and takes it out of the inbox. It ends early when an
// ERROR arrives that does not match, or the connection ends. It gives no verdict.
func (p *wire) Await(match match, within time.Duration) reply {
	deadline := time.Now().Add(within)
	for seen := 0; ; {
		for ; seen < len(p.inbox); seen++ {
			f := p.inbox[seen]
			if match(f) {
				p.inbox = slices.Delete(p.inbox, seen, seen+1)
				return reply{Frame: f}
			}
			if f.Command == "ERROR" {
				p.inbox = slices.Delete(p.inbox, seen, seen+1)
				return reply{Error: f}
			}
		}
		if !p.pull(deadline) {
			if e, _ := p.conn.Ending(); e != conformance.Open {
				return reply{Ended: e}
			}
			return reply{Timed: true}
		}
	}
}

// Expect waits for a frame. When it does not come law is broken and the case ends; with an empty
// law the frame is a prerequisite, and the case is blocked.
func (p *wire) Expect(law, reason, what string, match match) *wireFrame {
	p.s.T.Step()
	o := p.Await(match, p.s.T.Timing().Reply)
	if o.Frame == nil {
		p.miss(law, reason, what, o)
	}
	return o.Frame
}

func (p *wire) miss(law, reason, what string, o reply) {
	p.s.T.Missed(conformance.Break{Law: law, Reason: reason, Expected: what, Seen: o.String(), Timed: o.Timed}, o.Ended)
}

// Receipt waits for the RECEIPT of an id.
func (p *wire) Receipt(law, reason, id string) *wireFrame {
	return p.Expect(law, reason, "RECEIPT receipt-id:"+id, is("RECEIPT", "receipt-id", id))
}

// Message waits for the next MESSAGE.
func (p *wire) Message(law, reason string) *wireFrame {
	return p.Expect(law, reason, "MESSAGE", is("MESSAGE"))
}

// MessageOf waits for the MESSAGE with that body.
func (p *wire) MessageOf(law, reason, body string) *wireFrame {
	return p.Expect(law, reason, fmt.Sprintf("MESSAGE with body %q", conformance.EscapeMax([]byte(body), 80)), carries(body))
}

// Error waits for an ERROR frame. An end of the connection without it breaks law.
func (p *wire) Error(law, reason string) *wireFrame {
	p.s.T.Step()
	o := p.Await(is("ERROR"), p.s.T.Timing().Reply)
	if o.Frame == nil {
		p.miss(law, reason, "ERROR", o)
	}
	return o.Frame
}

// Refusal waits for an ERROR or for the end of the connection, either of which refuses what was
// sent. It returns the ERROR, nil if there was none.
func (p *wire) Refusal(law, reason string) *wireFrame {
	p.s.T.Step()
	o := p.Await(is("ERROR"), p.s.T.Timing().Reply)
	if o.Timed {
		p.miss(law, reason, "ERROR or the end of the connection", o)
	}
	return o.Frame
}

// End waits for the target to end the connection; frames that arrive meanwhile stay in the inbox.
func (p *wire) End(law, reason string) {
	p.s.T.Step()
	if !p.Ends(p.s.T.Timing().Close) {
		p.s.T.Broken(conformance.Break{
			Law: law, Reason: reason, Timed: true,
			Expected: fmt.Sprintf("end of the connection within %v", p.s.T.Timing().Close), Seen: "connection still open",
		})
	}
}

// Ends waits for the end of the connection and tells whether it came. It gives no verdict.
func (p *wire) Ends(within time.Duration) bool {
	deadline := time.Now().Add(within)
	for p.pull(deadline) {
	}
	e, _ := p.conn.Ending()
	return e != conformance.Open
}

// Quiet watches for the quiet window and breaks law if a frame arrives that matches.
func (p *wire) Quiet(law, reason string, match match) bool {
	p.s.T.Step()
	f := p.Watch(match, p.s.T.Timing().Quiet)
	if f == nil {
		return true
	}
	p.s.T.Broken(conformance.Break{Law: law, Reason: reason, Expected: "no such frame", Seen: f.String()})
	return false
}

// Watch waits for a frame that matches, for the whole of within; nil when none came. Unlike Await
// it does not end early at an ERROR, and records the window of the absence.
func (p *wire) Watch(match match, within time.Duration) *wireFrame {
	deadline := time.Now().Add(within)
	for seen := 0; ; {
		for ; seen < len(p.inbox); seen++ {
			if f := p.inbox[seen]; match(f) {
				p.inbox = slices.Delete(p.inbox, seen, seen+1)
				return f
			}
		}
		if !p.pull(deadline) {
			p.s.T.Watched(within)
			return nil
		}
	}
}

// Drain takes every frame that matches out of the inbox, without waiting.
func (p *wire) Drain(match match) []*wireFrame {
	for p.pull(time.Now()) {
	}
	var out []*wireFrame
	p.inbox = slices.DeleteFunc(p.inbox, func(f *wireFrame) bool {
		if match(f) {
			out = append(out, f)
			return true
		}
		return false
	})
	return out
}
