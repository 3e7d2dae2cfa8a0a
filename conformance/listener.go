package conformance

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// DefaultListen is where a suite for clients plays the server unless Config.Listen says otherwise.
const DefaultListen = "127.0.0.1:0"

// maxAccepted is how many connections wait that no case has asked for.
const maxAccepted = 64

// A Listener is where a case plays the server. Its methods belong to the case's goroutine.
type Listener struct {
	t        *T
	listener net.Listener
	spoken   chan struct{}  // one for each caller that has spoken
	wait     sync.WaitGroup // the acceptor and its sniffers
	mu       sync.Mutex     // guards callers
	callers  []*caller
}

// Listen opens a listener for a client that the case runs itself; it is closed with the case.
func (t *T) Listen() *Listener {
	l, err := t.listen()
	if err != nil {
		t.Inconclusive("%v", err)
	}
	t.listeners = append(t.listeners, l)
	return l
}

func (t *T) listen() (*Listener, error) {
	nl, err := (&net.ListenConfig{}).Listen(t.ctx, "tcp", t.env.cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("play the server at %s: %w", t.env.cfg.Listen, err)
	}
	l := &Listener{t: t, listener: nl, spoken: make(chan struct{}, maxAccepted)}
	l.wait.Go(l.accept)
	return l, nil
}

// Address returns host:port.
func (x *Listener) Address() string { return x.listener.Addr().String() }

// Accept returns the next connection on which somebody has spoken. The error is an [*AcceptError].
func (x *Listener) Accept(name string) (*Conn, error) {
	return x.take(name, x.t.timing.Reply, x.t.record, nil)
}

// Unused reports whether nobody opens a connection and speaks on it during the quiet window.
func (x *Listener) Unused() bool {
	c, err := x.take("uninvited", x.t.timing.Quiet, x.t.record, nil)
	if err == nil {
		c.Close()
		return false
	}
	x.t.Watched(x.t.timing.Quiet)
	return true
}

// end closes the listener and what no case has taken, and waits for all that belongs to it.
func (x *Listener) end() {
	_ = x.listener.Close()
	x.mu.Lock()
	for _, k := range x.callers {
		_ = k.conn.Close()
	}
	x.mu.Unlock()
	x.wait.Wait()
	for _, k := range x.callers {
		if k.stream != nil {
			_ = k.Reset()
		}
	}
}

// A caller is a connection that a testee opened. What it is shows once it has said something.
type caller struct {
	conn   *net.TCPConn
	known  chan struct{} // closed when stream is set, or is known to come to nothing
	silent bool          // was waited for while a later one had spoken; the case's goroutine's
	stream
}

// accept takes connections in until the listener is closed. A connection counts once it has said something,
// which tells a WebSocket from a plain one; a client always speaks first.
func (x *Listener) accept() {
	for {
		c, err := x.listener.Accept()
		if err != nil {
			return
		}
		k := &caller{conn: c.(*net.TCPConn), known: make(chan struct{})}
		x.mu.Lock()
		full := len(x.callers) >= maxAccepted
		if !full {
			x.callers = append(x.callers, k)
		}
		x.mu.Unlock()
		if full {
			_ = k.conn.Close()
			continue
		}
		x.wait.Go(func() {
			defer close(k.known)
			s, err := sniff(k.conn, x.t.env.suite.WebSocket, x.t.env.suite.Subprotocols)
			if err != nil {
				x.forget(k)
				_ = k.conn.Close()
				return
			}
			k.stream = s
			x.spoken <- struct{}{} // there is room for all that are kept
		})
	}
}

// sniff waits for the first octets and returns the stream that they belong to.
func sniff(c *net.TCPConn, webSocket bool, subprotocols []string) (stream, error) {
	if err := c.SetReadDeadline(time.Now().Add(startPatience)); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, 4<<10)
	first, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	peeked := peekedStream{tcpStream{c}, r}
	if webSocket && first[0] == 'G' {
		return upgrade(peeked, subprotocols)
	}
	return peeked, nil
}

// A peekedStream is a TCP stream of which some octets were looked at.
type peekedStream struct {
	tcpStream
	r *bufio.Reader
}

func (s peekedStream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	acknowledgeAtOnce(s.TCPConn)
	return n, err
}

// AcceptError says that a testee opened no connection.
type AcceptError struct {
	Name   string        // the connection's name in the transcript
	Within time.Duration // how long it was waited for
	Ended  string        // how the testee ended, empty if it runs
}

// Error says what was waited for, and how the testee ended if it did.
func (e *AcceptError) Error() string {
	if e.Ended != "" {
		return fmt.Sprintf("no connection %s: the client ended: %s", e.Name, e.Ended)
	}
	return fmt.Sprintf("no connection %s within %v", e.Name, e.Within)
}

func (x *Listener) take(name string, within time.Duration, record *Transcript, by *Testee) (*Conn, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	fail := &AcceptError{Name: name, Within: within}
	var over <-chan struct{}
	if by != nil {
		over = by.over
	}
	for {
		select {
		case <-x.spoken:
			k := x.first()
			c := newConn(name, k.stream, record, x.t.timing.Reply)
			x.forget(k)
			x.t.mu.Lock()
			x.t.conns = append(x.t.conns, c)
			x.t.mu.Unlock()
			return c, nil
		case <-over:
			// What it opened before its end may still be on its way in.
			over, fail.Ended = nil, by.Ended()
			timer.Reset(x.t.timing.Quiet)
		case <-timer.C:
			return nil, fail
		case <-x.t.ctx.Done():
			return nil, fail
		}
	}
}

// sameTime is how far apart the first octets of two callers may be seen though they came in the order of the calls.
const sameTime = 200 * time.Millisecond

// first returns the one that called first among those that have spoken, of which there is at least one. One that stays silent, as
// those that clients open ahead of need, holds up the others once and for [sameTime] only.
func (x *Listener) first() *caller {
	for {
		x.mu.Lock()
		callers := slices.Clone(x.callers)
		x.mu.Unlock()
		for _, k := range callers {
			if k.isKnown() && k.stream != nil {
				return k
			}
		}
	}
}

// isKnown reports whether it has shown what the caller is.
func (k *caller) isKnown() bool {
	select {
	case <-k.known:
		return true
	default:
	}
	if k.silent {
		return false
	}
	timer := time.NewTimer(sameTime)
	defer timer.Stop()
	select {
	case <-k.known:
		return true
	case <-timer.C:
		k.silent = true
		return false
	}
}

// forget leaves a caller to the connection that was made of it.
func (x *Listener) forget(k *caller) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.callers = slices.DeleteFunc(x.callers, func(o *caller) bool { return o == k })
}
