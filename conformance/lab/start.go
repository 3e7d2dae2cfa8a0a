package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance/child"

	"github.com/seed-6f28358b/assay/conformance"
)

// DefaultReadyTimeout is the time for all endpoints of a broker to answer when [Options.ReadyTimeout] is
// zero: 90 s. An idle machine needs a tenth of it for the slowest broker.
const DefaultReadyTimeout = 90 * time.Second

// tailInErrors is how many bytes of log an error quotes.
const tailInErrors = 2 << 10

// Options say where and how a broker is started. The zero value is good.
type Options struct {
	// Dir is the folder in which the broker gets a throw-away folder of its own. Empty means the system's
	// folder for temporary files. It must exist.
	Dir string
	// KeepLogs keeps log and configuration when the broker is stopped; they are kept in any case
	// when it could not be started or ended by itself.
	KeepLogs bool
	// ReadyTimeout bounds the wait for readiness. Zero means DefaultReadyTimeout.
	ReadyTimeout time.Duration
	// LogLimit bounds the log file in bytes. Zero means child.DefaultLogLimit.
	LogLimit int64
}

// Validate returns an error that names the first field that is out of range.
func (o Options) Validate() error {
	if o.ReadyTimeout < 0 {
		return fmt.Errorf("lab options: ReadyTimeout %v is negative", o.ReadyTimeout)
	}
	if o.LogLimit < 0 {
		return fmt.Errorf("lab options: LogLimit %d is negative", o.LogLimit)
	}
	return nil
}

// startTries is how often a broker that found its port taken gets new ones.
const startTries = 3

// Start starts the broker and returns when every endpoint has answered CONNECT with CONNECTED. ctx bounds the start
// only; the broker runs until Stop or Kill. Errors: *NotInstalledError, *StartError, or a fault of the machine
// (no free port, a folder that cannot be written).
func (b Broker) Start(ctx context.Context, o Options) (*Running, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f, err := b.locate(ctx)
	if err != nil {
		return nil, err
	}
	profile, err := b.Profile()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		r, err := b.start(ctx, o, f, profile)
		if err == nil || try == startTries || !portTaken(err) {
			return r, err
		}
	}
}

// portTaken reports whether a broker ended because someone else had bound its port.
func portTaken(err error) bool {
	var start *StartError
	var exit *child.ExitError
	if !errors.As(err, &start) || !errors.As(err, &exit) {
		return false
	}
	tail := strings.ToLower(start.Tail)
	for _, words := range []string{"eaddrinuse", "address already in use", "no acceptor"} {
		if strings.Contains(tail, words) {
			return true
		}
	}
	return false
}

func (b Broker) start(ctx context.Context, o Options, f found, profile conformance.Profile) (*Running, error) {
	ports, err := claimPorts(b.recipe.ports)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", b.Name, err)
	}
	p, err := b.prepare(o, f, profile, ports.numbers)
	if err != nil {
		ports.release()
		return nil, fmt.Errorf("start %s: %w", b.Name, err)
	}
	r := &Running{
		Name: b.Name, Title: b.Title, Version: f.version, Suite: b.Suite, Targets: p.endpoints, Profile: profile,
		Dir: p.dir, LogPath: p.path("broker.log"), options: o, plan: p, ports: ports,
	}
	if err := r.up(ctx); err != nil {
		ports.release()
		return nil, err
	}
	return r, nil
}

// prepare makes the throw-away folder and lets the recipe fill it.
func (b Broker) prepare(o Options, f found, profile conformance.Profile, numbers []int) (*plan, error) {
	parent, err := filepath.Abs(o.Dir)
	if o.Dir == "" {
		parent, err = os.TempDir(), nil
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "assay-lab-"+b.Name+"-")
	if err != nil {
		return nil, err
	}
	p := &plan{found: f, dir: dir, ports: numbers, profile: profile}
	for _, sub := range []string{"data", "log", "tmp"} {
		if err = os.Mkdir(p.path(sub), 0o755); err != nil {
			break
		}
	}
	if err == nil {
		err = b.recipe.plan(p)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}
