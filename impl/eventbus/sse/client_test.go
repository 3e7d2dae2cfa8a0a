package sse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// A script is a server that answers each connection with the next body, the last one again and again, and notes what it
// was asked for and when.
type script struct {
	bodies  []string
	respond func(n int, w http.ResponseWriter, r *http.Request) bool // true: it has answered
	header  func(n int, h http.Header)

	mu    sync.Mutex
	start time.Time
	asked []ask
}

type ask struct {
	At           time.Duration
	Last, Epoch  string
	Query, Other string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, ask{time.Since(s.start), r.Header.Get("Last-Event-ID"), r.Header.Get(sse.EpochHeader), r.URL.RawQuery, r.Header.Get("Authorization")})
	s.mu.Unlock()
	if s.respond != nil && s.respond(n, w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if s.header != nil {
		s.header(n, w.Header())
	}
	if body := s.bodies[min(n, len(s.bodies)-1)]; body != "" {
		_, _ = io.WriteString(w, body)
	}
}

// bubble runs a client of a script under virtual time.
func bubble(t *testing.T, s *script, cfg sse.ClientConfig, test func(t *testing.T, c *sse.Client)) []ask {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.start = time.Now()
		site, stop := serve(t, s)
		cfg.HTTP = site.http
		if cfg.URL == "" {
			cfg.URL = "http://bus/events"
		}
		if cfg.Jitter == nil {
			cfg.Jitter = func() float64 { return 0 }
		}
		c, err := sse.NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		test(t, c)
		stop()
		// Connections that were cut linger.
		time.Sleep(time.Second)
	})
	return s.asked
}

// take reads n events and leaves the loop.
func take(t *testing.T, c *sse.Client, n int) (ids []string) {
	t.Helper()
	for e, err := range c.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if ids = append(ids, fmt.Sprintf("%s %d", e.Type, e.ID)); len(ids) == n {
			break
		}
	}
	return ids
}

func envelope(id int, kind string) string {
	if id == 0 {
		return fmt.Sprintf("event: %s\ndata: {\"v\":1,\"type\":%q}\n\n", kind, kind)
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"id\":%d,\"v\":1,\"type\":%q}\n\n", id, kind, id, kind)
}

