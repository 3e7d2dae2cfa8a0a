package broker_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// peer is a client that can say anything and checks what it hears.
type peer struct {
	t     testing.TB
	conn  net.Conn
	dec   *frame.Decoder
	queue []*frame.Frame
	beats int
	syncs int
}

func newPeer(t testing.TB, conn net.Conn) *peer {
	t.Helper()
	limits := frame.DefaultLimits()
	limits.Events = 1 << 16
	dec, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &peer{t: t, conn: conn, dec: dec}
}

func connectTCP(t testing.TB, addr string) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return newPeer(t, conn)
}

// session opens a session of that version.
func session(t testing.TB, addr, version string) *peer {
	t.Helper()
	p := connectTCP(t, addr)
	p.open(version)
	return p
}

func (p *peer) open(version string, headers ...string) *frame.Frame {
	p.t.Helper()
	text := "CONNECT\n"
	if version != "" {
		text += "accept-version:" + version + "\nhost:h\n"
	}
	for _, h := range headers {
		text += h + "\n"
	}
	p.send(text + "\n")
	f := p.expect("CONNECT is answered", frame.CONNECTED)
	if v, _ := f.Get("version"); version != "" && v != version {
		p.t.Fatalf("session version %q, want %q", v, version)
	}
	return f
}

// send writes a frame given without its NUL.
func (p *peer) send(text string) {
	p.t.Helper()
	p.raw(text + "\x00")
}

func (p *peer) raw(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, text); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// next returns the next frame, or an error at the end of the stream.
func (p *peer) next(patience time.Duration) (*frame.Frame, error) {
	// On a pipe whose other end is closed this fails; then reading tells.
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	buf := make([]byte, 32<<10)
	for len(p.queue) == 0 {
		n, err := p.conn.Read(buf)
		if n > 0 {
			events, err := p.dec.Feed(buf[:n])
			if err != nil {
				return nil, fmt.Errorf("broker sent %q: %w", buf[:n], err)
			}
			for _, e := range events {
				if e.Frame == nil {
					p.beats++
				} else {
					p.queue = append(p.queue, e.Frame)
				}
			}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	f := p.queue[0]
	p.queue = p.queue[1:]
	return f, nil
}

const patience = 10 * time.Second

// expect reads the next frame, which must be of that command with those headers.
func (p *peer) expect(why string, command frame.Command, headers ...string) *frame.Frame {
	p.t.Helper()
	f, err := p.next(patience)
	if err != nil {
		p.t.Fatalf("%s: want %v, got %v", why, command, err)
	}
	if f.Command != command {
		p.t.Fatalf("%s: want %v, got %v %q with body %q", why, command, f.Command, f.Headers, f.Body)
	}
	for i := 0; i < len(headers); i += 2 {
		if got, ok := f.Get(headers[i]); !ok || got != headers[i+1] {
			p.t.Fatalf("%s: header %s is %q (%t), want %q in %q", why, headers[i], got, ok, headers[i+1], f.Headers)
		}
	}
	return f
}

// message expects a MESSAGE with that body.
func (p *peer) message(why, body string, headers ...string) *frame.Frame {
	p.t.Helper()
	f := p.expect(why, frame.MESSAGE, headers...)
	if string(f.Body) != body {
		p.t.Fatalf("%s: body %q, want %q", why, f.Body, body)
	}
	return f
}

// quiet checks that the broker has sent nothing: what it had to send would come before this receipt.
func (p *peer) quiet(why string) {
	p.t.Helper()
	p.syncs++
	id := fmt.Sprintf("sync-%d", p.syncs)
	p.send("BEGIN\ntransaction:" + id + "\nreceipt:" + id + "\n\n")
	p.expect(why, frame.RECEIPT, "receipt-id", id)
	p.send("ABORT\ntransaction:" + id + "\n\n")
}

// closed checks that the stream ends here.
func (p *peer) closed(why string) {
	p.t.Helper()
	f, err := p.next(patience)
	if err == nil {
		p.t.Fatalf("%s: got %v %q, want the end of the stream", why, f.Command, f.Headers)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Fatalf("%s: the stream is still open", why)
	}
	var wrong *frame.Error
	if errors.As(err, &wrong) {
		p.t.Fatalf("%s: %v", why, err)
	}
}

// refused checks that the last frame is answered by ERROR and the end, as in every version.
func (p *peer) refused(why, message string, headers ...string) *frame.Frame {
	p.t.Helper()
	f := p.expect(why, frame.ERROR, append([]string{"content-type", "text/plain"}, headers...)...)
	// STOMP-ERROR-003
	if text, _ := f.Get("message"); !strings.Contains(text, message) {
		p.t.Fatalf("%s: message %q, want something with %q", why, text, message)
	}
	p.closed(why)
	return f
}

// ackHeaders returns the header lines that name m in an ACK or NACK of that version.
func ackHeaders(version string, m *frame.Frame) string {
	id, _ := m.Get("message-id")
	switch version {
	case "1.2":
		ack, _ := m.Get("ack")
		return "id:" + ack + "\n"
	case "1.1":
		sub, _ := m.Get("subscription")
		return "message-id:" + id + "\nsubscription:" + sub + "\n"
	}
	return "message-id:" + id + "\n"
}

var versions = []string{"1.0", "1.1", "1.2"}
