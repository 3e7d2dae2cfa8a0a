package store

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"
)

// errClosed is what a store returns that has been closed.
var errClosed = errors.New("substrate store: used after Close")

// Memory keeps everything in memory: it is gone when the process ends, and exactly-once is not claimed across that
// (SUBSTRATE-STORE-003). Use [NewMemory] to make one.
type Memory struct {
	mu     sync.Mutex
	peers  map[string]*peer
	closed bool
}

// A peer is all that is kept for one.
type peer struct {
	epoch    [8]byte
	objects  map[string]Object
	counters map[string]Counter
	rows     map[Place]Row
	entries  map[Key]Entry
	inbound  map[uint64]Inbound
	inboxes  map[string][]uint64 // the N of the rows of an object, ascending; those that are dropped may still be there
	depths   map[string]int
	lastN    uint64
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{peers: map[string]*peer{}} }

// of returns what is kept for a peer, and begins it if need be. The lock is held.
func (m *Memory) of(name string) (*peer, error) {
	if m.closed {
		return nil, errClosed
	}
	p := m.peers[name]
	if p == nil {
		p = &peer{
			objects: map[string]Object{}, counters: map[string]Counter{}, rows: map[Place]Row{}, entries: map[Key]Entry{},
			inbound: map[uint64]Inbound{}, inboxes: map[string][]uint64{}, depths: map[string]int{},
		}
		if _, err := rand.Read(p.epoch[:]); err != nil {
			return nil, err
		}
		m.peers[name] = p
	}
	return p, nil
}

// Load implements [Store].
func (m *Memory) Load(name string) (*State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return nil, err
	}
	s := &State{Epoch: p.epoch, LastN: p.lastN}
	for _, o := range p.objects {
		o.Participants = slices.Clone(o.Participants)
		s.Objects = append(s.Objects, o)
	}
	for _, c := range p.counters {
		s.Counters = append(s.Counters, c)
	}
	for _, r := range p.rows {
		s.Rows = append(s.Rows, copyRow(r))
	}
	for _, in := range p.inbound {
		if !p.objects[in.Obj].Queued {
			s.Inbound = append(s.Inbound, copyInbound(in))
		}
	}
	slices.SortFunc(s.Objects, func(a, b Object) int { return cmp.Compare(a.Obj, b.Obj) })
	slices.SortFunc(s.Counters, func(a, b Counter) int { return cmp.Compare(a.Obj, b.Obj) })
	slices.SortFunc(s.Rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Obj, b.Obj), cmp.Compare(a.Seq, b.Seq)) })
	slices.SortFunc(s.Inbound, func(a, b Inbound) int { return cmp.Compare(a.N, b.N) })
	return s, nil
}

// Committed implements [Store].
func (m *Memory) Committed(name string, key Key) (Entry, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return Entry{}, false, err
	}
	e, ok := p.entries[key]
	return e, ok, nil
}

// Apply implements [Store]. It fails only if the store is closed, and then before anything is written.
func (m *Memory) Apply(name string, b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return err
	}
	for _, o := range b.Objects {
		o.Participants = slices.Clone(o.Participants)
		p.objects[o.Obj] = o
	}
	for _, c := range b.Counters {
		p.counters[c.Obj] = c
	}
	for _, r := range b.Rows {
		p.rows[Place{r.Obj, r.Seq}] = copyRow(r)
	}
	for _, s := range b.Sent {
		if r, ok := p.rows[s.Place]; ok {
			r.FirstSent = s.At
			p.rows[s.Place] = r
		}
	}
	for _, at := range b.DropRows {
		delete(p.rows, at)
	}
	// SUBSTRATE-DEDUPE-003: a duplicate does not refresh the time.
	for _, e := range b.Entries {
		if _, ok := p.entries[e.Key]; !ok {
			p.entries[e.Key] = e
		}
	}
	for _, in := range b.Inbound {
		p.put(in)
	}
	for _, n := range b.DropInbound {
		p.drop(n)
	}
	return nil
}

func (p *peer) put(in Inbound) {
	if _, ok := p.inbound[in.N]; !ok {
		list := p.inboxes[in.Obj]
		at, _ := slices.BinarySearch(list, in.N)
		p.inboxes[in.Obj] = slices.Insert(list, at, in.N)
		p.depths[in.Obj]++
	}
	p.inbound[in.N] = copyInbound(in)
	p.lastN = max(p.lastN, in.N)
}

func (p *peer) drop(n uint64) {
	in, ok := p.inbound[n]
	if !ok {
		return
	}
	delete(p.inbound, n)
	list := p.inboxes[in.Obj]
	if at, found := slices.BinarySearch(list, n); found {
		// Rows are taken from the front as a rule: that costs nothing.
		if at == 0 {
			list = list[1:]
		} else {
			list = slices.Delete(list, at, at+1)
		}
	}
	p.inboxes[in.Obj] = list
	if p.depths[in.Obj]--; p.depths[in.Obj] == 0 {
		delete(p.depths, in.Obj)
		delete(p.inboxes, in.Obj)
	}
}

// Inbox implements [Store].
func (m *Memory) Inbox(name, obj string, limit int) ([]Inbound, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return nil, err
	}
	list := p.inboxes[obj]
	if limit > 0 && limit < len(list) {
		list = list[:limit]
	}
	rows := make([]Inbound, 0, len(list))
	for _, n := range list {
		rows = append(rows, copyInbound(p.inbound[n]))
	}
	return rows, nil
}

// Depth implements [Store].
func (m *Memory) Depth(name, obj string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return 0, err
	}
	return p.depths[obj], nil
}

// Expire implements [Store]. A limit below one means none.
func (m *Memory) Expire(name string, before time.Time, limit int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.of(name)
	if err != nil {
		return 0, err
	}
	entries, objects := 0, 0
	for k, e := range p.entries {
		if limit > 0 && entries == limit {
			break
		}
		if e.At.Before(before) {
			delete(p.entries, k)
			entries++
		}
	}
	for k, o := range p.objects {
		if limit > 0 && objects == limit {
			break
		}
		if !o.Ended.IsZero() && o.Ended.Before(before) {
			delete(p.objects, k)
			objects++
		}
	}
	return entries + objects, nil
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.peers = true, nil
	return nil
}

// copyRow returns r with octets of its own. bytes.Clone keeps nil apart from empty (SUBSTRATE-WIRE-004).
func copyRow(r Row) Row {
	r.Cap, r.Body = bytes.Clone(r.Cap), bytes.Clone(r.Body)
	return r
}

func copyInbound(in Inbound) Inbound {
	in.Cap, in.Body = bytes.Clone(in.Cap), bytes.Clone(in.Body)
	return in
}
