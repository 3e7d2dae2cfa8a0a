package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	local := t.env.adapter
	if ref := t.env.reference; local == nil && ref != nil {
		local = ref.Adapter
	}
	switch {
	case local != nil:
		// In this process the race detector and a busy machine slow both sides down.
		cfg.Timeout = t.Deadline()
		return &adapted{conn: adapter.Local(local, cfg)}, nil
	case t.env.target.Scheme == "exec":
		return startAdapterProcess(t.env.target.Command, cfg)
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
