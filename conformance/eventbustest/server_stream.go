package eventbustest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A webStream is one request and what comes back for it: an event stream, or an answer that is none.
type webStream struct {
	Name string

	w      *webT
	conn   *conformance.Conn
	resp   webResponse
	blocks blockReader
	body   []byte      // of an answer that is no event stream, its first maxAnswer octets
	events []*webEvent // all that arrived
	next   int         // the first that no expectation has gone past
	closed bool        // by the case
}

// Bounds of what is kept of one response.
const (
	maxAnswer = 1 << 20
	maxEvents = 60_000
)

// An ask says what is asked of an event stream.
type ask struct {
	after  string // Last-Event-ID; empty: the header is absent
	query  string // without question mark
	fields []webField
}

// stream asks for the session's event stream and waits for the head of the answer.
func (x *webSession) stream(name string, a ask) *webStream {
	st, err := x.ask(name, a)
	if err != nil {
		x.w.Inconclusive("connection %s cannot be opened: %v", name, err)
	}
	st.head()
	return st
}

// ask asks for the event stream without waiting.
func (x *webSession) ask(name string, a ask) (*webStream, error) {
	fields := []webField{{"Accept", "text/event-stream"}}
	if a.after != "" {
		fields = append(fields, webField{"Last-Event-ID", a.after})
	}
	return x.w.send(name, "GET", x.path(a.query), "", append(fields, a.fields...))
}

// path returns the path of the event stream with a query added to it.
func (x *webSession) path(query string) string {
	path := x.w.http().Events
	if path == "" {
		path = x.w.Target().URL.RequestURI()
	}
	path = x.fill(Request{Path: path}).Path
	switch {
	case query == "":
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query
	default:
		return path + "?" + query
	}
}

// live opens a stream without a cursor; an answer that is no stream blocks the case.
func (x *webSession) live(name string) *webStream { return x.opened(name, ask{}) }

// opened is stream for cases that are not about opening.
func (x *webSession) opened(name string, a ask) *webStream {
	st := x.stream(name, a)
	if !st.streams() {
		x.w.Blocked("eventbus/server/header/opens-a-stream", "expected an event stream, seen %s", st.answer())
	}
	return st
}

