package broker

import (
	"errors"
	"math"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// signal tells the writer to look.
func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// hurry shortens the time that a session may take to write its ERROR and what is before it.
func (c *conn) hurry() {
	by := time.Now().Add(c.broker.cfg.LingerTimeout)
	if c.hurried.CompareAndSwap(0, by.UnixNano()) {
		c.transport.writeBy(by)
	}
}

// flush writes what the session has to write, as the reader: as far as that needs no waiting. The rest, and
// all of it on a transport that cannot do so, is the writer's.
func (c *conn) flush() {
	b := c.broker
	b.mu.Lock()
	if c.take() {
		b.unlock(c)
		n, able := c.transport.try(c.batch)
		b.mu.Lock()
		if able && n == len(c.batch) {
			c.written()
		} else {
			c.left = c.batch[n:]
		}
	}
	// What came meanwhile is the writer's too, lest reading stop while others have much to say.
	if !c.session.Idle() || c.session.Ended() {
		c.signal()
	}
	b.unlock(c)
}

// take gets the next batch, if nobody is writing one. The caller holds the lock.
func (c *conn) take() bool {
	batch, ends, ok := c.broker.hub.Take(c.session, c.spare)
	if ok {
		c.batch, c.ends, c.spare = batch, ends, nil
	}
	return ok
}

// written ends what take began. The caller holds the lock.
func (c *conn) written() {
	if cap(c.batch) <= keep {
		c.spare = c.batch[:0]
	}
	c.batch, c.ends = nil, nil
	c.broker.hub.Written(c.session, c.broker.now())
}

// writing is the writer goroutine: it ends when the session has ended and all is written, or nothing can be.
func (c *conn) writing() {
	b := c.broker
	timer := time.NewTimer(math.MaxInt64)
	defer timer.Stop()
	for {
		b.mu.Lock()
		now := b.now()
		b.hub.Tick(c.session, now)
		b.unlock(c)
		if err := c.drain(); err != nil {
			c.failed = err
			c.transport.close()
			return
		}
		b.mu.Lock()
		finished := c.session.Ended() && c.session.Idle()
		now = b.now()
		next := b.hub.Deadline(c.session, now)
		b.mu.Unlock()
		if finished {
			c.finish()
			return
		}
		if wait := next - now; wait < math.MaxInt64/int64(time.Millisecond) {
			timer.Reset(time.Duration(wait) * time.Millisecond)
		} else {
			timer.Stop()
		}
		select {
		case <-c.wake:
		case <-timer.C:
		case <-c.lost:
			return
		}
	}
}

// drain writes all that the session has to write, however long it takes.
func (c *conn) drain() error {
	b := c.broker
	b.mu.Lock()
	for {
		rest := c.left
		if c.left = nil; rest == nil {
			if !c.take() {
				b.unlock(c)
				return nil
			}
			rest = c.batch
		}
		b.unlock(c)
		c.transport.writeBy(time.Now().Add(b.cfg.WriteTimeout))
		// After that, lest the long time replace the short one.
		if by := c.hurried.Load(); by != 0 {
			c.transport.writeBy(time.Unix(0, by))
		}
		err := c.transport.write(rest, c.ends)
		b.mu.Lock()
		if err != nil {
			b.unlock(c)
			return err
		}
		c.written()
	}
}

// finish closes the connection for writing and gives the reader a while to read what the peer still sends.
func (c *conn) finish() {
	c.transport.readBy(time.Now().Add(c.broker.cfg.LingerTimeout))
	if c.transport.closeWrite() != nil {
		c.transport.close()
	}
}

// refuse tells a peer that it is not admitted, if few enough are being told.
func (b *Broker) refuse(t transport, err error) {
	select {
	case b.refusals <- struct{}{}:
		defer func() { <-b.refusals }()
	default:
		return
	}
	var p *Problem
	if !errors.As(err, &p) {
		return
	}
	// STOMP-CONNECT-008
	batch, err := frame.Append(nil, frame.V12, p.Frame())
	if err != nil {
		return
	}
	by := time.Now().Add(b.cfg.LingerTimeout)
	t.writeBy(by)
	t.readBy(by)
	if t.write(batch, []int{len(batch)}) != nil || t.closeWrite() != nil {
		return
	}
	buf := make([]byte, smallRead)
	for left := b.cfg.LingerBytes; left > 0; {
		n, err := t.read(buf)
		if err != nil {
			return
		}
		left -= n
	}
}
