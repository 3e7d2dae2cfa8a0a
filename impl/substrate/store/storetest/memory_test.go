package storetest

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// memory is a store made of twins. With a bug it is one that gets a single thing wrong.
type memory struct {
	bug string

	mu       sync.Mutex
	closed   bool
	peers    map[string]*twin
	disk     map[string]*twin // what a crash leaves
	sabotage Part
	retained []*store.Batch
	cache    map[string]*store.State
}

func newMemory(bug string) *memory {
	return &memory{bug: bug, peers: map[string]*twin{}, disk: map[string]*twin{}}
}

var (
	errClosed   = errors.New("closed")
	errSabotage = errors.New("sabotaged")
)

func (m *memory) peer(name string) *twin {
	if m.bug == "peers share" {
		name = "p"
	}
	w := m.peers[name]
	if w == nil {
		var epoch [8]byte
		if m.bug != "zero epoch" {
			_, _ = rand.Read(epoch[:])
		}
		w = newTwin(epoch)
		m.peers[name] = w
		if m.bug != "epoch not kept" {
			m.disk[name] = w.clone()
		}
	}
	return w
}

func (m *memory) lock() (func(), error) {
	m.mu.Lock()
	if m.closed && m.bug != "works when closed" {
		m.mu.Unlock()
		return nil, errClosed
	}
	return m.mu.Unlock, nil
}

func (m *memory) Load(peer string) (*store.State, error) {
	unlock, err := m.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if s := m.cache[peer]; s != nil {
		return s, nil
	}
	w := m.peer(peer)
	s := w.state()
	switch m.bug {
	case "rows unsorted":
		slices.Reverse(s.Rows)
	case "rows by text":
		slices.SortStableFunc(s.Rows, func(a, b store.Row) int { return cmp.Compare(len(a.ID), len(b.ID)) })
	case "load shows queues":
		s.Inbound = w.waiting(func(store.Inbound) bool { return true })
	case "last N from rows":
		s.LastN = 0
		for n := range w.inbound {
			s.LastN = max(s.LastN, n)
		}
	case "empty body is none":
		for i := range s.Rows {
			if len(s.Rows[i].Body) == 0 {
				s.Rows[i].Body = nil
			}
		}
	case "counters from rows":
		s.Counters = nil
		for _, r := range s.Rows {
			s.Counters = append(s.Counters, store.Counter{Obj: r.Obj, LastAssigned: r.Seq})
		}
	case "state is shared":
		if m.cache == nil {
			m.cache = map[string]*store.State{}
		}
		m.cache[peer] = s
	case "seconds only":
		for i := range s.Rows {
			s.Rows[i].FirstSent = s.Rows[i].FirstSent.Truncate(time.Second)
		}
	case "load marks as sent":
		for k, r := range w.rows {
			r.FirstSent = base
			w.rows[k] = r
		}
	case "participants sorted":
		for i := range s.Objects {
			slices.Sort(s.Objects[i].Participants)
		}
	}
	return s, nil
}

func (m *memory) Committed(peer string, key store.Key) (store.Entry, bool, error) {
	unlock, err := m.lock()
	if err != nil {
		return store.Entry{}, false, err
	}
	defer unlock()
	w := m.peer(peer)
	if m.bug == "class ignored" {
		for k, e := range w.entries {
			if k.ID == key.ID {
				return e, true, nil
			}
		}
	}
	e, ok := w.entries[key]
	return e, ok, nil
}

