package broker_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/farewell/farewelltest"
	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

func webSocket(t *testing.T, cfg broker.Config) (*broker.Broker, string) {
	t.Helper()
	b, err := broker.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b)
	t.Cleanup(func() {
		_ = b.Close()
		server.Close()
	})
	return b, server.URL
}

func dialWebSocket(t *testing.T, url string, protocols ...string) *websocket.Conn {
	t.Helper()
	c, response, err := websocket.Dial(context.Background(), url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != nil {
		_ = response.Body.Close()
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

func say(t *testing.T, c *websocket.Conn, kind websocket.MessageType, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		if err := c.Write(context.Background(), kind, []byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
}

func hear(t *testing.T, c *websocket.Conn, want websocket.MessageType, parts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	kind, data, err := c.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if kind != want {
		t.Errorf("%q is of kind %v", data, kind)
	}
	if strings.Count(string(data), "\x00\x00")+strings.Count(strings.TrimSuffix(string(data), "\x00"), "\x00") > 1 {
		t.Errorf("more than one frame in %q", data)
	}
	for _, part := range parts {
		if !strings.Contains(string(data), part) {
			t.Errorf("%q is not in %q", part, data)
		}
	}
}

func TestWebSocketSubprotocols(t *testing.T) {
	_, url := webSocket(t, broker.Config{})
	for want, offered := range map[string][]string{
		"v12.stomp": {"v10.stomp", "v11.stomp", "v12.stomp"},
		"v11.stomp": {"v11.stomp", "other"},
		"v10.stomp": {"v10.stomp"},
		"":          {"other"},
	} {
		c := dialWebSocket(t, url, offered...)
		if got := c.Subprotocol(); got != want {
			t.Errorf("offered %q: got %q", offered, got)
		}
		say(t, c, websocket.MessageText, "CONNECT\naccept-version:1.1,1.2\nhost:h\n\n\x00")
		hear(t, c, websocket.MessageText, "CONNECTED\nversion:1.2\n")
		_ = c.Close(websocket.StatusNormalClosure, "")
	}
}

func TestWebSocketFramesAreCutInAnyWay(t *testing.T) {
	_, url := webSocket(t, broker.Config{})
	for _, kind := range []websocket.MessageType{websocket.MessageText, websocket.MessageBinary} {
		c := dialWebSocket(t, url, "v12.stomp")
		say(t, c, kind, "CONN", "ECT\naccept-version:1.2\nho", "", "st:h\n\n\x00\n\n",
			"SUBSCRIBE\nid:s\ndestination:/queue/a\n\n\x00SEND\ndestination:/queue/a\nreceipt:r\nx:é\n\nboo", "☃\x00")
		hear(t, c, kind, "CONNECTED\n")
		hear(t, c, kind, "MESSAGE\n", "x:é\n", "\n\nboo☃\x00")
		hear(t, c, kind, "RECEIPT\nreceipt-id:r\n")
		say(t, c, kind, "DISCONNECT\nreceipt:bye\n\n\x00")
		hear(t, c, kind, "RECEIPT\nreceipt-id:bye\n")
		if _, _, err := c.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
			t.Errorf("after DISCONNECT: %v", err)
		}
	}
}

func TestWebSocketTextIsUTF8(t *testing.T) {
	_, url := webSocket(t, broker.Config{})
	in, out := dialWebSocket(t, url), dialWebSocket(t, url)
	say(t, in, websocket.MessageBinary, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	hear(t, in, websocket.MessageBinary, "CONNECTED\n")
	say(t, out, websocket.MessageText, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00SUBSCRIBE\nid:s\ndestination:/queue/a\nreceipt:r\n\n\x00")
	hear(t, out, websocket.MessageText, "CONNECTED\n")
	hear(t, out, websocket.MessageText, "RECEIPT\n")
	say(t, in, websocket.MessageBinary, "SEND\ndestination:/queue/a\n\nplain\x00", "SEND\ndestination:/queue/a\n\n\xff\xfe\x00")
	hear(t, out, websocket.MessageText, "plain")
	hear(t, out, websocket.MessageBinary, "\xff\xfe")
}

func TestWebSocketErrorThenClose(t *testing.T) {
	// STOMP-ERROR-001
	_, url := webSocket(t, broker.Config{Limits: broker.Limits{Connections: 1}})
	c := dialWebSocket(t, url)
	say(t, c, websocket.MessageText, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	hear(t, c, websocket.MessageText, "CONNECTED\n")
	other := dialWebSocket(t, url)
	hear(t, other, websocket.MessageText, "ERROR\nmessage:too many connections")
	if _, _, err := other.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("after ERROR: %v", err)
	}
	say(t, c, websocket.MessageText, "BOGUS\n")
	hear(t, c, websocket.MessageText, "ERROR\nmessage:")
	if _, _, err := c.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("after ERROR: %v", err)
	}
}

func TestWebSocketAbruptCloseAndShutdown(t *testing.T) {
	// STOMP-DISCONNECT-004
	b, url := webSocket(t, broker.Config{})
	c := dialWebSocket(t, url)
	say(t, c, websocket.MessageText, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00SEND\ndest")
	hear(t, c, websocket.MessageText, "CONNECTED\n")
	_ = c.CloseNow()
	c = dialWebSocket(t, url)
	say(t, c, websocket.MessageText, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	hear(t, c, websocket.MessageText, "CONNECTED\n")
	done := make(chan error, 1)
	go func() { done <- b.Shutdown(context.Background()) }()
	if _, _, err := c.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("at shutdown: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after Shutdown: %s", response.Status)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestWebSocketOrigins(t *testing.T) {
	for _, c := range []struct {
		allowed []string
		ok      bool
	}{{nil, false}, {[]string{"elsewhere.invalid"}, true}, {[]string{"*"}, true}} {
		_, url := webSocket(t, broker.Config{Origins: c.allowed})
		ws, response, err := websocket.Dial(context.Background(), url, &websocket.DialOptions{
			HTTPHeader: http.Header{"Origin": {"http://elsewhere.invalid"}},
		})
		if (err == nil) != c.ok {
			t.Errorf("%q: %v", c.allowed, err)
		}
		if response != nil && response.Body != nil {
			_ = response.Body.Close()
		}
		if ws != nil {
			_ = ws.CloseNow()
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// A peer that is thrown out in the middle of a message without an end takes no room for longer than the broker lingers.
func TestWebSocketEndlessMessage(t *testing.T) {
	b, url := webSocket(t, broker.Config{LingerTimeout: 50 * time.Millisecond})
	client, dialing := farewell.Dialer(nil)
	if _, _, err := websocket.Dial(context.Background(), url, &websocket.DialOptions{HTTPClient: client}); err != nil {
		t.Fatal(err)
	}
	stream := dialing.Stream.(io.ReadWriteCloser)
	if _, err := stream.Write(append(farewelltest.LongFrame(true), "BOGUS\n"...)); err != nil {
		t.Fatal(err)
	}
	if !farewelltest.Drip(stream) {
		t.Error("it is not cut off")
	}
	_ = stream.Close()
	if err := b.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}
