package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// mount mounts a file system in memory of one mebibyte.
func mount(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Skipf("this needs the right to mount: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Lazily: a test that failed may have left a file open.
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A disk that is full in earnest: whatever was written stays, the store works again once there is room, and what is held is not lost.
func TestFullDisk(t *testing.T) { // SUBSTRATE-STORE-008 SUBSTRATE-OUTBOX-009
	dir := mount(t)
	path := filepath.Join(dir, "s.db")
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustLoad(t, s, "p")
	n, err := fill(t, s)
	wantError(t, err, "apply", path, sqlite.ErrFull)
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	// It is larger than what the batch that failed has left free.
	big := store.Row{Obj: "big", Seq: 1, Body: make([]byte, 200_000)}
	if err := s.Apply("p", &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: 1}}, Rows: []store.Row{big}}); err != nil {
		t.Errorf("apply a batch that is held while the disk is full: %v", err)
	}
	wantError(t, s.Flush(), "flush", path, sqlite.ErrFull)
	if held, _ := s.Held(); held != 1 {
		t.Errorf("%d batches are held after a flush that failed, expected 1", held)
	}
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, "p", send(n+1, 4000))
	state := mustLoad(t, s, "p")
	if uint64(len(state.Rows)) != n+1 || state.Rows[0].Obj != "big" || state.Rows[1].Seq != 2 || state.Counters[0].LastAssigned != n+1 {
		t.Errorf("%d rows from %s and seq %d, counter %d, expected %d rows, big and then from 2, and counter %d",
			len(state.Rows), state.Rows[0].Obj, state.Rows[1].Seq, state.Counters[0].LastAssigned, n+1, n+1)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, err = sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again := mustLoad(t, s, "p"); uint64(len(again.Rows)) != n+1 {
		t.Errorf("%d rows after reopening, expected %d", len(again.Rows), n+1)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	dir := mount(t)
	path := filepath.Join(dir, "s.db")
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, "p", send(1, 10))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, filepath.Join(dir, "new.db")} {
		_, err = sqlite.Open(file, sqlite.Options{})
		wantError(t, err, "open", file, sqlite.ErrReadOnly)
	}
}
