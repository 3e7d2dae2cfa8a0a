package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Conn is a conversation with one adapter. Calls may come from several goroutines and are made one after
// the other.
type Conn struct {
	cfg Config
	r   io.ReadCloser
	w   io.WriteCloser

	calls sync.Mutex // held through a call
	n     int64

	requests chan outgoing
	lines    chan incoming // closed when the reader has ended
	quit     chan struct{}
	workers  sync.WaitGroup
	closing  sync.Once
	after    func(grace time.Duration) error // what Close does at the very end

	mu     sync.Mutex
	fault  error // ends the conversation
	closed bool
}

// New starts a conversation: the adapter's output is read from r and its input written to w. Closing r must
// unblock a Read, and closing w a Write, as with the pipes of os and of io. A cfg that does not validate panics.
// The caller must Close the Conn; it closes r and w, and has nothing to do with the adapter's process.
func New(r io.ReadCloser, w io.WriteCloser, cfg Config) *Conn {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Limit == 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Grace == 0 {
		cfg.Grace = DefaultGrace
	}
	if cfg.Record == nil {
		cfg.Record = func(byte, []byte) {}
	}
	c := &Conn{
		cfg: cfg, r: r, w: w, after: func(time.Duration) error { return nil },
		requests: make(chan outgoing), lines: make(chan incoming), quit: make(chan struct{}),
	}
	c.workers.Add(2)
	go c.write()
	go c.read()
	return c
}

// Call sends one request and waits for its reply. The members of request, a struct, a map or nil, stand beside op
// and n in the request object; ok of the reply is decoded into reply unless that is nil, and members that reply
// does not have are ignored. The error is a *TargetError, an *UnsupportedError, a *FaultError, or the
// cause of ctx when that ended first. After a fault, or when ctx ended while the adapter was at work, every further call
// fails with the same error.
func (c *Conn) Call(ctx context.Context, op string, request, reply any) error {
	c.calls.Lock()
	defer c.calls.Unlock()
	if err := c.broken(); err != nil {
		return err
	}
	line, err := requestLine(c.n+1, op, request)
	if err != nil {
		return fmt.Errorf("request %q: %w", op, err)
	}
	c.n++
	// The caller's own deadline is no fault of the adapter, the Timeout is.
	limited, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, errSilent)
	defer cancel()
	r, err := c.exchange(limited, op, line)
	if err != nil {
		return c.end(err)
	}
	if r.bad != nil {
		err := r.err(op)
		if _, ok := errors.AsType[*FaultError](err); ok {
			return c.end(err)
		}
		return err
	}
	if reply == nil {
		return nil
	}
	if err := json.Unmarshal(r.ok, reply); err != nil {
		return c.end(&FaultError{Op: op, Kind: Shape, Text: "ok of the reply does not fit the operation", Line: quote(r.ok), Err: err})
	}
	return nil
}

var errSilent = errors.New("no reply in time")

// exchange writes a request and reads the one line that answers it.
func (c *Conn) exchange(ctx context.Context, op string, line []byte) (reply, error) {
	written := make(chan error, 1)
	select {
	case c.requests <- outgoing{line, written}:
	case in, ok := <-c.lines:
		return reply{}, c.stray(in, ok)
	case <-ctx.Done():
		return reply{}, c.late(ctx, op, Deaf, "a request was not taken")
	}
	for taken := false; ; {
		select {
		case err := <-written:
			if taken = true; err != nil {
				return reply{}, c.unwritten(op, err)
			}
		case in, ok := <-c.lines:
			return c.answer(op, in, ok)
		case <-ctx.Done():
			if !taken {
				return reply{}, c.late(ctx, op, Deaf, "the request was not read")
			}
			return reply{}, c.late(ctx, op, Silent, "no reply line")
		}
	}
}

