package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// DefaultPrefix begins the names of the tables in a host's database.
const DefaultPrefix = "substrate_"

// A Prefix begins the names of all tables and indices of a store in a host's database. Two stores in one database differ in their
// prefixes. The zero value stands for [DefaultPrefix]. It is 1 to 32 letters of ASCII, digits and underscores, begins with no digit,
// and not with sqlite.
type Prefix string

// Validate says what is wrong with p.
func (p Prefix) Validate() error {
	if p == "" {
		return nil
	}
	if len(p) > 32 {
		return fmt.Errorf("open substrate store: a prefix has at most 32 octets, found %d", len(p))
	}
	for i := range len(p) {
		c := p[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("open substrate store: a prefix has letters, digits and underscores and begins with no digit, found %q", string(p))
		}
	}
	if reserved := "sqlite"; len(p) >= len(reserved) && fold(string(p[:len(reserved)])) == reserved {
		return fmt.Errorf("open substrate store: a prefix does not begin with sqlite, found %q", string(p))
	}
	return nil
}

func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// New returns a store in the host's database. It makes its tables if they are not there, touches no others (SUBSTRATE-STORE-005), and
// never closes db, Close included (SUBSTRATE-STORE-002). How durable it is, and how long it waits for a lock, is what the host has set
// up db for: with WAL and synchronous NORMAL, for example, an op may be acked and then be lost with the power.
//
// Each batch is written in a transaction of its own, or with those that wait for the same lock; none is held back. While the host has a
// transaction that writes, use [Store.ApplyIn]: Apply would wait for it, for ever if db has a single connection.
func New(db *sql.DB, p Prefix) (*Store, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p == "" {
		p = DefaultPrefix
	}
	s := &Store{path: fmt.Sprintf("(tables %s*)", p), prefix: string(p), writer: db, reader: db}
	s.held.maxBatches = -1
	if err := s.openHost(); err != nil {
		_ = s.release()
		return nil, opening(s.path, err)
	}
	return s, nil
}

func (s *Store) openHost() error {
	ctx := context.Background()
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := prepareSchema(ctx, tx, s.prefix); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if err := s.prepare(s.writer, 0, begin); err != nil {
		return err
	}
	return s.prepare(s.reader, writes, statements)
}

// ApplyIn writes b inside a transaction of the host, with whatever else the host writes there. Nothing of b counts before the host
// commits; if it rolls back, nothing of b is there. After an error the host must roll back: a part of b may have been written. Calls of
// other methods see b once it is committed.
//
// It is for stores made by [New] on the same database. It may be called while other calls are under way.
func (s *Store) ApplyIn(tx *sql.Tx, peer string, b *store.Batch) error {
	s.use.RLock()
	defer s.use.RUnlock()
	if s.closed {
		return s.fail("apply", ErrClosed)
	}
	if s.owned {
		return &Error{Op: "apply", Path: s.path, Cause: fmt.Errorf("ApplyIn needs a store in the host's database")}
	}
	return s.fail("apply", s.write(&hostTx{s: s, tx: tx}, peer, b))
}

// InboxIn is [Store.Inbox] inside a transaction of the host: it sees what was taken there.
func (s *Store) InboxIn(tx *sql.Tx, peer, obj string, limit int) ([]store.Inbound, error) {
	s.use.RLock()
	defer s.use.RUnlock()
	switch {
	case s.closed:
		return nil, s.fail("read inbox", ErrClosed)
	case s.owned:
		return nil, &Error{Op: "read inbox", Path: s.path, Cause: fmt.Errorf("InboxIn needs a store in the host's database")}
	}
	if limit < 1 {
		limit = -1
	}
	rows, err := all(tx.Stmt(s.stmts[getInbox]), scanInbound, peer, obj, limit)
	return rows, s.fail("read inbox", err)
}
