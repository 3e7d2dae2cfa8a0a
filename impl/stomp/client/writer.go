package client

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// signal tells the writer to look.
func (c *Client) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// unsent returns how many octets wait to be written. The caller holds the lock.
func (c *Client) unsent() int { return len(c.out) + c.inflight }

// transmit sends f. What the session refuses closes the client if harsh. The caller holds the lock, and calls push.
func (c *Client) transmit(op string, f *frame.Frame, harsh bool) error {
	if c.over() {
		return c.closed(op)
	}
	before := len(c.out)
	out, err := c.session.Send(c.out, c.now(), f)
	if err != nil {
		if !harsh {
			return declined(op, err)
		}
		// STOMP-WAIT-016
		e := invalid(op, err)
		c.stop(e, severed)
		return e
	}
	if err := c.put(op, out, before); err != nil {
		return err
	}
	switch f.Command {
	case frame.UNSUBSCRIBE:
		id := c.value(f, "id")
		if receipt := c.value(f, "receipt"); receipt != "" {
			c.leaving[receipt] = id
		} else {
			// STOMP-UNSUBSCRIBE-007
			c.unsubscribed(id)
		}
	case frame.DISCONNECT:
		if c.session.State() == session.Closed {
			// STOMP-DISCONNECT-006
			if c.role == idle {
				c.role = queued
			}
			c.stop(misuse("disconnect", "closed", "by DISCONNECT"), flushing)
		}
	}
	return nil
}

// put makes out, which is c.out and more, what is to be written, if there is room. The caller holds the lock.
func (c *Client) put(op string, out []byte, before int) error {
	// STOMP-WAIT-005
	if n := len(out) + c.inflight; n > c.limits.WriteBuffer {
		err := exceeded(op, "write-buffer", c.limits.WriteBuffer, n)
		c.stop(err, severed)
		return err
	}
	c.out = out
	if len(out) > before && c.transport.framed() {
		c.ends = append(c.ends, len(out))
	}
	return nil
}

// role says who writes. Only one does at a time.
type role uint8

const (
	idle    role = iota
	queued       // the writer does, or was told to
	sending      // a caller of push does
)

// push sees to it that what there is gets written: by the caller itself if direct, as far as that needs no waiting,
// otherwise by the writer. The caller holds the lock, which is released meanwhile.
func (c *Client) push(direct bool) {
	if c.role != idle || len(c.out) == 0 {
		return
	}
	if !direct || !c.transport.quick() {
		c.role = queued
		c.signal()
		return
	}
	c.role = sending
	batch, _ := c.take()
	c.mu.Unlock()
	n := c.transport.try(batch)
	c.mu.Lock()
	if c.writes() {
		c.inflight -= n
		if n == len(batch) {
			c.recycle(batch)
			c.freed()
		} else {
			c.rest = batch[n:]
		}
	}
	if c.rest == nil && len(c.out) == 0 && c.ending == open {
		c.role = idle
		return
	}
	c.role = queued
	c.signal()
}

// take returns what is to be written next. The caller holds the lock.
func (c *Client) take() (batch []byte, ends []int) {
	if batch = c.rest; batch != nil {
		c.rest = nil
		return batch, nil
	}
	batch, ends = c.out, c.ends
	c.out, c.ends, c.spare = c.spare, nil, nil
	c.inflight = len(batch)
	return batch, ends
}

func (c *Client) recycle(batch []byte) {
	if cap(batch) <= keep && c.err == nil {
		c.spare = batch[:0]
	}
}

// write is the writer goroutine: it ends when the client is closed and all that must be written is.
func (c *Client) write() {
	defer c.all.Done()
	for range c.wake {
		c.mu.Lock()
		err := c.drain()
		if err != nil {
			c.jam(&ConnectionError{Op: "write", Cause: err})
		}
		how, role := c.ending, c.role
		c.unlock()
		switch {
		case how == severed:
			c.transport.abort()
			return
		case how == departed:
			c.transport.leave(linger)
			c.transport.abort()
			return
		case how == flushing && role != sending:
			c.transport.leave(linger)
			c.transport.readBy(time.Now().Add(linger))
			return
		}
	}
}

// jam is the end of writing, because of err. The server may have said why it closed the connection, and that may be on
// its way: the reader is given a moment for it. The caller holds the lock.
func (c *Client) jam(err error) {
	if c.ending != open {
		c.ending, c.sever = severed, true
		return
	}
	// STOMP-CLIENT-004: nothing more is sent meanwhile.
	c.broken, c.alarm.last = err, time.Now().Add(lastWords)
	c.recall()
	c.freed()
	c.ringBy(c.alarm.last)
}

// lastWords is how long the reader is given when writing failed.
const lastWords = 100 * time.Millisecond

// drain writes all there is. The caller holds the lock, which is released meanwhile.
func (c *Client) drain() error {
	for c.role == queued && c.writes() && c.broken == nil {
		batch, ends := c.take()
		if len(batch) == 0 {
			c.role = idle
			c.freed()
			return nil
		}
		within := c.timing.Write
		if c.ending == flushing {
			within = min(within, linger)
		}
		c.mu.Unlock()
		err := c.transport.write(batch, ends, within, c.wrote)
		c.mu.Lock()
		if err != nil {
			return err
		}
		c.recycle(batch)
	}
	return nil
}

// wrote counts octets that are written.
func (c *Client) wrote(n int) {
	c.mu.Lock()
	defer c.unlock()
	if c.writes() {
		c.inflight -= n
		c.freed()
	}
}

// writes reports whether what is to be written still is. The caller holds the lock.
func (c *Client) writes() bool { return c.ending == open || c.ending == flushing }
