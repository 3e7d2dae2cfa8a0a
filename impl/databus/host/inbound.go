package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

const (
	helloVersion = 1
	maxHello     = 4096 // octets
)

// A hello is the first line of a connection.
type hello struct {
	Databus int    `json:"databus"` // version
	Channel string `json:"channel"`
	From    string `json:"from"` // the name of the socket of who dialled
	Turn    int64  `json:"turn"` // counts the connections from there to here
}

// readHello reads the first line of a connection to this channel.
func readHello(line []byte, channel string) (hello, error) {
	var h hello
	if err := json.Unmarshal(line, &h); err != nil {
		return hello{}, fmt.Errorf("hello: %w", err)
	}
	switch {
	case h.Databus != helloVersion:
		return hello{}, fmt.Errorf("hello: version %d, known is %d", h.Databus, helloVersion)
	case h.Channel != channel:
		return hello{}, errors.New("hello: another channel")
	case !isID(h.From):
		return hello{}, errors.New("hello: from is no name of a socket")
	case h.Turn < 1:
		return hello{}, fmt.Errorf("hello: turn is %d", h.Turn)
	}
	return h, nil
}

// An inbound is the connection on which one of the others is heard.
type inbound struct {
	conn net.Conn
	turn int64
	done chan struct{} // closed when nothing of it is delivered any more
}

// accept takes connections until the listener is closed.
func (c *channel) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			_ = c.host.told(&ChannelError{"accept", c.dir, err})
			select {
			case <-time.After(c.host.cfg.Rescan):
			case <-c.ctx.Done():
				return
			}
		case c.admit(conn):
			c.host.running.Go(func() { c.hear(conn) })
		default:
			c.host.count.refused.Add(1)
			_ = conn.Close()
		}
	}
}

// admit makes room for a connection, if there is any.
func (c *channel) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.conns) >= c.host.cfg.MaxPeers {
		return false
	}
	c.conns[conn] = struct{}{}
	return true
}

// hear hands on what comes on a connection, until it ends.
func (c *channel) hear(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.conns, conn)
		c.ended()
	}()
	r := &reader{conn: conn, patience: c.host.cfg.Patience}
	line, err := r.next(maxHello, true)
	var h hello
	if err == nil {
		h, err = readHello(line, c.name)
	}
	in := &inbound{conn, h.Turn, make(chan struct{})}
	if err != nil || !c.greet(h.From, in) {
		c.host.count.refused.Add(1)
		return
	}
	defer c.leave(h.From, in)
	for {
		line, err := r.next(signal.MaxFrame, false)
		if err != nil {
			if !ordinary(err) {
				c.host.count.refused.Add(1)
			}
			return
		}
		f, err := signal.Decode(line)
		if err != nil {
			c.host.count.malformed.Add(1)
			continue
		}
		c.deliver(f)
	}
}

// greet makes a connection the one on which its sender is heard, in the place of the one before, if it is newer than that. What has not
// been read from the older one is lost, so that frames stay in order (DATABUS-EVENT-002).
func (c *channel) greet(from string, in *inbound) bool {
	c.mu.Lock()
	before := c.inbound[from]
	if c.closed || before != nil && before.turn >= in.turn {
		c.mu.Unlock()
		return false
	}
	c.inbound[from] = in
	// The answer to what comes now is to find its way.
	c.meet(from)
	c.mu.Unlock()
	if before != nil {
		_ = before.conn.Close()
		<-before.done
	}
	return true
}

// leave ends that.
func (c *channel) leave(from string, in *inbound) {
	close(in.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inbound[from] == in {
		delete(c.inbound, from)
	}
}

// deliver hands a frame on, after the one before.
func (c *channel) deliver(f signal.Frame) {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return
	}
	c.host.count.received.Add(1)
	c.receive(f)
}
