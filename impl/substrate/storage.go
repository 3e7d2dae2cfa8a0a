package substrate

import (
	"crypto/rand"
	"errors"
	"path/filepath"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// A storage is where the stores of peers come from: the first of the options that is there, and no other is touched
// (SUBSTRATE-STORE-003).
type storage struct {
	cfg    *Config
	shared store.Store // of all peers; nil: each has its own
	owned  bool        // shared was opened here

	mu    sync.Mutex
	files map[string]*file // of DBPathFor, by path
}

// A file is one that was opened here and is in use.
type file struct {
	store *sqlite.Store
	users int
}

func openStorage(c *Config) (*storage, error) {
	s := &storage{cfg: c, files: map[string]*file{}}
	switch {
	case c.Relay != nil || c.StorageFor != nil:
	case c.Journal != nil:
		s.shared = c.Journal
	case c.Storage != nil:
		s.shared = c.Storage
	case c.DBPathFor != nil:
	case c.DBPath != "":
		opened, err := sqlite.Open(c.DBPath, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		s.shared, s.owned = opened, true
	default:
		s.shared, s.owned = store.NewMemory(), true
	}
	return s, nil
}

// epoch returns the one that goes out with a hello, which names no peer yet. A shared store has one of its own, kept under no peer's name.
// Where each peer has its own store a fresh one stands for this process: who only claims an id must not have that peer's store opened for
// it, and an epoch that is new makes the other side forget nothing but where it stood (SUBSTRATE-SEQ-011, SUBSTRATE-AUTH-008).
func (s *storage) epoch() (epoch [8]byte, err error) {
	if s.shared == nil {
		_, err = rand.Read(epoch[:])
		return epoch, err
	}
	state, err := s.shared.Load("")
	if err != nil {
		return epoch, err
	}
	return state.Epoch, nil
}

// errNoStore is what an option has answered for a peer that it has nothing for.
var errNoStore = errors.New("store_unavailable: the option has no store for this peer")

// of returns the store of a peer and what ends its use. What an option does not have is an error, and no other option is asked instead
// (SUBSTRATE-STORE-004).
func (s *storage) of(peer string) (store.Store, func() error, error) {
	keep := func() error { return nil }
	switch {
	case s.cfg.Relay != nil:
		return nil, keep, nil
	case s.shared != nil:
		return s.shared, keep, nil
	case s.cfg.StorageFor != nil:
		st, err := s.cfg.StorageFor(peer)
		if err == nil && st == nil {
			err = errNoStore
		}
		return st, keep, err
	}
	path, err := s.cfg.DBPathFor(peer)
	if err == nil && path == "" {
		err = errNoStore
	}
	if err != nil {
		return nil, keep, err
	}
	return s.open(path)
}

// open opens a file, or uses one that is open for another peer: a file has one owner (SUBSTRATE-STORE-005).
func (s *storage) open(path string) (store.Store, func() error, error) {
	key, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[key]
	if f == nil {
		opened, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			return nil, nil, err
		}
		f = &file{store: opened}
		s.files[key] = f
	}
	f.users++
	return f.store, func() error { return s.leave(key, f) }, nil
}

func (s *storage) leave(key string, f *file) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	delete(s.files, key)
	return f.store.Close()
}

// close ends the use of what is shared, if it was opened here (SUBSTRATE-STORE-002).
func (s *storage) close() error {
	if s.owned {
		return s.shared.Close()
	}
	return nil
}
