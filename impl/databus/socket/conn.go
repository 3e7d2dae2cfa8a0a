package socket

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
)

// A conn is one connection of a server. It ends when its writer does.
type conn struct {
	s      *Server
	ws     *websocket.Conn
	below  net.Conn
	queue  *queue
	topics map[string]struct{} // under the lock of the server

	mu     sync.Mutex
	code   websocket.StatusCode // with which it ends; 0: it goes on
	reason string
}

// end has the connection end with a code. Of several calls the first counts. What waits is dropped.
func (c *conn) end(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == 0 {
		c.code, c.reason = code, reason
	}
	c.queue.finish(true)
}

// serve reads and writes until the connection ends.
func (c *conn) serve() {
	ctx, cancel := context.WithCancel(c.s.ctx)
	defer cancel()
	var others sync.WaitGroup
	others.Go(func() {
		defer cancel()
		c.write(ctx)
	})
	others.Go(func() {
		if !keepAlive(ctx, c.ws, c.s.cfg.KeepAlive, c.s.cfg.Timeout) {
			cancel()
		}
	})
	c.read(ctx)
	c.s.leave(c)
	c.queue.finish(true)
	others.Wait()
	_ = c.ws.CloseNow()
}

// read obeys the client until the connection ends.
func (c *conn) read(ctx context.Context) {
	c.ws.SetReadLimit(MaxMessage)
	for {
		kind, octets, err := c.ws.Read(ctx)
		if errors.Is(err, websocket.ErrMessageTooBig) {
			c.s.malformed() // the library has told the client
		}
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.refuse(ctx, websocket.StatusUnsupportedData, "a binary message")
			return
		}
		m, err := decode(octets)
		switch {
		case err != nil:
			c.refuse(ctx, CloseMalformed, err.Error())
			return
		case m.Op != opSubscribe && m.Op != opUnsubscribe && m.Op != opPublish:
			c.refuse(ctx, CloseMalformed, "an op that is none of a client")
			return
		}
		if code, reason := c.s.obey(c, m); code != 0 {
			c.refuse(ctx, code, reason)
			return
		}
	}
}

// refuse ends the connection because of what came on it, and waits until the client knows, or cannot be told.
func (c *conn) refuse(ctx context.Context, code websocket.StatusCode, reason string) {
	c.s.malformed()
	const most = 100 // a close frame has little room
	reason = reason[:min(len(reason), most)]
	c.end(code, strings.ToValidUTF8(reason, ""))
	// The farewell of the client is to be read.
	for {
		if _, _, err := c.ws.Read(ctx); err != nil {
			return
		}
	}
}

// write sends what waits until nothing comes any more, and says farewell.
func (c *conn) write(ctx context.Context) {
	for {
		octets, more := c.queue.next(ctx)
		if !more {
			break
		}
		if writeOne(ctx, c.ws, octets, c.s.cfg.Timeout) != nil {
			_ = c.ws.CloseNow()
			return
		}
	}
	c.mu.Lock()
	code, reason := c.code, c.reason
	c.mu.Unlock()
	if code == 0 {
		code = websocket.StatusNormalClosure
	}
	farewell.Say(c.s.ctx, c.ws, c.below, c.s.cfg.Timeout, code, reason)
}

// writeOne writes one message within a time.
func writeOne(ctx context.Context, ws *websocket.Conn, octets []byte, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return ws.Write(ctx, websocket.MessageText, octets)
}

// keepAlive asks from time to time whether the other side is there, and reports false if it is not. It reports true when ctx ends, or the
// connection has been ended from here.
func keepAlive(ctx context.Context, ws *websocket.Conn, every, within time.Duration) bool {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return true
		}
		pinging, cancel := context.WithTimeout(ctx, within)
		err := ws.Ping(pinging)
		cancel()
		if err != nil {
			return ctx.Err() != nil || errors.Is(err, net.ErrClosed)
		}
	}
}
