package host

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

	driver "modernc.org/sqlite"
)

const (
	schemaVersion = 1
	applicationID = 0x41534442 // marks a storage of data buses
)

// Rows keep the number that they got when their key came, which is the order of the keys.
const schema = `
CREATE TABLE entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
`

// openStorage opens the file at path, and makes it if it is not there.
func openStorage(path string, c *Config) (*storage, error) {
	s := &storage{path: path, busy: c.BusyTimeout, fault: c.Fault}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := s.create(c); err != nil {
			return nil, s.opening(err)
		}
	}
	if err := s.insist(func() error { return s.open(c) }); err != nil {
		return nil, s.opening(err)
	}
	return s, nil
}

// opening makes an error of what kept the file from being opened. SQLite does not say why it cannot open a file, so the system is asked, by
// way of another file: to open and close the very file would give up the locks that this process may have on it.
func (s *storage) opening(err error) error {
	e := &StorageError{"open", s.path, kindOf(err), err}
	if e.Kind == nil || e.Kind == ErrIO {
		cause := err
		if f, failed := os.CreateTemp(filepath.Dir(s.path), ".probe-*"); failed != nil {
			cause = failed
		} else {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
		if e.Kind = ErrIO; errors.Is(cause, fs.ErrPermission) || errors.Is(cause, syscall.EROFS) {
			e.Kind = ErrReadOnly
		}
	}
	return e
}

// create makes the file under another name and gives it its own when it is whole: of several processes that do so at once, one wins, and
// nobody sees it by half.
func (s *storage) create(c *Config) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), ".new-*")
	if err != nil {
		return err
	}
	_ = f.Close()
	made := f.Name()
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(made + suffix)
		}
	}()
	db, err := connect(made, c)
	if err != nil {
		return err
	}
	_, err = db.Exec(fmt.Sprintf(
		`PRAGMA journal_mode = WAL; %s PRAGMA application_id = %d; PRAGMA user_version = %d`, schema, applicationID, schemaVersion,
	))
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := os.Link(made, s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// connect returns a database of one connection, which is not made yet.
func connect(path string, c *Config) (*sql.DB, error) {
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: fmt.Sprintf(
		"mode=rw&_busy_timeout=%d&_dqs=0&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=synchronous(NORMAL)&_txlock=immediate",
		c.BusyTimeout.Milliseconds(),
	)}
	connector, err := driver.NewConnector(dsn.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// open opens the file and looks at what it is before anything is changed in it.
func (s *storage) open(c *Config) (err error) {
	if s.db, err = connect(s.path, c); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = s.db.Close()
		}
	}()
	ctx := context.Background()
	var application, version, size int64
	err = s.db.QueryRowContext(ctx, `SELECT application_id, user_version, page_size
		FROM pragma_application_id, pragma_user_version, pragma_page_size`).Scan(&application, &version, &size)
	switch {
	case err != nil:
		return err
	case application != applicationID:
		return fmt.Errorf("%w: application id is %#x", ErrForeign, application)
	case version > schemaVersion:
		return fmt.Errorf("%w: version is %d, known up to %d", ErrNewer, version, schemaVersion)
	}
	var sound, mode string
	if err := s.db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&sound); err != nil {
		return err
	}
	if sound != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, sound)
	}
	if err := s.db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("journal mode stays %s, wal is needed", mode)
	}
	if _, err := s.db.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, max(1, c.MaxBytes/size))); err != nil {
		return err
	}
	return s.prepare(ctx)
}
