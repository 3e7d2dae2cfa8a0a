package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/farewell/farewelltest"
)

// A client that says what is none of the protocol is told so and dropped; the others do not notice.
func TestHostileClients(t *testing.T) {
	s, url := serves(t, ServerConfig{MaxTopics: 2})
	good := lines(t, url, nil)
	good.Subscribe("x")
	until(t, "the good one subscribes", func() bool { return s.Subscribed("x") == 1 })
	subscribe := func(topic string) string { return fmt.Sprintf(`{"op":"subscribe","topic":%q}`, topic) }
	for name, c := range map[string]struct {
		kind websocket.MessageType
		says []string
		want websocket.StatusCode
	}{
		"binary":          {websocket.MessageBinary, []string{subscribe("x")}, websocket.StatusUnsupportedData},
		"no JSON":         {websocket.MessageText, []string{"{"}, CloseMalformed},
		"no UTF-8":        {websocket.MessageText, []string{"\xff\xfe{"}, CloseMalformed},
		"no topic":        {websocket.MessageText, []string{`{"op":"subscribe"}`}, CloseMalformed},
		"no data":         {websocket.MessageText, []string{`{"op":"publish","topic":"x"}`}, CloseMalformed},
		"an unknown op":   {websocket.MessageText, []string{`{"op":"news"}`}, CloseMalformed},
		"an op of ours":   {websocket.MessageText, []string{`{"op":"message","topic":"x","data":1}`}, CloseMalformed},
		"too long":        {websocket.MessageText, []string{`"` + strings.Repeat("x", MaxMessage) + `"`}, websocket.StatusMessageTooBig},
		"too many topics": {websocket.MessageText, []string{subscribe("a"), subscribe("b"), subscribe("a"), subscribe("c")}, CloseTopics},
		"deep":            {websocket.MessageText, []string{strings.Repeat("[", MaxMessage)}, CloseMalformed},
	} {
		ws := dials(t, url)
		for _, text := range c.says {
			if err := ws.Write(t.Context(), c.kind, []byte(text)); err != nil && len(text) < 1000 {
				t.Errorf("%s: %v", name, err)
			}
		}
		if code, n := endOf(t, ws); code != c.want || n != 0 {
			t.Errorf("%s: ended with %d after %d messages, want %d", name, code, n, c.want)
		}
		good.publish("x", "1")
		good.hears("x 1")
	}
	until(t, "they are gone", func() bool { return s.Stats().Conns == 1 && s.Stats().Topics == 1 })
}

// A client that does not take what it gets is dropped with a code, and holds up nobody.
func TestSlowClient(t *testing.T) {
	s, url := serves(t, ServerConfig{Queue: 50, Timeout: patience})
	slow, good := dials(t, url), lines(t, url, nil)
	if err := slow.Write(t.Context(), websocket.MessageText, []byte(`{"op":"subscribe","topic":"x"}`)); err != nil {
		t.Fatal(err)
	}
	good.Subscribe("x")
	until(t, "both subscribe", func() bool { return s.Subscribed("x") == 2 })
	data, _ := json.Marshal(strings.Repeat("x", 100<<10))
	sent := 0
	for ; s.Stats().Slow == 0; sent++ {
		if sent > 10_000 {
			t.Fatal("it is not dropped")
		}
		if _, err := s.Emit("x", data); err != nil {
			t.Fatal(err)
		}
		good.hears("x " + string(data))
	}
	if code, n := endOf(t, slow); code != CloseSlow || n >= sent {
		t.Errorf("ended with %d after %d of %d messages", code, n, sent)
	}
	until(t, "it is gone", func() bool { return s.Subscribed("x") == 1 })
	if n := s.Stats().Slow; n != 1 {
		t.Errorf("%d slow", n)
	}
}

// One that takes nothing at all is cut off.
func TestStalledClient(t *testing.T) {
	s, url := serves(t, ServerConfig{Queue: 20, Timeout: 100 * time.Millisecond})
	stalled := dials(t, url)
	if err := stalled.Write(t.Context(), websocket.MessageText, []byte(`{"op":"subscribe","topic":"x"}`)); err != nil {
		t.Fatal(err)
	}
	until(t, "it subscribes", func() bool { return s.Subscribed("x") == 1 })
	data, _ := json.Marshal(strings.Repeat("x", 500<<10))
	until(t, "it is cut off", func() bool {
		_, _ = s.Emit("x", data)
		return s.Stats().Conns == 0
	})
}

// There are so many connections and no more; those that end make room.
func TestCrowd(t *testing.T) {
	s, url := serves(t, ServerConfig{MaxConns: 2})
	a := lines(t, url, nil)
	lines(t, url, nil)
	third := made(t, url, nil)
	if err := third.Start(t.Context(), third); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("%v", err)
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "there is room", func() bool { return s.Stats().Conns == 1 && third.Start(t.Context(), third) == nil })
}

// A client that is there no more is noticed though it does not say so.
func TestDeadClient(t *testing.T) {
	s, url := serves(t, ServerConfig{KeepAlive: 10 * time.Millisecond, Timeout: 50 * time.Millisecond})
	dials(t, url) // never reads, so that it never answers
	until(t, "it is noticed", func() bool { return taken(s) == 0 })
	asked, url := serves(t, ServerConfig{KeepAlive: 10 * time.Millisecond})
	good := lines(t, url, nil)
	good.Subscribe("x")
	for i := range 20 {
		good.publish("x", fmt.Sprint(i))
		good.hears(fmt.Sprint("x ", i))
	}
	if n := asked.Stats().Conns; n != 1 {
		t.Errorf("%d are there", n)
	}
}

