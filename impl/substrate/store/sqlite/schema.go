package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

const (
	schemaVersion = 1
	applicationID = 0x41535342 // marks a file of the substrate
)

// The tables have no rowid: one tree to write for each, and the rows of an object lie side by side. The ledger's second index serves
// Expire alone; it grows at its end, so that its cost does not depend on how much is in it.
const schema = `
CREATE TABLE @meta (
	key TEXT PRIMARY KEY, value INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE @peers (
	peer TEXT PRIMARY KEY, epoch BLOB NOT NULL, last_n INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE @objects (
	peer TEXT NOT NULL, obj TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, opener TEXT NOT NULL, open_id TEXT NOT NULL,
	incarnation INTEGER NOT NULL, participants TEXT NOT NULL, queued INTEGER NOT NULL, ended INTEGER,
	PRIMARY KEY (peer, obj)
) WITHOUT ROWID;
CREATE INDEX @objects_ended ON @objects (peer, ended) WHERE ended IS NOT NULL;
CREATE TABLE @counters (
	peer TEXT NOT NULL, obj TEXT NOT NULL, last_assigned INTEGER NOT NULL, last_pred INTEGER NOT NULL,
	PRIMARY KEY (peer, obj)
) WITHOUT ROWID;
CREATE TABLE @outbox (
	peer TEXT NOT NULL, obj TEXT NOT NULL, seq INTEGER NOT NULL, obj_kind TEXT NOT NULL, class INTEGER NOT NULL, kind TEXT NOT NULL,
	id TEXT NOT NULL, incarnation INTEGER NOT NULL, code TEXT NOT NULL, msg TEXT NOT NULL, first_sent INTEGER, cap BLOB, body BLOB,
	PRIMARY KEY (peer, obj, seq)
) WITHOUT ROWID;
CREATE TABLE @inbox (
	peer TEXT NOT NULL, n INTEGER NOT NULL, obj TEXT NOT NULL, obj_kind TEXT NOT NULL, class INTEGER NOT NULL, kind TEXT NOT NULL,
	id TEXT NOT NULL, seq INTEGER NOT NULL, incarnation INTEGER NOT NULL, code TEXT NOT NULL, msg TEXT NOT NULL, cap BLOB, body BLOB,
	PRIMARY KEY (peer, n)
) WITHOUT ROWID;
CREATE INDEX @inbox_obj ON @inbox (peer, obj, n);
CREATE TABLE @ledger (
	peer TEXT NOT NULL, class INTEGER NOT NULL, id TEXT NOT NULL, obj TEXT NOT NULL, kind TEXT NOT NULL, digest BLOB NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (peer, class, id)
) WITHOUT ROWID;
CREATE INDEX @ledger_at ON @ledger (peer, at);
INSERT INTO @meta (key, value) VALUES ('schema', 1);
`

// named puts a prefix in the place of each @.
func named(prefix, text string) string { return strings.ReplaceAll(text, "@", prefix) }

// tables are the names without prefix, and without the table that tells the version.
var tables = [...]string{"peers", "objects", "counters", "outbox", "inbox", "ledger"}

// prepareSchema makes the tables if none of them is there, and refuses tables that are newer or somebody else's
// (SUBSTRATE-STORE-005).
func prepareSchema(ctx context.Context, tx *sql.Tx, prefix string) error {
	have := map[string]bool{}
	rows, err := tx.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		// Names of tables do not tell case apart.
		have[strings.ToLower(name)] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	at := func(table string) string { return strings.ToLower(prefix + table) }
	if !have[at("meta")] {
		for _, table := range tables {
			if have[at(table)] {
				return fmt.Errorf("%w: there is a table %s%s, but none %smeta", ErrForeign, prefix, table, prefix)
			}
		}
		_, err := tx.ExecContext(ctx, named(prefix, schema))
		return err
	}
	version := 0
	err = tx.QueryRowContext(ctx, named(prefix, `SELECT value FROM @meta WHERE key = 'schema'`)).Scan(&version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) && kindOf(err) != nil {
		return err
	}
	if err != nil || version < 1 {
		return fmt.Errorf("%w: table %smeta has no version", ErrForeign, prefix)
	}
	if version > schemaVersion {
		return fmt.Errorf("%w: %w", ErrNewer, &VersionError{Found: version, Known: schemaVersion})
	}
	for _, table := range tables {
		if !have[at(table)] {
			return fmt.Errorf("%w: table %s%s is missing", ErrCorrupt, prefix, table)
		}
	}
	return nil
}
