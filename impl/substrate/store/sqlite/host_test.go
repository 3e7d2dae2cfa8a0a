package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	sqlite3 "modernc.org/sqlite"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

func count(t *testing.T, db *sql.DB, query string, args ...any) int {
	t.Helper()
	n := 0
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func mustNew(t *testing.T, db *sql.DB, p sqlite.Prefix) *sqlite.Store {
	t.Helper()
	s, err := sqlite.New(db, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// queueBatch is what the engine commits for a message to a queue whose inbox the host takes from.
func queueBatch(n uint64) *store.Batch {
	return &store.Batch{
		Objects: []store.Object{{Obj: "jobs", Kind: "queue", State: "live", Queued: true}},
		Entries: []store.Entry{{Key: store.Key{Class: store.Op, ID: fmt.Sprint(n)}, Obj: "jobs", Kind: "send", At: stamp}},
		Inbound: []store.Inbound{{N: n, Obj: "jobs", ID: fmt.Sprint(n), Body: []byte("job")}},
		Durable: true,
	}
}

// The host counts, lists and removes rows of an inbox with SQL of its own, and the store sees it.
func TestHostTakesFromTheInbox(t *testing.T) { // SUBSTRATE-OBJ-008
	db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
	s := mustNew(t, db, "bridge_")
	for n := uint64(1); n <= 3; n++ {
		mustApply(t, s, "gate", queueBatch(n))
	}
	if n := count(t, db, `SELECT count(*) FROM bridge_inbox WHERE peer = 'gate' AND obj = 'jobs'`); n != 3 {
		t.Errorf("the host counts %d jobs, expected 3", n)
	}
	if _, err := db.Exec(`DELETE FROM bridge_inbox WHERE peer = 'gate' AND obj = 'jobs' AND id = '2'`); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Depth("gate", "jobs"); err != nil || n != 2 {
		t.Errorf("the store counts %d jobs, expected 2: %v", n, err)
	}
	mustApply(t, s, "gate", &store.Batch{DropInbound: []uint64{2, 3}, Durable: true})
	if n := count(t, db, `SELECT count(*) FROM bridge_inbox`); n != 1 {
		t.Errorf("the host counts %d jobs, expected 1", n)
	}
	if state := mustLoad(t, s, "gate"); state.LastN != 3 {
		t.Errorf("the highest N is %d, expected 3", state.LastN)
	}
}

// A batch in the host's transaction shares its fate with what the host writes there.
func TestApplyIn(t *testing.T) {
	for _, kept := range []bool{true, false} {
		db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
		if _, err := db.Exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, job TEXT)`); err != nil {
			t.Fatal(err)
		}
		s := mustNew(t, db, "")
		mustLoad(t, s, "gate")
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(`INSERT INTO orders (job) VALUES ('1')`); err != nil {
			t.Fatal(err)
		}
		for n := uint64(1); n <= 2; n++ {
			if err := s.ApplyIn(tx, "gate", queueBatch(n)); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := s.Depth("gate", "jobs"); err != nil || n != 0 {
			t.Errorf("before the host commits the store counts %d jobs, expected none: %v", n, err)
		}
		want := 0
		if kept {
			want, err = 2, tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Depth("gate", "jobs")
		_, ok, err2 := s.Committed("gate", store.Key{Class: store.Op, ID: "1"})
		orders := count(t, db, `SELECT count(*) FROM orders`)
		if err != nil || err2 != nil || n != want || ok != kept || orders != want/2 {
			t.Errorf("committed %t: %d jobs, id 1 found %t, %d orders: %v, %v", kept, n, ok, orders, err, err2)
		}
	}
}

func TestApplyInNeedsTheHostsDatabase(t *testing.T) {
	dir := t.TempDir()
	db := hostDB(t, filepath.Join(dir, "host.db"))
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := open(t, filepath.Join(dir, "s.db"), sqlite.Options{}).ApplyIn(tx, "p", send(1, 1)); err == nil {
		t.Error("a store with a file of its own wrote in the transaction of another database")
	}
}

// A single connection is enough when the host uses its own transactions, and when it uses none.
func TestHostWithOneConnection(t *testing.T) {
	db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
	db.SetMaxOpenConns(1)
	s := mustNew(t, db, "")
	mustLoad(t, s, "p")
	mustApply(t, s, "p", queueBatch(1))
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ApplyIn(tx, "p", queueBatch(2)); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if rows, err := s.Inbox("p", "jobs", 0); err != nil || len(rows) != 2 {
		t.Errorf("inbox %v, %v", rows, err)
	}
}

// The store does not close what it has not opened.
func TestCloseLeavesTheHostsDatabaseOpen(t *testing.T) { // SUBSTRATE-STORE-002
	db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
	s := mustNew(t, db, "")
	mustApply(t, s, "p", queueBatch(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(); err != nil {
		t.Errorf("the host's database after Close: %v", err)
	}
	exec := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE substrate_meta SET value = 9`)
	if _, err := sqlite.New(db, ""); err == nil {
		t.Error("a newer schema was accepted")
	}
	if err := db.Ping(); err != nil {
		t.Errorf("the host's database after a New that failed: %v", err)
	}
}

// connector opens connections on which SQLite asks for leave for all that a statement touches.
type connector struct {
	driver sqlite3.Driver
	dsn    string
}

func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c *connector) Driver() driver.Driver                        { return &c.driver }

// guarded returns a database in which only tables and indices that begin with prefix can be touched.
func guarded(t *testing.T, path, prefix string) *sql.DB {
	t.Helper()
	c := &connector{dsn: path}
	c.driver.RegisterConnectionHook(func(conn sqlite3.ExecQuerierContext, _ string) error {
		return conn.(sqlite3.AuthorizerRegisterer).RegisterAuthorizer(func(code sqlite3.AuthorizerActionCode, one, two, _, _ string) sqlite3.AuthorizerReturnCode {
			switch code {
			case sqlite3.AuthSelect, sqlite3.AuthTransaction, sqlite3.AuthFunction, sqlite3.AuthSavepoint:
				return sqlite3.AuthorizerOK
			case sqlite3.AuthRead, sqlite3.AuthInsert, sqlite3.AuthUpdate, sqlite3.AuthDelete, sqlite3.AuthCreateTable, sqlite3.AuthCreateIndex, sqlite3.AuthReindex:
				// The table of tables is written by every CREATE; SQLite names the index of a primary key itself.
				if strings.HasPrefix(one, prefix) || one == "sqlite_master" || one == "sqlite_schema" || strings.HasPrefix(one, "sqlite_autoindex_"+prefix) {
					return sqlite3.AuthorizerOK
				}
			}
			t.Errorf("the store asks for action %d on %q, %q", code, one, two)
			return sqlite3.AuthorizerDeny
		})
	})
	db := sql.OpenDB(c)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Every table and index that the store touches, in whatever way, begins with its prefix. Two stores with prefixes of their own live in
// one database, also when one prefix begins with the other.
func TestOnlyPrefixedTablesAreTouched(t *testing.T) { // SUBSTRATE-STORE-005
	path := filepath.Join(t.TempDir(), "host.db")
	host := hostDB(t, path)
	for _, q := range []string{`CREATE TABLE inbox (id INTEGER)`, `INSERT INTO inbox VALUES (1)`, `CREATE TABLE substrate_own (id INTEGER)`} {
		if _, err := host.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	stores := map[sqlite.Prefix]*sqlite.Store{}
	for _, p := range []sqlite.Prefix{"bridge_", "bridge_b_", "Other_"} {
		stores[p] = mustNew(t, guarded(t, path, string(p)), p)
	}
	for p, s := range stores {
		b := queueBatch(1)
		b.Rows = []store.Row{{Obj: string(p), Seq: 1}}
		b.Counters = []store.Counter{{Obj: "o", LastAssigned: 1}}
		b.Sent = []store.Sent{{Place: store.Place{Obj: string(p), Seq: 1}, At: stamp}}
		mustLoad(t, s, "p")
		mustApply(t, s, "p", b)
		mustApply(t, s, "p", &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: 1}}, DropInbound: []uint64{7}})
		if _, err := s.Inbox("p", "jobs", 0); err != nil {
			t.Error(err)
		}
		if _, err := s.Depth("p", "jobs"); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Committed("p", b.Entries[0].Key); err != nil {
			t.Error(err)
		}
		if _, err := s.Expire("p", stamp, 1); err != nil {
			t.Error(err)
		}
	}
	for p, s := range stores {
		if state := mustLoad(t, s, "p"); len(state.Rows) != 1 || state.Rows[0].Obj != string(p) {
			t.Errorf("the store of prefix %s has %+v", p, state.Rows)
		}
	}
	if n := count(t, host, `SELECT count(*) FROM inbox`) + count(t, host, `SELECT count(*) FROM substrate_own`); n != 1 {
		t.Errorf("the host's tables have %d rows, expected 1", n)
	}
}

