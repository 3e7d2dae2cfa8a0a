// Package journal keeps the outbox of one side in a file that is only appended to: an op costs one write and one sync before it can reach
// the wire, and is sent again after a restart. Start with [Open].
//
// It is the store of the journal form: outbox and registry are on the disk, while the ledger and the inbox are in memory, for a side
// whose peer is an edge that feeds from a stream. A queue whose inbox has to last is refused (SUBSTRATE-JOURNAL-007).
package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// DefaultQuota is the limit of the file in octets when Options say nothing.
const DefaultQuota = 1 << 30

// compactAbove is how many octets a file has at least before it is written anew for what is dead in it.
const compactAbove = 1 << 20

// Options of a journal. The zero value is ready.
type Options struct {
	// Quota is the limit of the file in octets; 0 means DefaultQuota. A write that would make the file larger, with all that is dead
	// removed, is refused with a [*QuotaError].
	Quota int64
	// Sync brings what was written to a file onto the disk. Nil: (*os.File).Sync. Another is for a disk that is only played: what returns nil
	// from it counts as kept (SUBSTRATE-JOURNAL-002).
	Sync func(*os.File) error
}

// A Journal is a [store.Store]. Its methods may be called from several goroutines at once.
type Journal struct {
	*store.Memory // what the file says, and what is volatile

	path  string
	quota int64
	lock  *os.File

	mu     sync.Mutex
	file   *os.File
	size   int64 // of what is good in the file
	synced bool  // nothing of it waits for a sync
	live   map[string]*live
	broken error // why nothing can be written any more
	closed bool

	sync func(*os.File) error
}

// Open opens the journal at path and makes it if it is not there. A journal that another process or another Journal of this one has open is a
// [*LockedError] (SUBSTRATE-JOURNAL-008); a file that is none, or whose middle is damaged, is a [*CorruptError]. An end that was torn by a
// crash is cut off: nothing in it was ever said to be kept.
func Open(path string, o Options) (*Journal, error) {
	if o.Quota < 0 {
		return nil, fmt.Errorf("journal %s: quota is %d, allowed are 0 for %d, and more", path, o.Quota, DefaultQuota)
	}
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	j := &Journal{Memory: store.NewMemory(), path: path, quota: o.Quota, lock: lock, live: map[string]*live{}, synced: true, sync: o.Sync}
	if j.quota == 0 {
		j.quota = DefaultQuota
	}
	if j.sync == nil {
		j.sync = (*os.File).Sync
	}
	if err := j.restore(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return j, nil
}

// restore reads the file and leaves it open at its good end.
func (j *Journal) restore() error {
	// A file that was being written when the process died is of no use.
	if err := os.Remove(j.path + ".new"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	err = j.replay(f)
	if err == nil {
		err = j.remember()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.file = f
	return nil
}

// Load implements [store.Store].
func (j *Journal) Load(peer string) (*store.State, error) {
	s, err := j.Memory.Load(peer)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if l := j.live[peer]; l != nil {
		s.Epoch = l.epoch
		return s, nil
	}
	// SUBSTRATE-SEQ-011: an epoch is kept before anybody hears of it.
	if _, err := rand.Read(s.Epoch[:]); err != nil {
		return nil, err
	}
	if err := j.append(&record{Peer: peer, Epoch: s.Epoch[:]}, true); err != nil {
		return nil, err
	}
	j.live[peer] = newLive(s.Epoch)
	return s, nil
}

// Apply implements [store.Store]. What the batch says of the outbox and of objects is on the disk when it returns nil, if the batch is
// durable; it counts as kept when the sync has returned and not before (SUBSTRATE-JOURNAL-001, SUBSTRATE-JOURNAL-002). A batch that
// fails leaves nothing behind (SUBSTRATE-JOURNAL-004).
func (j *Journal) Apply(peer string, b *store.Batch) error {
	for _, o := range b.Objects {
		if o.Queued {
			return &QueueError{Obj: o.Obj}
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.live[peer] == nil {
		return fmt.Errorf("journal %s: %q was written before it was loaded", j.path, peer)
	}
	if r := recordOf(peer, b); !r.empty() || b.Durable && !j.synced {
		if err := j.append(r, b.Durable); err != nil {
			return err
		}
		j.live[peer].apply(r)
	}
	return j.Memory.Apply(peer, b)
}

// append writes a record behind what is good in the file. The caller holds the lock.
func (j *Journal) append(r *record, durable bool) error {
	switch {
	case j.closed:
		return fmt.Errorf("journal %s: %w", j.path, os.ErrClosed)
	case j.broken != nil:
		return fmt.Errorf("journal %s: an earlier write could not be taken back, nothing is written any more: %w", j.path, j.broken)
	}
	buf, err := r.encode()
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err := j.makeRoom(int64(len(buf))); err != nil {
		return err
	}
	_, err = j.file.WriteAt(buf, j.size)
	if err == nil && durable {
		err = j.sync(j.file)
	}
	if err != nil {
		j.takeBack()
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	j.size += int64(len(buf))
	j.synced = durable
	return nil
}

// takeBack removes what a failed write may have left behind the good end. After a failed sync nobody knows what is on the disk: the good
// part is written and synced anew, or the journal ends.
func (j *Journal) takeBack() {
	if err := j.file.Truncate(j.size); err != nil {
		j.broken = err
		return
	}
	j.broken = j.rewrite()
}

// makeRoom writes the file anew when half of it or more is dead, or when need would not fit otherwise.
func (j *Journal) makeRoom(need int64) error {
	if j.size+need <= j.quota && (j.size < compactAbove || j.size/2 < j.liveSize()) {
		return nil
	}
	if alive := j.liveSize() + int64(headerSize) + need; alive > j.quota {
		return &QuotaError{Path: j.path, Limit: j.quota, Needed: alive}
	}
	return j.rewrite()
}

// rewrite replaces the file by one that has only what is alive.
func (j *Journal) rewrite() error {
	f, size, err := j.write(j.path + ".new")
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err := os.Rename(j.path+".new", j.path); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, errors.Join(err, f.Close()))
	}
	old := j.file
	j.file, j.size, j.synced = f, size, true
	if err := errors.Join(old.Close(), syncParent(j.path)); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	return nil
}

// write makes a file of what is alive, synced.
func (j *Journal) write(path string) (f *os.File, size int64, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, 0, err
	}
	put := func(buf []byte) {
		if err == nil {
			_, err = f.WriteAt(buf, size)
			size += int64(len(buf))
		}
	}
	put(header())
	for peer, l := range j.live {
		for r := range l.records(peer) {
			var buf []byte
			if err == nil {
				buf, err = r.encode()
			}
			put(buf)
		}
	}
	if err == nil {
		err = j.sync(f)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, size, nil
}

// Size returns how many octets the file has.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Close syncs what waits for it and gives the journal up to the next owner.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	var err error
	if !j.synced {
		err = j.sync(j.file)
	}
	if err := errors.Join(err, j.Memory.Close(), j.file.Close(), j.lock.Close()); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	return nil
}
