package host

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"
)

// Limits of a storage.
const (
	MaxKey   = 4096      // octets
	MaxValue = 64 << 10  // octets
	MaxKeys  = 100 << 10 // how many a list may have
)

// A storage keeps keys and values in a file that several processes use at once; of two writes of one key the last one wins
// (DATABUS-ROUTE-001). It may be used from several goroutines. Each write is a transaction: who is killed in the middle of one has not
// written. A crash of the whole machine may lose the last writes, whose writers are gone with it.
type storage struct {
	path  string
	busy  time.Duration
	fault func(error)
	db    *sql.DB

	closed                               atomic.Bool
	get, set, remove, keys, all, version *sql.Stmt

	writes atomic.Int64
}

// Get returns the value of a key, and whether there is one. It fails with a [*SizeError] or a [*StorageError].
func (s *storage) Get(key string) (string, bool, error) {
	var value sql.NullString
	var size int
	err := s.patiently("get", func() error {
		return s.get.QueryRow(key, MaxValue).Scan(&value, &size)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, err
	case !value.Valid:
		return "", false, s.told(&SizeError{"get", "value", MaxValue, size})
	}
	return value.String, true, nil
}

// Set writes a key. It fails with a [*SizeError] or a [*StorageError].
func (s *storage) Set(key, value string) error {
	_, err := s.write("set", key, value)
	return err
}

// Remove removes a key. It fails with a [*StorageError].
func (s *storage) Remove(key string) error {
	_, err := s.write("remove", key, "")
	return err
}

// write sets or removes a key, and returns how many writes of this process that makes.
func (s *storage) write(op, key, value string) (writes int64, err error) {
	do := func() error {
		_, err := s.remove.Exec(key)
		return err
	}
	if op == "set" {
		if len(key) > MaxKey {
			return 0, s.told(&SizeError{op, "key", MaxKey, len(key)})
		}
		if len(value) > MaxValue {
			return 0, s.told(&SizeError{op, "value", MaxValue, len(value)})
		}
		do = func() error {
			_, err := s.set.Exec(key, value)
			return err
		}
	}
	if err := s.patiently(op, do); err != nil {
		return 0, err
	}
	return s.writes.Add(1), nil
}

// Keys returns all keys, in the order in which they came. It fails with a [*SizeError] or a [*StorageError].
func (s *storage) Keys() ([]string, error) {
	var all []string
	err := s.patiently("list", func() error {
		all = nil
		rows, err := s.keys.Query(MaxKey, MaxKeys+1)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var key string
			if err := rows.Scan(&key); err != nil {
				return err
			}
			all = append(all, key)
		}
		return rows.Err()
	})
	if err == nil && len(all) > MaxKeys {
		err = s.told(&SizeError{"list", "keys", MaxKeys, len(all)})
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// patiently makes one call of the storage.
func (s *storage) patiently(op string, f func() error) error {
	err := s.insist(f)
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return s.told(s.failed(op, err))
}

// insist calls f again while another process holds a lock. SQLite waits by itself, but for some moments: the first and the last connection
// of all hold a lock that it does not wait for.
func (s *storage) insist(f func() error) error {
	end := time.Now().Add(s.busy)
	err := f()
	for errors.Is(kindOf(err), ErrBusy) && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
		err = f()
	}
	return err
}

// failed makes an error out of one of SQLite.
func (s *storage) failed(op string, err error) error {
	kind := kindOf(err)
	if s.closed.Load() && kind == nil {
		kind = ErrClosed
	}
	return &StorageError{Op: op, Path: s.path, Kind: kind, Cause: err}
}

// told tells whoever listens: a cluster takes a storage that fails for one that is empty, and goes on.
func (s *storage) told(err error) error {
	s.fault(err)
	return err
}

// prepare prepares the statements. Of what is larger than the limits only the size is read.
func (s *storage) prepare(ctx context.Context) error {
	for text, at := range map[string]**sql.Stmt{
		`SELECT CASE WHEN octet_length(value) <= ?2 THEN value END, octet_length(value) FROM entries WHERE key = ?1`: &s.get,
		`INSERT INTO entries (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`:    &s.set,
		`DELETE FROM entries WHERE key = ?1`: &s.remove,
		`SELECT key, CASE WHEN octet_length(value) <= ?1 THEN value END FROM entries WHERE octet_length(key) <= ?2 ORDER BY id LIMIT ?3`: &s.all,
		`PRAGMA data_version`: &s.version,
		`SELECT key FROM entries WHERE octet_length(key) <= ?1 ORDER BY id LIMIT ?2`: &s.keys,
	} {
		stmt, err := s.db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		*at = stmt
	}
	return nil
}

// close closes the file.
func (s *storage) close() error {
	s.closed.Store(true)
	if err := s.db.Close(); err != nil {
		return s.failed("close", err)
	}
	return nil
}
