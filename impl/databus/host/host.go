package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// StorageName is the name of the storage in the directory.
const StorageName = "databus.db"

// maxPath is the longest path of a Unix socket that all systems take, in octets.
const maxPath = 103

// stale is how old what has no name yet is when nobody is going to give it one.
const stale = time.Minute

// A Host is what a process shares with the others of its machine. Use [Open] to make one. It may be used from several goroutines.
type Host struct {
	cfg     Config
	dir     string
	storage *storage
	count   counters
	running sync.WaitGroup // all goroutines of its channels

	mu       sync.Mutex
	closed   bool
	buses    []*databus.Bus
	channels map[*channel]struct{} // whose goroutines run
}

// Open opens a directory. It fails with a [*ConfigError], a [*StorageError] or a [*ChannelError].
func Open(c Config) (*Host, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.normal()
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, &ChannelError{"open", c.Dir, err}
	}
	if n := len(folder(dir, "")) + 1 + idLength; n > maxPath {
		return nil, &ConfigError{"Dir", fmt.Sprintf("is too long for sockets in it: they would be named by more than %d octets (%d)", maxPath, n)}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &ChannelError{"open", dir, err}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, &ChannelError{"open", dir, err}
	}
	// Whoever can write here can forge (DATABUS-LIMIT-005).
	if info.Mode().Perm()&0o002 != 0 {
		return nil, &ConfigError{"Dir", fmt.Sprintf("may be written by everybody (%v)", info.Mode().Perm())}
	}
	h := &Host{cfg: c, dir: dir, channels: map[*channel]struct{}{}}
	sweep(dir, ".new-*")
	if h.storage, err = openStorage(filepath.Join(dir, StorageName), &c); err != nil {
		return nil, err
	}
	return h, nil
}

// sweep removes what processes have left behind that died while they made something: it gets its name within a moment, or never.
func sweep(dir, pattern string) {
	all, _ := names(dir)
	for _, name := range all {
		if match, _ := filepath.Match(pattern, name); !match {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(path)
		}
	}
}

// folder returns where the sockets of a channel are. The name of a channel may be long and need not be fit for a path.
func folder(dir, channel string) string {
	return filepath.Join(dir, record.Hash(channel)[:idLength])
}

// Environment returns the environment of one bus of this process. Its clock is that of the machine.
func (h *Host) Environment() databus.Environment {
	return databus.Environment{Storage: &view{s: h.storage}, Open: h.open}
}

// New returns a bus of this host, which leaves with it. The environment of c is replaced. It fails as [databus.New] does, or with
// [ErrClosed].
func (h *Host) New(c databus.Config) (*databus.Bus, error) {
	c.Environment = h.Environment()
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	// A bus that starts on its own opens its channel here.
	b, err := databus.New(c)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	if closed = h.closed; !closed {
		h.buses = append(h.buses, b)
	}
	h.mu.Unlock()
	if closed {
		b.StopThen(func(error) {})
		return nil, ErrClosed
	}
	return b, nil
}

// Close has the buses of [Host.New] leave, as a page does that goes away: they hand over what they own (DATABUS-HANDOFF-001), and what they
// say to that end has left, or cannot, when Close returns (DATABUS-RACE-007). Then it closes the storage. When ctx ends first, what has not
// left is dropped, and a handler that does not return is not waited for: a handler that calls Close waits for itself until then. Buses that
// only have the environment must be stopped before. Further calls change nothing.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	buses := h.buses
	again := h.closed
	h.closed, h.buses = true, nil
	h.mu.Unlock()
	if again {
		return nil
	}
	var errs []error
	for _, b := range buses {
		errs = append(errs, b.Stop(ctx))
	}
	h.mu.Lock()
	for c := range h.channels {
		c.shut()
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		h.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		h.mu.Lock()
		for c := range h.channels {
			c.cancel()
		}
		h.mu.Unlock()
		errs = append(errs, ctx.Err())
	}
	return errors.Join(append(errs, h.storage.close())...)
}

// open opens a channel. It fails with a [*ChannelError].
func (h *Host) open(name string, receive func(signal.Frame)) (cluster.Channel, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, h.told(&ChannelError{"open", name, ErrClosed})
	}
	c := &channel{
		host: h, name: name, dir: folder(h.dir, name), receive: receive,
		peers: map[string]*peer{}, inbound: map[string]*inbound{}, conns: map[net.Conn]struct{}{},
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if err := c.begin(); err != nil {
		c.cancel()
		return nil, h.told(err)
	}
	for other := range h.channels {
		if other.isOver() {
			delete(h.channels, other)
		}
	}
	h.channels[c] = struct{}{}
	return c, nil
}

// told tells whoever listens: a cluster goes on without.
func (h *Host) told(err error) error {
	h.cfg.Fault(err)
	return err
}
