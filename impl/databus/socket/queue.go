package socket

import (
	"context"
	"sync"
)

// A queue is what waits to be written to one connection. One goroutine takes out.
type queue struct {
	most, mostOctets int
	wake             chan struct{}

	mu       sync.Mutex
	messages [][]byte
	octets   int
	last     bool // nothing comes any more
}

func newQueue(most, mostOctets int) *queue {
	return &queue{most: most, mostOctets: mostOctets, wake: make(chan struct{}, 1)}
}

// put adds a message, and reports whether it fits in. After the end it takes none and says nothing.
func (q *queue) put(octets []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.last {
		return true
	}
	if len(q.messages) >= q.most || q.octets+len(octets) > q.mostOctets {
		return false
	}
	q.messages = append(q.messages, octets)
	q.octets += len(octets)
	q.stir()
	return true
}

func (q *queue) stir() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// finish has next return what is left and then end. With drop nothing is left.
func (q *queue) finish(drop bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = true
	if drop {
		q.messages, q.octets = nil, 0
	}
	q.stir()
}

// next waits for a message. It reports false at the end.
func (q *queue) next(ctx context.Context) ([]byte, bool) {
	for {
		q.mu.Lock()
		if len(q.messages) > 0 {
			octets := q.messages[0]
			q.messages[0], q.messages = nil, q.messages[1:]
			q.octets -= len(octets)
			q.mu.Unlock()
			return octets, true
		}
		last := q.last
		q.mu.Unlock()
		if last {
			return nil, false
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil, false
		}
	}
}
