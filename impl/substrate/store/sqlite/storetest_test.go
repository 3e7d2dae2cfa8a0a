package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
	"github.com/seed-6f28358b/assay/impl/substrate/store/storetest"
)

func TestMain(m *testing.M) {
	if child() {
		return
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, path string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func hostDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_busy_timeout=5000&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// triggers makes the statements of one part of a batch fail.
func triggers(part storetest.Part) (table, when string) {
	switch part {
	case storetest.Objects:
		return "objects", "INSERT"
	case storetest.Counters:
		return "counters", "INSERT"
	case storetest.Rows:
		return "outbox", "INSERT"
	case storetest.Sent:
		return "outbox", "UPDATE"
	case storetest.DropRows:
		return "outbox", "DELETE"
	case storetest.Entries:
		return "ledger", "INSERT"
	case storetest.Inbound:
		return "inbox", "INSERT"
	}
	return "inbox", "DELETE"
}

func sabotage(t *testing.T, prefix string, part storetest.Part, exec func(string) error) func() {
	table, when := triggers(part)
	err := exec(fmt.Sprintf(`CREATE TRIGGER sabotage BEFORE %s ON %s%s BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`, when, prefix, table))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := exec(`DROP TRIGGER sabotage`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFile(t *testing.T) {
	// SUBSTRATE-STORE-001 SUBSTRATE-STORE-005 SUBSTRATE-STORE-006 SUBSTRATE-STORE-008 SUBSTRATE-DEDUPE-002 SUBSTRATE-DEDUPE-003
	// SUBSTRATE-DEDUPE-007 SUBSTRATE-OBJ-008 SUBSTRATE-SEQ-011 SUBSTRATE-OUTBOX-007 SUBSTRATE-OUTBOX-008 SUBSTRATE-OUTBOX-009
	paths := map[store.Store]string{}
	storetest.Run(t, func(t *testing.T) store.Store {
		path := filepath.Join(t.TempDir(), "s.db")
		s := open(t, path, sqlite.Options{})
		paths[s] = path
		return s
	}, storetest.Options{
		Reopen: func(t *testing.T, s store.Store) store.Store {
			again := open(t, paths[s], sqlite.Options{})
			paths[again] = paths[s]
			return again
		},
		Crash: func(t *testing.T, s store.Store) {
			if err := s.(*sqlite.Store).Abandon(); err != nil {
				t.Fatal(err)
			}
		},
		Sabotage: func(t *testing.T, s store.Store, p storetest.Part) func() {
			return sabotage(t, "substrate_", p, s.(*sqlite.Store).WriterExec)
		},
	})
}

// A store that holds little has to write while others hold.
func TestFileThatHoldsLittle(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Options{HeldBatches: 2})
	}, storetest.Options{})
}

func TestHostDatabase(t *testing.T) { // as TestFile, and SUBSTRATE-STORE-002
	dbs := map[store.Store]*sql.DB{}
	storetest.Run(t, func(t *testing.T) store.Store {
		db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
		s, err := sqlite.New(db, "bridge_")
		if err != nil {
			t.Fatal(err)
		}
		dbs[s] = db
		return s
	}, storetest.Options{
		Reopen: func(t *testing.T, s store.Store) store.Store {
			again, err := sqlite.New(dbs[s], "bridge_")
			if err != nil {
				t.Fatal(err)
			}
			dbs[again] = dbs[s]
			return again
		},
		// Nothing is held back, so that there is nothing to lose.
		Crash: func(*testing.T, store.Store) {},
		Sabotage: func(t *testing.T, s store.Store, p storetest.Part) func() {
			return sabotage(t, "bridge_", p, func(q string) error {
				_, err := dbs[s].Exec(q)
				return err
			})
		},
	})
}
