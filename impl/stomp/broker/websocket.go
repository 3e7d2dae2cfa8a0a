package broker

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
)

// ServeHTTP makes a WebSocket of the request and serves it as one connection, until that ends. The subprotocols
// v12.stomp, v11.stomp and v10.stomp are agreed to in this order, and none is needed: CONNECT negotiates the
// version. Frames may be cut over messages in any way, text or binary. Each frame that the broker sends is one
// message: text if the last message received was text and the frame is valid UTF-8, otherwise binary. The
// server that calls it must not limit the time of a request's write or read.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.isClosed() {
		http.Error(w, "the broker is closed", http.StatusServiceUnavailable)
		return
	}
	taking := &farewell.Taking{ResponseWriter: w}
	c, err := websocket.Accept(taking, r, &websocket.AcceptOptions{
		Subprotocols:   []string{"v12.stomp", "v11.stomp", "v10.stomp"},
		OriginPatterns: b.cfg.Origins,
	})
	if err != nil {
		b.cfg.Logger.Info("no websocket", "remote", r.RemoteAddr, "error", err)
		return
	}
	// The decoder's limits are the ones that count.
	c.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &socket{conn: c, below: taking.Conn, ctx: ctx, cancel: cancel, peer: r.RemoteAddr}
	s.timer = time.AfterFunc(time.Hour, s.cut)
	s.timer.Stop()
	defer s.timer.Stop()
	_ = b.serve(context.WithoutCancel(r.Context()), s)
}

// socket is a transport over WebSocket messages.
type socket struct {
	conn    *websocket.Conn
	below   net.Conn
	ctx     context.Context // of all reads and writes; when it is done the connection closes
	cancel  context.CancelFunc
	timer   *time.Timer // cuts off
	peer    string
	message io.Reader // the rest of the message being read
	binary  atomic.Bool
}

func (s *socket) read(p []byte) (int, error) {
	for {
		if s.message == nil {
			kind, r, err := s.conn.Reader(s.ctx)
			switch websocket.CloseStatus(err) {
			case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
				return 0, io.EOF
			}
			if err != nil {
				return 0, err
			}
			s.binary.Store(kind == websocket.MessageBinary)
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

func (s *socket) write(batch []byte, ends []int) error {
	defer s.timer.Stop()
	from := 0
	for _, to := range ends {
		kind := websocket.MessageText
		if s.binary.Load() || !utf8.Valid(batch[from:to]) {
			kind = websocket.MessageBinary
		}
		if err := s.conn.Write(s.ctx, kind, batch[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (s *socket) try([]byte) (int, bool) { return 0, false }

func (s *socket) readBy(t time.Time) { s.timer.Reset(time.Until(t)) }

func (s *socket) writeBy(t time.Time) { s.timer.Reset(time.Until(t)) }

// closeWrite says goodbye and waits for the peer's, which the reader may be the one to see.
func (s *socket) closeWrite() error {
	err := s.conn.Close(websocket.StatusNormalClosure, "")
	if errors.Is(s.ctx.Err(), context.Canceled) {
		return s.ctx.Err()
	}
	return err
}

func (s *socket) close() {
	s.cut()
	_ = s.conn.CloseNow()
}

// cut ends all reads and writes, and a farewell too: the library waits for that of a peer in the middle of a frame however long the frame
// says to be.
func (s *socket) cut() {
	s.cancel()
	_ = s.below.Close()
}

func (s *socket) framed() bool { return true }

func (s *socket) remote() string { return s.peer }
