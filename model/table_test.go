package model

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestTableGrowsWhileItIsShared(t *testing.T) {
	const workers, each = 4, 150_000
	table := newTable()
	var fresh atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			table.growing.RLock()
			defer table.growing.RUnlock()
			for i := range uint64(each) {
				// Half of the numbers belong to two workers.
				if table.insert((i+uint64(w)*each/2)*mixA + 1) {
					fresh.Add(1)
					if table.report(1) {
						table.growing.RUnlock()
						table.grow()
						table.growing.RLock()
					}
				}
			}
		})
	}
	wg.Wait()
	if want := int64(each * (workers + 1) / 2); fresh.Load() != want || table.used.Load() != want {
		t.Errorf("want %d fingerprints, got %d new and %d used", want, fresh.Load(), table.used.Load())
	}
}

func TestExactTableKeepsKeysWithOneFingerprintApart(t *testing.T) {
	table := newExactTable()
	long := make([]byte, 3*arenaBlock)
	for _, c := range []struct {
		key   []byte
		fresh bool
	}{{[]byte("a"), true}, {[]byte("b"), true}, {[]byte("a"), false}, {nil, true}, {long, true}, {long, false}, {[]byte("b"), false}, {nil, false}} {
		if got := table.insert(42, c.key); got != c.fresh {
			t.Errorf("key of %d bytes: want new %v, got %v", len(c.key), c.fresh, got)
		}
	}
	if n := table.collisions.Load(); n != 3 {
		t.Errorf("want 3 collisions, got %d", n)
	}
	for i := range 1000 {
		table.insert(uint64(i)*64+42, []byte("a"))
	}
	if table.insert(42, long) {
		t.Error("want the long key to be found after growth")
	}
}
