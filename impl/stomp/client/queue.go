package client

// node is an event that waits for somebody to take it. It is in the queue, and in the list of its subscription.
type node struct {
	event Event
	size  int
	sub   *Subscription // nil if the event is no message of a subscription of this level
	prev  *node
	next  *node
	after *node // the next of the same subscription
	ahead *node // the one before it
}

// queue holds the events that nobody took, in the order in which they came.
type queue struct {
	first, last *node
	n, size     int
	receipts    map[string]int // how many RECEIPTs of each id it holds
}

// add puts an event that counts size at the end.
func (q *queue) add(e Event, size int, s *Subscription) {
	n := &node{event: e, size: size, sub: s, prev: q.last}
	if q.last == nil {
		q.first = n
	} else {
		q.last.next = n
	}
	q.last = n
	q.n++
	q.size += size
	if id, ok := ReceiptID(e); ok {
		if q.receipts == nil {
			q.receipts = make(map[string]int)
		}
		q.receipts[id]++
	}
	if s == nil {
		return
	}
	n.ahead = s.last
	if s.last == nil {
		s.first = n
	} else {
		s.last.after = n
	}
	s.last = n
}

// remove takes n out.
func (q *queue) remove(n *node) {
	if n.prev == nil {
		q.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		q.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	q.n--
	q.size -= n.size
	if id, ok := ReceiptID(n.event); ok {
		if q.receipts[id]--; q.receipts[id] == 0 {
			delete(q.receipts, id)
		}
	}
	s := n.sub
	if s == nil {
		return
	}
	if n.ahead == nil {
		s.first = n.after
	} else {
		n.ahead.after = n.after
	}
	if n.after == nil {
		s.last = n.ahead
	} else {
		n.after.ahead = n.ahead
	}
}

// clear drops all events because of err.
func (q *queue) clear(err error) {
	for n := q.first; n != nil; n = n.next {
		if n.sub != nil {
			n.sub.first, n.sub.last = nil, nil
			n.sub.finish(err)
		}
	}
	*q = queue{}
}
