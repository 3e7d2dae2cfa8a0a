package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

const (
	idLength = 16 // of the name of a socket, in hexadecimal digits
	// A folder that has changed so recently may change again without its time of change doing so.
	settled = 100 * time.Millisecond
	// mostNames is how many names of a folder are read.
	mostNames = 4096
)

// A channel is one end of the channel of a cluster: a socket on which others are heard, and a connection to each of the others.
type channel struct {
	host    *Host
	name    string // of the channel
	dir     string
	receive func(signal.Frame)
	ctx     context.Context // ends when nothing that goes on matters any more
	cancel  context.CancelFunc
	turn    sync.Mutex // one frame after the other

	mu       sync.Mutex
	closed   bool
	id       string // the name of the own socket
	listener net.Listener
	held     [][]byte              // lines that were posted in the task that is going on
	peers    map[string]*peer      // by the name of their socket
	inbound  map[string]*inbound   // by the name of the socket of who dialled
	conns    map[net.Conn]struct{} // that others have made, also those who have not said yet who they are
	over     bool                  // nothing is left
	changed  time.Time             // of the folder when it was last read, if it had settled
	timer    *time.Timer
}

// begin listens and looks for others. What arrives before it returns waits.
func (c *channel) begin() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return &ChannelError{"open", c.dir, err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	sweep(c.dir, "."+strings.Repeat("?", idLength))
	if err := c.listen(); err != nil {
		return err
	}
	c.look()
	c.timer = time.AfterFunc(c.host.cfg.Rescan, c.rescan)
	return nil
}

// listen makes the own socket. It gets its name when it is ready, so that a named socket that refuses connections is dead.
func (c *channel) listen() error {
	id := newID()
	hidden := filepath.Join(c.dir, "."+id)
	l, err := net.Listen("unix", hidden)
	if err != nil {
		return &ChannelError{"listen", hidden, err}
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err = os.Chmod(hidden, 0o600); err == nil {
		err = os.Rename(hidden, c.path(id))
	}
	if err != nil {
		_ = l.Close()
		_ = os.Remove(hidden)
		return &ChannelError{"listen", c.path(id), err}
	}
	c.id, c.listener = id, l
	c.host.running.Go(func() { c.accept(l) })
	return nil
}

func newID() string {
	var octets [idLength / 2]byte
	_, _ = rand.Read(octets[:]) // never fails
	return hex.EncodeToString(octets[:])
}

// isID reports whether a name is that of a socket.
func isID(name string) bool {
	return len(name) == idLength && strings.Trim(name, "0123456789abcdef") == ""
}

func (c *channel) path(id string) string { return filepath.Join(c.dir, id) }

// look meets those whose sockets are new in the folder. It reads the folder only if that has changed. The lock is held.
func (c *channel) look() {
	info, err := os.Stat(c.dir)
	if err != nil || info.ModTime().Equal(c.changed) {
		return
	}
	names, err := names(c.dir)
	if err != nil {
		return
	}
	if c.changed = info.ModTime(); time.Since(c.changed) < settled {
		c.changed = time.Time{}
	}
	for _, name := range names {
		if isID(name) {
			c.meet(name)
		}
	}
}

// names returns those in a folder, of very many not all.
func names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	names, err := d.Readdirnames(mostNames)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}

// meet makes a peer of a socket, unless it is one or there are enough. The lock is held.
func (c *channel) meet(id string) {
	if c.closed || id == c.id || c.peers[id] != nil || len(c.peers) >= c.host.cfg.MaxPeers {
		return
	}
	p := &peer{c: c, id: id, wake: make(chan struct{}, 1)}
	c.peers[id] = p
	c.host.count.peers.Add(1)
	c.host.running.Go(p.run)
}

// part forgets a peer.
func (c *channel) part(p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peers[p.id] == p {
		delete(c.peers, p.id)
		c.host.count.peers.Add(-1)
	}
	c.changed = time.Time{}
	c.ended()
}

// ended takes note that a closed channel has nothing left, if that is so. The lock is held.
func (c *channel) ended() {
	if c.closed && len(c.peers) == 0 && len(c.conns) == 0 {
		c.over = true
		c.cancel()
	}
}

func (c *channel) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// own returns the name of the own socket.
func (c *channel) own() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// Post sends a frame to all others, and waits for none of them. It fails with an error of package signal if the frame cannot travel, and
// with [ErrClosed].
func (c *channel) Post(f signal.Frame) error {
	octets, err := signal.Encode(f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return &ChannelError{"post", c.path(c.id), ErrClosed}
	}
	c.host.count.posted.Add(1)
	c.held = append(c.held, append(octets, '\n'))
	return nil
}

// Settle has what was posted leave: what it speaks of is in the storage now.
func (c *channel) Settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && len(c.held) > 0 {
		c.release()
	}
}

// release has what was posted leave. The lock is held.
func (c *channel) release() {
	// Who is in the storage was in the folder before.
	c.look()
	for _, line := range c.held {
		for _, p := range c.peers {
			p.put(line)
		}
	}
	clear(c.held)
	c.held = c.held[:0]
}

// Close closes this end. It returns at once; what was posted leaves within [Config.Flush] (DATABUS-RACE-007), and nothing is received any
// more.
func (c *channel) Close() { c.shut() }

func (c *channel) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.release()
	c.closed = true
	c.timer.Stop()
	_ = os.Remove(c.path(c.id))
	c.deafen()
	until := time.Now().Add(c.host.cfg.Flush)
	for _, p := range c.peers {
		p.finish(until)
	}
	c.ended()
}

// deafen has nothing received any more. The lock is held.
func (c *channel) deafen() {
	_ = c.listener.Close()
	for conn := range c.conns {
		_ = conn.Close()
	}
}

// rescan looks for others, and for the own socket, which somebody may have removed.
func (c *channel) rescan() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	defer c.timer.Reset(c.host.cfg.Rescan)
	if _, err := os.Lstat(c.path(c.id)); errors.Is(err, fs.ErrNotExist) {
		// Who finds the new socket must not be heard on the old one as well.
		c.deafen()
		err := os.MkdirAll(c.dir, 0o700)
		if err == nil {
			err = c.listen()
		}
		if err != nil {
			_ = c.host.told(&ChannelError{"listen", c.dir, err})
			return
		}
	}
	c.changed = time.Time{}
	c.look()
	for _, p := range c.peers {
		p.stir()
	}
}
