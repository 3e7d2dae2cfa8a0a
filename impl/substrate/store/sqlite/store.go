package sqlite

import (
	"database/sql"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Store is a [store.Store] in SQLite. Use [Open] or [New] to make one. It may be used by several goroutines at once.
type Store struct {
	path   string
	prefix string
	owned  bool // the file is ours

	owner      *sql.DB
	ownership  *sql.Conn
	writer     *sql.DB
	writerConn *sql.Conn // of a file of ours
	reader     *sql.DB
	stmts      [statements]*sql.Stmt

	use    sync.RWMutex // held for reading by every call, for writing by Close
	closed bool

	mu      sync.Mutex // guards what follows
	waiting []*request
	leading bool
	held    holding
}

var _ store.Store = (*Store)(nil)

// enter begins a call; the caller defers s.use.RUnlock if it returns nil.
func (s *Store) enter(op string) error {
	s.use.RLock()
	if s.closed {
		s.use.RUnlock()
		return &Error{Op: op, Path: s.path, Kind: ErrClosed}
	}
	return nil
}

// Apply implements [store.Store]. It returns when the batch is on the disk, or, for one that is not durable, as soon as it is certain
// to be in the next transaction.
func (s *Store) Apply(peer string, b *store.Batch) error {
	if err := s.enter("apply"); err != nil {
		return err
	}
	defer s.use.RUnlock()
	if b.Empty() || !b.Durable && s.hold(peer, b) {
		return nil
	}
	return s.fail("apply", s.submit(&request{peer: peer, batch: b}))
}

// Flush writes what is held. It is needed only before a program outside reads the file: every method sees what is held.
func (s *Store) Flush() error {
	if err := s.enter("flush"); err != nil {
		return err
	}
	defer s.use.RUnlock()
	return s.fail("flush", s.flushAll())
}

func (s *Store) flushAll() error {
	s.mu.Lock()
	some := len(s.held.batches) > 0
	s.mu.Unlock()
	if !some {
		return nil
	}
	return s.submit(&request{})
}

// Expire implements [store.Store]. A limit below one means none. It writes what is held too, so that nothing is held for ever.
func (s *Store) Expire(peer string, before time.Time, limit int) (int, error) {
	if err := s.enter("expire"); err != nil {
		return 0, err
	}
	defer s.use.RUnlock()
	if limit < 1 {
		limit = -1
	}
	removed := int64(0)
	err := s.submit(&request{do: func(t transaction) error {
		removed = 0
		for _, i := range []statement{expireEntries, expireObjects} {
			result, err := t.stmt(i).Exec(peer, before.UnixMilli(), limit)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			removed += n
		}
		return nil
	}})
	if err != nil {
		return 0, s.fail("expire", err)
	}
	return int(removed), nil
}

// Close writes what is held and ends the use of the store; calls under way are waited for. A host's database stays open
// (SUBSTRATE-STORE-002). It returns an error if what was held could not be written, or the file could not be closed; the store is
// closed all the same. A second call does nothing.
func (s *Store) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.flushAll()
	if ended := s.release(); err == nil {
		err = ended
	}
	return s.fail("close", err)
}
