package client

import (
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// dispatch hands an event to whoever waits for it, or queues it. The caller holds the lock.
func (c *Client) dispatch(e Event) {
	c.answered = false
	switch e.Kind {
	case session.Connected:
		// STOMP-WAIT-009
		if w := c.waiters.connect; w != nil {
			c.waiters.connect = nil
			c.waiters.finish(w, e, nil)
			return
		}
	case session.Receipt:
		if c.receipt(e) {
			return
		}
	case session.Message:
		s := c.subscriptionOf(e.Frame)
		before := ^uint64(0)
		if s != nil && s.waiting.first != nil {
			before = s.waiting.first.number
		}
		switch {
		case c.offer(e, before):
		case before != ^uint64(0):
			w := s.waiting.first
			s.waiting.remove(w)
			c.waiters.finish(w, e, nil)
		default:
			c.enqueue(e, s)
		}
		return
	}
	switch {
	case c.offer(e, ^uint64(0)):
	case e.Kind == session.HeartBeat:
		// STOMP-WAIT-007
	case e.Kind == session.ServerError:
		// STOMP-ERROR-008
	default:
		c.enqueue(e, nil)
	}
	if e.Kind == session.ServerError {
		c.stop(brokerError(e.Frame), severed)
	}
}

// offer hands e to the first ordinary waiter that accepts it, among those registered before the number given. It
// reports true as well if that closed the client.
func (c *Client) offer(e Event, before uint64) bool {
	// STOMP-WAIT-006
	for w := c.waiters.ordinary.first; w != nil && w.number < before; w = w.next {
		yes, err := ask(w.accept, e)
		if err != nil {
			// STOMP-WAIT-012
			c.stop(err, severed)
			return true
		}
		if yes {
			c.waiters.ordinary.remove(w)
			c.waiters.finish(w, e, nil)
			return true
		}
	}
	return false
}

// receipt does what a RECEIPT means, and reports whether somebody took it.
func (c *Client) receipt(e Event) bool {
	id := c.value(e.Frame, "receipt-id")
	if sub, ok := c.leaving[id]; ok {
		delete(c.leaving, id)
		c.unsubscribed(sub)
	}
	w, ok := c.waiters.receipts[id]
	if !ok {
		return false
	}
	delete(c.waiters.receipts, id)
	c.answered = w.direct
	c.waiters.finish(w, e, nil)
	return true
}

// enqueue keeps an event that nobody waits for, or closes the client if it does not fit.
func (c *Client) enqueue(e Event, s *Subscription) {
	// STOMP-WAIT-001, STOMP-WAIT-008
	if c.queue.n >= c.limits.Events {
		c.stop(exceeded("receive", "events", c.limits.Events, c.queue.n+1), severed)
		return
	}
	// STOMP-WAIT-002, STOMP-WAIT-003
	size := eventSize(e)
	if size > c.limits.EventBytes-c.queue.size {
		c.stop(exceeded("receive", "event-bytes", c.limits.EventBytes, c.queue.size+size), severed)
		return
	}
	c.queue.add(e, size, s)
}

// subscriptionOf returns the subscription that a MESSAGE is for, or nil if it was made with a frame.
func (c *Client) subscriptionOf(f *frame.Frame) *Subscription {
	id := c.value(f, "subscription")
	if id == "" && c.session.Version() == frame.V10 {
		// STOMP-SUBSCRIBE-014: the session made sure that there is only one.
		d := c.value(f, "destination")
		for _, s := range c.subs {
			if strings.Trim(s.destination, " ") == d {
				return s
			}
		}
	}
	return c.subs[id]
}

// value returns what a header means.
func (c *Client) value(f *frame.Frame, name string) string {
	v, _ := f.Get(name)
	if c.session.Version() == frame.V10 {
		// STOMP-HDR-008
		v = strings.Trim(v, " ")
	}
	return v
}