// streams reports whether the answer is an event stream.
func (st *webStream) streams() bool {
	kind, _ := st.resp.field("Content-Type")
	kind, _, _ = strings.Cut(kind, ";")
	return st.resp.status == 200 && strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// head waits for the head of the answer and, if it is no event stream, for the rest of it.
func (st *webStream) head() {
	deadline := time.Now().Add(st.w.reply())
	for !(st.resp.headed() && st.streams()) && st.pull(deadline) {
	}
}

// read waits until the answer is complete or within has passed.
func (st *webStream) read(within time.Duration) {
	deadline := time.Now().Add(within)
	for st.resp.end == bodyOpen && st.pull(deadline) {
	}
}

// pull takes in what arrives until deadline; false when nothing did, or the response or connection has ended.
func (st *webStream) pull(deadline time.Time) bool {
	if st.resp.end != bodyOpen {
		return false
	}
	chunk, ok := st.conn.Next(st.w.Context(), deadline)
	if !ok {
		if e, _ := st.conn.Ending(); e != conformance.Open {
			st.resp.over(e == conformance.EOF)
		}
		return false
	}
	body := st.resp.feed(chunk.Data)
	if !st.resp.headed() || !st.streams() {
		st.body = append(st.body, body[:min(len(body), maxAnswer-len(st.body))]...)
	} else {
		st.events = append(st.events, st.blocks.feed(body, chunk.At)...)
	}
	switch {
	case st.blocks.fault != "":
		st.w.Inconclusive("the target sent %s on connection %s", st.blocks.fault, st.Name)
	case len(st.events) > maxEvents || st.resp.extra > maxAnswer:
		st.w.Inconclusive("the target sent over %d events, or %d octets behind the end of a response, on connection %s", maxEvents, maxAnswer, st.Name)
	}
	return !chunk.At.After(deadline)
}

// close ends the connection from our side.
func (st *webStream) close() {
	if !st.closed {
		st.closed = true
		st.conn.Close()
	}
}

// answer shows the response in a report, without its events.
func (st *webStream) answer() string {
	if !st.resp.headed() {
		return st.resp.state()
	}
	kind, _ := st.resp.field("Content-Type")
	return fmt.Sprintf("%d %s, %s: %s", st.resp.status, st.resp.reason, kind, webClip(string(bytes.TrimSpace(st.body)), 200))
}

// answers breaks law unless what the target answers is as it should be, and reports whether it is. The case goes on. An answer that has not
// come to its end may only be late.
func (st *webStream) answers(ok bool, law, reason, expected string) bool {
	st.w.Step()
	if !ok {
		st.w.Broken(conformance.Break{
			Law: law, Reason: reason, Expected: expected, Seen: st.answer(), Timed: st.resp.end == bodyOpen && !st.streams(),
		})
	}
	return ok
}

// A webMatch tells whether an event is the one waited for.
type webMatch func(*webEvent) bool

func ofKind(kind string) webMatch { return func(e *webEvent) bool { return e.kind() == kind } }

func holding(word string) webMatch { return func(e *webEvent) bool { return e.holds(word) } }

// await waits for the first event that matches, from where the last one left off; nil if it did not come. It gives no verdict.
func (st *webStream) await(match webMatch, within time.Duration) *webEvent {
	deadline := time.Now().Add(within)
	for {
		for ; st.next < len(st.events); st.next++ {
			if e := st.events[st.next]; match(e) {
				st.next++
				return e
			}
		}
		if !st.pull(deadline) && st.next == len(st.events) {
			return nil
		}
	}
}

// expect waits for an event. When it does not come law is broken and the case ends; with an empty law the event is a
// prerequisite, and the case is blocked.
func (st *webStream) expect(law, reason, what string, match webMatch) *webEvent {
	st.w.Step()
	if e := st.await(match, st.w.Timing().Reply); e != nil {
		return e
	}
	st.miss(law, reason, what)
	return nil
}

// miss ends the case over something that did not come.
func (st *webStream) miss(law, reason, what string) {
	end, _ := st.conn.Ending()
	if st.resp.end.clean() {
		end = conformance.EOF
	}
	st.w.Missed(st.lack(law, reason, what), end)
}

// lack says what did not come.
func (st *webStream) lack(law, reason, what string) conformance.Break {
	return conformance.Break{Law: law, Reason: reason, Expected: what, Seen: st.seen(), Timed: st.resp.end == bodyOpen}
}

// seen says what a stream has brought so far, for a report.
func (st *webStream) seen() string {
	var parts []string
	tail := st.events[max(0, len(st.events)-6):]
	if len(tail) < len(st.events) {
		parts = append(parts, fmt.Sprintf("%d events, the last of them", len(st.events)))
	}
	for _, e := range tail {
		parts = append(parts, e.String())
	}
	if len(parts) == 0 {
		parts = []string{"no event"}
	}
	return strings.Join(parts, ", ") + "; body " + st.resp.state()
}

// ends waits for the end of the response and returns how far its body came. It gives no verdict.
func (st *webStream) ends(within time.Duration) bodyEnd {
	st.read(within)
	return st.resp.end
}

// all returns the events so far that match.
func (st *webStream) all(match webMatch) []*webEvent {
	var out []*webEvent
	for _, e := range st.events {
		if match(e) {
			out = append(out, e)
		}
	}
	return out
}

// numbered returns the events so far that have an id.
func (st *webStream) numbered() []*webEvent {
	return st.all(func(e *webEvent) bool { return !e.synthetic() })
}

// last returns the largest id so far; 0 if none came.
func (st *webStream) last() int64 {
	var id int64
	for _, e := range st.events {
		id = max(id, e.id())
	}
	return id
}

// settle publishes an event and waits until every stream has brought it: whatever was published before has come by then, or
// never will.
func (x *webSession) settle(streams ...*webStream) string {
	word := x.publish()
	for _, st := range streams {
		st.expect("", "an event that was published arrives", "an event that holds "+word, holding(word))
	}
	return word
}

// primed opens a live stream and publishes until n events have come on it.
func (x *webSession) primed(n int) *webStream {
	st := x.live("live")
	for len(st.numbered()) < n {
		x.settle(st)
	}
	return st
}

// holes says where ids do not grow by one; empty if they do everywhere.
func holes(events []*webEvent) string {
	for i := 1; i < len(events); i++ {
		if a, b := events[i-1].id(), events[i].id(); b != a+1 {
			return fmt.Sprintf("id %d after id %d", b, a)
		}
	}
	return ""
}

// span shows the ids of events.
func span(events []*webEvent) string {
	switch len(events) {
	case 0:
		return "no ids"
	case 1:
		return fmt.Sprintf("id %d", events[0].id())
	default:
		return fmt.Sprintf("%d events, ids %d to %d", len(events), events[0].id(), events[len(events)-1].id())
	}
}

// equalIDs reports whether both hold the same ids in the same order.
func equalIDs(a, b []*webEvent) bool {
	return slices.EqualFunc(a, b, func(x, y *webEvent) bool { return x.id() == y.id() })
}
