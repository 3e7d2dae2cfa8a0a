package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance/child"
)

// DefaultListen is where a suite for clients plays the server unless Config.Listen says otherwise.
const DefaultListen = "127.0.0.1:0"

// Bounds of one testee.
const (
	startPatience   = 15 * time.Second // until its first connection; how fast an interpreter starts is not judged
	maxAccepted     = 64               // connections that no case has asked for
	testeeLog       = 256 << 10        // octets kept of its output
	shownOutput     = 2 << 10          // octets of its output shown in a reason
	referencePassed = "the reference returned without an error"
)

// A Testee is the client under judgement while one case runs: a process of the target's command, or the
// reference in a goroutine, that connects to a listener of the case's own. spec/testee.md is what it and
// a suite agree on. Its methods belong to the case's goroutine.
type Testee struct {
	t        *T
	listener net.Listener
	accepted chan *caller   // in the order in which they called
	wait     sync.WaitGroup // the acceptor and its sniffers
	mu       sync.Mutex     // guards callers
	callers  []*caller

	dir  string
	proc *child.Process
	stop context.CancelFunc // ends the reference
	over chan struct{}      // closed when the process or the reference has ended
	err  error              // why the reference ended; read after over
}

// A caller is a connection that a testee opened. What it is shows once it has said something.
type caller struct {
	conn  *net.TCPConn
	known chan struct{} // closed when stream is set, or is known to come to nothing
	stream
}

// Testee starts the client under judgement, once in each case; it is ended with the case. A client that
// cannot be started ends the case as inconclusive.
func (t *T) Testee() *Testee {
	if t.testee != nil {
		return t.testee
	}
	x, err := t.startTestee()
	if err != nil {
		t.Inconclusive("the client cannot be started: %v", err)
	}
	t.testee = x
	return x
}

func (t *T) startTestee() (*Testee, error) {
	at := t.env.listen
	if at == "" {
		at = DefaultListen
	}
	l, err := (&net.ListenConfig{}).Listen(t.ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("play the server at %s: %w", at, err)
	}
	x := &Testee{t: t, listener: l, accepted: make(chan *caller, maxAccepted)}
	x.wait.Go(x.accept)
	if t.env.target.Reference() {
		x.startReference(l.Addr().String())
		return x, nil
	}
	if err := x.startProcess(); err != nil {
		x.end()
		return nil, err
	}
	return x, nil
}

func (x *Testee) startReference(address string) {
	ctx, stop := context.WithCancel(context.WithoutCancel(x.t.ctx))
	x.stop, x.over = stop, make(chan struct{})
	go func() {
		defer close(x.over)
		x.err = x.t.env.reference.Testee(ctx, address)
	}()
}

func (x *Testee) startProcess() error {
	dir, err := os.MkdirTemp("", "assay-testee-")
	if err != nil {
		return err
	}
	x.dir = dir
	host, port, err := net.SplitHostPort(x.listener.Addr().String())
	if err != nil {
		return err
	}
	x.proc, err = child.Start(child.Config{
		Name: x.t.env.target.Command, Path: "/bin/sh", Args: []string{"-c", "exec " + x.t.env.target.Command},
		Env: append(os.Environ(), "ASSAY_HOST="+host, "ASSAY_PORT="+port, "ASSAY_URL=ws://"+net.JoinHostPort(host, port)+"/"),
		Dir: "", LogPath: filepath.Join(dir, "output"), LogLimit: testeeLog,
	})
	if err != nil {
		return err
	}
	x.over = make(chan struct{})
	x.wait.Go(func() {
		<-x.proc.Done()
		close(x.over)
	})
	return nil
}

