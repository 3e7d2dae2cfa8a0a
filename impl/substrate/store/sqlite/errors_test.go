package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var kinds = []error{
	sqlite.ErrFull, sqlite.ErrReadOnly, sqlite.ErrCorrupt, sqlite.ErrLocked, sqlite.ErrForeign, sqlite.ErrNewer, sqlite.ErrIO, sqlite.ErrClosed,
}

// wantError expects an error of one kind and no other, that names the operation and the file.
func wantError(t *testing.T, err error, op, path string, kind error) {
	t.Helper()
	var e *sqlite.Error
	if !errors.As(err, &e) {
		t.Fatalf("expected an error of type *sqlite.Error, found %T: %v", err, err)
	}
	for _, k := range kinds {
		if errors.Is(err, k) != (k == kind) {
			t.Errorf("%v: is it %q? %t, expected %q", err, k, errors.Is(err, k), kind)
		}
	}
	if e.Op != op || e.Path != path || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v: operation %q and path %q, expected %q and %q", err, e.Op, e.Path, op, path)
	}
}

func send(seq uint64, body int) *store.Batch {
	return &store.Batch{
		Rows: []store.Row{{Obj: "o", Seq: seq, ID: fmt.Sprint(seq), Body: bytes.Repeat([]byte{1}, body)}}, Counters: []store.Counter{{Obj: "o", LastAssigned: seq}},
		Durable: true,
	}
}

func mustApply(t testing.TB, s *sqlite.Store, peer string, b *store.Batch) {
	t.Helper()
	if err := s.Apply(peer, b); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t testing.TB, s *sqlite.Store, peer string) *store.State {
	t.Helper()
	state, err := s.Load(peer)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// fill applies until it fails, and returns how many batches were written.
func fill(t *testing.T, s *sqlite.Store) (uint64, error) {
	t.Helper()
	for seq := uint64(1); seq < 10_000; seq++ {
		if err := s.Apply("p", send(seq, 4000)); err != nil {
			return seq - 1, err
		}
	}
	t.Fatal("the store never became full")
	return 0, nil
}

// A full store says so, keeps what it has, and works again once there is room.
func TestFullFile(t *testing.T) { // SUBSTRATE-STORE-008 SUBSTRATE-OUTBOX-009
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{MaxBytes: 512 << 10})
	n, err := fill(t, s)
	wantError(t, err, "apply", path, sqlite.ErrFull)
	state, err := s.Load("p")
	if err != nil {
		t.Fatal(err)
	}
	if uint64(len(state.Rows)) != n || state.Counters[0].LastAssigned != n {
		t.Errorf("%d rows and a counter of %d after %d batches and a failed one", len(state.Rows), state.Counters[0].LastAssigned, n)
	}
	var free store.Batch
	for seq := range n {
		free.DropRows = append(free.DropRows, store.Place{Obj: "o", Seq: seq + 1})
	}
	mustApply(t, s, "p", &free)
	mustApply(t, s, "p", send(n+1, 4000))
}

func TestReadOnlyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{})
	mustLoad(t, s, "p")
	mustApply(t, s, "p", send(1, 10))
	if err := s.WriterExec(`PRAGMA query_only = 1`); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Apply("p", send(2, 10)), "apply", path, sqlite.ErrReadOnly)
	_, err := s.Load("new")
	wantError(t, err, "load", path, sqlite.ErrReadOnly)
	_, err = s.Expire("p", stamp, 1)
	wantError(t, err, "expire", path, sqlite.ErrReadOnly)
	if state, err := s.Load("p"); err != nil || len(state.Rows) != 1 {
		t.Errorf("load from a file that cannot be written: %v, %v", state, err)
	}
	mustApply(t, s, "p", &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: 1}}})
	wantError(t, s.Close(), "close", path, sqlite.ErrReadOnly)
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}

	// A host may give a database that cannot be written from the start.
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = sqlite.New(db, "other_")
	wantError(t, err, "open", "(tables other_*)", sqlite.ErrReadOnly)
	there, err := sqlite.New(db, "substrate_")
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, there.Apply("p", send(2, 10)), "apply", "(tables substrate_*)", sqlite.ErrReadOnly)
}

