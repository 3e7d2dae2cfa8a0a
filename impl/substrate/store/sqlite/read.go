package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// Committed implements [store.Store]. It costs one lookup by key, however many entries there are.
func (s *Store) Committed(peer string, key store.Key) (store.Entry, bool, error) {
	if err := s.enter("look up"); err != nil {
		return store.Entry{}, false, err
	}
	defer s.use.RUnlock()
	// What is held may be written between the two looks; in this order one of them sees it.
	waiting, held := s.heldEntry(peer, key)
	e := store.Entry{Key: key}
	var digest sql.RawBytes
	rows, err := s.stmts[getEntry].Query(peer, int64(key.Class), key.ID)
	if err != nil {
		return store.Entry{}, false, s.fail("look up", err)
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return waiting, held, s.fail("look up", rows.Err())
	}
	var at int64
	if err := rows.Scan(&e.Obj, &e.Kind, &digest, &at); err != nil {
		return store.Entry{}, false, s.fail("look up", err)
	}
	if len(digest) != len(e.Digest) {
		return store.Entry{}, false, s.damaged("look up", "a digest has %d octets, %d are expected", len(digest), len(e.Digest))
	}
	copy(e.Digest[:], digest)
	e.At = time.UnixMilli(at)
	return e, true, nil
}

func (s *Store) damaged(op, format string, a ...any) error {
	return &Error{Op: op, Path: s.path, Kind: ErrCorrupt, Cause: fmt.Errorf(format, a...)}
}

// Load implements [store.Store].
func (s *Store) Load(peer string) (*store.State, error) {
	if err := s.enter("load"); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := s.flush(peer, func(*store.Batch) bool { return true }); err != nil {
		return nil, s.fail("load", err)
	}
	state, err := s.load(peer)
	if errors.Is(err, sql.ErrNoRows) {
		// SUBSTRATE-SEQ-011: the epoch is on the disk before anybody hears of it.
		err = s.submit(&request{do: func(t transaction) error {
			_, err := t.stmt(addPeer).Exec(peer)
			return err
		}})
		if err == nil {
			state, err = s.load(peer)
		}
	}
	if err != nil {
		return nil, s.fail("load", err)
	}
	return state, nil
}

// load reads all in one transaction, so that it sees no batch by half. Without a record of the peer it returns sql.ErrNoRows.
func (s *Store) load(peer string) (*store.State, error) {
	tx, err := s.reader.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	state := &store.State{}
	var epoch []byte
	var last int64
	if err := tx.Stmt(s.stmts[getPeer]).QueryRow(peer).Scan(&epoch, &last); err != nil {
		return nil, err
	}
	if len(epoch) != len(state.Epoch) {
		return nil, s.damaged("load", "an epoch has %d octets, %d are expected", len(epoch), len(state.Epoch))
	}
	copy(state.Epoch[:], epoch)
	state.LastN = uint64(last)
	if state.Objects, err = all(tx.Stmt(s.stmts[getObjects]), s.scanObject, peer); err != nil {
		return nil, err
	}
	if state.Counters, err = all(tx.Stmt(s.stmts[getCounter]), scanCounter, peer); err != nil {
		return nil, err
	}
	if state.Rows, err = all(tx.Stmt(s.stmts[getRows]), scanRow, peer); err != nil {
		return nil, err
	}
	if state.Inbound, err = all(tx.Stmt(s.stmts[getInbound]), scanInbound, peer); err != nil {
		return nil, err
	}
	return state, nil
}

// Inbox implements [store.Store].
func (s *Store) Inbox(peer, obj string, limit int) ([]store.Inbound, error) {
	if err := s.enter("read inbox"); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if limit < 1 {
		limit = -1
	}
	if err := s.flush(peer, movesInbox); err != nil {
		return nil, s.fail("read inbox", err)
	}
	rows, err := all(s.stmts[getInbox], scanInbound, peer, obj, limit)
	return rows, s.fail("read inbox", err)
}

// Depth implements [store.Store].
func (s *Store) Depth(peer, obj string) (int, error) {
	if err := s.enter("count inbox"); err != nil {
		return 0, err
	}
	defer s.use.RUnlock()
	if err := s.flush(peer, movesInbox); err != nil {
		return 0, s.fail("count inbox", err)
	}
	n := 0
	err := s.stmts[getDepth].QueryRow(peer, obj).Scan(&n)
	return n, s.fail("count inbox", err)
}

func movesInbox(b *store.Batch) bool { return len(b.Inbound)+len(b.DropInbound) > 0 }

// all returns the rows of a query.
func all[T any](stmt *sql.Stmt, scan func(rows *sql.Rows) (T, error), args ...any) ([]T, error) {
	rows, err := stmt.Query(args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

func (s *Store) scanObject(rows *sql.Rows) (store.Object, error) {
	var (
		o            store.Object
		incarnation  int64
		participants string
		ended        sql.NullInt64
	)
	err := rows.Scan(&o.Obj, &o.Kind, &o.State, &o.Opener, &o.OpenID, &incarnation, &participants, &o.Queued, &ended)
	if err != nil {
		return o, err
	}
	o.Incarnation, o.Ended = uint64(incarnation), moment(ended)
	if err := json.Unmarshal([]byte(participants), &o.Participants); err != nil {
		return o, s.damaged("load", "the participants of an object are no list: %w", err)
	}
	if len(o.Participants) == 0 {
		o.Participants = nil
	}
	return o, nil
}

func scanCounter(rows *sql.Rows) (store.Counter, error) {
	var (
		c              store.Counter
		assigned, pred int64
	)
	err := rows.Scan(&c.Obj, &assigned, &pred)
	c.LastAssigned, c.LastPred = uint64(assigned), uint64(pred)
	return c, err
}

func scanRow(rows *sql.Rows) (store.Row, error) {
	var (
		r                store.Row
		seq, incarnation int64
		sent             sql.NullInt64
	)
	err := rows.Scan(&r.Obj, &seq, &r.ObjKind, &r.Class, &r.Kind, &r.ID, &incarnation, &r.Code, &r.Msg, &sent, (*blob)(&r.Cap), (*blob)(&r.Body))
	r.Seq, r.Incarnation, r.FirstSent = uint64(seq), uint64(incarnation), moment(sent)
	return r, err
}

func scanInbound(rows *sql.Rows) (store.Inbound, error) {
	var (
		r                   store.Inbound
		n, seq, incarnation int64
	)
	err := rows.Scan(&n, &r.Obj, &r.ObjKind, &r.Class, &r.Kind, &r.ID, &seq, &incarnation, &r.Code, &r.Msg, (*blob)(&r.Cap), (*blob)(&r.Body))
	r.N, r.Seq, r.Incarnation = uint64(n), uint64(seq), uint64(incarnation)
	return r, err
}

// A blob tells NULL, which stays nil, from a blob of no octets, which the driver hands out as a slice that is nil too.
type blob []byte

// Scan implements [sql.Scanner].
func (b *blob) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*b = nil
	case []byte:
		*b = append(make([]byte, 0, len(v)), v...)
	default:
		return fmt.Errorf("%w: a body is kept as %T", ErrCorrupt, v)
	}
	return nil
}

func moment(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64)
}
