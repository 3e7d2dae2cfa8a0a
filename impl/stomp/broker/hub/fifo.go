package hub

// fifo is a queue of messages in the order of their sequence numbers.
type fifo struct {
	ring []*message // length a power of two, or nil
	head int
	n    int
}

func (q *fifo) len() int { return q.n }

func (q *fifo) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]*message, max(8, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

func (q *fifo) push(m *message) {
	q.grow()
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = m
	q.n++
}

func (q *fifo) unshift(m *message) {
	q.grow()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.ring[q.head] = m
	q.n++
}

// pop removes the first message; there must be one.
func (q *fifo) pop() *message {
	m := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	if q.n == 0 && len(q.ring) > 1024 {
		q.ring, q.head = nil, 0
	}
	return m
}

// restore puts messages back, each to its place in the order. They must be in order among themselves.
func (q *fifo) restore(back []*message) {
	if len(back) == 0 {
		return
	}
	var earlier []*message
	for last := back[len(back)-1].seq; q.n > 0 && q.ring[q.head].seq < last; {
		earlier = append(earlier, q.pop())
	}
	i, j := len(back)-1, len(earlier)-1
	for i >= 0 || j >= 0 {
		if j < 0 || i >= 0 && back[i].seq > earlier[j].seq {
			q.unshift(back[i])
			i--
		} else {
			q.unshift(earlier[j])
			j--
		}
	}
}
