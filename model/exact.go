package model

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

const (
	exactShards = 64
	// arenaBlock is the size of one piece of a shard's keys; a longer key gets
	// a block of its own.
	arenaBlock = 1 << 16
)

// exactTable is a set of whole keys. It is cut into shards by fingerprint,
// each with its own lock, since a key cannot be stored in one atomic word.
type exactTable struct {
	shards     [exactShards]exactShard
	collisions atomic.Int64
}

type exactShard struct {
	mu    sync.Mutex
	slots []exactSlot
	used  int
	// blocks hold the keys, each after its length as a uvarint.
	blocks [][]byte
	held   int64
}

// exactSlot is empty when fp is 0.
type exactSlot struct {
	fp            uint64
	block, offset uint32
}

func newExactTable() *exactTable {
	t := &exactTable{}
	for i := range t.shards {
		t.shards[i].slots = make([]exactSlot, 64)
	}
	return t
}

// insert adds key, whose fingerprint is fp, and reports whether it was new.
func (t *exactTable) insert(fp uint64, key []byte) bool {
	shard := &t.shards[fp%exactShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	collided := false
	i := shard.home(fp)
	for ; shard.slots[i].fp != 0; i = (i + 1) & (len(shard.slots) - 1) {
		slot := shard.slots[i]
		if slot.fp != fp {
			continue
		}
		if bytes.Equal(shard.key(slot), key) {
			return false
		}
		collided = true
	}
	if collided {
		t.collisions.Add(1)
	}
	shard.slots[i] = shard.keep(fp, key)
	shard.used++
	if shard.used*4 > len(shard.slots)*3 {
		shard.grow()
	}
	return true
}

func (s *exactShard) home(fp uint64) int {
	return int(fp/exactShards) & (len(s.slots) - 1)
}

func (s *exactShard) key(slot exactSlot) []byte {
	at := s.blocks[slot.block][slot.offset:]
	n, width := binary.Uvarint(at)
	return at[width : width+int(n)]
}

func (s *exactShard) keep(fp uint64, key []byte) exactSlot {
	last := len(s.blocks) - 1
	need := len(key) + binary.MaxVarintLen64
	if last < 0 || cap(s.blocks[last])-len(s.blocks[last]) < need {
		s.blocks = append(s.blocks, make([]byte, 0, max(arenaBlock, need)))
		last++
		s.held += int64(cap(s.blocks[last]))
	}
	slot := exactSlot{fp: fp, block: uint32(last), offset: uint32(len(s.blocks[last]))}
	s.blocks[last] = append(binary.AppendUvarint(s.blocks[last], uint64(len(key))), key...)
	return slot
}

func (s *exactShard) grow() {
	old := s.slots
	s.slots = make([]exactSlot, 2*len(old))
	for _, slot := range old {
		if slot.fp == 0 {
			continue
		}
		i := s.home(slot.fp)
		for s.slots[i].fp != 0 {
			i = (i + 1) & (len(s.slots) - 1)
		}
		s.slots[i] = slot
	}
}

func (t *exactTable) bytes() int64 {
	var n int64
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += s.held + int64(len(s.slots))*16
		s.mu.Unlock()
	}
	return n
}