// EVENTBUS-HTTP-011, EVENTBUS-SSE-011
func TestCursorIsTheLargestID(t *testing.T) {
	s := &script{bodies: []string{
		": hello\n\n",
		envelope(5, "a") + envelope(0, "slow_client_warning") + envelope(7, "b") + "id: 99\n" + envelope(6, "c")[len("id: 6\n"):] + envelope(0, "replay_complete"),
		envelope(8, "d"),
	}}
	asked := bubble(t, s, sse.ClientConfig{Retry: time.Second, Header: http.Header{"authorization": {"Bearer x"}}}, func(t *testing.T, c *sse.Client) {
		want := []string{"a 5", "slow_client_warning 0", "b 7", "c 6", "replay_complete 0", "d 8"}
		if diff := cmp.Diff(want, take(t, c, 6)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	want := []ask{{0, "", "", "", "Bearer x"}, {time.Second, "", "", "", "Bearer x"}, {2 * time.Second, "7", "", "", "Bearer x"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// EVENTBUS-HTTP-012
func TestCursorMovesWhenTheConsumerComesBack(t *testing.T) {
	s := &script{bodies: []string{envelope(5, "a") + envelope(7, "b") + envelope(9, "c")}}
	asked := bubble(t, s, sse.ClientConfig{}, func(t *testing.T, c *sse.Client) {
		take(t, c, 2)
		if c.LastEventID() != "5" {
			t.Errorf("the loop was left inside event 7 and the cursor is %q, want 5", c.LastEventID())
		}
		if got := take(t, c, 1); got[0] != "a 5" {
			t.Errorf("got %q", got)
		}
		c.SetLastEventID("70", "")
		take(t, c, 1)
	})
	var last []string
	for _, a := range asked {
		last = append(last, a.Last)
	}
	if diff := cmp.Diff([]string{"", "5", "70"}, last); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// EVENTBUS-HTTP-012: the epoch goes with a cursor only; a new one makes ids start anew.
func TestClientEpoch(t *testing.T) {
	s := &script{
		bodies: []string{": nothing\n\n", envelope(50, "a"), envelope(0, "state_resync_required"), envelope(1, "b") + envelope(2, "c"), envelope(3, "d")},
		header: func(n int, h http.Header) {
			h.Set(sse.EpochHeader, []string{"one", "one", "two", "two", "bad epoch!"}[n])
		},
	}
	asked := bubble(t, s, sse.ClientConfig{Retry: time.Second}, func(t *testing.T, c *sse.Client) {
		take(t, c, 5)
		if c.Epoch() != "two" {
			t.Errorf("epoch %q, want two", c.Epoch())
		}
	})
	var got []string
	for _, a := range asked {
		got = append(got, a.Last+" "+a.Epoch)
	}
	if diff := cmp.Diff([]string{" ", " ", "50 one", "0 two", "2 two"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// EVENTBUS-HTTP-013
func TestMaxQueuedIsAskedForOnlyIfAdvertised(t *testing.T) {
	for document, want := range map[string]string{
		`{"features":["session_events","slow_client_warning"]}`: "x=1&maxQueued=512",
		`{"features":["session_events"]}`:                       "x=1",
		`{}`:                                                    "x=1",
		`not JSON`:                                              "x=1",
		``:                                                      "x=1",
	} {
		s := &script{bodies: []string{envelope(1, "a")}}
		s.respond = func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/capabilities" {
				return false
			}
			if document == "" {
				w.WriteHeader(404)
			}
			_, _ = io.WriteString(w, document)
			return true
		}
		var log logged
		cfg := sse.ClientConfig{URL: "http://bus/events?x=1", MaxQueued: 512, Capabilities: "http://bus/capabilities", Logger: log.logger(slog.LevelWarn)}
		asked := bubble(t, s, cfg, func(t *testing.T, c *sse.Client) {
			take(t, c, 2)
		})
		if len(asked) != 3 || asked[1].Query != want || asked[2].Query != want {
			t.Errorf("capabilities %s: asked %+v, want query %q twice", document, asked, want)
		}
		if good := strings.HasPrefix(document, "{"); (log.lines() == 0) != good {
			t.Errorf("capabilities %s: logged %q", document, log.buf.String())
		}
	}
}

// EVENTBUS-WHATWG-023, EVENTBUS-WHATWG-025
func TestRetryAndBackoff(t *testing.T) {
	s := &script{bodies: []string{
		"retry: 500\ndata: a\n\n", "", "", "", "", "data: b\n\nretry: 99999999999\n", "data: c\n\n",
	}}
	asked := bubble(t, s, sse.ClientConfig{MaxBackoff: 3 * time.Second, MaxRetry: time.Minute}, func(t *testing.T, c *sse.Client) {
		var got []string
		for m, err := range c.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, string(m.Data)); len(got) == 3 {
				break
			}
		}
	})
	var got []time.Duration
	for i, a := range asked[1:] {
		got = append(got, a.At-asked[i].At)
	}
	// What the server asked for, then longer and longer up to the bound, then a wait that is too long.
	want := []time.Duration{500 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, time.Minute}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got)\n%s", diff)
	}
}

func TestJitterLengthensWaits(t *testing.T) {
	s := &script{bodies: []string{"data: a\n\n"}}
	asked := bubble(t, s, sse.ClientConfig{Retry: 4 * time.Second, Jitter: func() float64 { return 0.5 }}, func(t *testing.T, c *sse.Client) {
		n := 0
		for range c.Messages(t.Context()) {
			if n++; n == 2 {
				break
			}
		}
	})
	if got := asked[1].At; got != 4500*time.Millisecond {
		t.Errorf("waited %v, want 4.5s", got)
	}
}

// EVENTBUS-WHATWG-036, EVENTBUS-WHATWG-037
func TestStates(t *testing.T) {
	s := &script{bodies: []string{"data: a\n\n"}}
	s.respond = func(n int, w http.ResponseWriter, r *http.Request) bool {
		switch n {
		case 0:
			return false
		case 1:
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
			return true
		}
		w.WriteHeader(404)
		return true
	}
	bubble(t, s, sse.ClientConfig{Retry: time.Second}, func(t *testing.T, c *sse.Client) {
		if c.State() != sse.Connecting {
			t.Errorf("state %v before the loop, want connecting", c.State())
		}
		go func() {
			// The first connection brings one message at once, the second is silent for a second, the third is refused.
			time.Sleep(500 * time.Millisecond)
			for at, want := range []sse.State{sse.Connecting, sse.Open, sse.Connecting} {
				if got := c.State(); got != want {
					t.Errorf("second %d: state %v, want %v", at, got, want)
				}
				time.Sleep(time.Second)
			}
		}()
		for m, err := range c.Messages(t.Context()) {
			if err == nil && (string(m.Data) != "a" || c.State() != sse.Open) {
				t.Errorf("message %q in state %v", m.Data, c.State())
			}
		}
		if c.State() != sse.Closed {
			t.Errorf("state %v after the loop, want closed", c.State())
		}
	})
}

// EVENTBUS-WHATWG-022: what HTTP can carry comes back, octet for octet; what it cannot does not stop the client.
func TestIDsAreText(t *testing.T) {
	ids := []string{"007", "-1", "9007199254740993", "a b", "\u2603", "9", "5", "\x01", "\x7f", "é\tx"}
	var bodies []string
	for _, id := range ids {
		bodies = append(bodies, "id: "+id+"\ndata: x\n\n")
	}
	s := &script{bodies: append(bodies, "data: end\n\n")}
	asked := bubble(t, s, sse.ClientConfig{}, func(t *testing.T, c *sse.Client) {
		for m, err := range c.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if string(m.Data) == "end" {
				break
			}
		}
	})
	for i, id := range ids {
		if id == "\x01" || id == "\x7f" {
			id = ""
		}
		if got := asked[i+1].Last; got != id {
			t.Errorf("id %q came back as %q", id, got)
		}
	}
}

// EVENTBUS-WHATWG-019, EVENTBUS-WHATWG-021, EVENTBUS-WHATWG-027, EVENTBUS-WHATWG-028
//
// The last event id of the standard: it lasts over connections, moves without data, and can be taken back.
func TestMessagesResume(t *testing.T) {
	s := &script{bodies: []string{"id: é 1\ndata: a\n\n", "data: b\n\nid: 2\n\nid: 3\ndata: cut off", "id\ndata: c\n\n", "data: d\n\n"}}
	asked := bubble(t, s, sse.ClientConfig{Retry: time.Second, LastEventID: "0", Epoch: "e"}, func(t *testing.T, c *sse.Client) {
		var got []string
		for m, err := range c.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, m.ID+":"+m.Type+":"+string(m.Data)); len(got) == 4 {
				break
			}
		}
		want := []string{"é 1:message:a", "é 1:message:b", ":message:c", ":message:d"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	var last []string
	for _, a := range asked {
		last = append(last, a.Last+a.Epoch)
	}
	if diff := cmp.Diff([]string{"0", "é 1", "2", ""}, last); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// EVENTBUS-WHATWG-030, EVENTBUS-WHATWG-031, EVENTBUS-WHATWG-032, EVENTBUS-WHATWG-038
func TestEndsForEver(t *testing.T) {
	for _, c := range []struct {
		why     string
		respond func(n int, w http.ResponseWriter, r *http.Request) bool
		bodies  []string
		cfg     sse.ClientConfig
		want    error
		asked   int
	}{
		{"204 is the end without an error", func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n == 1 {
				w.WriteHeader(204)
			}
			return n == 1
		}, []string{"data: a\n\n"}, sse.ClientConfig{}, nil, 2},
		{"another status", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(429)
			_, _ = io.WriteString(w, strings.Repeat("busy ", 1000))
			return true
		}, nil, sse.ClientConfig{}, &sse.StatusError{Status: 429, RetryAfter: 5 * time.Second, Body: strings.Repeat("busy ", 1000)[:512]}, 1},
		{"another 2xx", func(_ int, w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(206); return true }, nil, sse.ClientConfig{}, &sse.StatusError{Status: 206}, 1},
		{"another type", func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/event-stream-not")
			w.WriteHeader(200)
			return true
		}, nil, sse.ClientConfig{}, &sse.ContentTypeError{Found: "text/event-stream-not"}, 1},
		{"redirects without end", func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://bus/again", http.StatusTemporaryRedirect)
			return true
		}, nil, sse.ClientConfig{MaxRedirects: 3}, &sse.RedirectError{Limit: 3, To: "http://bus/again"}, 4},
		{"a line too long", nil, []string{"data: a\n\ndata: " + strings.Repeat("x", 1000)}, sse.ClientConfig{Limits: sse.Limits{MaxLine: 100}}, &sse.LimitError{What: "line", Limit: 100, Offset: 109}, 1},
	} {
		s := &script{respond: c.respond, bodies: c.bodies}
		asked := bubble(t, s, c.cfg, func(t *testing.T, client *sse.Client) {
			var last error
			for _, err := range client.Messages(t.Context()) {
				last = err
			}
			for last != nil && errors.Unwrap(last) != nil {
				last = errors.Unwrap(last)
			}
			if diff := cmp.Diff(c.want, last); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", c.why, diff)
			}
		})
		if len(asked) != c.asked {
			t.Errorf("%s: %d requests, want %d", c.why, len(asked), c.asked)
		}
	}
}

