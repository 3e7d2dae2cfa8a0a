package substratetest

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A refLog is what of a journal is on the disk: a journal is only appended to, so that two lengths say it.
type refLog struct {
	made    int64 // octets that were made to last
	before  int64 // octets before the last of them were
	failing bool  // the next write is not known to last
}

// open opens a journal whose writes last when it is told so.
func (l *refLog) open(path string, quota int64) (store.Store, error) {
	j, err := journal.Open(path, journal.Options{Quota: quota, Sync: l.sync})
	if held, ok := errors.AsType[*journal.LockedError](err); ok {
		return nil, &adapter.TargetError{
			Name: errRefusedCall, Message: held.Error(), Members: map[string]json.RawMessage{"code": quotedText("journal_locked")},
		}
	}
	if err != nil {
		return nil, err
	}
	if l.made == 0 {
		l.made, l.before = j.Size(), j.Size()
	}
	return j, nil
}

// sync makes what is in a file last. When it is to fail it says so and the octets are there all the same: nobody knows what a disk has done
// that fails.
func (l *refLog) sync(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		l.before, l.made = l.made, info.Size()
	}
	if l.failing {
		l.failing = false
		return errDiskFull
	}
	return err
}

// left returns what a kill leaves of a journal: what was made to last, and so many octets of one more record, of which a part is missing.
func (l *refLog) left(octets []byte, torn int) []byte {
	made := min(l.made, int64(len(octets)))
	last := octets[min(l.before, made):made]
	l.made = 0
	return append(octets[:made:made], last[:max(0, min(torn, len(last)-1))]...)
}

// stop ends a node as its host does: nothing of it is left but what it has kept.
func (b *nodeBridge) stop(q nodeRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	n.asked("stop")
	for name, other := range b.nodes {
		if other.disk == n.disk && name != n.name {
			return didReply{Did: []*deed{}}, nil
		}
	}
	return didReply{Did: []*deed{}}, n.disk.close()
}