// accept takes connections in until the listener is closed. A connection counts once it has said something,
// which tells a WebSocket from a plain one; a client always speaks first.
func (x *Testee) accept() {
	for {
		c, err := x.listener.Accept()
		if err != nil {
			return
		}
		k := &caller{conn: c.(*net.TCPConn), known: make(chan struct{})}
		select {
		case x.accepted <- k:
		default:
			_ = k.conn.Close()
			continue
		}
		x.mu.Lock()
		x.callers = append(x.callers, k)
		x.mu.Unlock()
		x.wait.Go(func() {
			defer close(k.known)
			s, err := sniff(k.conn, x.t.env.subprotocols)
			if err != nil {
				_ = k.conn.Close()
				return
			}
			k.stream = s
		})
	}
}

// sniff waits for the first octets and returns the stream that they belong to.
func sniff(c *net.TCPConn, subprotocols []string) (stream, error) {
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
	// No command of a protocol that this package knows begins with G; every WebSocket does.
	if first[0] == 'G' {
		return upgrade(peeked, subprotocols)
	}
	return peeked, nil
}

// A peekedStream is a TCP stream of which some octets were looked at.
type peekedStream struct {
	tcpStream
	r *bufio.Reader
}

func (s peekedStream) Read(p []byte) (int, error) { return s.r.Read(p) }

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

// Accept returns the next connection that the testee has opened and spoken on. Its octets go to the
// transcript. The error is an [*AcceptError].
func (x *Testee) Accept(name string) (*Conn, error) {
	return x.take(name, x.t.timing.Reply, x.t.record)
}

// AcceptControl is Accept for the connection over which a suite steers the testee: it is waited for as long
// as an interpreter may need to start, and its octets stay out of the transcript.
func (x *Testee) AcceptControl(name string) (*Conn, error) {
	return x.take(name, startPatience, newTranscript())
}

func (x *Testee) take(name string, within time.Duration, record *Transcript) (*Conn, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	fail := &AcceptError{Name: name, Within: within}
	var (
		over                 = x.over
		next  <-chan *caller = x.accepted
		k     *caller
		known <-chan struct{}
	)
	for {
		select {
		case k = <-next:
			next, known = nil, k.known
		case <-known:
			if k.stream == nil {
				next, known = x.accepted, nil
				continue
			}
			c := newConn(name, k.stream, record, x.t.timing.Reply)
			x.forget(k)
			x.t.mu.Lock()
			x.t.conns = append(x.t.conns, c)
			x.t.mu.Unlock()
			return c, nil
		case <-over:
			// What it opened before its end may still be on its way in.
			over, fail.Ended = nil, x.Ended()
			timer.Reset(x.t.timing.Quiet)
		case <-timer.C:
			return nil, fail
		case <-x.t.ctx.Done():
			return nil, fail
		}
	}
}

// forget leaves a caller to the connection that was made of it.
func (x *Testee) forget(k *caller) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.callers = slices.DeleteFunc(x.callers, func(o *caller) bool { return o == k })
}

// Ended returns how the testee ended, with the last of what it printed; empty while it runs.
func (x *Testee) Ended() string {
	select {
	case <-x.over:
	default:
		return ""
	}
	if x.proc == nil {
		if x.err == nil {
			return referencePassed
		}
		return x.err.Error()
	}
	text := x.proc.Exit().Error()
	if out := strings.TrimSpace(x.Output()); out != "" {
		text += "; it printed: " + out
	}
	return text
}

// EndedWithin is Ended for a testee that may be about to end: it waits for that.
func (x *Testee) EndedWithin(d time.Duration) string {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-x.over:
	case <-timer.C:
	}
	return x.Ended()
}

// Output returns the newest of what the process printed, at most 2 KiB; nothing for the reference.
func (x *Testee) Output() string {
	if x.proc == nil {
		return ""
	}
	return x.proc.Tail(shownOutput)
}

// end ends the testee and waits for all that belongs to it.
func (x *Testee) end() {
	_ = x.listener.Close()
	if x.stop != nil {
		x.stop()
		<-x.over
	}
	if x.proc != nil {
		x.proc.Kill()
	}
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
	if x.dir != "" {
		_ = os.RemoveAll(x.dir)
	}
}

var errNoTestee = errors.New("the suite judges clients, and its reference has none")
