package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/farewell/farewelltest"
)

// A server that answers a farewell with a message without an end does not hold up whoever leaves, who may be reading nothing just then.
func TestWebSocketLeaveIsBounded(t *testing.T) {
	cut := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taking := &farewell.Taking{ResponseWriter: w}
		c, err := websocket.Accept(taking, r, &websocket.AcceptOptions{Subprotocols: []string{"v12.stomp"}})
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = taking.Conn.Write(farewelltest.LongFrame(false))
		cut <- farewelltest.Drip(taking.Conn)
		_ = c.CloseNow()
	}))
	defer server.Close()
	a, problem := parseAddress("ws" + strings.TrimPrefix(server.URL, "http"))
	if problem != nil {
		t.Fatal(problem)
	}
	s, err := dialWebSocket(context.Background(), a, &Config{}, nil, func(net.Conn) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	s.leave(50 * time.Millisecond)
	s.abort()
	if !<-cut {
		t.Error("the server is not cut off")
	}
}
