package host

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

var _ writer.Storage = (*storage)(nil)

// DATABUS-ROUTE-001: several processes see one storage, that behaves as one in memory does.
func TestStorageIsOne(t *testing.T) {
	hosts := []*Host{opened(t, t.TempDir(), nil)}
	hosts = append(hosts, opened(t, hosts[0].dir, nil))
	// Views of one host share its connection, those of another do not.
	views := []*view{{s: hosts[0].storage}, {s: hosts[0].storage}, {s: hosts[1].storage}}
	key := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "c", "é", "a\x00b", "%_'\""}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		for _, k := range must(hosts[0].storage.Keys()) {
			if err := hosts[0].storage.Remove(k); err != nil {
				t.Fatal(err)
			}
		}
		memory := &databus.Origin{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			var s writer.Storage = rapid.SampledFrom(hosts).Draw(t, "host").storage
			if rapid.Bool().Draw(t, "view") {
				v := rapid.SampledFrom(views).Draw(t, "which")
				v.Renew()
				s = v
			}
			k, v := key.Draw(t, "key"), rapid.String().Draw(t, "value")
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				if err := errors.Join(s.Set(k, v), memory.Set(k, v)); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := errors.Join(s.Remove(k), memory.Remove(k)); err != nil {
					t.Fatal(err)
				}
			}
			// The view that has written shows that before it is renewed.
			all := []writer.Storage{s, hosts[0].storage, hosts[1].storage}
			for _, v := range views {
				if rapid.Bool().Draw(t, "renewed") {
					v.Renew()
					all = append(all, v)
				}
			}
			for _, s := range all {
				got, there, err := s.Get(k)
				want, held, _ := memory.Get(k)
				if got != want || there != held || err != nil {
					t.Fatalf("Get(%q) = %q, %t, %v, want %q, %t", k, got, there, err, want, held)
				}
				if got, want := must(s.Keys()), must(memory.Keys()); !slices.Equal(got, want) {
					t.Fatalf("keys %q, want %q", got, want)
				}
			}
		}
	})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A file is made once, however many want it at once, and serves them all.
