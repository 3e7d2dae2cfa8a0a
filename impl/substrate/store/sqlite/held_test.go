package sqlite_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// commits counts the transactions in the write-ahead log of a file since its last checkpoint: the last frame of each names a size.
func commits(t *testing.T, path string) int {
	t.Helper()
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if len(log) < 32 {
		return 0
	}
	salt := string(log[16:24])
	for at := 32; at+24 <= len(log); at += 24 + 4096 {
		frame := log[at : at+24]
		if string(frame[8:16]) == salt && binary.BigEndian.Uint32(frame[4:]) != 0 {
			n++
		}
	}
	return n
}

func free(seq uint64) *store.Batch {
	return &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: seq}}, Counters: []store.Counter{{Obj: "o", LastAssigned: seq, LastPred: seq}}}
}

// What is reported as durable is synced: that is what these settings of SQLite say.
func TestSettings(t *testing.T) { // SUBSTRATE-OUTBOX-001 SUBSTRATE-ACK-002
	s := open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "locking_mode": "normal", "user_version": "1"} {
		if got, err := s.WriterQuery("PRAGMA " + pragma); err != nil || got != want {
			t.Errorf("%s is %s, expected %s: %v", pragma, got, want, err)
		}
	}
	if _, err := s.Reader().Exec(`DELETE FROM substrate_ledger`); err == nil {
		t.Error("a connection that is to read only can write")
	}
}

func TestHeldBatchesRide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{})
	mustLoad(t, s, "p")
	before := commits(t, path)
	for seq := uint64(1); seq <= 10; seq++ {
		mustApply(t, s, "p", send(seq, 10))
		mustApply(t, s, "p", free(seq))
	}
	if got := commits(t, path) - before; got != 10 {
		t.Errorf("10 ops that were written and freed took %d transactions, expected 10", got)
	}
	if n, size := s.Held(); n != 1 || size <= 0 {
		t.Errorf("%d batches of %d octets are held, expected the last one", n, size)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, size := s.Held(); n != 0 || size != 0 {
		t.Errorf("%d batches of %d octets are held after a flush", n, size)
	}
	if got := commits(t, path) - before; got != 11 {
		t.Errorf("%d transactions after a flush, expected 11", got)
	}
	if state := mustLoad(t, s, "p"); len(state.Rows) != 0 || state.Counters[0].LastPred != 10 {
		t.Errorf("state is %+v", state)
	}
}

// Every method sees what is held.
func TestHeldBatchesAreSeen(t *testing.T) {
	key := store.Key{Class: store.Op, ID: "x"}
	held := &store.Batch{
		Entries: []store.Entry{{Key: key, Obj: "held", At: stamp.Add(time.Hour)}}, Inbound: []store.Inbound{{N: 1, Obj: "o", ID: "x"}},
	}
	for name, look := range map[string]func(s *sqlite.Store) error{
		"Load": func(s *sqlite.Store) error {
			state, err := s.Load("p")
			if err == nil && len(state.Inbound) != 1 {
				err = fmt.Errorf("%d rows", len(state.Inbound))
			}
			return err
		},
		"Inbox": func(s *sqlite.Store) error {
			rows, err := s.Inbox("p", "o", 0)
			if err == nil && len(rows) != 1 {
				err = fmt.Errorf("%d rows", len(rows))
			}
			return err
		},
		"Depth": func(s *sqlite.Store) error {
			n, err := s.Depth("p", "o")
			if err == nil && n != 1 {
				err = fmt.Errorf("depth %d", n)
			}
			return err
		},
		"Committed": func(s *sqlite.Store) error {
			e, ok, err := s.Committed("p", key)
			if err == nil && (!ok || e.Obj != "held") {
				err = fmt.Errorf("%t, %+v", ok, e)
			}
			if n, _ := s.Held(); n != 1 {
				err = errors.Join(err, fmt.Errorf("a lookup has written what is held"))
			}
			if _, ok, _ := s.Committed("other", key); ok {
				err = errors.Join(err, fmt.Errorf("another peer sees it"))
			}
			return err
		},
		"Expire": func(s *sqlite.Store) error {
			n, err := s.Expire("p", stamp.Add(2*time.Hour), 0)
			if err == nil && n != 1 {
				err = fmt.Errorf("%d removed", n)
			}
			return err
		},
	} {
		s := open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
		mustLoad(t, s, "p")
		mustApply(t, s, "p", held)
		if n, _ := s.Held(); n != 1 {
			t.Fatalf("%d batches are held, expected 1", n)
		}
		if err := look(s); err != nil {
			t.Errorf("%s after a batch that is held: %v", name, err)
		}
	}
}

