package client

import (
	"context"
	"time"
)

// DefaultWait is the usual time to wait for an event.
const DefaultWait = 5 * time.Second

// Wait returns the first event that accept says yes to: of those that nobody took yet, or else of those that come, for
// at most the time given, which is 1 to 2147483647 ms. The event is the caller's alone. Events that come are offered
// first to the calls that wait for their receipt, then to all others in the order in which they began to wait
// (STOMP-WAIT-006, STOMP-WAIT-009).
//
// Accept must be fast and without side effects, and must not use the client, which is locked. If it panics over an
// event that is queued, Wait returns an [*Error] with reason "predicate" and nothing changes (STOMP-WAIT-011); over an
// event that just came, that closes the client (STOMP-WAIT-012).
//
// Wait checks accept, the time, the events that are queued, whether the client is closed and whether too many wait, in
// this order (STOMP-WAIT-014). When it times out or ctx is done the client lives on (STOMP-WAIT-013).
func (c *Client) Wait(ctx context.Context, within time.Duration, accept func(Event) bool) (Event, error) {
	const op = "wait"
	if accept == nil {
		// STOMP-WAIT-010
		return Event{}, argument(op, "predicate", "it is nil")
	}
	if !inRange(within) {
		return Event{}, argument(op, "timeout", "%v is outside 1ms to %v", within, longest)
	}
	w := &waiter{accept: accept, ready: make(chan struct{}, 1), until: time.Now().Add(within)}
	if e, found, err := c.waitOrTake(op, w); found || err != nil {
		return e, err
	}
	return c.await(ctx, op, w, within, func() { c.waiters.ordinary.remove(w) })
}

// waitOrTake takes an event from the queue, or registers w.
func (c *Client) waitOrTake(op string, w *waiter) (e Event, found bool, err error) {
	c.mu.Lock()
	defer c.unlock()
	for n := c.queue.first; n != nil; n = n.next {
		yes, err := ask(w.accept, n.event)
		if err != nil {
			// STOMP-WAIT-011
			return Event{}, false, err
		}
		if yes {
			c.queue.remove(n)
			return n.event, true, nil
		}
	}
	if err := c.mayWait(op); err != nil {
		return Event{}, false, err
	}
	c.waiters.register(w)
	c.waiters.ordinary.add(w)
	c.recall()
	c.ringBy(w.until)
	return Event{}, false, nil
}

// mayWait returns an error if the client is closed or has no room for a waiter. The caller holds the lock.
func (c *Client) mayWait(op string) error {
	if c.over() {
		return c.closed(op)
	}
	// STOMP-WAIT-004
	if c.waiters.n >= c.limits.Waiters {
		return argument(op, "waiters", "limit %d, found %d", c.limits.Waiters, c.waiters.n+1)
	}
	return nil
}
