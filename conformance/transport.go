package conformance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// stream is a connection to a target, whatever carries it.
type stream interface {
	io.ReadWriteCloser
	// CloseWrite ends the sending direction, where the transport can.
	CloseWrite() error
	// Reset ends the connection abruptly, discarding what is unsent.
	Reset() error
	// SetWriteDeadline bounds the writes that follow.
	SetWriteDeadline(time.Time) error
}

// A dialer opens streams to one target.
type dialer struct {
	target       Target
	tls          *tls.Config
	subprotocols []string
	client       *http.Client
}

// maxMessage bounds one WebSocket message from a target, in octets.
const maxMessage = 32 << 20

func newDialer(target Target, p Profile, subprotocols []string) (*dialer, error) {
	d := &dialer{target: target, subprotocols: subprotocols}
	if target.Scheme != "tls" && target.Scheme != "wss" && target.Scheme != "https" {
		return d, nil
	}
	d.tls = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: target.URL.Hostname()}
	if p.TLS.ServerName != "" {
		d.tls.ServerName = p.TLS.ServerName
	}
	if p.TLS.CA != "" {
		pem, err := os.ReadFile(p.Path(p.TLS.CA))
		if err != nil {
			return nil, fmt.Errorf("profile: tls.ca: %w", err)
		}
		d.tls.RootCAs = x509.NewCertPool()
		if !d.tls.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("profile: tls.ca: %s: %w", p.TLS.CA, errNoCA)
		}
	}
	d.client = &http.Client{Transport: &http.Transport{TLSClientConfig: d.tls, DisableKeepAlives: true}}
	return d, nil
}

// Dial opens a byte stream to a target as a run does, whatever carries it. ctx bounds the opening only.
func Dial(ctx context.Context, target Target, p Profile, subprotocols []string) (io.ReadWriteCloser, error) {
	d, err := newDialer(target, p, subprotocols)
	if err != nil {
		return nil, err
	}
	return d.dial(ctx)
}

func (d *dialer) dial(ctx context.Context) (stream, error) {
	switch d.target.Scheme {
	case "tcp", "http", "ref":
		var nd net.Dialer
		c, err := nd.DialContext(ctx, "tcp", d.target.Address)
		if err != nil {
			return nil, err
		}
		return tcpStream{c.(*net.TCPConn)}, nil
	case "tls", "https":
		td := tls.Dialer{Config: d.tls}
		c, err := td.DialContext(ctx, "tcp", d.target.Address)
		if err != nil {
			return nil, err
		}
		return tlsStream{c.(*tls.Conn)}, nil
	case "ws", "wss":
		c, resp, err := websocket.Dial(ctx, d.target.URL.String(), &websocket.DialOptions{
			Subprotocols:    d.subprotocols,
			HTTPClient:      d.client,
			CompressionMode: websocket.CompressionDisabled,
		})
		if err != nil {
			if resp != nil {
				return nil, fmt.Errorf("websocket handshake: status %s: %w", resp.Status, err)
			}
			return nil, err
		}
		c.SetReadLimit(maxMessage)
		return &wsStream{conn: c}, nil
	default:
		return nil, fmt.Errorf("target %s cannot be dialled", d.target.Spec)
	}
}

type tcpStream struct{ *net.TCPConn }

func (s tcpStream) Reset() error {
	_ = s.SetLinger(0)
	return s.Close()
}

type tlsStream struct{ *tls.Conn }

func (s tlsStream) Reset() error {
	if c, ok := s.NetConn().(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	return s.NetConn().Close()
}

// wsStream carries octets in WebSocket messages. Each Write is one message: text when the octets
// are UTF-8, since some peers take nothing else, and binary otherwise.
type wsStream struct {
	conn  *websocket.Conn
	rest  io.Reader
	until time.Time
}

func (s *wsStream) SetWriteDeadline(t time.Time) error {
	s.until = t
	return nil
}

func (s *wsStream) Read(p []byte) (int, error) {
	for {
		if s.rest == nil {
			_, r, err := s.conn.Reader(context.Background())
			if err != nil {
				if code := websocket.CloseStatus(err); code != -1 {
					return 0, fmt.Errorf("websocket closed with status %d: %w", code, io.EOF)
				}
				return 0, err
			}
			s.rest = r
		}
		n, err := s.rest.Read(p)
		if errors.Is(err, io.EOF) {
			s.rest, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (s *wsStream) Write(p []byte) (int, error) {
	kind := websocket.MessageBinary
	if utf8.Valid(p) {
		kind = websocket.MessageText
	}
	ctx := context.Background()
	if !s.until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, s.until)
		defer cancel()
	}
	if err := s.conn.Write(ctx, kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *wsStream) CloseWrite() error { return errors.ErrUnsupported }
func (s *wsStream) Reset() error      { return s.conn.CloseNow() }
func (s *wsStream) Close() error      { return s.conn.CloseNow() }
