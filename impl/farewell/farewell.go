// Package farewell ends WebSocket connections whose other side may be hostile: [Say] ends one within a bounded time, and [Taking] and
// [Dialing] note the stream below it, which that needs.
package farewell

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Say says farewell and waits for that of the other side, within a time and until ctx ends; then below, the stream of ws, is cut off. The
// other side may be in the middle of a frame, which the library reads to its end however long it says to be and however slowly it comes:
// only the end of the stream below ends that.
func Say(ctx context.Context, ws *websocket.Conn, below io.Closer, within time.Duration, code websocket.StatusCode, reason string) {
	cut := func() { _ = below.Close() }
	late := time.AfterFunc(within, cut)
	defer late.Stop()
	defer context.AfterFunc(ctx, cut)()
	_ = ws.Close(code, reason)
}

// A Taking is a response whose connection is noted when it is taken over.
type Taking struct {
	http.ResponseWriter
	Conn net.Conn // nil: it has not been
}

// Hijack takes the connection over.
func (t *Taking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.Conn = conn
	return conn, buffered, err
}

// A Dialing makes a request and notes the stream of its response, which is the connection if the server has switched protocols.
type Dialing struct {
	http.RoundTripper
	Stream io.Closer // nil: there was no response
}

// Dialer returns a client that does what c does, nil being http.DefaultClient, and what it notes.
func Dialer(c *http.Client) (*http.Client, *Dialing) {
	if c == nil {
		c = http.DefaultClient
	}
	d := &Dialing{RoundTripper: c.Transport}
	if d.RoundTripper == nil {
		d.RoundTripper = http.DefaultTransport
	}
	noting := *c
	noting.Transport = d
	return &noting, d
}

// RoundTrip makes a request.
func (d *Dialing) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := d.RoundTripper.RoundTrip(r)
	if err == nil {
		d.Stream = response.Body
	}
	return response, err
}
