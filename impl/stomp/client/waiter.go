package client

import (
	"context"
	"fmt"
	"time"
)

// waiter is a call that waits for an event, or a receipt that did not arrive yet.
type waiter struct {
	accept func(Event) bool // of an ordinary waiter; those for a receipt or a subscription are found by id
	number uint64           // the order of registration
	prev   *waiter          // in its list
	next   *waiter
	until  time.Time // when it gives up; zero if never
	kept   bool      // an answer that comes after that is still for it

	registered bool // it counts against the limit
	expired    bool // it gave up before it was finished
	finished   bool // event or err is set, for good
	direct     bool // the call waits for nothing else, and may read
	event      Event
	err        error
	ready      chan struct{} // one slot, filled when finished or expired; nil if nobody waits yet
}

// notify tells the call that waits.
func (w *waiter) notify() {
	if w.ready == nil {
		return
	}
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// list holds waiters in the order of their registration.
type list struct{ first, last *waiter }

func (l *list) add(w *waiter) {
	w.prev, w.next = l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
}

func (l *list) remove(w *waiter) {
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
}

// waiters holds all waiters of a client but those of subscriptions, which it only counts.
type waiters struct {
	n        int
	number   uint64
	ordinary list
	connect  *waiter            // for CONNECTED
	receipts map[string]*waiter // for RECEIPTs, by id; some do not count any more
}

func (ws *waiters) register(w *waiter) {
	ws.number++
	ws.n++
	w.number, w.registered = ws.number, true
}

// leave makes w count no more.
func (ws *waiters) leave(w *waiter) {
	if w.registered {
		w.registered = false
		ws.n--
	}
}

// finish hands an event or an error to w.
func (ws *waiters) finish(w *waiter, e Event, err error) {
	ws.leave(w)
	w.finished, w.event, w.err = true, e, err
	w.notify()
}

// reject ends all waiters but those of subscriptions.
func (ws *waiters) reject(err error) {
	for w := ws.ordinary.first; w != nil; {
		next := w.next
		ws.ordinary.remove(w)
		ws.finish(w, Event{}, err)
		w = next
	}
	if w := ws.connect; w != nil {
		ws.connect = nil
		ws.finish(w, Event{}, err)
	}
	for id, w := range ws.receipts {
		delete(ws.receipts, id)
		ws.finish(w, Event{}, err)
	}
}

// expire ends those that give up by now, and returns when the next one does, or zero.
func (ws *waiters) expire(now time.Time) (next time.Time) {
	due := func(w *waiter) bool {
		if w.until.IsZero() || w.expired {
			return false
		}
		if now.Before(w.until) {
			if next.IsZero() || w.until.Before(next) {
				next = w.until
			}
			return false
		}
		// STOMP-WAIT-013
		ws.leave(w)
		w.expired = true
		w.notify()
		return true
	}
	for w := ws.ordinary.first; w != nil; {
		after := w.next
		if due(w) {
			ws.ordinary.remove(w)
		}
		w = after
	}
	for id, w := range ws.receipts {
		if due(w) && !w.kept {
			delete(ws.receipts, id)
		}
	}
	return next
}

// await waits until w is finished or gives up, or ctx is done: then forget is called with the lock held, and w is not.
// The caller does not hold the lock.
func (c *Client) await(ctx context.Context, op string, w *waiter, within time.Duration, forget func()) (Event, error) {
	if ctx.Done() == nil {
		<-w.ready
		return w.result(op, within)
	}
	select {
	case <-w.ready:
		return w.result(op, within)
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.unlock()
	if w.finished {
		return w.event, w.err
	}
	c.waiters.leave(w)
	forget()
	c.freed()
	return Event{}, interrupted(op, context.Cause(ctx))
}

// result is what w was told first. It needs no lock: a waiter that did not expire changes no more.
func (w *waiter) result(op string, within time.Duration) (Event, error) {
	if w.expired {
		return Event{}, &TimeoutError{Op: op, After: within}
	}
	return w.event, w.err
}

// ask calls the function of a waiter. It returns an error if that panics, or ends the goroutine.
func ask(accept func(Event) bool, e Event) (yes bool, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		// STOMP-WAIT-010
		failure := argument("wait", "predicate", "it did not return")
		if p := recover(); p != nil {
			failure.Detail = fmt.Sprintf("panic: %.200s", fmt.Sprint(p))
		}
		err = failure
	}()
	yes = accept(e)
	returned = true
	return yes, nil
}