// taken returns how much room the connections of a server take, which they do before a client knows of its connection, until nothing of it
// is left.
func taken(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.MaxConns - s.room
}

// A client whose message has no end takes no room for longer than a farewell may take, and holds up the end of the server no longer than
// that is allowed to wait.
func TestEndlessMessage(t *testing.T) {
	for name, says := range map[string]string{
		"too long":  string(farewelltest.LongFrame(true)) + strings.Repeat("x", 2*MaxMessage),
		"malformed": "\x81\x81\x00\x00\x00\x00{" + string(farewelltest.LongFrame(true)) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			s, url := serves(t, ServerConfig{Timeout: 50 * time.Millisecond})
			drips(t, url, says)
			until(t, "it is cut off", func() bool { return taken(s) == 0 })

			s, url = serves(t, ServerConfig{Timeout: time.Hour})
			drips(t, url, says)
			until(t, "its end has begun", func() bool { return s.Stats().Malformed == 1 })
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
}

// drips connects, says something, and then more and more until the other side cuts it off.
func drips(t *testing.T, url, says string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: "+Subprotocol+"\r\n\r\n")
	if err == nil {
		_, err = bufio.NewReader(conn).ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		_, _ = conn.Write([]byte(says))
		if !farewelltest.Drip(conn) {
			t.Error("it is not cut off")
		}
	})
	t.Cleanup(func() {
		_ = conn.Close()
		running.Wait()
	})
}

// A server whose message has no end holds up a stop no longer than allowed.
func TestStopWithinAMessage(t *testing.T) {
	url := listens(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw := &farewell.Taking{ResponseWriter: w}
		ws, err := websocket.Accept(raw, r, &websocket.AcceptOptions{Subprotocols: []string{Subprotocol}})
		if err != nil {
			return
		}
		_, _ = raw.Conn.Write(farewelltest.LongFrame(false))
		if !farewelltest.Drip(raw.Conn) {
			t.Error("it is not cut off")
		}
		_ = ws.CloseNow()
	}))
	l := made(t, url, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	l.opens()
	stopped := make(chan error, 1)
	go func() { stopped <- l.Stop(context.Background()) }()
	if err := next(t, stopped); err != nil {
		t.Error(err)
	}
}

// Whatever a server does, its connection ends and is told as an error with the reason.
func TestHostileServers(t *testing.T) {
	says := func(kind websocket.MessageType, text string) func(context.Context, *websocket.Conn) {
		return func(ctx context.Context, ws *websocket.Conn) {
			_ = ws.Write(ctx, kind, []byte(text))
			_, _, _ = ws.Read(ctx)
		}
	}
	for name, c := range map[string]struct {
		does func(context.Context, *websocket.Conn)
		want string
	}{
		"cuts off":  {func(_ context.Context, ws *websocket.Conn) { _ = ws.CloseNow() }, "ended"},
		"says why":  {func(_ context.Context, ws *websocket.Conn) { _ = ws.Close(CloseSlow, "too slow") }, "4001: too slow"},
		"binary":    {says(websocket.MessageBinary, "x"), "is binary"},
		"malformed": {says(websocket.MessageText, `{"op":"message"}`), "has no topic"},
		"too long":  {says(websocket.MessageText, strings.Repeat(" ", MaxMessage+1)), "limit"},
		"dead":      {func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			url := listens(t, acts(ctx, c.does))
			l := made(t, url, func(c *Config) {
				if c.KeepAlive = 20 * time.Millisecond; name == "dead" {
					c.Timeout = 100 * time.Millisecond
				}
			})
			l.opens()
			if got := next(t, l.statuses); got != databus.Failed {
				t.Errorf("status %s", got)
			}
			var e *EndError
			if err := next(t, l.ended); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			cancel()
		})
	}
}

// acts is a server that does one thing with a connection.
func acts(ctx context.Context, does func(context.Context, *websocket.Conn)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{Subprotocol}})
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		does(ctx, ws)
	})
}

// What means nothing to a client is ignored.
func TestUnknownOps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url := listens(t, acts(ctx, func(ctx context.Context, ws *websocket.Conn) {
		for _, text := range []string{`{"op":"news"}`, `{"op":"subscribe","topic":"x"}`, `{"op":"message","topic":"x","data":1,"more":2}`} {
			_ = ws.Write(ctx, websocket.MessageText, []byte(text))
		}
		_, _, _ = ws.Read(ctx)
	}))
	lines(t, url, nil).hears("x 1")
}

// A server that takes nothing: publications are refused when there is no room, and a subscription that is refused ends the connection,
// since the bus believes that it was asked for.
func TestBacklog(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := listens(t, acts(ctx, func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }))
	l := lines(t, url, func(c *Config) { c.Queue, c.Timeout = 10, patience })
	data, _ := json.Marshal(strings.Repeat("x", 500<<10))
	until(t, "there is no room", func() bool { return errors.Is(l.Publish("x", data), ErrBacklog) })
	l.Subscribe("x")
	if got := next(t, l.statuses); got != databus.Failed {
		t.Errorf("status %s", got)
	}
	if err := next(t, l.ended); !errors.Is(err, ErrBacklog) {
		t.Errorf("%v", err)
	}
	cancel()
}

// A server that does not take what waits holds up a stop no longer than allowed.
func TestStopIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := listens(t, acts(ctx, func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }))
	data, _ := json.Marshal(strings.Repeat("x", 500<<10))
	for range 2 {
		l := made(t, url, func(c *Config) { c.Timeout = 50 * time.Millisecond })
		l.opens()
		for range 10 {
			_ = l.Publish("x", data)
		}
		if err := l.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	cancel()
}
