package relay

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// A Memory is a stream in memory, as a sink and as a feed. The zero value is empty and ready. It forgets nothing but what is trimmed.
type Memory struct {
	mu     sync.Mutex
	last   uint64
	ops    []Op
	known  map[opKey]uint64
	events map[feedKey][]Event
	grown  chan struct{} // closed and replaced when an event comes
}

type opKey struct {
	peer, id string
	answer   bool
}

type feedKey struct{ peer, obj string }

// Store keeps op.
func (m *Memory) Store(ctx context.Context, op Op) (Stored, error) {
	if err := ctx.Err(); err != nil {
		return Stored{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := opKey{op.Peer, op.ID, op.Answer}
	if seq, ok := m.known[key]; ok {
		return Stored{Seq: seq, Duplicate: true}, nil
	}
	if m.known == nil {
		m.known = map[opKey]uint64{}
	}
	op.Body = bytes.Clone(op.Body)
	m.ops = append(m.ops, op)
	m.known[key] = uint64(len(m.ops))
	return Stored{Seq: uint64(len(m.ops))}, nil
}

// Remembers returns the longest duration there is.
func (m *Memory) Remembers() time.Duration { return 1<<63 - 1 }

// Ops returns what was stored, in order.
func (m *Memory) Ops() []Op {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Op(nil), m.ops...)
}

// Publish appends an event to an object's stream and returns its seq.
func (m *Memory) Publish(peer, obj string, says Message) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.events == nil {
		m.events = map[feedKey][]Event{}
	}
	m.last++
	key := feedKey{peer, obj}
	says.Body = bytes.Clone(says.Body)
	e := Event{Seq: m.last, Message: says}
	if all := m.events[key]; len(all) > 0 {
		e.Prev = all[len(all)-1].Seq
	}
	m.events[key] = append(m.events[key], e)
	if m.grown != nil {
		close(m.grown)
		m.grown = nil
	}
	return m.last
}

// Trim forgets the events of an object whose seq is below the given one.
func (m *Memory) Trim(peer, obj string, below uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.events[feedKey{peer, obj}]
	for i := range all {
		if all[i].Seq < below {
			all[i].Trimmed, all[i].Message = true, Message{}
		}
	}
}

// Resume returns the events of an object from seq from on.
func (m *Memory) Resume(ctx context.Context, peer, obj string, from uint64) (Events, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &memoryEvents{of: m, key: feedKey{peer, obj}, from: from, ended: make(chan struct{})}, nil
}

type memoryEvents struct {
	of    *Memory
	key   feedKey
	from  uint64
	ended chan struct{}
	once  sync.Once
}

func (e *memoryEvents) Next(ctx context.Context) (Event, error) {
	for {
		// What has ended must not go on for as long as there is something to read.
		select {
		case <-e.ended:
			return Event{}, ErrClosed
		case <-ctx.Done():
			return Event{}, ctx.Err()
		default:
		}
		ev, ok, grown := e.find()
		if ok {
			return ev, nil
		}
		select {
		case <-grown:
		case <-e.ended:
			return Event{}, ErrClosed
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// find returns the next event that is kept, or what tells that there is another.
func (e *memoryEvents) find() (ev Event, ok bool, grown <-chan struct{}) {
	m := e.of
	m.mu.Lock()
	defer m.mu.Unlock()
	trimmed := false
	for _, ev := range m.events[e.key] {
		if ev.Seq < e.from {
			continue
		}
		if ev.Trimmed {
			trimmed = true
			continue
		}
		e.from = ev.Seq + 1
		ev.Trimmed, ev.Body = trimmed, bytes.Clone(ev.Body)
		return ev, true, nil
	}
	if m.grown == nil {
		m.grown = make(chan struct{})
	}
	return Event{}, false, m.grown
}

func (e *memoryEvents) Close() { e.once.Do(func() { close(e.ended) }) }
