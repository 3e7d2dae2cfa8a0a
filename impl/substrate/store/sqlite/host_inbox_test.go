package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// SUBSTRATE-OBJ-008: what a transaction of the host takes is gone when it commits, and there again when it does not.
func TestHostTakesInItsTransaction(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "host"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // InboxIn needs no other
	s, err := sqlite.New(db, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("peer"); err != nil {
		t.Fatal(err)
	}
	row := func(n uint64) store.Inbound {
		return store.Inbound{N: n, Obj: "q", ObjKind: "queue", Class: store.Op, Kind: "send", ID: string(rune('a' + n)), Seq: n, Incarnation: 1}
	}
	if err := s.Apply("peer", &store.Batch{Inbound: []store.Inbound{row(1), row(2)}, Durable: true}); err != nil {
		t.Fatal(err)
	}
	for _, commit := range []bool{false, true} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := s.InboxIn(tx, "peer", "q", 0)
		if err != nil || len(rows) != 2 || rows[0].N != 1 {
			t.Errorf("before: %+v, %v", rows, err)
		}
		if err := s.ApplyIn(tx, "peer", &store.Batch{DropInbound: []uint64{1}}); err != nil {
			t.Error(err)
		}
		if rows, err := s.InboxIn(tx, "peer", "q", 1); err != nil || len(rows) != 1 || rows[0].N != 2 {
			t.Errorf("after, inside: %+v, %v", rows, err)
		}
		end := tx.Rollback
		if commit {
			end = tx.Commit
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		want := 2
		if commit {
			want = 1
		}
		if n, err := s.Depth("peer", "q"); err != nil || n != want {
			t.Errorf("commit %v: %d wait, %v, want %d", commit, n, err, want)
		}
	}
	own, err := sqlite.Open(filepath.Join(t.TempDir(), "own"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := own.InboxIn(tx, "peer", "q", 0); err == nil {
		t.Error("a file of its own was read in a transaction of the host")
	}
	if err := own.ApplyIn(tx, "peer", &store.Batch{DropInbound: []uint64{1}}); err == nil {
		t.Error("a file of its own was written in a transaction of the host")
	}
	_ = s.Close()
	if _, err := s.InboxIn(tx, "peer", "q", 0); err == nil {
		t.Error("a store that is closed was read")
	}
}
