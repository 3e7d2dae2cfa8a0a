package daemon_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
	"github.com/seed-6f28358b/assay/impl/pipenet"
)

// A peer that asks and never reads the answer is given up, whatever it asks for.
func TestUnreadAnswer(t *testing.T) {
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
	} {
		slowly(t, request, func(ours net.Conn) {
			time.Sleep(2*daemon.DefaultBodyTimeout + time.Second)
			if answer, _ := io.ReadAll(ours); len(answer) > 0 {
				t.Errorf("%.20q: the answer still waited: %.40q", request, answer)
			}
		})
	}
}

// A body that does not come is given up.
func TestBodyTimeout(t *testing.T) {
	slowly(t, "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{", func(ours net.Conn) {
		start := time.Now()
		answer, err := io.ReadAll(ours)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%q %v, want 400 and the end", answer, err)
		}
		if took := time.Since(start); took != daemon.DefaultBodyTimeout {
			t.Errorf("given up after %v", took)
		}
	})
}

// slowly sends a request to a daemon, in virtual time, and has rest do what comes then.
func slowly(t *testing.T, request string, rest func(ours net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		d, err := daemon.New(daemon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		l := pipenet.New()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Serve(ctx, l) }()
		ours, err := l.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(ours, request); err != nil {
			t.Fatal(err)
		}
		rest(ours)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// stuck is a writer that takes nothing until it is let go.
type stuck struct {
	header http.Header
	begun  chan struct{} // closed at the first write
	free   chan struct{}
}

func (s *stuck) Header() http.Header { return s.header }
func (s *stuck) WriteHeader(int)     {}

func (s *stuck) Write(p []byte) (int, error) {
	select {
	case <-s.begun:
	default:
		close(s.begun)
	}
	<-s.free
	return len(p), nil
}

// late is a body that comes when it is let go.
type late struct {
	*strings.Reader
	asked chan struct{} // closed when it is waited for
	free  chan struct{}
}

func (l *late) Read(p []byte) (int, error) {
	select {
	case <-l.asked:
	default:
		close(l.asked)
	}
	<-l.free
	return l.Reader.Read(p)
}

// logged is told the message of each record.
type logged struct {
	slog.Handler
	tell func(message string)
}

func (l logged) Enabled(context.Context, slog.Level) bool { return true }
func (l logged) WithAttrs([]slog.Attr) slog.Handler       { return l }

func (l logged) Handle(_ context.Context, r slog.Record) error {
	l.tell(r.Message)
	return nil
}

// EVENTBUS-SSE-009: what is published while a session ends comes before its last event, or not at all. The last event evicts
// a reader, so that there is a moment between it and the end of the bus.
func TestNothingBehindTheLastEvent(t *testing.T) {
	var during func()
	d, err := daemon.New(daemon.Config{Logger: slog.New(logged{slog.DiscardHandler, func(message string) {
		if message == "subscriber evicted" {
			during()
		}
	}})})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ask := func(method, path string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, body)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	session := "/session/" + strings.Split(ask("POST", "/session", nil).Body.String(), `"`)[3]
	w := &stuck{http.Header{}, make(chan struct{}), make(chan struct{})}
	stream := make(chan struct{})
	go func() {
		defer close(stream)
		r := httptest.NewRequest("GET", session+"/events?maxQueued=16", nil)
		r.Host = "localhost"
		d.ServeHTTP(w, r)
	}()
	<-w.begun
	for range 16 {
		ask("POST", session+"/publish", strings.NewReader(`{"type":"x"}`))
	}
	body := &late{strings.NewReader(`{"type":"late"}`), make(chan struct{}), make(chan struct{})}
	status := make(chan int, 1)
	published := make(chan struct{})
	go func() {
		defer close(published)
		status <- ask("POST", session+"/publish", body).Code
	}()
	<-body.asked
	during = func() {
		close(body.free)
		select {
		case <-published:
		case <-time.After(50 * time.Millisecond): // it waits for the end, as it should
		}
	}
	if w := ask("DELETE", session, nil); w.Code != 200 || !strings.Contains(w.Body.String(), `"lastEventId":17`) {
		t.Errorf("the end of the session: %d %s", w.Code, w.Body)
	}
	if got := <-status; got != 404 {
		t.Errorf("publishing behind the last event: status %d, want 404", got)
	}
	close(w.free)
	<-stream
}
