package substratetest

import (
	"errors"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// fileOf opens the file of another node, as a second owner, which does not wait for the first.
func (b *nodeBridge) fileOf(name string) (*refDisk, error) {
	other, err := b.node(name)
	if err != nil {
		return nil, err
	}
	d := &refDisk{path: other.disk.path, open: other.disk.open}
	switch {
	case d.path == "":
		return nil, &adapter.UnsupportedError{Reason: "the node " + name + " has no file"}
	case other.q.Form == formJournal:
		d.Store, err = d.open(d.path)
	default:
		d.Store, err = sqlite.Open(d.path, sqlite.Options{BusyTimeout: time.Millisecond})
	}
	if held := (*journal.LockedError)(nil); errors.As(err, &held) || errors.Is(err, sqlite.ErrLocked) {
		return nil, &adapter.TargetError{Name: errLocked, Message: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
