package databus

// A queue holds functions in the order in which they came. Its room serves again once it is empty.
type queue struct {
	all  []func()
	next int
}

func (q *queue) len() int { return len(q.all) - q.next }

func (q *queue) push(f func()) {
	if q.next > 64 && q.next > len(q.all)/2 {
		// It is never empty: what has been taken makes room.
		kept := copy(q.all, q.all[q.next:])
		clear(q.all[kept:])
		q.all, q.next = q.all[:kept], 0
	}
	q.all = append(q.all, f)
}

// pop takes out the function that came first. There is one.
func (q *queue) pop() func() {
	f := q.all[q.next]
	q.all[q.next] = nil
	if q.next++; q.next == len(q.all) {
		q.all, q.next = q.all[:0], 0
	}
	return f
}
