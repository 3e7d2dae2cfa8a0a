package conformance

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"
)

// Ending says how a connection ended.
type Ending int

// The ways in which a connection ends.
const (
	Open   Ending = iota // it has not ended
	EOF                  // the target closed it
	Reset                // it was reset; octets in flight may be lost
	Broken               // another I/O error
	Ours                 // this side closed it
)

// String returns a phrase for a report.
func (e Ending) String() string {
	return [...]string{"open", "closed by the target", "reset", "broken", "closed by us"}[e]
}

// A Chunk is what one read brought.
type Chunk struct {
	Data []byte
	At   time.Time // arrival
}

// Bounds of what one connection may bring in.
const (
	maxUnread   = 8 << 20  // octets buffered before reading pauses (back-pressure)
	maxReceived = 96 << 20 // octets in all before the connection is given up as a flood
)

// ErrFlood ends a connection over which a target sent more than a case may take in.
var ErrFlood = errors.New("target sent over 96 MiB on one connection")

// A Conn is one recorded connection to a target. A goroutine of its own reads it, so that arrival
// times are those of the octets and not of the case's attention. Methods other than those of that
// goroutine belong to the case's goroutine.
type Conn struct {
	Name   string
	stream stream
	record *Transcript
	write  time.Duration

	wake chan struct{} // holds a token when something changed
	room chan struct{} // holds a token when the reader may go on
	done chan struct{}

	mu     sync.Mutex
	unread []Chunk
	size   int
	total  int
	held   bool
	ending Ending
	ended  time.Time
	closed bool
}

func newConn(name string, s stream, record *Transcript, write time.Duration) *Conn {
	c := &Conn{
		Name: name, stream: s, record: record, write: write,
		wake: make(chan struct{}, 1), room: make(chan struct{}, 1), done: make(chan struct{}),
	}
	record.event(name, "connected")
	go c.pump()
	return c
}

func (c *Conn) pump() {
	defer close(c.done)
	buf := make([]byte, 64<<10)
	for {
		for c.paused() {
			<-c.room
		}
		n, err := c.stream.Read(buf)
		now := time.Now()
		if n > 0 {
			data := append([]byte(nil), buf[:n]...)
			c.record.octets(c.Name, "<", data)
			c.mu.Lock()
			c.unread = append(c.unread, Chunk{data, now})
			c.size += n
			c.total += n
			if c.total > maxReceived && err == nil {
				err = ErrFlood
			}
			c.mu.Unlock()
			signal(c.wake)
		}
		if err != nil {
			c.finish(err, now)
			return
		}
	}
}

// paused reports whether reading waits: because of Hold, or for the case to take what is unread.
func (c *Conn) paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed && (c.held || c.size > maxUnread)
}

// Hold stops reading, after at most one more read that has begun, until Release: the peer of a target that does not keep up.
// What the target sends meanwhile fills the buffers of both systems. An end of the connection shows only after Release.
func (c *Conn) Hold() {
	c.record.event(c.Name, "held: nothing is read")
	c.hold(true)
}

// Release goes on reading after Hold.
func (c *Conn) Release() {
	c.record.event(c.Name, "released: reading goes on")
	c.hold(false)
	signal(c.room)
}

func (c *Conn) hold(held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = held
}

func (c *Conn) finish(err error, now time.Time) {
	c.mu.Lock()
	c.ended = now
	switch {
	case c.closed:
		c.ending = Ours
	case errors.Is(err, io.EOF):
		c.ending = EOF
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		c.ending = Reset
	default:
		c.ending = Broken
	}
	e := c.ending
	c.mu.Unlock()
	if e == Broken {
		c.record.event(c.Name, "broken: "+err.Error())
	} else {
		c.record.event(c.Name, e.String())
	}
	signal(c.wake)
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Write sends octets, in one piece as far as the transport allows. It gives up after the reply
// deadline, so that a target that does not read cannot hold the case.
func (c *Conn) Write(p []byte) (int, error) {
	c.record.octets(c.Name, ">", p)
	if err := c.stream.SetWriteDeadline(time.Now().Add(c.write)); err != nil {
		return 0, err
	}
	return c.stream.Write(p)
}

// Next returns the next octets that arrived. It waits until deadline; ok is false when nothing
// arrived by then or the connection has ended, which Ending tells apart.
func (c *Conn) Next(ctx context.Context, deadline time.Time) (chunk Chunk, ok bool) {
	var timer *time.Timer
	for {
		c.mu.Lock()
		if len(c.unread) > 0 && ctx.Err() == nil {
			chunk = c.unread[0]
			c.unread = c.unread[1:]
			c.size -= len(chunk.Data)
			c.mu.Unlock()
			signal(c.room)
			return chunk, true
		}
		over := c.ending != Open
		c.mu.Unlock()
		if over || ctx.Err() != nil {
			return Chunk{}, false
		}
		if timer == nil {
			timer = time.NewTimer(time.Until(deadline))
			defer timer.Stop()
		}
		select {
		case <-c.wake:
		case <-timer.C:
			return Chunk{}, false
		case <-ctx.Done():
			return Chunk{}, false
		}
	}
}

// Ending reports how the connection ended and when; Open if it has not.
func (c *Conn) Ending() (Ending, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending, c.ended
}

// CloseWrite ends the sending direction and goes on reading.
func (c *Conn) CloseWrite() error {
	c.record.event(c.Name, "sending direction closed by us")
	return c.stream.CloseWrite()
}

// Close closes the connection in an orderly way and waits for its reader.
func (c *Conn) Close() { c.end(c.stream.Close) }

// Reset closes the connection abruptly and waits for its reader.
func (c *Conn) Reset() {
	c.record.event(c.Name, "reset by us")
	c.end(c.stream.Reset)
}

func (c *Conn) end(close func() error) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	_ = close()
	signal(c.room)
	<-c.done
}
