package eventbus

import "context"

// waiter is one parked call of Next.
type waiter struct {
	ready  chan struct{} // holds a token once served
	served bool
	event  *Event // nil: the end

	next, prev *waiter // in waiters
	link       *waiter // in aftermath
}

// waiters are the parked calls of one subscription, the oldest first (EVENTBUS-CONCURRENCY-001). There are none while anything
// is buffered.
type waiters struct {
	first, last *waiter
	spare       *waiter
}

func (q *waiters) empty() bool { return q.first == nil }

func (q *waiters) remove(w *waiter) {
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.next, w.prev = nil, nil
}

// park adds a waiter. The bus's lock is held.
func (s *Subscription) park() *waiter {
	q := &s.waiters
	w := q.spare
	if q.spare = nil; w == nil {
		w = &waiter{ready: make(chan struct{}, 1)}
	}
	if w.prev = q.last; w.prev == nil {
		q.first = w
		s.waitIndex = len(s.bus.waiting)
		s.bus.waiting = append(s.bus.waiting, s)
	} else {
		w.prev.next = w
	}
	q.last = w
	return w
}

// unpark takes w off. The bus's lock is held.
func (s *Subscription) unpark(w *waiter) {
	s.waiters.remove(w)
	if !s.waiters.empty() {
		return
	}
	all := s.bus.waiting
	last := len(all) - 1
	all[s.waitIndex] = all[last]
	all[s.waitIndex].waitIndex = s.waitIndex
	all[last] = nil
	s.bus.waiting = all[:last]
	s.waitIndex = -1
}

// serve gives e, or the end, to the oldest waiter. The bus's lock is held; the waiter is woken afterwards.
func (s *Subscription) serve(e *Event, after *aftermath) {
	w := s.waiters.first
	s.unpark(w)
	w.event, w.served = e, true
	w.link, after.served = after.served, w
}

// await waits for what is served to w.
func (s *Subscription) await(ctx context.Context, w *waiter) (*Event, error) {
	select {
	case <-w.ready:
	case <-ctx.Done():
		breathe()
		s.bus.mu.Lock()
		if !w.served {
			s.unpark(w)
			s.waiters.spare = w
			s.bus.mu.Unlock()
			return nil, ctx.Err()
		}
		s.bus.mu.Unlock()
		// What was handed over is not lost: the token is on its way.
		<-w.ready
	}
	e := w.event
	w.event, w.served = nil, false
	s.bus.mu.Lock()
	s.waiters.spare = w
	s.bus.mu.Unlock()
	if e == nil {
		return nil, ErrEnded
	}
	return e, nil
}
