package client

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// dialWebSocket opens a WebSocket. The network connection that it made last is told to inspect before the handshake.
func dialWebSocket(ctx context.Context, a address, cfg *Config, tlsConfig *tls.Config, inspect func(net.Conn) error) (*socket, error) {
	var below net.Conn
	h := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := cfg.dialer()(ctx, network, address)
			if err != nil {
				return nil, err
			}
			if err := inspect(c); err != nil {
				_ = c.Close()
				return nil, err
			}
			below = c
			return c, nil
		},
		TLSClientConfig: tlsConfig,
		// The end of ctx is the only deadline.
		TLSHandshakeTimeout: 0,
	}
	defer h.CloseIdleConnections()
	c, _, err := websocket.Dial(ctx, a.url, &websocket.DialOptions{
		HTTPClient: &http.Client{
			Transport: h,
			// Credentials go to the address that was asked for, or nowhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Subprotocols: cfg.subprotocols(),
	})
	if err != nil {
		return nil, err
	}
	// The session's limits are the ones that count.
	c.SetReadLimit(-1)
	s := &socket{conn: c, below: below}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// subprotocols are the versions offered, the highest first.
func (c *Config) subprotocols() []string {
	if c.Versions == nil {
		return []string{"v12.stomp"}
	}
	var names []string
	for i := len(c.Versions) - 1; i >= 0; i-- {
		v := c.Versions[i].String()
		names = append(names, "v"+v[:1]+v[2:]+".stomp")
	}
	return names
}

// socket is a transport over WebSocket messages. Each frame that is sent is one message: text if it is valid UTF-8,
// otherwise binary.
type socket struct {
	conn    *websocket.Conn
	below   net.Conn
	ctx     context.Context // of all reads and writes; when it is done the connection closes
	cancel  context.CancelFunc
	message io.Reader // the rest of the message being read
	once    sync.Once
}

func (s *socket) read(p []byte) (int, error) {
	for {
		if s.message == nil {
			_, r, err := s.conn.Reader(s.ctx)
			switch websocket.CloseStatus(err) {
			case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
				return 0, io.EOF
			}
			if err != nil {
				return 0, err
			}
			s.message = r
		}
		n, err := s.message.Read(p)
		if err == io.EOF {
			s.message, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (s *socket) write(batch []byte, ends []int, within time.Duration, done func(int)) error {
	timer := time.AfterFunc(within, s.cancel)
	defer timer.Stop()
	from := 0
	for _, to := range ends {
		kind := websocket.MessageText
		if !utf8.Valid(batch[from:to]) {
			kind = websocket.MessageBinary
		}
		timer.Reset(within)
		if err := s.conn.Write(s.ctx, kind, batch[from:to]); err != nil {
			return err
		}
		done(to - from)
		from = to
	}
	return nil
}

func (s *socket) try([]byte) int { return 0 }

func (s *socket) quick() bool { return false }

func (s *socket) leave(within time.Duration) {
	// It waits for the server to say goodbye too, which the reader may be the one to see.
	stop := time.AfterFunc(within, s.abort)
	defer stop.Stop()
	_ = s.conn.Close(websocket.StatusNormalClosure, "")
}

func (s *socket) readBy(t time.Time) { time.AfterFunc(time.Until(t), s.cancel) }

func (s *socket) abort() {
	s.once.Do(func() {
		s.cancel()
		// The library waits for the farewell of a server in the middle of a frame however long the frame says to be.
		_ = s.below.Close()
		_ = s.conn.CloseNow()
	})
}

func (s *socket) framed() bool { return true }
