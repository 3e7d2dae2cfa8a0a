package client

import (
	"bytes"
	"errors"
	"io"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

const (
	smallRead = 4 << 10
	largeRead = 64 << 10
	// mostEvents is how many events a feed of the session may bring (STOMP-LIMIT-008).
	mostEvents = 1024
)

// reading is the reader goroutine: it ends when the stream does, or when the client is closed and the server had time
// to notice.
func (c *Client) reading() {
	defer c.all.Done()
	// A function of a waiter may end this goroutine.
	defer c.lost(errors.New("reading was abandoned"))
	for c.readOnce() {
		if c.vacated() {
			<-c.turn
		}
	}
	c.discard()
}

// readOnce reads once and handles what that brought, and reports whether the client is still open. Only whoever has the
// turn to read may call it.
func (c *Client) readOnce() (open bool) {
	n, err := c.transport.read(c.buf)
	if n > 0 && !c.received(c.buf[:n]) {
		return false
	}
	if err != nil {
		return c.lost(err)
	}
	if n == len(c.buf) && n < largeRead {
		c.buf = make([]byte, 2*n)
	}
	return true
}

// received handles what one read brought, and reports whether the client is still open.
func (c *Client) received(chunk []byte) (open bool) {
	c.mu.Lock()
	defer c.unlock()
	defer c.freed()
	for c.err == nil && len(chunk) > 0 {
		n := portion(chunk)
		events, err := c.session.Receive(c.now(), chunk[:n])
		if err != nil {
			// STOMP-CLIENT-006, STOMP-WAIT-016
			c.stop(invalid("receive", err), severed)
			break
		}
		for _, e := range events {
			c.dispatch(e)
			if c.err != nil {
				return false
			}
		}
		if c.session.State() == session.Closed {
			// STOMP-DISCONNECT-005
			c.stop(misuse("disconnect", "closed", "by DISCONNECT"), departed)
		}
		chunk = chunk[n:]
	}
	return c.err == nil
}

// portion returns how much of chunk certainly holds no more events than one feed may bring: each ends with NUL or LF.
func portion(chunk []byte) int {
	n := len(chunk)
	for n > mostEvents && bytes.Count(chunk[:n], []byte{0})+bytes.Count(chunk[:n], []byte{'\n'}) > mostEvents {
		n /= 2
	}
	return n
}

// lost ends the client because there is nothing more to read, and reports false; but true if the reading was only
// interrupted.
func (c *Client) lost(err error) (open bool) {
	c.mu.Lock()
	defer c.unlock()
	switch {
	case c.err != nil:
		return false
	case c.interrupted(err):
		return true
	case err == io.EOF:
		// STOMP-CLIENT-009
		c.stop(ended(c.session.End()), severed)
	case c.broken != nil:
		c.stop(c.broken, severed)
	default:
		c.stop(&ConnectionError{Op: "read", Cause: err}, severed)
	}
	return false
}

// discard reads on while the writer writes what is left, so that the last frame is not lost to a reset.
func (c *Client) discard() {
	c.mu.Lock()
	how := c.ending
	c.unlock()
	if how != flushing {
		return
	}
	defer c.transport.abort()
	for {
		if _, err := c.transport.read(c.buf); err != nil {
			return
		}
	}
}
