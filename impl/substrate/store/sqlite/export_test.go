package sqlite

import (
	"context"
	"database/sql"
)

// Abandon ends the use of s the way death of its process would: what is held is lost.
func (s *Store) Abandon() error {
	s.use.Lock()
	defer s.use.Unlock()
	s.closed = true
	return s.release()
}

// Held returns how many batches wait, and their size.
func (s *Store) Held() (batches, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held.batches), s.held.size
}

// WriterExec runs a statement on the connection that writes.
func (s *Store) WriterExec(query string) error {
	_, err := s.writerConn.ExecContext(context.Background(), query)
	return err
}

// WriterQuery returns the first column of the first row that the connection that writes gives for a query.
func (s *Store) WriterQuery(query string) (string, error) {
	var v string
	err := s.writerConn.QueryRowContext(context.Background(), query).Scan(&v)
	return v, err
}

// Reader returns the connections that read.
func (s *Store) Reader() *sql.DB { return s.reader }

// Named returns a table's name with the prefix of s.
func (s *Store) Named(text string) string { return named(s.prefix, text) }

// Waiting returns how many requests wait for the next round.
func (s *Store) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// Texts returns the statements that name tables, with the prefix of s.
func (s *Store) Texts() []string {
	var all []string
	for i := range statements {
		if i != begin && i != commit && i != rollback {
			all = append(all, named(s.prefix, texts[i]))
		}
	}
	return all
}
