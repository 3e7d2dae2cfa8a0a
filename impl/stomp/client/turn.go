package client

import (
	"context"
	"errors"
	"os"
	"time"
)

// turn says who reads. Reading is the reader's, but waking it, and then from there the call that waits for a receipt,
// costs as much as a whole round trip on a fast network. So once a receipt came and nobody waits for anything else, the
// reader steps back: the next call that waits for a receipt reads for itself, and anybody else who waits calls the
// reader back. What comes while nobody reads has nobody who waits for it, and it has not to wait for long.
type turn uint8

const (
	readers turn = iota
	nobodys
	callers
)

// absence is how long nobody reads at most.
const absence = 5 * time.Millisecond

// vacated makes it nobody's turn if that is to be, and reports whether it is not the reader's any more. The reader
// calls it.
func (c *Client) vacated() bool {
	c.mu.Lock()
	defer c.unlock()
	if !c.answered {
		return false
	}
	c.answered = false
	return c.vacate()
}

// vacate makes it nobody's turn unless somebody waits. The caller has the turn, and holds the lock.
func (c *Client) vacate() bool {
	if c.err != nil || c.waiters.n > 0 || !c.transport.quick() {
		return false
	}
	c.turns = nobodys
	if !c.alarm.soon {
		c.alarm.soon = true
		c.ringBy(time.Now().Add(absence))
	}
	return true
}

// recall makes it the reader's turn if it is nobody's. The caller holds the lock.
func (c *Client) recall() {
	if c.turns == nobodys {
		c.turns = readers
		c.turn <- struct{}{}
	}
}

// readFor reads until w is finished or gives up, the client is closed, or ctx is done. The caller has the turn: it was
// nobody's. W must not be told by its channel.
func (c *Client) readFor(ctx context.Context, w *waiter) {
	stop := func() bool { return true }
	left := make(chan struct{})
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, func() {
			defer close(left)
			c.mu.Lock()
			defer c.unlock()
			c.interrupt(w)
		})
	}
	over := false
	defer func() {
		if !stop() {
			<-left
		}
		c.mu.Lock()
		defer c.unlock()
		if !over {
			// A function of another waiter ended this goroutine.
			c.stop(&ConnectionError{Op: "read", Cause: errors.New("reading was abandoned")}, severed)
		}
		c.pass()
	}()
	for {
		open := c.readOnce()
		c.mu.Lock()
		over = !open || w.finished || w.expired || ctx.Err() != nil
		c.unlock()
		if over {
			return
		}
	}
}

// pass ends the turn of a call. The caller holds the lock.
func (c *Client) pass() {
	c.reads, c.answered = nil, false
	if c.kicked {
		c.kicked = false
		by := time.Time{}
		if c.err != nil {
			// The writer may have set a time already, of which this is no worse.
			by = time.Now().Add(linger)
		}
		c.transport.readBy(by)
	}
	if c.vacate() {
		return
	}
	c.turns = readers
	c.turn <- struct{}{}
}

// interrupt makes the call that reads for w stop. The caller holds the lock.
func (c *Client) interrupt(w *waiter) {
	if c.reads == w && w != nil {
		c.kicked = true
		c.transport.readBy(time.Unix(1, 0))
	}
}

// interrupted reports whether err comes from that. The caller holds the lock.
func (c *Client) interrupted(err error) bool {
	return c.kicked && errors.Is(err, os.ErrDeadlineExceeded)
}
