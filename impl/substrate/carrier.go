package substrate

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/link"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

const (
	// writeTimeout is how long a peer may take nothing before its connection ends.
	writeTimeout = 30 * time.Second
	// crowded is how many frames may wait to be written before nothing more is read: a peer that does not take what it is answered
	// is not asked what else it wants. There is at most one op of each object among them, so that two sides that are both busy
	// never wait for each other.
	crowded = 4096
	// unreadOctets bounds the frames that were read and wait for the loop.
	unreadOctets = 4 << 20
)

// A carrier is a connection of a peer with what waits to be written to it.
type carrier struct {
	conn *link.Conn

	mu    sync.Mutex
	queue [][]byte
	room  chan struct{} // closed when the queue has been taken
	over  bool          // nothing is written or ended any more
	bound bool          // the loop has made it that of the peer
	ends  sync.WaitGroup

	wake   chan struct{} // one slot: there is something to write
	unread atomic.Int64
	eaten  chan struct{} // one slot: the loop has taken a frame
}

func newCarrier(conn *link.Conn) *carrier {
	return &carrier{conn: conn, room: make(chan struct{}), wake: make(chan struct{}, 1), eaten: make(chan struct{}, 1)}
}

// push leaves a frame to be written. It never waits.
func (c *carrier) push(b []byte) {
	c.mu.Lock()
	if !c.over {
		c.queue = append(c.queue, b)
	}
	c.mu.Unlock()
	poke(c.wake)
}

func poke(slot chan struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}

// take takes all that is to be written.
func (c *carrier) take() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := c.queue
	c.queue = nil
	close(c.room)
	c.room = make(chan struct{})
	return batch
}

// roomy waits until less than most frames wait to be written.
func (c *carrier) roomy(ctx context.Context, most int) error {
	for {
		c.mu.Lock()
		n, room := len(c.queue), c.room
		c.mu.Unlock()
		if n < most {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// end ends the connection with a code. It does not wait for the peer to hear of it.
func (c *carrier) end(code uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.ends.Go(func() { c.conn.Close(code, "") })
	}
}

// finish waits for what has been begun with the connection.
func (c *carrier) finish() {
	c.mu.Lock()
	c.over = true
	c.queue = nil
	c.mu.Unlock()
	c.ends.Wait()
}

// write writes what is pushed until ctx ends or a write fails. A write that takes too long fails, and takes the connection with it.
func (c *carrier) write(ctx context.Context) {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	dog := time.AfterFunc(writeTimeout, cut)
	defer dog.Stop()
	dog.Stop()
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		for _, b := range c.take() {
			dog.Reset(writeTimeout)
			if err := c.conn.Write(ctx, b); err != nil {
				// Whoever reads has to notice.
				c.end(closeAbnormal)
				return
			}
			dog.Stop()
		}
	}
}

// closeAbnormal is the code with which a connection ends that cannot be written to.
const closeAbnormal = 1011

// read passes what comes on to the loop until the connection ends, and returns how.
func (c *carrier) read(ctx context.Context, p *Peer) error {
	id := c.conn.ID()
	for {
		if err := c.roomy(ctx, crowded); err != nil {
			return err
		}
		b, err := c.conn.Read(ctx)
		if err != nil {
			return err
		}
		c.unread.Add(int64(len(b)))
		err = p.post(ctx, func(now time.Time) {
			c.unread.Add(-int64(len(b)))
			poke(c.eaten)
			p.eng.Receive(now, id, b)
		})
		if err != nil {
			return err
		}
		for c.unread.Load() > unreadOctets {
			select {
			case <-c.eaten:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// attach makes a connection that of the peer for as long as it lasts.
func (p *Peer) attach(ctx context.Context, conn *link.Conn) {
	if !p.enter() {
		conn.Close(closeGoingAway, "")
		return
	}
	defer p.carriers.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.cut, cancel)()
	c := newCarrier(conn)
	var writer sync.WaitGroup
	writer.Go(func() { c.write(ctx) })
	p.in <- func(now time.Time) { p.connected(now, c) }
	err := c.read(ctx, p)
	cancel()
	p.in <- func(now time.Time) { p.disconnected(now, c, err) }
	writer.Wait()
	c.finish()
}

// enter reports whether a connection may still begin. The loop outlives those that do.
func (p *Peer) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.carriers.Add(1)
	return true
}

// connected binds a connection, unless a newer one has been bound already. It is called by the loop.
func (p *Peer) connected(now time.Time, c *carrier) {
	if turn := c.conn.Turn(); turn != 0 {
		if turn < p.turn {
			return
		}
		p.turn = turn
	}
	c.bound = true
	p.mu.Lock()
	old := p.conn
	p.conn = c
	if old == nil {
		close(p.ready)
	}
	closed := p.closed
	p.mu.Unlock()
	if old != nil {
		p.endFeeds()
		old.end(engine.CloseSuperseded)
	}
	p.eng.Connected(now, engine.Conn{ID: c.conn.ID(), Epoch: c.conn.Result().Epoch})
	p.emit(Event{Name: EventReady, Level: observe.Info, At: now, Fields: observe.Fields{Peer: p.remote, Conn: c.conn.ID()}})
	if closed {
		c.end(closeGoingAway)
	}
}

// disconnected forgets a connection that has ended. It is called by the loop.
func (p *Peer) disconnected(now time.Time, c *carrier, err error) {
	if !c.bound {
		return
	}
	p.eng.Disconnected(now, c.conn.ID())
	p.mu.Lock()
	live := p.conn == c
	if live {
		p.conn = nil
		p.ready = make(chan struct{})
	}
	p.mu.Unlock()
	if live {
		p.endFeeds()
	}
	f := observe.Fields{Peer: p.remote, Conn: c.conn.ID(), Err: err}
	var end *link.EndError
	if errors.As(err, &end) && end.Code != 0 {
		f.Code = strconv.Itoa(int(end.Code))
	}
	p.emit(Event{Name: EventEnded, Level: observe.Info, At: now, Fields: f})
}

// carrierOf returns the live connection if it has the id. It is called by the loop.
func (p *Peer) carrierOf(id string) *carrier {
	// Only the loop changes what it is.
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil || p.conn.conn.ID() != id {
		return nil
	}
	return p.conn
}

// end ends the live connection, if there is one.
func (p *Peer) end(code uint16) {
	p.mu.Lock()
	c := p.conn
	p.mu.Unlock()
	if c != nil {
		c.end(code)
	}
}
