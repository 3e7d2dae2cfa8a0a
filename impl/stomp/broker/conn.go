package broker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"

	"github.com/seed-6f28358b/assay/impl/stomp/broker/hub"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

const (
	smallRead = 4 << 10
	largeRead = 64 << 10
	// keep is the largest output buffer that is kept for reuse.
	keep = 1 << 20
)

// conn drives one connection with two goroutines: the one that serves it reads, handles, and writes answers when
// that needs no waiting; the other writes all else and minds the time.
type conn struct {
	broker    *Broker
	transport transport
	session   *hub.Session
	decoder   *frame.Decoder
	wake      chan struct{} // one slot: the writer has something to do
	lost      chan struct{} // closed when the peer is gone and nothing can be written any more
	hurried   atomic.Int64  // when set, the Unix nanoseconds by which all must be written
	failed    error         // of the writer; read when it has ended

	// These belong to whoever is between Take and Written.
	batch []byte
	ends  []int
	spare []byte
	left  []byte // what the reader could not write, for the writer; guarded by broker.mu
}

func (b *Broker) serve(ctx context.Context, t transport) error {
	if !b.enter() {
		t.close()
		return ErrClosed
	}
	defer b.serving.Done()
	defer t.close()
	stop := context.AfterFunc(ctx, t.close)
	defer stop()

	c, err := b.admit(t)
	if err != nil {
		b.refuse(t, err)
		return err
	}
	b.log(c, slog.LevelDebug, "open", nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.writing()
	}()
	err = c.reading(ctx)
	<-done
	b.mu.Lock()
	if c.failed != nil && ctx.Err() == nil {
		err = c.failed
	}
	if p := c.session.Problem(); p != nil {
		err = p
	}
	b.hub.Gone(c.session)
	delete(b.conns, c.session)
	b.unlock(c)
	level := slog.LevelDebug
	if errors.As(err, new(*Problem)) {
		level = slog.LevelInfo
	}
	b.log(c, level, "closed", err)
	return err
}

// admit opens a session for t.
func (b *Broker) admit(t transport) (*conn, error) {
	b.mu.Lock()
	defer b.unlock(nil)
	s, err := b.hub.Open(b.now(), t.framed())
	if err != nil {
		return nil, err
	}
	cfg := b.hub.Config()
	limits := cfg.Limits.Frame
	// One read holds at most so many events, and they are all legal.
	limits.Events = largeRead
	c := &conn{
		broker: b, transport: t, session: s,
		wake: make(chan struct{}, 1),
		lost: make(chan struct{}),
	}
	c.decoder, err = frame.NewDecoder(frame.DecoderConfig{
		Version: s.Version(),
		Limits:  limits,
		Borrow:  true,
		// STOMP-NEGOTIATE-006
		Switch: func(f *frame.Frame) frame.Version {
			v, _ := b.hub.Negotiate(f)
			return v
		},
	})
	if err != nil {
		b.hub.Gone(s)
		return nil, err
	}
	b.conns[s] = c
	if b.closed {
		b.hub.Drain(s)
	}
	return c, nil
}

// reading reads until the stream ends, or the session does and the peer has had time to notice.
func (c *conn) reading(ctx context.Context) error {
	b := c.broker
	buf := make([]byte, smallRead)
	for {
		n, err := c.transport.read(buf)
		if n > 0 {
			c.receive(ctx, buf[:n])
			c.flush()
		}
		b.mu.Lock()
		ended := c.session.Ended()
		b.mu.Unlock()
		switch {
		case ended && err != nil:
			return nil
		case ended:
			c.discard(buf)
			return nil
		case err == io.EOF:
			c.eof()
			return nil
		case err != nil:
			close(c.lost)
			c.transport.close()
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return err
		}
		if n == len(buf) && n < largeRead {
			buf = make([]byte, 2*n)
		}
	}
}

// receive handles what one read brought.
func (c *conn) receive(ctx context.Context, chunk []byte) {
	b := c.broker
	b.mu.Lock()
	b.hub.Received(c.session, b.now())
	b.mu.Unlock()
	for len(chunk) > 0 {
		// A feed that fails yields nothing (STOMP-FRAME-017). So that a bad frame does not take the good ones before it
		// along, no feed goes beyond an octet that may end a frame.
		n := boundary(chunk)
		events, err := c.decoder.Feed(chunk[:n])
		chunk = chunk[n:]
		if err != nil {
			// STOMP-LIMIT-019, STOMP-ERROR-001, STOMP-FRAME-026
			c.fail(refusal(err))
			return
		}
		for _, e := range events {
			if e.Frame != nil && !c.handle(ctx, e.Frame) {
				return
			}
		}
	}
}

// boundary returns the length of the piece of chunk that ends with its first NUL, or with the last of the NULs
// that it begins with.
func boundary(chunk []byte) int {
	n := 0
	for n < len(chunk) && chunk[n] == 0 {
		n++
	}
	if n > 0 {
		return n
	}
	if n = bytes.IndexByte(chunk, 0); n < 0 {
		return len(chunk)
	}
	return n + 1
}

// handle passes one frame to the hub and reports whether the session goes on.
func (c *conn) handle(ctx context.Context, f *frame.Frame) bool {
	b := c.broker
	if f.Command == frame.CONNECT || f.Command == frame.STOMP {
		denied := c.denied(ctx, f)
		b.mu.Lock()
		b.hub.Connect(c.session, f, b.now(), denied)
		// The times to mind are others now.
		c.signal()
	} else {
		b.mu.Lock()
		b.hub.Handle(c.session, f)
	}
	ended := c.session.Ended()
	b.mu.Unlock()
	return !ended
}

// denied asks whether the peer may connect, without holding up anybody else.
func (c *conn) denied(ctx context.Context, f *frame.Frame) error {
	login, _ := f.Get("login")
	passcode, _ := f.Get("passcode")
	if v, _ := c.broker.hub.Negotiate(f); v == frame.V10 {
		// STOMP-HDR-008
		login, passcode = strings.Trim(login, " "), strings.Trim(passcode, " ")
	}
	return c.broker.cfg.authenticate(ctx, strings.Clone(login), strings.Clone(passcode))
}

// refusal is the problem of a frame that could not be decoded.
func refusal(err error) *Problem {
	p := &Problem{Text: "frame refused", Cause: err}
	if e := (*frame.Error)(nil); errors.As(err, &e) {
		p.Text += ", " + e.Rule.String()
		switch e.Rule {
		case frame.LineLimit, frame.HeaderLimit, frame.BodyLimit:
			p.Limited = true
			p.Limit, p.Found = int(e.Limit), int(min(e.Found, math.MaxInt))
		}
	}
	return p
}

func (c *conn) fail(p *Problem) {
	c.broker.mu.Lock()
	c.broker.hub.Fail(c.session, p)
	c.broker.mu.Unlock()
}

// eof ends the session of a peer that sends no more but may still read.
func (c *conn) eof() {
	if err := c.decoder.End(); err != nil {
		c.fail(&Problem{Text: "the stream ended inside a frame", Cause: err})
	}
	b := c.broker
	b.mu.Lock()
	b.hub.Drain(c.session)
	c.signal()
	b.unlock(c)
}

// discard reads on until the peer closes or has had enough of it, so that the last frame is not lost to a reset.
func (c *conn) discard(buf []byte) {
	for left := c.broker.cfg.LingerBytes; left > 0; {
		n, err := c.transport.read(buf)
		if err != nil {
			return
		}
		left -= n
	}
}
