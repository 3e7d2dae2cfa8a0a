package sqlite

import (
	"context"
	"database/sql"
)

// A statement is an index into texts.
type statement int

const (
	putObject statement = iota
	putCounter
	putRow
	setSent
	dropRow
	putEntry
	putInbound
	raiseN
	dropInbound
	expireEntries
	expireObjects
	addPeer
	begin
	commit
	rollback
	writes

	getPeer    = writes
	getEntry   = writes + 1
	getObjects = writes + 2
	getCounter = writes + 3
	getRows    = writes + 4
	getInbound = writes + 5
	getInbox   = writes + 6
	getDepth   = writes + 7
	statements = writes + 8
)

const inboundColumns = `n, obj, obj_kind, class, kind, id, seq, incarnation, code, msg, cap, body`

var texts = [statements]string{
	putObject: `INSERT INTO @objects (peer, obj, kind, state, opener, open_id, incarnation, participants, queued, ended)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (peer, obj) DO UPDATE SET kind = excluded.kind, state = excluded.state, opener = excluded.opener,
		open_id = excluded.open_id, incarnation = excluded.incarnation, participants = excluded.participants, queued = excluded.queued,
		ended = excluded.ended`,
	putCounter: `INSERT INTO @counters (peer, obj, last_assigned, last_pred) VALUES (?, ?, ?, ?)
		ON CONFLICT (peer, obj) DO UPDATE SET last_assigned = excluded.last_assigned, last_pred = excluded.last_pred`,
	putRow: `INSERT OR REPLACE INTO @outbox (peer, obj, seq, obj_kind, class, kind, id, incarnation, code, msg, first_sent, cap, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	setSent: `UPDATE @outbox SET first_sent = ? WHERE peer = ? AND obj = ? AND seq = ?`,
	dropRow: `DELETE FROM @outbox WHERE peer = ? AND obj = ? AND seq = ?`,
	// SUBSTRATE-DEDUPE-003: an entry that is there stays, with its time.
	putEntry: `INSERT INTO @ledger (peer, class, id, obj, kind, digest, at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
	putInbound: `INSERT OR REPLACE INTO @inbox (peer, n, obj, obj_kind, class, kind, id, seq, incarnation, code, msg, cap, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	raiseN: `INSERT INTO @peers (peer, epoch, last_n) VALUES (?, randomblob(8), ?)
		ON CONFLICT (peer) DO UPDATE SET last_n = max(last_n, excluded.last_n)`,
	dropInbound: `DELETE FROM @inbox WHERE peer = ? AND n = ?`,
	expireEntries: `DELETE FROM @ledger WHERE (peer, class, id) IN
		(SELECT peer, class, id FROM @ledger WHERE peer = ? AND at < ? ORDER BY at LIMIT ?)`,
	expireObjects: `DELETE FROM @objects WHERE (peer, obj) IN
		(SELECT peer, obj FROM @objects WHERE peer = ? AND ended < ? AND ended IS NOT NULL ORDER BY ended LIMIT ?)`,
	// SUBSTRATE-SEQ-011
	addPeer: `INSERT INTO @peers (peer, epoch, last_n) VALUES (?, randomblob(8), 0) ON CONFLICT DO NOTHING`,

	begin: `BEGIN IMMEDIATE`, commit: `COMMIT`, rollback: `ROLLBACK`,

	getPeer:    `SELECT epoch, last_n FROM @peers WHERE peer = ?`,
	getEntry:   `SELECT obj, kind, digest, at FROM @ledger WHERE peer = ? AND class = ? AND id = ?`,
	getObjects: `SELECT obj, kind, state, opener, open_id, incarnation, participants, queued, ended FROM @objects WHERE peer = ? ORDER BY obj`,
	getCounter: `SELECT obj, last_assigned, last_pred FROM @counters WHERE peer = ? ORDER BY obj`,
	getRows: `SELECT obj, seq, obj_kind, class, kind, id, incarnation, code, msg, first_sent, cap, body FROM @outbox WHERE peer = ?
		ORDER BY obj, seq`,
	// SUBSTRATE-OBJ-008: what the host takes from is not handed over.
	getInbound: `SELECT ` + inboundColumns + ` FROM @inbox AS i WHERE peer = ? AND NOT EXISTS
		(SELECT 1 FROM @objects AS o WHERE o.peer = i.peer AND o.obj = i.obj AND o.queued <> 0) ORDER BY n`,
	getInbox: `SELECT ` + inboundColumns + ` FROM @inbox WHERE peer = ? AND obj = ? ORDER BY n LIMIT ?`,
	getDepth: `SELECT count(*) FROM @inbox WHERE peer = ? AND obj = ?`,
}

// A preparer is a database or a connection.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// prepare prepares the statements from first up to, without, last.
func (s *Store) prepare(on preparer, first, last statement) error {
	for i := first; i < last; i++ {
		stmt, err := on.PrepareContext(context.Background(), named(s.prefix, texts[i]))
		if err != nil {
			return err
		}
		s.stmts[i] = stmt
	}
	return nil
}

func (s *Store) unprepare() {
	for _, stmt := range s.stmts {
		if stmt != nil {
			_ = stmt.Close()
		}
	}
}
