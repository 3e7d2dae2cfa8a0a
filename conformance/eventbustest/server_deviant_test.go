package eventbustest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A deviantServer is the reference with one law broken on its way to the client or from it.
type deviantServer struct {
	law     string
	name    string
	request func(*http.Request)                  // changes what the reference sees
	head    func(status int, h http.Header)      // changes a head; it cannot change the status
	block   func(block []byte) []byte            // changes a block of a stream; nil drops it
	answer  func(status int, body []byte) []byte // changes an answer that is no stream
	status  func(int) int
	abort   bool // ends every stream without its last chunk
}

func replacing(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(new)) }
}

// droppingKind drops frames of one kind.
func droppingKind(kind string) func([]byte) []byte {
	return func(b []byte) []byte {
		if bytes.Contains(b, []byte("event: "+kind+"\n")) {
			return nil
		}
		return b
	}
}

// inKind changes frames of one kind.
func inKind(kind string, change func([]byte) []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		if bytes.Contains(b, []byte("event: "+kind+"\n")) {
			return change(b)
		}
		return b
	}
}

// cursor changes a Last-Event-ID that is a number.
func cursor(change func(int64) int64) func(*http.Request) {
	return func(r *http.Request) {
		if n, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64); err == nil {
			r.Header.Set("Last-Event-ID", strconv.FormatInt(change(n), 10))
		}
	}
}

