package conformance

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// upgradePatience is how long a WebSocket handshake may take.
const upgradePatience = 5 * time.Second

var errNoUpgrade = errors.New("the client did not complete a WebSocket handshake")

// upgrade does the server's half of a WebSocket handshake on one connection.
func upgrade(s peekedStream, subprotocols []string) (stream, error) {
	done, gone := make(chan *websocket.Conn, 1), make(chan struct{})
	server := &http.Server{
		ReadHeaderTimeout: upgradePatience,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				close(gone)
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
				Subprotocols: subprotocols, InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
			})
			if err != nil {
				return
			}
			c.SetReadLimit(maxMessage)
			done <- c
		}),
	}
	l := &oneConn{conn: peekedConn{s}, closed: make(chan struct{}), addr: s.LocalAddr()}
	var wait sync.WaitGroup
	wait.Go(func() { _ = server.Serve(l) })
	timer := time.NewTimer(upgradePatience)
	defer timer.Stop()
	var conn *websocket.Conn
	select {
	case conn = <-done:
	case <-gone:
	case <-timer.C:
	}
	_ = l.Close()
	wait.Wait()
	if conn == nil {
		_ = server.Close()
		return nil, errNoUpgrade
	}
	return &wsStream{conn: conn}, nil
}

// peekedConn is a net.Conn that reads through what was peeked at.
type peekedConn struct{ peekedStream }

// oneConn is a listener with one connection to give.
type oneConn struct {
	conn   net.Conn
	addr   net.Addr
	mu     sync.Mutex
	given  bool
	once   sync.Once
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	l.mu.Lock()
	given := l.given
	l.given = true
	l.mu.Unlock()
	if !given {
		return l.conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return l.addr }
