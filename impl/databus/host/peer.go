package host

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// How much is written at once: the rest of the queue can still be pushed out by what is newer.
	batchLines  = 64
	batchOctets = 256 << 10
	// again is how soon a peer is dialled again while the channel closes.
	again = 10 * time.Millisecond
	// pause is how soon it is while the channel is open.
	pause = 100 * time.Millisecond
)

// A peer is another end of the channel, as one to send to: what waits for it, and the goroutine that takes it there.
type peer struct {
	c    *channel
	id   string
	wake chan struct{}
	// Of run alone.
	turn    int64     // of the connection
	dialled time.Time // when it was last tried

	mu     sync.Mutex
	lines  [][]byte // that wait, the oldest first
	octets int
	conn   net.Conn  // nil: there is none
	until  time.Time // when all must be over; zero: the channel is open
}

// put has a line sent. What does not fit in pushes out the oldest lines: those that come after are worth more to who is slow.
func (p *peer) put(line []byte) {
	p.mu.Lock()
	cfg := &p.c.host.cfg
	p.lines = append(p.lines, line)
	p.octets += len(line)
	for len(p.lines) > cfg.Queue || p.octets > cfg.QueueBytes {
		p.shift()
		p.c.host.count.dropped.Add(1)
	}
	p.mu.Unlock()
	p.stir()
}

// shift takes the oldest line out. The lock is held.
func (p *peer) shift() []byte {
	line := p.lines[0]
	p.lines[0], p.lines = nil, p.lines[1:]
	p.octets -= len(line)
	return line
}

// stir has the goroutine look whether there is something to do.
func (p *peer) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// finish has the goroutine end when it has sent what waits, and at that time at the latest (DATABUS-RACE-007).
func (p *peer) finish(until time.Time) {
	p.mu.Lock()
	p.until = until
	if p.conn != nil {
		_ = p.conn.SetWriteDeadline(until)
	}
	p.mu.Unlock()
	p.stir()
}

// run takes lines to the peer until the peer is gone, or the channel is closed and nothing is left.
func (p *peer) run() {
	defer p.c.part(p)
	defer p.end()
	for {
		conn, gone := p.reach()
		if gone {
			return
		}
		for conn != nil {
			lines := p.take()
			if len(lines) == 0 {
				break
			}
			if !p.send(conn, lines) {
				conn = nil
			}
		}
		if p.over() || !p.wait() {
			return
		}
	}
}

// take returns the oldest lines that wait, as many as are to be written at once.
func (p *peer) take() (lines net.Buffers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for size := 0; len(p.lines) > 0 && len(lines) < batchLines && size < batchOctets; {
		line := p.shift()
		size += len(line)
		lines = append(lines, line)
	}
	return lines
}

// send writes lines, however long that takes: one that sleeps holds up nothing but its own queue. What is lost with the connection is lost.
func (p *peer) send(conn net.Conn, lines net.Buffers) bool {
	all := len(lines)
	_, err := lines.WriteTo(conn)
	p.c.host.count.sent.Add(int64(all - len(lines)))
	p.c.host.count.dropped.Add(int64(len(lines)))
	if err != nil {
		p.lose(conn)
	}
	return err == nil
}

// over reports whether the channel is closed and nothing can be done any more.
func (p *peer) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.until.IsZero() && (len(p.lines) == 0 || !time.Now().Before(p.until))
}

// wait waits for something to do, and reports whether the channel is still of use.
func (p *peer) wait() bool {
	var retry <-chan time.Time
	p.mu.Lock()
	until := p.until
	p.mu.Unlock()
	if rest := p.rest(until); !until.IsZero() {
		retry = time.After(again)
	} else if rest > 0 {
		retry = time.After(rest)
	}
	select {
	case <-p.wake:
	case <-retry:
	case <-p.c.ctx.Done():
		return false
	}
	return true
}

// rest returns how long the peer is not to be dialled again: one that ends each connection at once, since it has no room for instance,
// would be dialled without a pause.
func (p *peer) rest(until time.Time) time.Duration {
	if !until.IsZero() {
		return time.Until(p.dialled.Add(again))
	}
	return time.Until(p.dialled.Add(pause))
}

// reach returns the connection to the peer, and makes one if there is none. Nil: the peer takes none now. A socket that nobody listens on
// is removed.
func (p *peer) reach() (conn net.Conn, gone bool) {
	p.mu.Lock()
	conn, until := p.conn, p.until
	p.mu.Unlock()
	if conn != nil {
		return conn, false
	}
	if p.rest(until) > 0 {
		return nil, false
	}
	p.dialled = time.Now()
	path := p.c.path(p.id)
	ctx, cancel := context.WithTimeout(p.c.ctx, p.c.host.cfg.Patience)
	defer cancel()
	if !until.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, until)
		defer cancel()
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		if os.Remove(path) == nil {
			p.c.host.count.removed.Add(1)
		}
		return nil, true
	case errors.Is(err, fs.ErrNotExist):
		return nil, true
	case err != nil:
		return nil, false
	}
	return p.greet(conn), false
}

// greet says on a new connection who dials, and makes it the one of the peer.
func (p *peer) greet(conn net.Conn) net.Conn {
	p.turn++
	line, err := json.Marshal(hello{Databus: helloVersion, Channel: p.c.name, From: p.c.own(), Turn: p.turn})
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	p.conn = conn
	if !p.until.IsZero() {
		_ = conn.SetWriteDeadline(p.until)
	}
	p.mu.Unlock()
	p.c.host.running.Go(func() { p.watch(conn) })
	if _, err := conn.Write(append(line, '\n')); err != nil {
		p.lose(conn)
		return nil
	}
	return conn
}

// watch waits for the end of a connection: nothing comes back on it.
func (p *peer) watch(conn net.Conn) {
	stop := context.AfterFunc(p.c.ctx, func() { _ = conn.Close() })
	defer stop()
	_, _ = conn.Read(make([]byte, 1))
	p.lose(conn)
	p.stir()
}

// lose gives a connection up.
func (p *peer) lose(conn net.Conn) {
	_ = conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == conn {
		p.conn = nil
	}
}

// end drops what is left.
func (p *peer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.c.host.count.dropped.Add(int64(len(p.lines)))
	p.lines, p.octets = nil, 0
	if p.conn != nil {
		_ = p.conn.Close()
	}
}