var deviantServers = []deviantServer{
	{law: "EVENTBUS-SSE-003", name: "no retry block", block: replacing("retry: 3000\n\n", "")},
	{law: "EVENTBUS-SSE-001", name: "lines end with CR LF", block: replacing("\n", "\r\n")},
	{law: "EVENTBUS-SSE-001", name: "no event line", block: func(b []byte) []byte {
		i := bytes.Index(b, []byte("event: "))
		if i < 0 {
			return b
		}
		return append(b[:i:i], b[i+bytes.IndexByte(b[i:], '\n')+1:]...)
	}},
	{law: "EVENTBUS-SSE-001", name: "data before event", block: func(b []byte) []byte {
		lines := strings.Split(string(b), "\n")
		if len(lines) == 5 {
			lines[1], lines[2] = lines[2], lines[1]
		}
		return []byte(strings.Join(lines, "\n"))
	}},
	{law: "EVENTBUS-SSE-001", name: "an id line on synthetic frames", block: inKind("replay_complete", func(b []byte) []byte { return append([]byte("id: 1\n"), b...) })},
	{law: "EVENTBUS-SSE-002", name: "another id in the line", block: func(b []byte) []byte { return bytes.Replace(b, []byte("id: "), []byte("id: 1"), 1) }},
	{law: "EVENTBUS-SSE-004", name: "no time", block: replacing("serverTimestamp", "time")},
	{law: "EVENTBUS-ID-003", name: "another schema version", block: replacing(`"v":1`, `"v":2`)},
	{law: "EVENTBUS-ID-004", name: "id null on synthetic frames", block: inKind("replay_complete", replacing(`{"v":1`, `{"id":null,"v":1`))},
	{law: "EVENTBUS-REPLAY-002", name: "no replay_complete", block: droppingKind("replay_complete")},
	{law: "EVENTBUS-REPLAY-002", name: "replay_complete twice", block: inKind("replay_complete", func(b []byte) []byte { return append(b, b...) })},
	{law: "EVENTBUS-REPLAY-003", name: "a count that is off", block: replacing(`"replayedCount":`, `"replayedCount":1`)},
	{law: "EVENTBUS-REPLAY-004", name: "a last id of nothing", block: replacing(`{"replayedCount":0}`, `{"replayedCount":0,"lastReplayedEventId":null}`)},
	{law: "EVENTBUS-REPLAY-001", name: "the event at the cursor once more", request: cursor(func(n int64) int64 { return max(n-1, 0) })},
	{law: "EVENTBUS-REPLAY-008", name: "events twice", block: inKind("note", func(b []byte) []byte { return append(b, b...) })},
	{law: "EVENTBUS-SUBSCRIBE-002", name: "a live stream that replays", request: func(r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			r.Header.Set("Last-Event-ID", "0")
		}
	}},
	{law: "EVENTBUS-SUBSCRIBE-003", name: "0 taken for no cursor", request: func(r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "0" {
			r.Header.Del("Last-Event-ID")
		}
	}},
	{law: "EVENTBUS-RESYNC-005", name: "beyond the end taken for the end", request: cursor(func(n int64) int64 { return min(n, 4) })},
	{law: "EVENTBUS-RESYNC-006", name: "another first id", block: replacing(`"earliestAvailableId":`, `"earliestAvailableId":2`)},
	{law: "EVENTBUS-RESYNC-002", name: "another reason", block: replacing(`ring_evicted`, `ring_dropped`)},
	{law: "EVENTBUS-RESYNC-001", name: "a gap that is not told", block: droppingKind("state_resync_required")},
	{law: "EVENTBUS-HTTP-001", name: "signs are skipped", request: func(r *http.Request) {
		if v := r.Header.Get("Last-Event-ID"); v != "" {
			r.Header.Set("Last-Event-ID", strings.TrimLeft(v, "+-"))
		}
	}},
	{law: "EVENTBUS-HTTP-001", name: "the first of two numbers counts", request: func(r *http.Request) {
		first, _, _ := strings.Cut(strings.Join(r.Header.Values("Last-Event-ID"), ","), ",")
		if first != "" {
			r.Header.Set("Last-Event-ID", first)
		}
	}},
	{law: "EVENTBUS-HTTP-003", name: "large numbers wrap", request: func(r *http.Request) {
		if v := r.Header.Get("Last-Event-ID"); len(v) > 15 {
			r.Header.Set("Last-Event-ID", "1")
		}
	}},
	{law: "EVENTBUS-HTTP-004", name: "any maxQueued will do", request: func(r *http.Request) { r.URL.RawQuery = "" }},
	{law: "EVENTBUS-HTTP-004", name: "a refusal without a code", answer: func(_ int, b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"code"`), []byte(`"kind"`)) }},
	{law: "EVENTBUS-HTTP-007", name: "no epoch", head: func(_ int, h http.Header) { h.Del(epochHeader) }},
	{law: "EVENTBUS-RESYNC-008", name: "epochs compared without case", request: func(r *http.Request) {
		if v := r.Header.Get(epochHeader); v != "" {
			r.Header.Set(epochHeader, strings.ToLower(v))
		}
	}},
	{law: "EVENTBUS-RESYNC-009", name: "a reset without detail", block: replacing(`"detail":"epoch_mismatch"`, `"note":"x"`)},
	{law: "EVENTBUS-HTTP-008", name: "any snapshot will do", request: func(r *http.Request) {
		if strings.Contains(r.URL.RawQuery, "snapshot=") {
			r.URL.RawQuery = "snapshot=1"
		}
	}},
	{law: "EVENTBUS-HTTP-009", name: "may be cached", head: func(_ int, h http.Header) { h.Set("Cache-Control", "max-age=60") }},
	{law: "EVENTBUS-HTTP-009", name: "unknown sessions are gone", status: func(s int) int {
		if s == http.StatusNotFound {
			return http.StatusGone
		}
		return s
	}},
	{law: "EVENTBUS-HTTP-010", name: "no features", answer: func(_ int, b []byte) []byte { return bytes.ReplaceAll(b, []byte("slow_client_warning"), []byte("x")) }},
	{law: "EVENTBUS-LIMIT-005", name: "no time to come back", head: func(_ int, h http.Header) { h.Del("Retry-After") }},
	{law: "EVENTBUS-SSE-005", name: "no client_evicted", block: droppingKind("client_evicted")},
	{law: "EVENTBUS-EVICT-004", name: "the last id that was delivered", block: replacing(`"droppedAfter":`, `"droppedAfter":1`)},
	{law: "EVENTBUS-EVICT-005", name: "a member too many", block: replacing(`"droppedAfter":`, `"extra":1,"droppedAfter":`)},
	{law: "EVENTBUS-WARN-009", name: "a member too few", block: inKind("slow_client_warning", replacing(`"threshold":`, `"limit":`))},
	{law: "EVENTBUS-SSE-005", name: "an eviction that cuts the response", abort: true},
	{law: "EVENTBUS-SSE-009", name: "an end that cuts the response", abort: true},
	{law: "EVENTBUS-SSE-009", name: "no session_closed", block: droppingKind("session_closed")},
}

// For each law there is a server that breaks it, and the suite says so.
func TestServersThatBreakALawAreFoundOut(t *testing.T) {
	t.Parallel()
	var all []suitetest.Broken
	for _, d := range deviantServers {
		address, stop, err := serveReference(d.around)
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		profile := ServerProfile()
		profile.Versions = laterOnly
		all = append(all, suitetest.Broken{Name: d.law + " " + d.name, Law: d.law, Suite: Server(), Config: conformance.Config{
			Target: suitetest.Target(t, "http://"+address), Profile: profile, Parallel: 4,
		}})
	}
	suitetest.GoesRed(t, 4, all, nil)
}

// around puts the deviation around the reference.
func (d deviantServer) around(reference http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stream := r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/events")
		if stream && d.request != nil {
			d.request(r)
		}
		if !stream && d.answer == nil {
			reference.ServeHTTP(w, r)
			return
		}
		out := &deviantWriter{ResponseWriter: w, deviant: d}
		reference.ServeHTTP(out, r)
		out.finish()
		if d.abort && out.streams {
			panic(http.ErrAbortHandler)
		}
	})
}

// A deviantWriter changes a response on its way out.
type deviantWriter struct {
	http.ResponseWriter
	deviant deviantServer
	status  int
	streams bool
	pending []byte // of a block, or the whole of an answer
}

// Unwrap lets a handler flush.
func (w *deviantWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader changes the head and, of a stream, sends it.
func (w *deviantWriter) WriteHeader(status int) {
	w.status = status
	w.streams = strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
	if w.deviant.head != nil {
		w.deviant.head(status, w.Header())
	}
	if w.deviant.status != nil {
		w.status = w.deviant.status(status)
	}
	if w.streams {
		w.ResponseWriter.WriteHeader(w.status)
	}
}

// Write changes what is complete of a stream; an answer is kept until it is whole.
func (w *deviantWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.pending = append(w.pending, p...)
	for w.streams {
		i := bytes.Index(w.pending, []byte("\n\n"))
		if i < 0 {
			break
		}
		block := bytes.Clone(w.pending[:i+2])
		w.pending = w.pending[i+2:]
		if w.deviant.block != nil {
			block = w.deviant.block(block)
		}
		if _, err := w.ResponseWriter.Write(block); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// finish sends an answer that is no stream.
func (w *deviantWriter) finish() {
	if w.streams || w.status == 0 {
		return
	}
	if w.deviant.answer != nil {
		w.pending = w.deviant.answer(w.status, w.pending)
	}
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(w.status)
	_, _ = w.ResponseWriter.Write(w.pending) // a client that has gone away is no matter of this test
}

// What is around the reference in these tests leaves it as it is when nothing is to be changed.
func TestDeviantWriterChangesNothingByItself(t *testing.T) {
	handler := deviantServer{}.around(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"retry: 3000\n", "\nid: 1\ndata: x\n\n", "event: y\ndata: z\n\n"} {
			_, _ = w.Write([]byte(piece))
		}
	}))
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/later/session/x/events", nil))
	if got, want := rec.Body.String(), "retry: 3000\n\nid: 1\ndata: x\n\nevent: y\ndata: z\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