// EVENTBUS-WHATWG-032, EVENTBUS-WHATWG-033: what is said in another case, or with parameters, is the type too; redirects
// are followed with the cursor, by the first request and by later ones.
func TestRedirectsAndTypes(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := &script{bodies: []string{"", envelope(3, "a"), "", envelope(4, "b")}, header: func(_ int, h http.Header) { h.Set("Content-Type", "Text/Event-Stream ; charset=utf-8") }}
		s.respond = func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n%2 == 0 {
				http.Redirect(w, r, "/moved", status)
			} else if r.URL.Path != "/moved" {
				t.Errorf("%d: request %d is for %s", status, n, r.URL)
			}
			return n%2 == 0
		}
		asked := bubble(t, s, sse.ClientConfig{LastEventID: "2", Retry: time.Second}, func(t *testing.T, c *sse.Client) { take(t, c, 2) })
		want := []ask{{Last: "2"}, {Last: "2"}, {At: time.Second, Last: "3"}, {At: time.Second, Last: "3"}}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%d: (-want +got)\n%s", status, diff)
		}
	}
}

// EVENTBUS-WHATWG-034, EVENTBUS-WHATWG-035
func TestRequestHeaders(t *testing.T) {
	s := &script{bodies: []string{envelope(1, "a")}}
	s.respond = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		for name, want := range map[string]string{"Accept": "text/event-stream", "Cache-Control": "no-store", "Accept-Encoding": "identity", "X-Own": "1"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		return false
	}
	bubble(t, s, sse.ClientConfig{Header: http.Header{"x-own": {"1"}, "accept": {"text/html"}}}, func(t *testing.T, c *sse.Client) { take(t, c, 1) })
}

