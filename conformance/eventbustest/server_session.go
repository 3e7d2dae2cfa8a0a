package eventbustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// webT is what a case of an HTTP server works with: the T of the runner, and sessions and event streams over it.
type webT struct {
	*conformance.T
	sessions []*webSession
	patience int // times the reply deadline that an answer may take; 0: 1
}

// http is what the profile says of the target.
func (w *webT) http() HTTP { return conformance.SectionOf[Section](w.Profile()).HTTP }

// reply is how long an answer may take.
func (w *webT) reply() time.Duration { return time.Duration(max(w.patience, 1)) * w.Timing().Reply }

// overHTTP makes a case of what is written against webT.
var overHTTP = conformance.With(webOf)

// webOf is what a case works with. Sessions that it has opened are shut when it has ended.
func webOf(t *conformance.T) *webT {
	w := &webT{T: t}
	t.Cleanup(w.shutAll)
	return w
}

// webNeeds are the needs of a case over HTTP.
func webNeeds(options ...string) conformance.Needs {
	return conformance.Needs{Options: options, Transports: []string{"http", "https"}}
}

// Option names that a profile can declare unsupported; what it does not spell out is absent.
const (
	WebSessions     = "sessions"         // a session of its own for each case
	WebPublish      = "publish"          // a request that makes the target emit an event
	WebBurst        = "burst"            // a request that makes it emit many at once
	WebShut         = "shut"             // a request that ends a session
	WebCapabilities = "capabilities"     // a document that lists features
	WebRing         = "ring"             // a known number of events kept for resuming, small enough to overflow
	WebSubscribers  = "subscriber-limit" // a known number of streams of one session
	WebKeepsFew     = "keeps-few"        // 20 events or more kept for resuming: a ring may be of any size
	WebKeepsMany    = "keeps-many"       // 256 or more
)

// A webSession is one session of the target: a bus of its own. The zero id is the one stream of a target without sessions.
type webSession struct {
	w     *webT
	id    string
	place string // what {version} stands for in its paths
	over  bool   // shut by the case
}

// open makes a session.
func (w *webT) open() *webSession { return w.openAt(w.dialect()) }

// openAt makes a session at a place of the target's.
func (w *webT) openAt(place string) *webSession {
	open := w.http().Open
	x := &webSession{w: w, place: place}
	if !open.Given() {
		return x
	}
	st := w.request("open", open.Fill("version", place))
	var answer map[string]json.RawMessage
	if json.Unmarshal(st.body, &answer) != nil || json.Unmarshal(answer[open.Session], &x.id) != nil || x.id == "" {
		w.Blocked("prerequisite", "opening a session: expected a JSON answer with the member %q, seen %s", open.Session, st.answer())
	}
	w.sessions = append(w.sessions, x)
	return x
}

// dialect returns the version of the case, or the latest there is.
func (w *webT) dialect() string {
	if v := w.Version(); v != "" {
		return v
	}
	if versions := w.Capabilities().Versions; len(versions) > 0 {
		return versions[len(versions)-1]
	}
	return "later"
}

// fill replaces the words between braces by what the session is.
func (x *webSession) fill(r Request, pairs ...string) Request {
	return r.Fill(append(pairs, "session", x.id, "version", x.place)...)
}

// publish makes the target emit at least one event that holds a new word, and returns the word.
func (x *webSession) publish() string {
	word := x.w.Unique("p")
	x.publishText(word)
	return word
}

func (x *webSession) publishText(text string) {
	x.w.request("publish", x.fill(x.w.http().Publish, "text", text)).close()
}

// burst makes the target emit count events as fast as it can, and returns the word that they hold. A target may answer before
// it has begun.
func (x *webSession) burst(count int) string {
	word := x.w.Unique("b")
	x.burstText(count, word)
	return word
}

// burstPatience is how many reply deadlines the answer to a request for a burst may take: it is work, and no reply.
const burstPatience = 10

func (x *webSession) burstText(count int, text string) {
	x.w.patience = burstPatience
	defer func() { x.w.patience = 0 }()
	x.w.request("burst", x.fill(x.w.http().Burst, "count", fmt.Sprint(count), "text", text)).close()
}

// came waits until a stream has brought that many events that hold a word. Fewer block the case.
func (x *webSession) came(st *webStream, count int, word string) {
	for n := range count {
		if st.await(holding(word), x.w.Timing().Reply) == nil {
			x.w.Blocked("prerequisite", "a burst of %d events: %d came, %s", count, n, st.seen())
		}
	}
}

// shut ends the session.
func (x *webSession) shut() {
	x.over = true
	x.w.request("shut", x.fill(x.w.http().Shut)).close()
}

// request makes a request that the profile spells out and reads the answer. An answer that does not say that it worked blocks
// the case.
func (w *webT) request(name string, r Request) *webStream {
	st, err := w.try(name, r)
	if err != nil {
		w.Inconclusive("connection %s cannot be opened: %v", name, err)
	}
	st.read(w.reply())
	if !r.Worked(st.resp.status) {
		w.Blocked("prerequisite", "%s %s: expected %s, seen %s", r.Method, r.Path, wanted(r), st.answer())
	}
	return st
}

func wanted(r Request) string {
	if r.Status != 0 {
		return fmt.Sprintf("status %d", r.Status)
	}
	return "a status of 200 to 299"
}

// try sends a request; the error says that no connection could be opened.
func (w *webT) try(name string, r Request) (*webStream, error) {
	fields := []webField{{"Connection", "close"}}
	if r.Body != "" && r.Header["Content-Type"] == "" {
		fields = append(fields, webField{"Content-Type", "application/json"})
	}
	for _, name := range sortedKeys(r.Header) {
		fields = append(fields, webField{name, r.Header[name]})
	}
	return w.send(name, r.Method, r.Path, r.Body, fields)
}

// send writes one request on a connection of its own.
func (w *webT) send(name, method, path, body string, fields []webField) (*webStream, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, w.Target().Address)
	header := w.http().Header
	for _, name := range sortedKeys(header) {
		fmt.Fprintf(&b, "%s: %s\r\n", name, header[name])
	}
	for _, f := range fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f.name, f.value)
	}
	if method != "GET" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.WriteString(body)
	return w.sendRaw(name, b.String())
}

// sendRaw writes octets on a new connection and reads what comes as one response.
func (w *webT) sendRaw(name, octets string) (*webStream, error) {
	c, err := w.TryDial(name)
	if err != nil {
		return nil, err
	}
	st := &webStream{Name: name, w: w, conn: c}
	// A write that fails is no finding by itself: what the target did shows when the answer is read.
	_, _ = c.Write([]byte(octets))
	return st, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// shutAll ends what the case has left open. It gives no verdict: the case has ended.
func (w *webT) shutAll() {
	shut := w.http().Shut
	if !shut.Given() || w.Context().Err() != nil {
		return
	}
	for _, x := range w.sessions {
		if x.over {
			continue
		}
		if st, err := w.try("shut", x.fill(shut)); err == nil {
			st.read(time.Second)
			st.close()
		}
	}
}