func TestTablesThatAreSomebodyElses(t *testing.T) {
	for name, c := range map[string]struct {
		sql  string
		kind error
	}{
		"a table of that name":   {`CREATE TABLE substrate_inbox (id INTEGER)`, sqlite.ErrForeign},
		"in other case":          {`CREATE TABLE Substrate_Ledger (id INTEGER)`, sqlite.ErrForeign},
		"meta of another shape":  {`CREATE TABLE substrate_meta (id INTEGER)`, sqlite.ErrForeign},
		"meta without a version": {`CREATE TABLE substrate_meta (key TEXT, value INTEGER)`, sqlite.ErrForeign},
		"a part is missing":      {`CREATE TABLE substrate_meta (key TEXT, value INTEGER); INSERT INTO substrate_meta VALUES ('schema', 1)`, sqlite.ErrCorrupt},
		"a newer one":            {`CREATE TABLE substrate_meta (key TEXT, value INTEGER); INSERT INTO substrate_meta VALUES ('schema', 2)`, sqlite.ErrNewer},
	} {
		t.Run(name, func(t *testing.T) {
			db := hostDB(t, filepath.Join(t.TempDir(), "host.db"))
			if _, err := db.Exec(c.sql); err != nil {
				t.Fatal(err)
			}
			before := count(t, db, `SELECT count(*) FROM sqlite_schema`)
			_, err := sqlite.New(db, "")
			wantError(t, err, "open", "(tables substrate_*)", c.kind)
			if after := count(t, db, `SELECT count(*) FROM sqlite_schema`); after != before {
				t.Errorf("%d tables became %d", before, after)
			}
		})
	}
}