// An entry that is written wins over one that is held under the same key, as it will when that is written.
func TestHeldEntryIsNoFirst(t *testing.T) { // SUBSTRATE-DEDUPE-003
	s := open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
	e := store.Entry{Key: store.Key{Class: store.Op, ID: "x"}, Obj: "first", At: stamp}
	mustApply(t, s, "p", &store.Batch{Entries: []store.Entry{e}, Durable: true})
	e.Obj = "held"
	mustApply(t, s, "p", &store.Batch{Entries: []store.Entry{e}})
	if got, ok, err := s.Committed("p", e.Key); err != nil || !ok || got.Obj != "first" {
		t.Errorf("found %+v, %t, %v; expected the first", got, ok, err)
	}
}

func TestHeldBatchesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		options sqlite.Options
		body    int
		most    int
	}{
		"by count":          {sqlite.Options{HeldBatches: 5}, 1, 5},
		"by size":           {sqlite.Options{HeldBytes: 10_000}, 3000, 2},
		"none":              {sqlite.Options{HeldBatches: -1}, 1, 0},
		"too large for any": {sqlite.Options{HeldBytes: 1000}, 3000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "s.db"), c.options)
			most := 0
			for seq := uint64(1); seq <= 20; seq++ {
				b := send(seq, c.body)
				b.Durable = false
				mustApply(t, s, "p", b)
				n, _ := s.Held()
				most = max(most, n)
			}
			if most != c.most {
				t.Errorf("at most %d batches were held, expected %d", most, c.most)
			}
			if state := mustLoad(t, s, "p"); len(state.Rows) != 20 {
				t.Errorf("%d rows, expected 20", len(state.Rows))
			}
		})
	}
}

func TestCloseWritesWhatIsHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{})
	mustApply(t, s, "p", send(1, 10))
	mustApply(t, s, "p", free(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, sqlite.Options{})
	if state := mustLoad(t, s, "p"); len(state.Rows) != 0 {
		t.Errorf("%d rows after Close and Open, expected none", len(state.Rows))
	}
}

// together lets n calls of apply wait for one another: the first waits for a lock that the test holds, the others for the first.
func together(t *testing.T, s *sqlite.Store, path string, n int, apply func(i int) error) []error {
	t.Helper()
	db := sqlDB(t, path)
	defer func() { _ = db.Close() }()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(`INSERT INTO substrate_meta (key, value) VALUES ('lock', 0)`); err != nil {
		t.Fatal(err)
	}
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = apply(i) })
	}
	for s.Waiting() < n-1 {
		runtime.Gosched()
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	return errs
}

func TestBatchesThatWaitShareATransaction(t *testing.T) {
	const n = 9
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{BusyTimeout: time.Hour})
	mustLoad(t, s, "p")
	before := commits(t, path)
	for i, err := range together(t, s, path, n, func(i int) error {
		b := send(1, 10)
		b.Rows[0].Obj = fmt.Sprint("o", i)
		return s.Apply("p", b)
	}) {
		if err != nil {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	// One for the first, which was alone when it began, and one for all that came while it waited.
	if got := commits(t, path) - before; got != 2 {
		t.Errorf("%d batches at once took %d transactions, expected 2", n, got)
	}
	if state := mustLoad(t, s, "p"); len(state.Rows) != n {
		t.Errorf("%d rows, expected %d", len(state.Rows), n)
	}
}

// A batch that fails does not take along those that it shares a transaction with, nor what is held.
func TestABadBatchFailsAlone(t *testing.T) { // SUBSTRATE-SEQ-014 SUBSTRATE-STORE-008
	const n = 9
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, sqlite.Options{BusyTimeout: time.Hour})
	mustLoad(t, s, "p")
	mustApply(t, s, "p", send(1, 10))
	if err := s.WriterExec(`CREATE TRIGGER bad BEFORE INSERT ON substrate_ledger WHEN NEW.id = 'bad' BEGIN SELECT RAISE(ABORT, 'bad'); END`); err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, "p", free(1))
	errs := together(t, s, path, n, func(i int) error {
		b := send(1, 10)
		b.Rows[0].Obj = fmt.Sprint("o", i)
		id := fmt.Sprint(i)
		if i == 4 {
			id = "bad"
		}
		b.Entries = []store.Entry{{Key: store.Key{Class: store.Op, ID: id}, At: stamp}}
		return s.Apply("p", b)
	})
	for i, err := range errs {
		if (err != nil) != (i == 4) {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	if held, size := s.Held(); held != 0 || size != 0 {
		t.Errorf("%d batches of %d octets are held still", held, size)
	}
	state := mustLoad(t, s, "p")
	if len(state.Rows) != n-1 {
		t.Errorf("%d rows, expected those of %d good batches: %+v", len(state.Rows), n-1, state.Rows)
	}
	for _, r := range state.Rows {
		if r.Obj == "o4" || r.Obj == "o" {
			t.Errorf("there is a row of %s", r.Obj)
		}
	}
}
