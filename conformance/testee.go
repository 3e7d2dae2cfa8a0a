package conformance

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance/child"
)

// Bounds of one testee.
const (
	startPatience   = 15 * time.Second // until its first connection; how fast an interpreter starts is not judged
	testeeLog       = 256 << 10        // octets kept of its output
	shownOutput     = 2 << 10          // octets of its output shown in a reason
	referencePassed = "the reference returned without an error"
)

// A Testee is the client under judgement while one case runs: a process of the target's command, or the
// reference in a goroutine, that connects to a listener of the case's own. spec/testee.md is what it and
// a suite agree on. Its methods belong to the case's goroutine.
type Testee struct {
	*Listener
	dir  string
	proc *child.Process
	stop context.CancelFunc // ends the reference
	over <-chan struct{}    // closed when the process or the reference has ended
	err  error              // why the reference ended; read after over
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
	l, err := t.listen()
	if err != nil {
		return nil, err
	}
	x := &Testee{Listener: l}
	if t.env.cfg.Target.Reference() {
		x.startReference(l.Address())
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
	over := make(chan struct{})
	x.stop, x.over = stop, over
	go func() {
		defer close(over)
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
		Name: x.t.env.cfg.Target.Command, Path: "/bin/sh", Args: []string{"-c", "exec " + x.t.env.cfg.Target.Command},
		Env: append(os.Environ(), "ASSAY_HOST="+host, "ASSAY_PORT="+port, "ASSAY_URL=ws://"+net.JoinHostPort(host, port)+"/"),
		Dir: "", LogPath: filepath.Join(dir, "output"), LogLimit: testeeLog,
	})
	if err != nil {
		return err
	}
	x.over = x.proc.Done()
	return nil
}

// Accept returns the next connection that the testee has opened and spoken on. Its octets go to the
// transcript. The error is an [*AcceptError].
func (x *Testee) Accept(name string) (*Conn, error) {
	return x.take(name, x.t.timing.Reply, x.t.record, x)
}

// AcceptControl is Accept for the connection over which a suite steers the testee: it is waited for as long
// as an interpreter may need to start, and its octets stay out of the transcript.
func (x *Testee) AcceptControl(name string) (*Conn, error) {
	return x.take(name, startPatience, newTranscript(), x)
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
	x.Listener.end()
	if x.dir != "" {
		_ = os.RemoveAll(x.dir)
	}
}

var errNoTestee = errors.New("the suite judges clients, and its reference has none")