func (m *memory) Apply(peer string, b *store.Batch) error {
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	w := m.peer(peer)
	c := *b
	switch m.bug {
	case "later entry wins", "entry time refreshed":
		for _, e := range b.Entries {
			if old, ok := w.entries[e.Key]; ok && m.bug == "entry time refreshed" {
				old.At = e.At
				e = old
			}
			w.entries[e.Key] = e
		}
	case "drop before put":
		w.apply(&store.Batch{DropRows: b.DropRows, DropInbound: b.DropInbound})
		c.DropRows, c.DropInbound = nil, nil
	case "sent makes rows":
		for _, s := range b.Sent {
			if _, ok := w.rows[s.Place]; !ok {
				w.rows[s.Place] = store.Row{Obj: s.Obj, Seq: s.Seq}
			}
		}
	case "ledger dies with inbox":
		for _, n := range b.DropInbound {
			delete(w.entries, store.Key{Class: store.Op, ID: w.inbound[n].ID})
		}
	case "rows are never replaced":
		c.Rows = slices.DeleteFunc(slices.Clone(b.Rows), func(r store.Row) bool { _, ok := w.rows[store.Place{Obj: r.Obj, Seq: r.Seq}]; return ok })
	case "object keeps participants":
		c.Objects = slices.Clone(b.Objects)
		for i, o := range c.Objects {
			if old, ok := w.objects[o.Obj]; ok && len(old.Participants) > 0 {
				c.Objects[i].Participants = old.Participants
			}
		}
	case "batch is kept":
		m.retained = append(m.retained, b)
	}
	if m.sabotage != "" && m.bug != "never fails" {
		if m.bug == "half a batch" {
			w.apply(&store.Batch{Entries: c.Entries})
		}
		if m.bug == "failure counts" {
			w.apply(&store.Batch{Counters: c.Counters})
		}
		return errSabotage
	}
	if m.bug == "two steps" {
		w.apply(&store.Batch{Rows: c.Rows, Objects: c.Objects, Counters: c.Counters, DropRows: c.DropRows})
		m.mu.Unlock()
		time.Sleep(time.Millisecond)
		m.mu.Lock()
	}
	w.apply(&c)
	if m.bug == "aliases the batch" {
		for _, r := range b.Rows {
			w.rows[store.Place{Obj: r.Obj, Seq: r.Seq}] = r
		}
	}
	switch {
	case m.bug == "durable is lost":
	case m.bug == "crash leaves half":
		d := m.disk[peer]
		d.apply(&store.Batch{Entries: b.Entries})
		if b.Durable {
			inbound := d.inbound
			*d = *w.clone()
			d.inbound = inbound
		}
	case b.Durable:
		m.disk[peer] = w.clone()
	}
	return nil
}

func (m *memory) Inbox(peer, obj string, limit int) ([]store.Inbound, error) {
	unlock, err := m.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	w := m.peer(peer)
	if m.bug == "inbox ignores limit" {
		limit = 0
	}
	if m.bug == "inbox of queues only" && !w.objects[obj].Queued {
		return nil, nil
	}
	return w.inbox(obj, limit), nil
}

func (m *memory) Depth(peer, obj string) (int, error) {
	unlock, err := m.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	if m.bug == "depth of all" {
		return len(m.peer(peer).inbound), nil
	}
	return len(m.peer(peer).inbox(obj, 0)), nil
}

func (m *memory) Expire(peer string, before time.Time, limit int) (int, error) {
	unlock, err := m.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	switch m.bug {
	case "expires the edge":
		before = before.Add(time.Millisecond)
	case "expires live objects":
		w := m.peer(peer)
		for k, o := range w.objects {
			if o.Ended.IsZero() {
				delete(w.objects, k)
			}
		}
	case "expires without limit":
		limit = 1 << 30
	case "expires counters":
		w := m.peer(peer)
		clear(w.counters)
	}
	return m.peer(peer).expire(before, limit), nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// reopen returns a store with what m has kept: all of it, or what a crash leaves.
func (m *memory) reopen() *memory {
	n := newMemory(m.bug)
	n.peers = m.peers
	for name, w := range n.peers {
		switch m.bug {
		case "ledger is lost":
			clear(w.entries)
		case "queues are lost":
			for k, r := range w.inbound {
				if w.objects[r.Obj].Queued {
					delete(w.inbound, k)
				}
			}
		case "epoch not kept":
			delete(n.peers, name)
		case "bytes are lost":
			for k, r := range w.rows {
				r.Body = bytes.TrimRight(r.Body, "o")
				w.rows[k] = r
			}
		}
	}
	for name, w := range n.peers {
		n.disk[name] = w.clone()
	}
	return n
}

func (m *memory) crash() { m.peers = m.disk }
