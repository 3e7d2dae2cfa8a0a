package lab

import (
	"context"
	"io"

	"github.com/coder/websocket"
)

// wsStream is a WebSocket as a byte stream. It sends text messages and takes both kinds, since some brokers answer
// text with binary.
type wsStream struct {
	conn *websocket.Conn
	rest io.Reader // of the message that is being read
}

// dialWebSocket opens a WebSocket and offers the subprotocols of STOMP. ctx bounds the opening only; reads and
// writes are woken by Close.
func dialWebSocket(ctx context.Context, url string) (*wsStream, error) {
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		Subprotocols: []string{"v12.stomp", "v11.stomp", "v10.stomp"},
	})
	if err != nil {
		return nil, err
	}
	return &wsStream{conn: conn}, nil
}

// Read reads on from message to message.
func (s *wsStream) Read(p []byte) (int, error) {
	for {
		if s.rest == nil {
			_, r, err := s.conn.Reader(context.Background())
			if err != nil {
				return 0, err
			}
			s.rest = r
		}
		n, err := s.rest.Read(p)
		if err == io.EOF {
			s.rest, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Write sends p as one text message.
func (s *wsStream) Write(p []byte) (int, error) {
	if err := s.conn.Write(context.Background(), websocket.MessageText, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close drops the connection without a closing handshake, which a broker may never answer.
func (s *wsStream) Close() error { return s.conn.CloseNow() }