// answer judges the line that came while op was waited for.
func (c *Conn) answer(op string, in incoming, ok bool) (reply, error) {
	if !ok || in.err != nil {
		return reply{}, c.broke(op, in)
	}
	r, err := parseReply(in.line)
	if err != nil {
		fault, _ := errors.AsType[*FaultError](err)
		fault.Op = op
		return reply{}, fault
	}
	if r.n != c.n {
		return reply{}, &FaultError{
			Op: op, Kind: Stray, Text: fmt.Sprintf("reply to request %d came while %d was waited for", r.n, c.n), Line: quote(in.line),
		}
	}
	return r, nil
}

// unwritten says why a request could not be written; the end of the output, if it came too, says more.
func (c *Conn) unwritten(op string, cause error) error {
	timer := time.NewTimer(c.cfg.Grace)
	defer timer.Stop()
	select {
	case in, ok := <-c.lines:
		if !ok || in.err != nil {
			return c.broke(op, in)
		}
	case <-timer.C:
	}
	return &FaultError{Op: op, Kind: Deaf, Text: "the request could not be written", Err: cause}
}

// broke describes an output that ended or cannot be read.
func (c *Conn) broke(op string, in incoming) error {
	switch {
	case errors.Is(in.err, errLong):
		return &FaultError{Op: op, Kind: TooLong, Text: fmt.Sprintf("a line is longer than %d octets", c.cfg.Limit), Line: quote(in.line[:min(shown, len(in.line))])}
	case errors.Is(in.err, io.ErrUnexpectedEOF):
		return &FaultError{Op: op, Kind: Ended, Text: "the adapter ended in the middle of a line", Line: quote(in.line)}
	case in.err == nil || errors.Is(in.err, io.EOF):
		return &FaultError{Op: op, Kind: Ended, Text: "the adapter ended its output"}
	}
	return &FaultError{Op: op, Kind: Ended, Text: "the adapter's output cannot be read", Err: in.err}
}

// stray describes what came while nothing was asked.
func (c *Conn) stray(in incoming, ok bool) error {
	if !ok || in.err != nil {
		return c.broke("", in)
	}
	return &FaultError{Kind: Stray, Text: "a line that answers no request", Line: quote(in.line)}
}

func (c *Conn) late(ctx context.Context, op string, kind Kind, what string) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errSilent) {
		return cause
	}
	return &FaultError{Op: op, Kind: kind, Text: fmt.Sprintf("%s within %v", what, c.cfg.Timeout)}
}

// Fault returns what ended the conversation, nil while it goes on.
func (c *Conn) Fault() *FaultError {
	c.mu.Lock()
	defer c.mu.Unlock()
	fault, _ := errors.AsType[*FaultError](c.fault)
	return fault
}

func (c *Conn) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault == nil && c.closed {
		return ErrClosed
	}
	return c.fault
}

func (c *Conn) end(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault == nil {
		c.fault = err
	}
	return c.fault
}

// Close ends the adapter's input, gives it the grace to end its output, and waits for what New started. The error
// is the fault that ended the conversation, or a [*FaultError] of a line that came after the last reply. Closing again
// returns the same. It must not be called while a Call is under way in another goroutine, which it would wait for.
func (c *Conn) Close() error {
	c.calls.Lock()
	defer c.calls.Unlock()
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		close(c.quit)
		_ = c.w.Close()
		c.drain()
		_ = c.r.Close()
		for range c.lines { // until the reader has seen that r is closed
		}
		c.workers.Wait()
		if err := c.after(c.cfg.Grace); err != nil {
			_ = c.end(err)
		}
	})
	if fault := c.Fault(); fault != nil {
		return fault
	}
	return nil
}

// drain reads to the end of the output, or of the grace; a line is a fault.
func (c *Conn) drain() {
	timer := time.NewTimer(c.cfg.Grace)
	defer timer.Stop()
	select {
	case in, ok := <-c.lines:
		if ok && (in.err == nil || !errors.Is(in.err, io.EOF)) && c.broken() == ErrClosed {
			_ = c.end(c.stray(in, ok))
		}
	case <-timer.C:
	}
}