func TestStorageOpensAtOnce(t *testing.T) {
	const n = 8
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			h, err := Open(Config{Dir: dir, BusyTimeout: patience})
			if err != nil {
				t.Error(err)
				return
			}
			for k := range 20 {
				if err := h.storage.Set(fmt.Sprint(i, "-", k), "v"); err != nil {
					t.Error(err)
				}
			}
			if err := h.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h := opened(t, dir, nil)
	if keys := must(h.storage.Keys()); len(keys) != n*20 {
		t.Errorf("%d keys, want %d", len(keys), n*20)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	info, err := os.Stat(filepath.Join(dir, StorageName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What is wrong with a file has a type, and the file stays as it is.
func TestStorageRefuses(t *testing.T) {
	sqlite := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db := must(sql.Open("sqlite", path))
			defer db.Close()
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"text": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, ErrDamaged},
		"another":   {sqlite(`CREATE TABLE t (x)`), ErrForeign},
		"empty":     {func(t *testing.T, path string) { _ = os.WriteFile(path, nil, 0o600) }, ErrForeign},
		"newer":     {sqlite(fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = 9; CREATE TABLE t (x)`, applicationID)), ErrNewer},
		"directory": {func(t *testing.T, path string) { _ = os.Mkdir(path, 0o700) }, ErrIO},
		"damaged": {func(t *testing.T, path string) {
			h := must(Open(Config{Dir: filepath.Dir(path)}))
			for i := range 500 {
				_ = h.storage.Set(fmt.Sprint("key ", i), strings.Repeat("x", 100))
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			damage(t, path)
		}, ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, StorageName)
			c.make(t, path)
			before, _ := os.ReadFile(path)
			h, err := Open(Config{Dir: dir})
			var e *StorageError
			if h != nil || !errors.Is(err, c.want) || !errors.As(err, &e) || e.Op != "open" || !strings.Contains(err.Error(), path) {
				t.Fatalf("Open: %v, want %v", err, c.want)
			}
			if after, _ := os.ReadFile(path); string(before) != string(after) {
				t.Error("the file has changed")
			}
		})
	}
}

// damage overwrites the inner pages of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info := must(f.Stat())
	if info.Size() < 5*4096 {
		t.Fatalf("only %d octets", info.Size())
	}
	for at := int64(4096); at < info.Size(); at += 4096 {
		if _, err := f.WriteAt([]byte(strings.Repeat("damage! ", 300)), at); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that is damaged while it is in use is told as such, and holds nothing.
func TestStorageDamagedInUse(t *testing.T) {
	told := make(chan error, 100)
	dir := t.TempDir()
	h := opened(t, dir, func(c *Config) { c.Fault = func(err error) { told <- err } })
	for i := range 500 {
		if err := h.storage.Set(fmt.Sprint("key ", i), strings.Repeat("x", 200)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.storage.db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	// The pages in memory are those of this connection; another has none.
	damage(t, filepath.Join(dir, StorageName))
	h.storage.db.SetMaxIdleConns(0)
	_, _, err := h.storage.Get("key 7")
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("%v", err)
	}
	if err := <-told; !errors.Is(err, ErrDamaged) {
		t.Errorf("told %v", err)
	}
}

// Nothing grows without bound.
func TestStorageLimits(t *testing.T) {
	h := opened(t, t.TempDir(), func(c *Config) { c.MaxBytes = 256 << 10 })
	s := h.storage
	var size *SizeError
	err := s.Set("k", strings.Repeat("x", MaxValue+1))
	if !errors.As(err, &size) || *size != (SizeError{"set", "value", MaxValue, MaxValue + 1}) {
		t.Errorf("a large value: %v", err)
	}
	if err := s.Set(strings.Repeat("k", MaxKey+1), ""); !errors.As(err, &size) || size.What != "key" {
		t.Errorf("a large key: %v", err)
	}
	if err := s.Set(strings.Repeat("k", MaxKey), strings.Repeat("x", MaxValue)); err != nil {
		t.Error(err)
	}
	err = nil
	for i := 0; err == nil && i < 100; i++ {
		err = s.Set(fmt.Sprint(i), strings.Repeat("x", 16<<10))
	}
	if !errors.Is(err, ErrFull) {
		t.Errorf("a full file: %v", err)
	}
	// What somebody else wrote may be of any size.
	if _, err := s.db.Exec(`DELETE FROM entries; INSERT INTO entries (key, value) VALUES ('k', ?), (?, '')`,
		strings.Repeat("x", MaxValue+1), strings.Repeat("k", MaxKey+1)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get("k"); !errors.As(err, &size) || size.Found != MaxValue+1 {
		t.Errorf("a large value: %v", err)
	}
	if keys := must(s.Keys()); !slices.Equal(keys, []string{"k"}) {
		t.Errorf("keys %.40q", keys)
	}
	if _, err := s.db.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
		INSERT INTO entries (key, value) SELECT 'k' || i, '' FROM n`, 1000); err != nil && !errors.Is(kindOf(err), ErrFull) {
		t.Fatal(err)
	}
}

// Who finds the file locked waits, and not for ever.
func TestStorageBusy(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, func(c *Config) { c.BusyTimeout = 20 * time.Millisecond }).storage
	other := opened(t, dir, nil).storage
	if _, err := other.db.Exec(`BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("a", "1"); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	if _, there, err := s.Get("a"); there || err != nil {
		t.Errorf("a reader waits for a writer: %v", err)
	}
	if _, err := other.db.Exec(`ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("a", "1"); err != nil {
		t.Error(err)
	}
}

func TestStorageClosed(t *testing.T) {
	h := must(Open(Config{Dir: t.TempDir()}))
	if err := errors.Join(h.Close(t.Context()), h.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, _, get := h.storage.Get("a")
	_, keys := h.storage.Keys()
	_, open := h.open("k", nil)
	_, fresh := h.New(databus.Config{Transport: (&databus.Server{}).Line()})
	for name, err := range map[string]error{"get": get, "keys": keys, "set": h.storage.Set("a", ""), "open": open, "new": fresh} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
