package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/child"
)

// adapterName is what a transcript calls the conversation with an adapter.
const adapterName = "adapter"

// An adapted is the target's adapter while one case runs.
type adapted struct {
	conn *adapter.Conn
	proc *child.Process // nil: it runs in this process
	dir  string
}

// Adapter returns the conversation with the target's adapter (spec/adapter.md): a process of the target's command, or the
// adapter of the reference or of Config.Adapter in this process. It is started once in each case and ended with the case.
// One that cannot be started ends the case as inconclusive.
func (t *T) Adapter() *adapter.Conn {
	if t.adapted == nil {
		a, err := t.startAdapter()
		if err != nil {
			t.Inconclusive("the adapter cannot be started: %v", err)
		}
		t.adapted = a
	}
	return t.adapted.conn
}

var errNoAdapter = errors.New("the target is neither a command nor in this process")

func (t *T) startAdapter() (*adapted, error) {
	cfg := adapter.Config{
		Timeout: startPatience,
		Record: func(dir byte, line []byte) {
			t.record.octets(adapterName, string(dir), line)
		},
	}
	local := t.env.cfg.Adapter
	if ref := t.env.reference; local == nil && ref != nil {
		local = ref.Adapter
	}
	switch {
	case local != nil:
		// In this process the race detector and a busy machine slow both sides down.
		cfg.Timeout = t.Deadline()
		return &adapted{conn: adapter.Local(local, cfg)}, nil
	case t.env.cfg.Target.Scheme == "exec":
		return startAdapterProcess(t.env.cfg.Target.Command, cfg)
	}
	return nil, errNoAdapter
}

func startAdapterProcess(command string, cfg adapter.Config) (*adapted, error) {
	dir, err := os.MkdirTemp("", "assay-adapter-")
	if err != nil {
		return nil, err
	}
	in, requests, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	replies, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), requests.Close(), os.RemoveAll(dir))
	}
	proc, err := child.Start(child.Config{
		Name: command, Path: "/bin/sh", Args: []string{"-c", "exec " + command}, Env: os.Environ(),
		LogPath: filepath.Join(dir, "errors"), LogLimit: testeeLog, Stdin: in, Stdout: out,
	})
	if err != nil {
		return nil, errors.Join(err, requests.Close(), replies.Close(), os.RemoveAll(dir))
	}
	return &adapted{conn: adapter.New(replies, requests, cfg), proc: proc, dir: dir}, nil
}

// end ends the adapter, waits for all that belongs to it, and returns its fault with the last of what the process printed;
// nil if there was none.
func (a *adapted) end() error {
	err := a.conn.Close()
	if a.proc != nil {
		a.proc.Kill()
		if out := strings.TrimSpace(a.proc.Tail(shownOutput)); err != nil && out != "" {
			err = fmt.Errorf("%w; the process printed: %s", err, out)
		}
		err = errors.Join(err, os.RemoveAll(a.dir))
	}
	return err
}

// Greet greets the adapter. One that speaks for another protocol or for versions that the protocol does not have, or that does
// without an option which is not among these, ends the case as inconclusive.
func (t *T) Greet(protocol string, options []string) adapter.Greeting {
	var g adapter.Greeting
	t.MustAsk("hello", adapter.HelloRequest{Protocol: protocol}, &g)
	if err := g.Fits(protocol); err != nil {
		t.Inconclusive("the adapter's hello: %v", err)
	}
	for name := range g.Options {
		if !slices.Contains(options, name) {
			t.Inconclusive("the adapter's hello lists an unknown option %q as absent", name)
		}
	}
	return g
}

// Ask has the adapter carry out an operation. A fault of the adapter ends the case as inconclusive, an operation that it lacks as
// unsupported; what the target threw is returned.
func (t *T) Ask(op string, request, reply any) *adapter.TargetError {
	err := t.TryAsk(op, request, reply)
	if unsupported, ok := errors.AsType[*adapter.UnsupportedError](err); ok {
		t.Unsupported("%v", unsupported)
	}
	thrown, _ := errors.AsType[*adapter.TargetError](err)
	return thrown
}

// TryAsk is Ask for what may be unsupported: the error is a *adapter.TargetError or a *adapter.UnsupportedError.
func (t *T) TryAsk(op string, request, reply any) error {
	err := t.Adapter().Call(t.ctx, op, request, reply)
	_, thrown := errors.AsType[*adapter.TargetError](err)
	_, unsupported := errors.AsType[*adapter.UnsupportedError](err)
	switch {
	case err == nil || thrown || unsupported:
		return err
	case t.ctx.Err() != nil:
		t.Stop()
	}
	t.Inconclusive("%v", err)
	return nil
}

// MustAsk is Ask where no case is about what the target might throw, which blocks.
func (t *T) MustAsk(op string, request, reply any) {
	if thrown := t.Ask(op, request, reply); thrown != nil {
		t.Blocked("prerequisite", "the target threw %s: %s", thrown.Name, thrown.Message)
	}
}
