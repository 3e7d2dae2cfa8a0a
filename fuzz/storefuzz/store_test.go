package storefuzz

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // the driver of the database under the store

	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// FuzzSubstrateStore applies any batches to the store in memory, to the one in a database and to the journal, and asks them the same: they say the same at every step. What the
// journal and the database keep they say again once they were closed and opened.
func FuzzSubstrateStore(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		octets := make([]byte, 300)
		for i := range octets {
			octets[i] = byte(rng.Uint32())
		}
		f.Add(octets)
	}
	dir := quickDir(f)
	db := openDatabase(f, filepath.Join(dir, "host.db"))
	n := 0
	f.Fuzz(func(t *testing.T, octets []byte) {
		// Each run has a peer of its own in one database, which costs more to open than the run.
		n++
		if err := storesAgree(&script{octets}, db, filepath.Join(dir, "journal"), fmt.Sprint("peer", n)); err != nil {
			t.Fatal(err)
		}
	})
}

// quickDir is a folder where a sync costs nothing, where the system has one.
func quickDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "assay-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openDatabase(t testing.TB, path string) *sql.DB {
	t.Helper()
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// A keeper is a store under test, and how to open it again; reopens is nil for one that keeps nothing.
type keeper struct {
	name    string
	s       store.Store
	reopens func() (store.Store, error)
	epoch   [8]byte
}

func storesAgree(d *script, db *sql.DB, path, peer string) (err error) {
	hosted := func() (store.Store, error) { return sqlite.New(db, "") }
	journaled := func() (store.Store, error) { return journal.Open(path, journal.Options{}) }
	all := []*keeper{{name: "memory", s: store.NewMemory()}, {name: "sqlite", reopens: hosted}, {name: "journal", reopens: journaled}}
	// A database takes long. A journal refuses queues whose inbox the host takes from: SUBSTRATE-JOURNAL-007.
	queues := false
	switch d.below(8) {
	case 6:
	case 7:
		all, queues = all[:2], true
	default:
		all = slices.Delete(all, 1, 2)
	}
	defer func() {
		for _, k := range all {
			if k.s != nil {
				err = errors.Join(err, k.s.Close())
			}
		}
		err = errors.Join(err, os.RemoveAll(path))
	}()
	for _, k := range all {
		if k.reopens != nil {
			if k.s, err = k.reopens(); err != nil {
				return err
			}
		}
		state, err := k.s.Load(peer)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if k.epoch = state.Epoch; k.epoch == [8]byte{} {
			return fmt.Errorf("%s: no epoch", k.name)
		}
	}
	last := uint64(0)
	for step := range 1 + d.below(5) {
		var saw string
		var ask func(k *keeper) (string, error)
		switch d.below(8) {
		case 6:
			before, limit := storeTime(d), one(d, 0, 100)
			ask = func(k *keeper) (string, error) { n, err := k.s.Expire(peer, before, limit); return fmt.Sprint(n), err }
		case 7:
			obj, limit := storeObj(d), d.below(3)
			ask = func(k *keeper) (string, error) {
				rows, err := k.s.Inbox(peer, obj, limit)
				return inboundText(rows), err
			}
		default:
			b := drawStoreBatch(d, &last, queues)
			ask = func(k *keeper) (string, error) { return "", k.s.Apply(peer, b) }
		}
		for i, k := range all {
			got, err := ask(k)
			if err != nil {
				return fmt.Errorf("step %d: %s: %w", step, k.name, err)
			}
			if i > 0 && got != saw {
				return fmt.Errorf("step %d: %s says\n%s\nand memory says\n%s", step, k.name, got, saw)
			}
			saw = got
		}
	}
	if err := storesSayTheSame(all, peer, false); err != nil {
		return err
	}
	for _, k := range all[1:] {
		if err := k.s.Close(); err != nil {
			return fmt.Errorf("close %s: %w", k.name, err)
		}
		if k.s, err = k.reopens(); err != nil {
			k.s = nil
			return fmt.Errorf("open %s again: %w", k.name, err)
		}
	}
	return storesSayTheSame(all, peer, true)
}

// storesSayTheSame compares all that the stores can be asked. A journal that was opened again has its outbox and its objects only.
func storesSayTheSame(all []*keeper, peer string, again bool) error {
	var saw, sawDurable string
	for i, k := range all {
		durable, volatile, err := storeText(k, peer)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", k.name, err)
		case i == 0:
			saw, sawDurable = volatile, durable
		case durable != sawDurable:
			return fmt.Errorf("opened again %t: %s has\n%s\nand memory has\n%s", again, k.name, durable, sawDurable)
		case volatile != saw && (!again || k.name != "journal"):
			return fmt.Errorf("opened again %t: %s has\n%s\nand memory has\n%s", again, k.name, volatile, saw)
		}
	}
	return nil
}
