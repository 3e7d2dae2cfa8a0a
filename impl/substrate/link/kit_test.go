package link

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A world is a listener on pipes, under virtual time.
type world struct {
	t        *testing.T
	net      *pipenet.Network
	listener *Listener
	server   *http.Server
	serving  sync.WaitGroup
	client   *http.Client
	transp   *http.Transport
	accepted chan *Conn  // those that became ready
	received chan string // ids of the connections that messages came on
	failures chan error  // those that did not become ready
	dialer   Dialer
}

var key = handshake.Key{1, 2, 3}

func hmac(peer string, others ...string) handshake.Config {
	return handshake.Config{
		Peer: peer, Epoch: [8]byte{byte(peer[0]), 1},
		Auth: handshake.HMAC(func(p string) (handshake.Record, bool) {
			for _, o := range others {
				if o == p {
					return handshake.Record{Key: key}, true
				}
			}
			return handshake.Record{}, false
		}),
	}
}

// virtual runs a test against a listener in a bubble. What the test leaves open ends with it.
func virtual(t *testing.T, run func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: pipenet.New(), accepted: make(chan *Conn, 200), received: make(chan string, 200), failures: make(chan error, 200)}
		l, err := NewListener(ListenerConfig{
			Handshake: hmac("gate", "a", "b"),
			Ready: func(ctx context.Context, c *Conn) {
				w.accepted <- c
				for {
					if _, err := c.Read(ctx); err != nil {
						return
					}
					w.received <- c.ID()
				}
			},
			Failed: func(_ string, err error) { w.failures <- err },
		})
		if err != nil {
			t.Fatal(err)
		}
		w.listener, w.server = l, &http.Server{Handler: l}
		w.serving.Go(func() { _ = w.server.Serve(w.net) })
		w.transp = &http.Transport{DialContext: w.net.Dial, DisableKeepAlives: true}
		w.client = &http.Client{Transport: w.transp}
		w.dialer = Dialer{URL: "ws://gate/", Handshake: hmac("a", "gate"), Client: w.client}
		run(t, w)
		if err := l.Close(t.Context()); err != nil {
			t.Errorf("close: %v", err)
		}
		_ = w.server.Close()
		w.serving.Wait()
		w.transp.CloseIdleConnections()
	})
}

// raw opens a WebSocket that has not said anything.
func (w *world) raw() (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(w.t.Context(), "ws://gate/", &websocket.DialOptions{HTTPClient: w.client})
}

// mute is raw that must work.
func (w *world) mute() *websocket.Conn {
	w.t.Helper()
	ws, _, err := w.raw()
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

// ready makes one connection of a dialer.
func (w *world) ready(d Dialer) *Conn {
	w.t.Helper()
	c, err := d.dial(w.t.Context(), d.Peer)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// ends wants a connection to end with a code, and returns how long that took.
func (w *world) ends(ws *websocket.Conn, code uint16) time.Duration {
	w.t.Helper()
	began := time.Now()
	for {
		_, _, err := ws.Read(w.t.Context())
		if err == nil {
			continue
		}
		if got := websocket.CloseStatus(err); got != websocket.StatusCode(code) {
			w.t.Errorf("the connection ended with %d (%v), want %d", got, err, code)
		}
		return time.Since(began)
	}
}

// endOfRead wants Read to say how the connection ended.
func (w *world) endOfRead(c *Conn, code uint16, local bool) {
	w.t.Helper()
	for {
		_, err := c.Read(w.t.Context())
		if err == nil {
			continue
		}
		var end *EndError
		if !errors.As(err, &end) || end.Code != code || end.Local != local {
			w.t.Errorf("ended by %v, want code %d, local %v", err, code, local)
		}
		return
	}
}
