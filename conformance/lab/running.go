package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance/child"

	"github.com/seed-6f28358b/assay/conformance"
)

// Running is a broker that was started. Its exported fields do not change. Its methods may be called from
// several goroutines; Stop, Kill and Restart wait for one another.
type Running struct {
	// Name and Title are the broker's; Version is the one found on this machine.
	Name, Title, Version string
	// Suite is the one that judges it.
	Suite string
	// Targets are the endpoints, in the order of the broker's transports. A restart keeps them.
	Targets []Endpoint
	// Profile is what to judge the broker with.
	Profile conformance.Profile
	// Dir is the broker's throw-away folder; LogPath the file in it that has its output.
	Dir, LogPath string

	options Options
	plan    *plan
	ports   *ports

	life    sync.Mutex // held by what changes the broker's life
	mu      sync.Mutex // guards the fields below
	procs   []*child.Process
	ready   time.Duration
	ended   bool // the end of the processes was asked for
	stopped bool
}

// up starts the commands in order and waits for the endpoints. On failure nothing runs, and the folder is kept.
func (r *Running) up(ctx context.Context) error {
	began := time.Now()
	limit := r.options.ReadyTimeout
	if limit == 0 {
		limit = DefaultReadyTimeout
	}
	var procs []*child.Process
	fail := func(err error) error {
		var tail string
		for i := len(procs) - 1; i >= 0; i-- {
			procs[i].Kill()
			if tail == "" {
				tail = procs[i].Tail(tailInErrors)
			}
		}
		return &StartError{Broker: r.Name, Version: r.Version, LogPath: r.LogPath, Tail: tail, Err: err}
	}
	for i, c := range r.plan.commands {
		log := r.LogPath
		if i < len(r.plan.commands)-1 {
			log = r.plan.path(c.name + ".log")
		}
		proc, err := child.Start(child.Config{
			Name: c.name, Path: c.path, Args: c.args, Env: r.plan.env(c.env), Dir: r.plan.dir,
			LogPath: log, LogLimit: r.options.LogLimit, Grace: c.grace,
		})
		if err != nil {
			return fail(err)
		}
		procs = append(procs, proc)
		if c.listens == "" {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, limit)
		tries, err := await(wait, proc, func(ctx context.Context) error {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "tcp", c.listens)
			if err != nil {
				return err
			}
			return conn.Close()
		})
		cancel()
		if err != nil {
			return fail(fmt.Errorf("wait for %s to listen on %s (%d tries): %w", c.name, c.listens, tries, err))
		}
	}
	broker := procs[len(procs)-1]
	if err := r.await(ctx, broker, limit); err != nil {
		return fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.procs, r.ready, r.ended = procs, time.Since(began), false
	return nil
}

// broker is the process that speaks the protocol.
func (r *Running) broker() *child.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.procs[len(r.procs)-1]
}

// ReadyAfter is how long the latest start took until every endpoint had answered.
func (r *Running) ReadyAfter() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ready
}

// PID is the process id of the broker itself.
func (r *Running) PID() int { return r.broker().PID() }

// Alive reports whether the broker's process runs. A broker that hangs is alive; see Ready.
func (r *Running) Alive() bool { return r.broker().Alive() }

// Done is closed when the broker's current process has ended. After a Restart it has to be asked for again.
func (r *Running) Done() <-chan struct{} { return r.broker().Done() }

// Crash returns how the broker ended if it did so unasked, otherwise nil.
func (r *Running) Crash() *child.ExitError {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	return r.procs[len(r.procs)-1].Exit()
}

// Ready asks every endpoint once, as [Probe] does.
func (r *Running) Ready(ctx context.Context) error {
	for _, e := range r.Targets {
		if _, err := Probe(ctx, r.Suite, e, r.Profile); err != nil {
			return err
		}
	}
	return nil
}

// RSS returns the resident memory of all of the broker's processes in bytes.
func (r *Running) RSS() (int64, error) {
	r.mu.Lock()
	procs := r.procs
	r.mu.Unlock()
	var sum int64
	for _, p := range procs {
		n, err := p.RSS()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.Name, err)
		}
		sum += n
	}
	return sum, nil
}

// LogTail returns at most the newest n bytes of the broker's output, n up to 32 KiB.
func (r *Running) LogTail(n int) string { return r.broker().Tail(n) }

// Kill ends the broker at once with SIGKILL. Its folder, its ports and with them Restart remain.
func (r *Running) Kill() {
	r.life.Lock()
	defer r.life.Unlock()
	for _, p := range r.asked() {
		p.Kill()
	}
}

// asked notes that the end is asked for, unless the broker has ended by itself, and returns the processes, the
// broker's first.
func (r *Running) asked() []*child.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.procs[len(r.procs)-1].Alive() {
		r.ended = true
	}
	var reversed []*child.Process
	for i := len(r.procs) - 1; i >= 0; i-- {
		reversed = append(reversed, r.procs[i])
	}
	return reversed
}

// Restart ends the broker with SIGTERM if it still runs and starts it again on the same ports with
// the same data folder, and returns when it is ready. If that fails the broker is down, Restart may be
// tried again, and Stop is still due. What Crash returned before is forgotten.
func (r *Running) Restart(ctx context.Context) error {
	r.life.Lock()
	defer r.life.Unlock()
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if stopped {
		return fmt.Errorf("restart %s: it was stopped", r.Name)
	}
	// A broker that ignores SIGTERM has been killed, which is good enough here.
	for _, p := range r.asked() {
		_ = p.Stop(ctx)
	}
	return r.up(ctx)
}

// Stop ends the broker with SIGTERM and, after a grace, SIGKILL, gives its ports back and removes its folder, which
// it keeps, without the data, if Options.KeepLogs is set or anything went wrong. The error says that the broker had
// ended by itself, that it had to be killed, or that the folder could not be removed. A second Stop does nothing.
func (r *Running) Stop(ctx context.Context) error {
	r.life.Lock()
	defer r.life.Unlock()
	r.mu.Lock()
	stopped := r.stopped
	r.stopped = true
	r.mu.Unlock()
	if stopped {
		return nil
	}
	var errs []error
	if crash := r.Crash(); crash != nil {
		errs = append(errs, fmt.Errorf("%s ended unasked; log %s: %w", r.Name, r.LogPath, crash))
	}
	for _, p := range r.asked() {
		errs = append(errs, p.Stop(ctx))
	}
	r.ports.release()
	if err := errors.Join(errs...); err != nil || r.options.KeepLogs {
		return errors.Join(err, os.RemoveAll(r.plan.path("data")), os.RemoveAll(r.plan.path("tmp")))
	}
	return os.RemoveAll(r.Dir)
}
