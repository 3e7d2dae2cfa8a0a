package sqlite

import (
	"errors"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A request is one write that waits for its transaction.
type request struct {
	peer  string
	batch *store.Batch              // nil: do, or nothing but what is held
	do    func(t transaction) error // something else than a batch
	err   error
	turn  chan bool // true: lead the next round; false: done
}

// submit writes r together with all that waits meanwhile, in one transaction: the sync that ends it is the cost that counts. One of the
// callers leads a round, with its own request in it, and then passes the lead on.
func (s *Store) submit(r *request) error {
	s.mu.Lock()
	s.waiting = append(s.waiting, r)
	if s.leading {
		r.turn = make(chan bool, 1)
		s.mu.Unlock()
		if lead := <-r.turn; !lead {
			return r.err
		}
		s.mu.Lock()
	}
	s.leading = true
	round := s.waiting
	s.waiting = nil
	held := s.held.batches
	s.mu.Unlock()

	written := s.round(round, held)

	s.mu.Lock()
	if written {
		s.held.drop(len(held))
	}
	if len(s.waiting) > 0 {
		s.waiting[0].turn <- true
	} else {
		s.leading = false
	}
	s.mu.Unlock()
	for _, other := range round {
		if other != r {
			other.turn <- false
		}
	}
	return r.err
}

// round writes what is held and then the requests. If that fails each request is tried alone, so that none suffers from another one's
// fault. It reports whether what is held was written.
func (s *Store) round(round []*request, held []held) bool {
	err := s.transact(held, round)
	if err == nil {
		return true
	}
	// A lock that was waited for in vain, and a store that cannot be written at all, are nobody's fault in particular.
	if len(round) == 1 || errors.Is(kindOf(err), ErrLocked) || errors.Is(kindOf(err), ErrReadOnly) {
		for _, r := range round {
			r.err = err
		}
		return false
	}
	written := false
	for i := range round {
		if written {
			held = nil
		}
		round[i].err = s.transact(held, round[i:i+1])
		written = written || round[i].err == nil
	}
	return written
}

func (s *Store) transact(held []held, round []*request) error {
	t, err := s.begin()
	if err != nil {
		return err
	}
	for i := range held {
		if err := s.write(t, held[i].peer, held[i].batch); err != nil {
			t.rollback()
			return err
		}
	}
	for _, r := range round {
		if r.do != nil {
			err = r.do(t)
		} else if r.batch != nil {
			err = s.write(t, r.peer, r.batch)
		}
		if err != nil {
			t.rollback()
			return err
		}
	}
	if err := t.commit(); err != nil {
		t.rollback()
		return err
	}
	return nil
}