func TestFailuresAreBounded(t *testing.T) {
	s := &script{bodies: []string{"data: a\n\n", ""}}
	asked := bubble(t, s, sse.ClientConfig{MaxFailures: 3, Retry: time.Second}, func(t *testing.T, c *sse.Client) {
		var last error
		for _, err := range c.Messages(t.Context()) {
			last = err
		}
		var failures *sse.FailuresError
		if !errors.As(last, &failures) || failures.Limit != 3 || failures.Last == nil {
			t.Errorf("%v, want a FailuresError of 3", last)
		}
	})
	if len(asked) != 4 {
		t.Errorf("%d requests, want 4: one that brought something and 3 that did not", len(asked))
	}
}

// A server that is silent, before its answer or in it, is left after a while.
func TestSilentServers(t *testing.T) {
	s := &script{bodies: []string{envelope(2, "b")}}
	s.respond = func(n int, w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		switch n {
		case 1:
			_, _ = io.WriteString(w, envelope(1, "a")+": not")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(40 * time.Second)
			_, _ = io.WriteString(w, " silent yet")
			_ = http.NewResponseController(w).Flush()
		case 2:
			_ = http.NewResponseController(w).Flush()
		case 3:
			return false
		}
		<-r.Context().Done()
		return true
	}
	asked := bubble(t, s, sse.ClientConfig{ConnectTimeout: 7 * time.Second, Idle: time.Minute, Retry: time.Second}, func(t *testing.T, c *sse.Client) {
		if diff := cmp.Diff([]string{"a 1", "b 2"}, take(t, c, 2)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	// No answer for 7 s; the last octet 40 s after the first; not one octet. A second between connections.
	want := []ask{{At: 0}, {At: 8 * time.Second}, {At: 109 * time.Second, Last: "1"}, {At: 170 * time.Second, Last: "1"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A loop that is left is left, also if the context has ended by then.
func TestLeavingAfterTheContext(t *testing.T) {
	s := &script{bodies: []string{envelope(1, "a") + envelope(2, "b")}}
	bubble(t, s, sse.ClientConfig{}, func(t *testing.T, c *sse.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for range c.Events(ctx) {
			n++
			cancel()
			break
		}
		if n != 1 || c.State() != sse.Closed {
			t.Errorf("%d events, state %v", n, c.State())
		}
	})
}

// EVENTBUS-WHATWG-026: a server that asks for no wait, and keeps bringing something, gets none.
func TestNoWaitIsGranted(t *testing.T) {
	s := &script{bodies: []string{"retry: 0\n" + envelope(1, "a"), envelope(2, "b"), envelope(3, "c")}}
	asked := bubble(t, s, sse.ClientConfig{}, func(t *testing.T, c *sse.Client) { take(t, c, 3) })
	if diff := cmp.Diff([]ask{{}, {Last: "1"}, {Last: "2"}}, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Why the last connection failed is told: that a server was silent, not that the client gave it up.
func TestSilenceIsTold(t *testing.T) {
	for why, c := range map[string]struct {
		answers bool
		want    string
	}{
		"before the answer": {false, "the answer took too long"},
		"in the stream":     {true, "the stream brought nothing for too long"},
	} {
		s := &script{respond: func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if c.answers {
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
			return true
		}}
		bubble(t, s, sse.ClientConfig{MaxFailures: 1, ConnectTimeout: time.Second, Idle: time.Second}, func(t *testing.T, client *sse.Client) {
			var last error
			for _, err := range client.Messages(t.Context()) {
				last = err
			}
			var failures *sse.FailuresError
			if !errors.As(last, &failures) || failures.Last.Error() != c.want {
				t.Errorf("%s: %v, want %s", why, last, c.want)
			}
		})
	}
}

// The end of the context is the end of the loop, wherever it is.
func TestContextEndsEverything(t *testing.T) {
	cause := errors.New("enough")
	for why, respond := range map[string]func(n int, w http.ResponseWriter, r *http.Request) bool{
		"before the answer": func(_ int, _ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true },
		"in the stream": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		},
		"between connections": nil,
	} {
		s := &script{respond: respond, bodies: []string{""}}
		bubble(t, s, sse.ClientConfig{Retry: time.Hour, MaxBackoff: time.Hour}, func(t *testing.T, c *sse.Client) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(5*time.Second, func() { cancel(cause) })
			start := time.Now()
			var last error
			for _, err := range c.Events(ctx) {
				last = err
			}
			if last != cause || time.Since(start) != 5*time.Second {
				t.Errorf("%s: %v after %v, want the cause after 5s", why, last, time.Since(start))
			}
		})
	}
}

func TestOneLoopAtATime(t *testing.T) {
	s := &script{bodies: []string{envelope(1, "a")}}
	bubble(t, s, sse.ClientConfig{}, func(t *testing.T, c *sse.Client) {
		for range c.Events(t.Context()) {
			for _, err := range c.Messages(t.Context()) {
				if !errors.Is(err, sse.ErrBusy) {
					t.Errorf("a second loop got %v, want ErrBusy", err)
				}
			}
			break
		}
		take(t, c, 1)
	})
}

// EVENTBUS-SSE-013: bad frames are skipped.
func TestBadFramesAreSkipped(t *testing.T) {
	var log logged
	s := &script{bodies: []string{"data: hello\n\n" + envelope(1, "a") + "data: {\"v\":1,\"type\":\"x\",\"id\":0}\n\ndata: []\n\n" + envelope(2, "b")}}
	bubble(t, s, sse.ClientConfig{Logger: log.logger(slog.LevelInfo)}, func(t *testing.T, c *sse.Client) {
		if diff := cmp.Diff([]string{"a 1", "b 2"}, take(t, c, 2)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	if log.lines() != 3 {
		t.Errorf("%d lines logged, want 3", log.lines())
	}
}

func TestClientConfigIsChecked(t *testing.T) {
	good := sse.ClientConfig{URL: "http://bus/"}
	for field, change := range map[string]func(*sse.ClientConfig){
		"URL":          func(c *sse.ClientConfig) { c.URL = "ftp://bus/" },
		"MaxQueued":    func(c *sse.ClientConfig) { c.MaxQueued = 15 },
		"is 2049":      func(c *sse.ClientConfig) { c.MaxQueued = 2049 },
		"Capabilities": func(c *sse.ClientConfig) { c.MaxQueued = 16 },
		"Retry":        func(c *sse.ClientConfig) { c.Retry = -1 },
		"MaxRetry":     func(c *sse.ClientConfig) { c.MaxRetry = -1 },
		"MaxBackoff":   func(c *sse.ClientConfig) { c.MaxBackoff = -1 },
		"MaxFailures":  func(c *sse.ClientConfig) { c.MaxFailures = -1 },
		"MaxRedirects": func(c *sse.ClientConfig) { c.MaxRedirects = -1 },
		"Idle":         func(c *sse.ClientConfig) { c.Idle = -1 },
		"HTTP.Timeout": func(c *sse.ClientConfig) { c.HTTP = &http.Client{Timeout: 1} },
		"MaxLine":      func(c *sse.ClientConfig) { c.Limits.MaxLine = -1 },
	} {
		cfg := good
		change(&cfg)
		if _, err := sse.NewClient(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v, want an error that names it", field, err)
		}
	}
	for _, n := range []int{0, 16, 2048} {
		cfg := sse.ClientConfig{URL: "http://bus/", Capabilities: "http://bus/capabilities", MaxQueued: n}
		if err := cfg.Validate(); err != nil {
			t.Errorf("MaxQueued %d: %v", n, err)
		}
	}
	for url, want := range map[string]string{"ftp://bus/": `sse config: URL "ftp://bus/" is not an address of http or https`, "http://[": "sse config: URL: parse "} {
		if _, err := sse.NewClient(sse.ClientConfig{URL: url}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	good.LastEventID = "abc"
	c, err := sse.NewClient(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Events(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "LastEventID") {
			t.Errorf("%v, want an error that names LastEventID", err)
		}
	}
}

// Whatever cuts the connections, a client of a bus misses nothing and gets nothing twice.
func TestNothingIsLostOverCuts(t *testing.T) {
	for _, d := range dialects {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: d})
			h := newHandler(t, bus, sse.Config{})
			requests := 0
			site, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				ctx, cancel := context.WithTimeout(r.Context(), time.Duration(requests)*time.Second)
				defer cancel()
				h.ServeHTTP(w, r.WithContext(ctx))
			}))
			go func() {
				for bus.LastEventID() < 200 {
					time.Sleep(130 * time.Millisecond)
					publish(t, bus, 3)
				}
			}()
			c, err := sse.NewClient(sse.ClientConfig{URL: "http://bus/", HTTP: site.http, LastEventID: "0"})
			if err != nil {
				t.Fatal(err)
			}
			next := int64(1)
			for e, err := range c.Events(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if e.ID == 0 {
					continue
				}
				if e.ID != next {
					t.Fatalf("%v: event %d, want %d", d, e.ID, next)
				}
				if next++; next > 200 {
					break
				}
			}
			if requests < 3 {
				t.Errorf("%v: %d connections, want several", d, requests)
			}
			bus.Close()
			stop()
			time.Sleep(time.Minute)
		})
	}
}
