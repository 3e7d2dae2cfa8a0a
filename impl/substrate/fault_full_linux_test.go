package substrate_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A small disk is a file system of its own, in memory, of 2 MiB.
type small struct{ path string }

// mountSmall mounts one for as long as a test lasts.
func mountSmall(t *testing.T) *small {
	t.Helper()
	d := &small{t.TempDir()}
	if err := unix.Mount("none", d.path, "tmpfs", 0, "size=2m"); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Skipf("this needs the right to mount: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Lazily: a test that failed may have left a file open.
		if err := unix.Unmount(d.path, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *small) dir() string    { return d.path }
func (d *small) filler() string { return filepath.Join(d.path, "filler") }

func (d *small) fill(t *testing.T, _ *sql.DB, pages int) {
	t.Helper()
	f, err := os.Create(d.filler())
	must(t, err)
	defer func() { must(t, f.Close()) }()
	page, n := make([]byte, 4096), int64(0)
	for err == nil {
		if _, err = f.Write(page); err == nil {
			n++
		}
	}
	if !errors.Is(err, unix.ENOSPC) || n < int64(pages) {
		t.Fatalf("fill the disk with %d pages: %v", n, err)
	}
	must(t, f.Truncate((n-int64(pages))*int64(len(page))))
}

func (d *small) free(t *testing.T, _ *sql.DB) {
	t.Helper()
	must(t, os.Remove(d.filler()))
}

// SUBSTRATE-OUTBOX-009, SUBSTRATE-STORE-008, SUBSTRATE-DEDUPE-007: a disk that has no room left, ENOSPC in the middle of a commit.
func TestFullDiskOfAPeer(t *testing.T) {
	mountSmall(t) // or skip all of it
	fullDisk(t, *fullPoints, 4, func(t *testing.T) disk { return mountSmall(t) })
}
