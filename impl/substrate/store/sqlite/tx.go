package sqlite

import (
	"context"
	"database/sql"
)

// A transaction is where batches are written.
type transaction interface {
	stmt(i statement) *sql.Stmt
	commit() error
	rollback()
}

// ownTx is a transaction on the one connection that writes, by prepared statements throughout.
type ownTx struct{ s *Store }

func (t ownTx) stmt(i statement) *sql.Stmt { return t.s.stmts[i] }

func (t ownTx) commit() error {
	_, err := t.s.stmts[commit].Exec()
	return err
}

// SQLite may have rolled back on its own, and then says that there is no transaction.
func (t ownTx) rollback() { _, _ = t.s.stmts[rollback].Exec() }

// hostTx is a transaction of database/sql, whoever has begun it.
type hostTx struct {
	s     *Store
	tx    *sql.Tx
	stmts [writes]*sql.Stmt
}

func (t *hostTx) stmt(i statement) *sql.Stmt {
	if t.stmts[i] == nil {
		t.stmts[i] = t.tx.Stmt(t.s.stmts[i])
	}
	return t.stmts[i]
}

func (t *hostTx) commit() error { return t.tx.Commit() }
func (t *hostTx) rollback()     { _ = t.tx.Rollback() }

func (s *Store) begin() (transaction, error) {
	if s.owned {
		_, err := s.stmts[begin].Exec()
		return ownTx{s}, err
	}
	tx, err := s.writer.BeginTx(context.Background(), nil)
	return &hostTx{s: s, tx: tx}, err
}
