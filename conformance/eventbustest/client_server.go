package eventbustest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// maxHead bounds the head of a request, in octets.
const maxHead = 64 << 10

// A clientRequest is one request of the client under judgement and the connection on which it is answered.
type clientRequest struct {
	conn   *conformance.Conn
	method string
	target string
	header map[string][]string // by lower-case name
	at     time.Time           // when it was complete
}

// under reports whether the request is for a path or for one below it, as clients of the daemon make.
func (r *clientRequest) under(path string) bool {
	rest, ok := strings.CutPrefix(r.target, path)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// get returns the values of a header joined as HTTP joins them, and whether there is one.
func (r *clientRequest) get(name string) (string, bool) {
	values, ok := r.header[strings.ToLower(name)]
	return strings.Join(values, ", "), ok
}

// crossOrigin lets a page of another origin read the answer, which browsers ask for.
const crossOrigin = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n"

// streamHead is the head of a stream whose body is chunked.
const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n" + crossOrigin +
	"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"

// next takes the next request for a path; nil if none comes within the time. Requests for other paths are those of clients that
// were closed, or a browser's own.
func (c *client) next(path string, within time.Duration) *clientRequest {
	return c.nextOf(within, path)
}

// nextOf is next for any of several paths.
func (c *client) nextOf(within time.Duration, paths ...string) *clientRequest {
	for deadline := time.Now().Add(within); time.Now().Before(deadline) && c.Context().Err() == nil; {
		c.names++
		conn, err := c.listener.Accept(fmt.Sprintf("connection %d", c.names))
		if err != nil {
			if _, ok := errors.AsType[*conformance.AcceptError](err); !ok {
				return nil
			}
			c.names--
			continue
		}
		r := c.head(conn)
		switch {
		case r == nil:
			conn.Close()
		case r.method == "OPTIONS":
			r.answer("200 OK", "Access-Control-Allow-Private-Network: true\r\n", "")
		case !slices.ContainsFunc(paths, r.under):
			r.answer("404 Not Found", "Content-Type: text/plain\r\n", "")
		default:
			return r
		}
	}
	return nil
}

// head reads the head of a request; nil if the connection ends or breaks off within it.
func (c *client) head(conn *conformance.Conn) *clientRequest {
	var head []byte
	for deadline := time.Now().Add(c.Timing().Reply); len(head) < maxHead; {
		chunk, ok := conn.Next(c.Context(), deadline)
		if !ok {
			return nil
		}
		head = append(head, chunk.Data...)
		text, _, whole := bytes.Cut(head, []byte("\r\n\r\n"))
		if !whole {
			continue
		}
		lines := strings.Split(string(text), "\r\n")
		words := strings.Split(lines[0], " ")
		if len(words) != 3 {
			return nil
		}
		r := &clientRequest{conn: conn, method: words[0], target: words[1], header: map[string][]string{}, at: chunk.At}
		for _, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ":")
			name = strings.ToLower(name)
			r.header[name] = append(r.header[name], strings.Trim(value, " \t"))
		}
		return r
	}
	return nil
}

// octets writes as it stands. A client that has gone away shows in what follows, not here.
func (r *clientRequest) octets(text string) { _, _ = r.conn.Write([]byte(text)) }

// stream sends the head of a chunked stream.
func (r *clientRequest) stream() { r.octets(streamHead) }

// streamAs is stream with another content type line; empty: none.
func (r *clientRequest) streamAs(status, contentType string) {
	if contentType != "" {
		contentType = "Content-Type: " + contentType + "\r\n"
	}
	r.octets("HTTP/1.1 " + status + "\r\n" + contentType + crossOrigin + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
}

// chunked is one chunk of the transfer coding.
func chunked(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// send sends a piece of the body as one chunk.
func (r *clientRequest) send(text string) {
	if text != "" {
		r.octets(chunked(text))
	}
}

// pieces sends a piece of the body in chunks of n octets, each written by itself.
func (r *clientRequest) pieces(text string, n int) {
	for ; len(text) > n; text = text[n:] {
		r.send(text[:n])
	}
	r.send(text)
}

// end ends the body in an orderly way and returns when it began to, which no reaction of the client can precede.
func (r *clientRequest) end() time.Time {
	now := time.Now()
	r.octets("0\r\n\r\n")
	r.conn.Close()
	return now
}

// reset breaks the connection off and returns when it began to.
func (r *clientRequest) reset() time.Time {
	now := time.Now()
	r.conn.Reset()
	return now
}

// answer sends a whole response and closes.
func (r *clientRequest) answer(status, headers, body string) {
	r.octets(fmt.Sprintf("HTTP/1.1 %s\r\n%s%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", status, headers, crossOrigin, len(body), body))
	r.conn.Close()
}