// Damage in a page is found when the page is read; the rest goes on.
func TestDamagedPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{})
	for seq := uint64(1); seq <= 200; seq++ {
		b := send(seq, 3000)
		b.Durable = seq == 200
		mustApply(t, s, "p", b)
	}
	mustApply(t, s, "other", send(1, 1))
	root, err := s.WriterQuery(`SELECT rootpage FROM sqlite_schema WHERE name = 'substrate_outbox'`)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var page int64
	if _, err := fmt.Sscan(root, &page); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 64)
	if _, err := f.ReadAt(head, (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	for i := range head {
		head[i] ^= 0xff
	}
	if _, err := f.WriteAt(head, (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, sqlite.Options{})
	_, err = s.Load("p")
	wantError(t, err, "load", path, sqlite.ErrCorrupt)
	wantError(t, s.Apply("p", send(201, 10)), "apply", path, sqlite.ErrCorrupt)
	if err := s.Apply("p", &store.Batch{Entries: []store.Entry{{Key: store.Key{Class: store.Op, ID: "x"}, At: stamp}}, Durable: true}); err != nil {
		t.Errorf("write to a table that is not damaged: %v", err)
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{BusyTimeout: time.Millisecond})
	mustLoad(t, s, "p")
	mustApply(t, s, "p", send(1, 10))

	// Another store in this process.
	_, err := sqlite.Open(path, sqlite.Options{BusyTimeout: time.Millisecond})
	wantError(t, err, "open", path, sqlite.ErrLocked)

	// Another process that writes.
	p := start(t, "lock", path)
	if said := p.line(t); said != "ready" {
		t.Fatal(said)
	}
	wantError(t, s.Apply("p", send(2, 10)), "apply", path, sqlite.ErrLocked)
	if state, err := s.Load("p"); err != nil || len(state.Rows) != 1 {
		t.Errorf("load while another process writes: %v, %v", state, err)
	}
	p.kill(t, "")
	mustApply(t, s, "p", send(2, 10))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// Another process that owns the file; its death frees it.
	p = start(t, "own", path)
	if said := p.line(t); said != "ready" {
		t.Fatal(said)
	}
	_, err = sqlite.Open(path, sqlite.Options{BusyTimeout: time.Millisecond})
	wantError(t, err, "open", path, sqlite.ErrLocked)
	p.kill(t, "")
	s = open(t, path, sqlite.Options{BusyTimeout: time.Millisecond})
	if state, err := s.Load("p"); err != nil || len(state.Rows) != 2 {
		t.Errorf("load after the owner died: %v, %v", state, err)
	}
}

func TestForeignFiles(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"no database": func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("this is a text. "), 500), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"another program's": func(t *testing.T, path string) {
			runSQL(t, path, `CREATE TABLE accounts (id INTEGER PRIMARY KEY)`)
		},
		"another program's, marked and empty": func(t *testing.T, path string) {
			runSQL(t, path, `PRAGMA application_id = 99`)
		},
		"one that lost its version": func(t *testing.T, path string) {
			if err := open(t, path, sqlite.Options{}).Close(); err != nil {
				t.Fatal(err)
			}
			runSQL(t, path, `DROP TABLE substrate_meta`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.db")
			make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = sqlite.Open(path, sqlite.Options{})
			wantError(t, err, "open", path, sqlite.ErrForeign)
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed from %d to %d octets: %v", len(before), len(after), err)
			}
		})
	}
}

func runSQL(t *testing.T, path, query string) {
	t.Helper()
	db := sqlDB(t, path)
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func sqlDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestNewerFiles(t *testing.T) {
	for _, change := range []string{`PRAGMA user_version = 7`, `UPDATE substrate_meta SET value = 7`} {
		path := filepath.Join(t.TempDir(), "s.db")
		if err := open(t, path, sqlite.Options{}).Close(); err != nil {
			t.Fatal(err)
		}
		runSQL(t, path, change)
		_, err := sqlite.Open(path, sqlite.Options{})
		wantError(t, err, "open", path, sqlite.ErrNewer)
		var v *sqlite.VersionError
		if !errors.As(err, &v) || *v != (sqlite.VersionError{Found: 7, Known: 1}) {
			t.Errorf("after %s: %v, version error %v", change, err, v)
		}
	}
}

func TestPathsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none", "s.db"), filepath.Join(file, "s.db"), dir} {
		_, err := sqlite.Open(path, sqlite.Options{})
		wantError(t, err, "open", path, sqlite.ErrIO)
	}
	_, err := sqlite.Open("", sqlite.Options{})
	wantError(t, err, "open", `""`, sqlite.ErrIO)

	odd := filepath.Join(dir, "a ?b=c&d#e%20%.db")
	s := open(t, odd, sqlite.Options{})
	mustApply(t, s, "p", send(1, 1))
	if _, err := os.Stat(odd); err != nil {
		t.Errorf("the file has another name than was given: %v", err)
	}
}

func TestClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Apply("p", send(1, 1)), "apply", path, sqlite.ErrClosed)
	wantError(t, s.Flush(), "flush", path, sqlite.ErrClosed)
	_, err := s.Load("p")
	wantError(t, err, "load", path, sqlite.ErrClosed)
}

func TestValidate(t *testing.T) {
	for want, o := range map[string]sqlite.Options{
		"BusyTimeout": {BusyTimeout: time.Microsecond}, "MaxBytes": {MaxBytes: -1}, "HeldBytes": {HeldBytes: -1},
	} {
		if _, err := sqlite.Open(filepath.Join(t.TempDir(), "s.db"), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("options %+v: %v, expected an error that names %s", o, err, want)
		}
	}
	for p, good := range map[sqlite.Prefix]bool{
		"": true, "a": true, "_": true, "Bridge_2_": true, "1a": false, "a-b": false, "a b": false, "é": false, "sqlite_x": false, "SQLite": false,
		`a"`: false, sqlite.Prefix(strings.Repeat("a", 32)): true, sqlite.Prefix(strings.Repeat("a", 33)): false,
	} {
		if err := p.Validate(); (err == nil) != good {
			t.Errorf("prefix %q: %v, expected it to be good: %t", p, err, good)
		}
	}
}
