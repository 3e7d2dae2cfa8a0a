package substratetest

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// The opcodes of WebSocket frames.
const (
	opContinue = 0
	opText     = 1
	opBinary   = 2
	opClose    = 8
	opPing     = 9
	opPong     = 10
)

// maxIncoming bounds one message of a target, in octets.
const maxIncoming = 4 << 20

// A message is what came in one WebSocket message.
type message struct {
	op      byte
	payload []byte
	at      time.Time
}

// A socket is the suite's own end of a WebSocket, which can be broken off anywhere.
type socket struct {
	conn *conformance.Conn
	t    *conformance.T
	buf  []byte
	part *message // of which more is to come

	in   []message
	code int    // of the close frame that came; 0: none
	why  string // what is wrong with the target's WebSocket; empty: nothing
}

// upgrade makes a WebSocket of a connection. It reports what came instead, if anything did.
func upgrade(t *conformance.T, conn *conformance.Conn, host, path string) (*socket, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])
	request := "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: " + key + "\r\n\r\n"
	if _, err := conn.Write([]byte(request)); err != nil {
		return nil, err
	}
	s := &socket{conn: conn, t: t}
	deadline := time.Now().Add(t.Timing().Reply)
	for !bytes.Contains(s.buf, []byte("\r\n\r\n")) {
		chunk, ok := conn.Next(t.Context(), deadline)
		if !ok {
			ending, _ := conn.Ending()
			return nil, fmt.Errorf("no answer to the request for a WebSocket: the connection is %s, %d octets came", ending, len(s.buf))
		}
		if s.buf = append(s.buf, chunk.Data...); len(s.buf) > 64<<10 {
			return nil, fmt.Errorf("the answer to the request for a WebSocket has no end within 64 KiB")
		}
	}
	head, rest, _ := bytes.Cut(s.buf, []byte("\r\n\r\n"))
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(head)+"\r\n\r\n")), nil)
	if err != nil {
		return nil, fmt.Errorf("the answer to the request for a WebSocket is no HTTP: %w", err)
	}
	_ = resp.Body.Close()
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]) {
		return nil, &refused{resp.StatusCode}
	}
	s.buf = bytes.Clone(rest)
	return s, nil
}

// refused says that a request for a WebSocket was answered with a status.
type refused struct{ status int }

func (r *refused) Error() string {
	return fmt.Sprintf("the request for a WebSocket is answered with status %d", r.status)
}

// wrap makes a WebSocket frame of a payload. The mask is zero, so that the transcript can be read.
func wrap(op byte, fin bool, payload []byte) []byte {
	b := []byte{op}
	if fin {
		b[0] |= 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	b = append(b, 0, 0, 0, 0)
	return append(b, payload...)
}

// write sends octets; that nobody takes them shows in what comes back.
func (s *socket) write(octets []byte) { _, _ = s.conn.Write(octets) }

// pull waits for more octets until deadline, and reports whether any came.
func (s *socket) pull(deadline time.Time) bool {
	chunk, ok := s.conn.Next(s.t.Context(), deadline)
	if !ok {
		return false
	}
	s.buf = append(s.buf, chunk.Data...)
	for s.why == "" && s.take(chunk.At) {
	}
	return true
}

// take takes one WebSocket frame out of what came, and reports whether there was a whole one.
func (s *socket) take(at time.Time) bool {
	if len(s.buf) < 2 {
		return false
	}
	fin, op, n, head := s.buf[0]&0x80 != 0, s.buf[0]&0x0f, uint64(s.buf[1]&0x7f), 2
	switch {
	case s.buf[0]&0x70 != 0 || s.buf[1]&0x80 != 0:
		s.why = fmt.Sprintf("a WebSocket frame that is masked or has reserved bits: %x", s.buf[:2])
		return false
	case n == 126 && len(s.buf) >= 4:
		n, head = uint64(binary.BigEndian.Uint16(s.buf[2:])), 4
	case n == 127 && len(s.buf) >= 10:
		n, head = binary.BigEndian.Uint64(s.buf[2:]), 10
	case n >= 126:
		return false
	}
	if n > maxIncoming {
		s.why = fmt.Sprintf("a WebSocket frame of %d octets", n)
		return false
	}
	if uint64(len(s.buf)-head) < n {
		return false
	}
	payload := bytes.Clone(s.buf[head : head+int(n)])
	s.buf = s.buf[head+int(n):]
	s.got(op, fin, payload, at)
	return true
}

// got deals with one WebSocket frame.
func (s *socket) got(op byte, fin bool, payload []byte, at time.Time) {
	switch op {
	case opText, opBinary:
		s.part = &message{op: op, payload: payload, at: at}
	case opContinue:
		if s.part == nil {
			s.why = "a continuation of nothing"
			return
		}
		s.part.payload = append(s.part.payload, payload...)
		s.part.at = at
	case opPing:
		s.write(wrap(opPong, true, payload))
		return
	case opClose:
		s.code = 1005
		if len(payload) >= 2 {
			s.code = int(binary.BigEndian.Uint16(payload))
		}
		s.t.Event(s.conn.Name, fmt.Sprintf("closed by the target with %d", s.code))
		s.write(wrap(opClose, true, payload))
		return
	case opPong:
		return
	default:
		s.why = fmt.Sprintf("a WebSocket frame of kind %d", op)
		return
	}
	if len(s.part.payload) > maxIncoming {
		s.why = "a WebSocket message without end"
		return
	}
	if fin {
		s.in = append(s.in, *s.part)
		s.part = nil
	}
}
