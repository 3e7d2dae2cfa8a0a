package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	driver "modernc.org/sqlite"
)

// Defaults of Options.
const (
	DefaultBusyTimeout = 5 * time.Second
	DefaultHeldBatches = 256
	DefaultHeldBytes   = 256 << 10
	readers            = 4 // connections that only read
)

// Options say how a file is used. The zero value of a field means its default.
type Options struct {
	// BusyTimeout is how long a call waits for the lock of another process, 1 ms to 1 h. Default [DefaultBusyTimeout].
	BusyTimeout time.Duration
	// MaxBytes is how large the file may grow, its write-ahead log left aside. A batch that would exceed it fails with [ErrFull].
	// Default: as large as the disk allows.
	MaxBytes int64
	// HeldBatches is how many batches that are not durable may wait for one that is. Negative: none waits. Default
	// [DefaultHeldBatches].
	HeldBatches int
	// HeldBytes is the same for the octets of their keys and bodies, about. Default [DefaultHeldBytes].
	HeldBytes int
}

// Validate names the first field that is out of range.
func (o Options) Validate() error {
	switch {
	case o.BusyTimeout != 0 && (o.BusyTimeout < time.Millisecond || o.BusyTimeout > time.Hour):
		return fmt.Errorf("open substrate store: BusyTimeout must be 0 (the default) or %v to %v, found %v", time.Millisecond, time.Hour, o.BusyTimeout)
	case o.MaxBytes < 0:
		return fmt.Errorf("open substrate store: MaxBytes must not be negative, found %d", o.MaxBytes)
	case o.HeldBytes < 0:
		return fmt.Errorf("open substrate store: HeldBytes must not be negative, found %d", o.HeldBytes)
	}
	return nil
}

// Open opens the file at path, and makes it if it is not there. The store owns the file: Close closes it, and no other store of any
// process can open it before that. Ownership is a lock on a second, empty file beside it, called path-owner, which the system releases
// when the process ends (SUBSTRATE-STORE-009). Other programs may read the file at any time.
//
// Errors: [ErrForeign] for a file of something else, [ErrNewer] for one of a later version, [ErrLocked], [ErrReadOnly], [ErrCorrupt],
// [ErrFull], [ErrIO].
func Open(path string, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if path == "" {
		return nil, &Error{Op: "open", Path: `""`, Kind: ErrIO, Cause: errors.New("the path is empty")}
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	if o.HeldBatches == 0 {
		o.HeldBatches = DefaultHeldBatches
	}
	if o.HeldBytes == 0 {
		o.HeldBytes = DefaultHeldBytes
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &Error{Op: "open", Path: path, Kind: ErrIO, Cause: err}
	}
	s := &Store{path: path, prefix: "substrate_", owned: true}
	s.held.maxBatches, s.held.maxBytes = o.HeldBatches, o.HeldBytes
	if err := s.open(abs, o); err != nil {
		_ = s.release()
		return nil, opening(path, explain(abs, err))
	}
	return s, nil
}

// explain asks the system why a file cannot be opened, which SQLite does not tell. It does so by way of another file in the directory:
// to open and close the very file would give up the locks that this process has on it.
func explain(abs string, err error) error {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) || coded.Code()&0xff != codeCantOpen {
		return err
	}
	f, cause := os.CreateTemp(filepath.Dir(abs), ".probe-*")
	if cause == nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return err
	}
	if errors.Is(cause, fs.ErrPermission) || errors.Is(cause, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, cause)
	}
	return fmt.Errorf("%w: %w", ErrIO, cause)
}

func (s *Store) open(abs string, o Options) error {
	ctx := context.Background()
	owner, err := connect(abs+"-owner", o, "")
	if err != nil {
		return err
	}
	s.owner = owner
	if s.ownership, err = owner.Conn(ctx); err != nil {
		return err
	}
	// The transaction writes nothing and lasts as long as the store.
	if _, err := s.ownership.ExecContext(ctx, `BEGIN EXCLUSIVE`); err != nil {
		return err
	}
	if s.writer, err = connect(abs, o, "&_pragma=synchronous(FULL)&_pragma=cache_size(-16384)&_txlock=immediate"); err != nil {
		return err
	}
	if s.writerConn, err = s.writer.Conn(ctx); err != nil {
		return err
	}
	if err := s.claim(ctx, o); err != nil {
		return err
	}
	if s.reader, err = connect(abs, o, "&_pragma=query_only(1)"); err != nil {
		return err
	}
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(readers)
	if err := s.prepare(s.writerConn, 0, writes); err != nil {
		return err
	}
	return s.prepare(s.reader, writes, statements)
}

// connect returns a database of one connection, which is not made yet.
func connect(abs string, o Options, more string) (*sql.DB, error) {
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: fmt.Sprintf(
		"_busy_timeout=%d&_dqs=0&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)%s", o.BusyTimeout.Milliseconds(), more,
	)}
	connector, err := driver.NewConnector(dsn.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// claim looks at what the file is before it changes anything in it.
func (s *Store) claim(ctx context.Context, o Options) error {
	var application, version, objects, size int64
	err := s.writerConn.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema), page_size
		FROM pragma_application_id, pragma_user_version, pragma_page_size`).Scan(&application, &version, &objects, &size)
	if err != nil {
		return err
	}
	fresh := application == 0 && version == 0 && objects == 0
	switch {
	case !fresh && application != applicationID:
		return fmt.Errorf("%w: application id is %#x and there are %d tables and indices", ErrForeign, application, objects)
	case version > schemaVersion:
		return fmt.Errorf("%w: %w", ErrNewer, &VersionError{Found: int(version), Known: schemaVersion})
	}
	if o.MaxBytes > 0 {
		if _, err := s.writerConn.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, max(1, o.MaxBytes/size))); err != nil {
			return err
		}
	}
	var mode string
	if err := s.writerConn.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%w: journal mode stays %s, wal is needed", ErrIO, mode)
	}
	tx, err := s.writerConn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := prepareSchema(ctx, tx, s.prefix); err != nil {
		return err
	}
	if fresh {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, schemaVersion)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// release closes what open has opened, in the reverse order, and returns the first error.
func (s *Store) release() error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	s.unprepare()
	if !s.owned {
		return nil
	}
	if s.reader != nil {
		note(s.reader.Close())
	}
	if s.writerConn != nil {
		note(s.writerConn.Close())
	}
	if s.writer != nil {
		note(s.writer.Close())
	}
	if s.ownership != nil {
		_, _ = s.ownership.ExecContext(context.Background(), `ROLLBACK`)
		note(s.ownership.Close())
	}
	if s.owner != nil {
		note(s.owner.Close())
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
