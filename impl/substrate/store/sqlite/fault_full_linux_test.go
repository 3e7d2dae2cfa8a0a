package sqlite_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var diskPoints = flag.Int("disk-points", 40, "at how many points of its growth a file meets a full disk")

// leave fills a disk until there is room for so many pages of 4 KiB, and returns what gives the room back.
func leave(t *testing.T, dir string, pages int64) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	page, n := make([]byte, 4096), int64(0)
	for err == nil {
		if _, err = f.Write(page); err == nil {
			n++
		}
	}
	if !errors.Is(err, unix.ENOSPC) || n < pages {
		t.Fatalf("fill the disk with %d pages: %v", n, err)
	}
	if err := errors.Join(f.Truncate((n-pages)*4096), f.Close()); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// wantWritten wants the rows of all batches up to n, and nothing of any later one.
func wantWritten(t *testing.T, when string, s *sqlite.Store, n uint64) {
	t.Helper()
	state := mustLoad(t, s, "p")
	whole := uint64(len(state.Rows)) == n && (n == 0 || state.Counters[0].LastAssigned == n)
	for i := range state.Rows {
		whole = whole && state.Rows[i].Seq == uint64(i)+1
	}
	if !whole {
		t.Errorf("%s: %d rows, counters %+v, %d batches were written", when, len(state.Rows), state.Counters, n)
	}
	for i := uint64(1); i <= n+1; i++ {
		if _, ok, err := s.Committed("p", store.Key{Class: store.Op, ID: fmt.Sprint(i)}); err != nil || ok != (i <= n) {
			t.Errorf("%s: entry %d of %d: %t, %v", when, i, n, ok, err)
		}
	}
}

// restarted opens a file on a full disk, which needs room for what readers share, and may be refused at that by name of the reason.
func restarted(t *testing.T, path string, n uint64) bool {
	t.Helper()
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		wantError(t, err, "open", path, sqlite.ErrFull)
		return false
	}
	defer func() {
		if err := s.Abandon(); err != nil {
			t.Error(err)
		}
	}()
	if _, err = s.Load("p"); err != nil {
		wantError(t, err, "load", path, sqlite.ErrFull)
		return false
	}
	wantWritten(t, "after a restart on a full disk", s, n)
	return true
}

// A disk that runs full in the middle of a commit, wherever that is: the batch is refused as a whole by name of the reason, all that was
// reported as written is there while the disk is full, after the death of the process and after there is room, and the store goes on.
func TestDiskFullAtEachPoint(t *testing.T) { // SUBSTRATE-STORE-008 SUBSTRATE-OUTBOX-009 SUBSTRATE-DEDUPE-007
	var refused, opened int
	for pages := range int64(*diskPoints) {
		t.Run(fmt.Sprintf("room for %d pages", pages), func(t *testing.T) {
			dir := mount(t)
			path := filepath.Join(dir, "s.db")
			s, err := sqlite.Open(path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			mustLoad(t, s, "p") // which makes its epoch
			n := uint64(0)
			step := func(seq uint64) *store.Batch {
				b := send(seq, 3000)
				b.Entries = []store.Entry{{Key: store.Key{Class: store.Op, ID: fmt.Sprint(seq)}, At: stamp}}
				return b
			}
			for ; n < 5; n++ {
				mustApply(t, s, "p", step(n+1))
			}
			free := leave(t, dir, pages)
			for {
				if err = s.Apply("p", step(n+1)); err != nil {
					break
				}
				n++
			}
			wantError(t, err, "apply", path, sqlite.ErrFull)
			refused++
			wantWritten(t, "while the disk is full", s, n)
			wantError(t, s.Apply("p", step(n+1)), "apply", path, sqlite.ErrFull)

			// The process dies, and the next one finds the disk full.
			if err := s.Abandon(); err != nil {
				t.Fatal(err)
			}
			if restarted(t, path, n) {
				opened++
			}
			free()
			if s, err = sqlite.Open(path, sqlite.Options{}); err != nil {
				t.Fatal(err)
			}
			wantWritten(t, "after there is room", s, n)
			mustApply(t, s, "p", step(n+1))
			wantWritten(t, "after the next batch", s, n+1)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if refused == 0 {
		t.Skip("nothing was tried: see why")
	}
	t.Logf("a batch was refused at each of %d points; %d of the files could be opened and read while the disk was full", refused, opened)
}
