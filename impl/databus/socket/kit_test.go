package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/databus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what is bound to come.
const patience = 30 * time.Second

// until waits for a condition.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for !met() {
		select {
		case <-look.C:
		case <-end.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// next waits for a value.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatal("nothing comes")
		panic("unreachable")
	}
}

// serves returns a server on loopback and its URL.
func serves(t *testing.T, c ServerConfig) (*Server, string) {
	t.Helper()
	s, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	url := listens(t, s)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s, url
}

func listens(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return "ws" + strings.TrimPrefix(web.URL, "http")
}

// A line is a transport and what it says.
type line struct {
	*Transport
	t        *testing.T
	messages chan string
	statuses chan databus.Status
	ended    chan error
}

func (l *line) Status(s databus.Status) { l.statuses <- s }

func (l *line) Message(topic string, data json.RawMessage) { l.messages <- topic + " " + string(data) }

// lines returns a transport that is open.
func lines(t *testing.T, url string, change func(*Config)) *line {
	t.Helper()
	l := made(t, url, change)
	l.open()
	return l
}

// made returns a transport that is not open.
func made(t *testing.T, url string, change func(*Config)) *line {
	t.Helper()
	l := &line{t: t, messages: make(chan string, 10_000), statuses: make(chan databus.Status, 10), ended: make(chan error, 10)}
	c := Config{URL: url, Ended: func(err error) { l.ended <- err }, Client: &http.Client{Transport: &http.Transport{}}}
	if change != nil {
		change(&c)
	}
	tr, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l.Transport = tr
	t.Cleanup(func() {
		_ = tr.Stop(context.Background())
		c.Client.CloseIdleConnections()
	})
	return l
}

// opens opens a connection that must be open within less than a slow machine may need.
func (l *line) opens() {
	l.t.Helper()
	until(l.t, "it opens", func() bool { return l.Start(l.t.Context(), l) == nil })
}

func (l *line) open() {
	l.t.Helper()
	if err := l.Start(l.t.Context(), l); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) publish(topic, data string) {
	l.t.Helper()
	if err := l.Publish(topic, json.RawMessage(data)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) hears(want ...string) {
	l.t.Helper()
	for _, text := range want {
		if got := next(l.t, l.messages); got != text {
			l.t.Fatalf("got %.80q, want %.80q", got, text)
		}
	}
}

// dials returns a client that is none of ours.
func dials(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	tr := &http.Transport{}
	ws, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{
		Subprotocols: []string{Subprotocol}, HTTPClient: &http.Client{Transport: tr},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = ws.CloseNow()
		tr.CloseIdleConnections()
	})
	ws.SetReadLimit(MaxMessage)
	return ws
}

// endOf reads until the connection ends, and returns the code.
func endOf(t *testing.T, ws *websocket.Conn) (code websocket.StatusCode, messages int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, _, err := ws.Read(ctx)
		if ctx.Err() != nil {
			t.Fatal("the connection does not end")
		}
		if err != nil {
			return websocket.CloseStatus(err), messages
		}
		messages++
	}
}
