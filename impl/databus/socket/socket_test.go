package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/databus"
)

var _ databus.Transport = (*Transport)(nil)

// What one publishes reaches all that subscribe, itself too, in order, and nobody else.
func TestFanOut(t *testing.T) {
	const n = 500
	s, url := serves(t, ServerConfig{})
	a, b, c := lines(t, url, nil), lines(t, url, nil), lines(t, url, nil)
	a.Subscribe("x")
	a.Subscribe("x")
	b.Subscribe("x")
	c.Subscribe("y")
	until(t, "all subscribe", func() bool { return s.Subscribed("x") == 2 && s.Subscribed("y") == 1 })
	var want []string
	for i := range n {
		a.publish("x", fmt.Sprint(i))
		want = append(want, fmt.Sprint("x ", i))
	}
	a.hears(want...)
	b.hears(want...)
	b.Unsubscribe("x")
	until(t, "b does not", func() bool { return s.Subscribed("x") == 1 })
	b.publish("x", `{"a":"<&>"}`)
	a.hears(`x {"a":"<&>"}`)
	if n, err := s.Emit("y", json.RawMessage("null")); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	c.hears("y null")
	if len(b.messages)+len(c.messages) != 0 {
		t.Error("somebody got more")
	}
	if st := s.Stats(); st.Conns != 3 || st.Topics != 2 || st.Published != n+2 || st.Sent != 2*n+2 {
		t.Errorf("%+v", st)
	}
	if _, err := s.Emit("\xff", nil); err == nil {
		t.Error("a topic that is no UTF-8 was taken")
	}
}

// A connection that is left takes along what was asked of it before, and what it subscribed.
func TestStop(t *testing.T) {
	s, url := serves(t, ServerConfig{})
	a, b := lines(t, url, nil), lines(t, url, nil)
	a.Subscribe("x")
	until(t, "a subscribes", func() bool { return s.Subscribed("x") == 1 })
	b.Subscribe("x")
	for i := range 100 {
		b.publish("x", fmt.Sprint(i))
	}
	if err := b.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		a.hears(fmt.Sprint("x ", i))
	}
	until(t, "b is gone", func() bool { return s.Subscribed("x") == 1 && s.Stats().Conns == 1 })
	if err := b.Publish("x", json.RawMessage("1")); !errors.Is(err, ErrNotOpen) {
		t.Errorf("%v", err)
	}
	b.Subscribe("x")
	if err := b.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if len(b.statuses)+len(b.ended) != 0 {
		t.Error("a stop was told as a failure")
	}
	b.open()
	b.Subscribe("y")
	until(t, "b is back, without what it had", func() bool { return s.Subscribed("y") == 1 && s.Subscribed("x") == 1 })
}

// DATABUS-RECONNECT-003: the end of a connection is told as an error, with the reason, and then it can be opened again.
func TestServerCloses(t *testing.T) {
	s, url := serves(t, ServerConfig{})
	a := lines(t, url, nil)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := next(t, a.statuses); got != databus.Failed {
		t.Errorf("status %s", got)
	}
	var e *EndError
	if err := next(t, a.ended); !errors.As(err, &e) || e.Code != int(websocket.StatusGoingAway) {
		t.Errorf("%v", err)
	}
	if err := a.Publish("x", json.RawMessage("1")); !errors.Is(err, ErrNotOpen) {
		t.Errorf("%v", err)
	}
	if err := a.Start(t.Context(), a); err == nil {
		t.Error("a closed server was opened")
	}
	if st := s.Stats(); st.Refused != 1 || st.Conns != 0 {
		t.Errorf("%+v", st)
	}
}

// DATABUS-RECONNECT-002: a bus whose server goes and comes back has its topics again, without the application.
func TestBusReconnects(t *testing.T) {
	var now atomic.Pointer[Server]
	door := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) })
	first, err := NewServer(ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	now.Store(first)
	url := listens(t, door)
	l := made(t, url, nil)
	bus, err := databus.New(databus.Config{Transport: l.Transport, ClusterKey: url})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 10)
	if _, err := bus.Subscribe("x", func(topic string, data json.RawMessage) { got <- topic + " " + string(data) }); err != nil {
		t.Fatal(err)
	}
	if err := bus.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it subscribes", func() bool { return first.Subscribed("x") == 1 })
	second, err := NewServer(ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	now.Store(second)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it subscribes again", func() bool { return second.Subscribed("x") == 1 })
	bus.Publish("x", json.RawMessage("7"))
	if text := next(t, got); text != "x 7" {
		t.Errorf("got %s", text)
	}
	if err := bus.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// What the reader has found is why a connection ends, and not what somebody else makes of that at the same moment; but if it has only found
// that the connection was ended from here, who ended it says why.
func TestWhy(t *testing.T) {
	mine := &MessageError{"message", "has no topic"}
	for _, c := range []struct{ found, want error }{
		{mine, mine},
		{fmt.Errorf("read: %w", websocket.ErrMessageTooBig), websocket.ErrMessageTooBig},
		{websocket.CloseError{Code: CloseSlow}, websocket.CloseError{Code: CloseSlow}},
		{fmt.Errorf("read: %w", net.ErrClosed), ErrSilent},
		{fmt.Errorf("read: %w", context.Canceled), ErrSilent},
	} {
		s := &session{cfg: &Config{Timeout: patience}, leaving: make(chan struct{})}
		s.ctx, s.cancel = context.WithCancelCause(t.Context())
		s.cancel(ErrSilent)
		var e *EndError
		if err := s.why(c.found); !errors.As(err, &e) || !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.found, err, c.want)
		}
	}
}

// A server that is none, does not answer, or is slow to, fails an opening.
func TestOpeningFails(t *testing.T) {
	plain := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err == nil {
			_ = ws.CloseNow()
		}
	})
	done := make(chan struct{})
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done })
	for name, c := range map[string]struct {
		h    http.Handler
		want error
	}{
		"no websocket":        {http.NotFoundHandler(), nil},
		"another subprotocol": {plain, ErrSubprotocol},
		"silent":              {silent, context.DeadlineExceeded},
	} {
		l := made(t, listens(t, c.h), func(c *Config) {
			if name == "silent" {
				c.Timeout = 100 * time.Millisecond
			}
		})
		if err := l.Start(t.Context(), l); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(done)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, url := serves(t, ServerConfig{})
	l := made(t, url, nil)
	if err := l.Start(ctx, l); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestConfigs(t *testing.T) {
	for field, c := range map[string]Config{
		"URL":        {URL: "http://x"},
		"URL is not": {URL: "ws:"},
		"Timeout":    {URL: "ws://x", Timeout: -1},
		"KeepAlive":  {URL: "ws://x", KeepAlive: -1},
		"Queue":      {URL: "ws://x", Queue: -1},
		"QueueBytes": {URL: "ws://x", QueueBytes: 1},
	} {
		var e *ConfigError
		if _, err := New(c); !errors.As(err, &e) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	for field, c := range map[string]ServerConfig{
		"MaxConns": {MaxConns: -1}, "MaxTopics": {MaxTopics: -1}, "Timeout": {Timeout: -1}, "KeepAlive": {KeepAlive: -1}, "Queue": {Queue: -1},
	} {
		var e *ConfigError
		if _, err := NewServer(c); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
