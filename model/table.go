package model

import (
	"sync"
	"sync/atomic"
)

const (
	// minSlots leaves room for what maxWorkers may insert between two looks at
	// the load: a quarter of it is more than maxWorkers*reportEvery.
	minSlots = 1 << 16
	// reportEvery is how many inserts a worker may keep to itself.
	reportEvery = 128
)

// table is a set of fingerprints: open addressing, linear probing, one word a
// slot, 0 for an empty one. Many goroutines insert at once, each holding the
// read side of growing; growth takes the write side. A slot's home is the top
// bits of the fingerprint, so growth walks both arrays from front to back.
type table struct {
	growing sync.RWMutex
	slots   []atomic.Uint64
	shift   uint
	used    atomic.Int64
}

func newTable() *table {
	t := &table{slots: make([]atomic.Uint64, minSlots)}
	t.shift = shiftFor(len(t.slots))
	return t
}

func shiftFor(slots int) uint {
	shift := uint(64)
	for n := slots; n > 1; n >>= 1 {
		shift--
	}
	return shift
}

// peek loads the home slot of fp. Callers peek at many fingerprints before
// they insert one, so that the cache misses overlap.
func (t *table) peek(fp uint64) uint64 {
	return t.slots[fp>>t.shift].Load()
}

// insert adds fp and reports whether it was new. The caller holds the read
// side of growing.
func (t *table) insert(fp uint64) bool {
	slots := t.slots
	mask := uint64(len(slots) - 1)
	for i := fp >> t.shift; ; i++ {
		slot := &slots[i&mask]
		found := slot.Load()
		if found == 0 {
			if slot.CompareAndSwap(0, fp) {
				return true
			}
			found = slot.Load()
		}
		if found == fp {
			return false
		}
	}
}

// report adds n inserts to the count and says whether the table wants to grow.
func (t *table) report(n int64) bool {
	return t.used.Add(n)*4 > int64(len(t.slots))*3
}

// grow doubles the slots unless another worker has already done so. The caller
// does not hold growing.
func (t *table) grow() {
	t.growing.Lock()
	defer t.growing.Unlock()
	if t.used.Load()*4 <= int64(len(t.slots))*3 {
		return
	}
	old := t.slots
	t.slots = make([]atomic.Uint64, 2*len(old))
	t.shift--
	for i := range old {
		if fp := old[i].Load(); fp != 0 {
			t.insert(fp)
		}
	}
}

// bytes is the memory of the slots.
func (t *table) bytes() int64 {
	return int64(len(t.slots)) * 8
}
