package databus

import "sync"

// A mailbox calls functions one after the other, in the order in which they came, apart from whoever put them in. Its goroutine runs only
// while there is something to call.
type mailbox struct {
	mu      sync.Mutex
	queue   queue
	running bool
	closed  bool
}

// put has f called. A mailbox that is closed drops it.
func (m *mailbox) put(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.queue.push(f)
	if !m.running {
		m.running = true
		go m.run()
	}
}

func (m *mailbox) run() {
	for {
		m.mu.Lock()
		if m.queue.len() == 0 {
			m.running = false
			m.mu.Unlock()
			return
		}
		f := m.queue.pop()
		m.mu.Unlock()
		f()
	}
}

// close drops what has not been called.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.queue = true, queue{}
}
