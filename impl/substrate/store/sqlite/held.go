package sqlite

import (
	"bytes"
	"slices"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// held is a batch that need not be on the disk yet.
type held struct {
	peer  string
	batch *store.Batch
	size  int
}

// holding is what waits for the next transaction. Only its head is ever taken away, so that a round may read what it has seen of it
// without the lock.
type holding struct {
	maxBatches int // below 0: none
	maxBytes   int
	batches    []held
	size       int
}

func (h *holding) drop(n int) {
	for i := range n {
		h.size -= h.batches[i].size
	}
	h.batches = append([]held(nil), h.batches[n:]...)
}

// hold keeps a copy of b until the next transaction. It reports false, and keeps nothing, if there is no room: then b has to be written
// like a durable one, and takes along what is held.
func (s *Store) hold(peer string, b *store.Batch) bool {
	size := sizeOf(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held.batches) >= s.held.maxBatches || s.held.size+size > s.held.maxBytes {
		return false
	}
	s.held.batches = append(s.held.batches, held{peer: peer, batch: clone(b), size: size})
	s.held.size += size
	return true
}

// flush writes what is held if any of it is for peer and says so by matters.
func (s *Store) flush(peer string, matters func(b *store.Batch) bool) error {
	s.mu.Lock()
	some := slices.ContainsFunc(s.held.batches, func(h held) bool { return h.peer == peer && matters(h.batch) })
	s.mu.Unlock()
	if !some {
		return nil
	}
	return s.submit(&request{})
}

// heldEntry looks for an entry in what is held.
func (s *Store) heldEntry(peer string, k store.Key) (store.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.held.batches {
		if h.peer != peer {
			continue
		}
		for _, e := range h.batch.Entries {
			if e.Key == k {
				return e, true
			}
		}
	}
	return store.Entry{}, false
}

func clone(b *store.Batch) *store.Batch {
	c := *b
	c.Objects = slices.Clone(b.Objects)
	for i := range c.Objects {
		c.Objects[i].Participants = slices.Clone(c.Objects[i].Participants)
	}
	c.Counters, c.Sent, c.DropRows = slices.Clone(b.Counters), slices.Clone(b.Sent), slices.Clone(b.DropRows)
	c.Entries, c.DropInbound = slices.Clone(b.Entries), slices.Clone(b.DropInbound)
	c.Rows = slices.Clone(b.Rows)
	for i := range c.Rows {
		c.Rows[i].Cap, c.Rows[i].Body = bytes.Clone(c.Rows[i].Cap), bytes.Clone(c.Rows[i].Body)
	}
	c.Inbound = slices.Clone(b.Inbound)
	for i := range c.Inbound {
		c.Inbound[i].Cap, c.Inbound[i].Body = bytes.Clone(c.Inbound[i].Cap), bytes.Clone(c.Inbound[i].Body)
	}
	return &c
}

// sizeOf is about what b holds in memory.
func sizeOf(b *store.Batch) int {
	const each = 128
	n := each * (1 + len(b.Objects) + len(b.Counters) + len(b.Rows) + len(b.Sent) + len(b.DropRows) + len(b.Entries) + len(b.Inbound))
	n += 8 * len(b.DropInbound)
	for i := range b.Rows {
		n += len(b.Rows[i].Cap) + len(b.Rows[i].Body) + len(b.Rows[i].Msg)
	}
	for i := range b.Inbound {
		n += len(b.Inbound[i].Cap) + len(b.Inbound[i].Body) + len(b.Inbound[i].Msg)
	}
	return n
}
