package child

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a started process. Its methods may be called from several goroutines.
type Process struct {
	name    string
	logPath string
	grace   time.Duration
	cmd     *exec.Cmd
	log     *capture
	began   time.Time
	ended   time.Time
	done    chan struct{}
	state   *os.ProcessState
}

// ExitError says that a process ended by itself, or that its end was not the one expected.
type ExitError struct {
	// Name is the process as its Config calls it.
	Name string
	// Status is the exit status in words: "exit status 3", "signal: killed".
	Status string
	// After is how long the process ran.
	After time.Duration
}

// Error names the process, its status and how long it ran.
func (e *ExitError) Error() string {
	return fmt.Sprintf("%s ended (%s) after %v", e.Name, e.Status, e.After.Round(time.Millisecond))
}

// Start starts the process and its owner goroutine, which ends when the process has been reaped and its
// log closed. The process runs until it ends, is stopped or is killed: no context bounds its life.
func Start(cfg Config) (*Process, error) {
	defer func() {
		for _, f := range []*os.File{cfg.Stdin, cfg.Stdout} {
			if f != nil {
				_ = f.Close()
			}
		}
	}()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	limit := cfg.LogLimit
	if limit == 0 {
		limit = DefaultLogLimit
	}
	grace := cfg.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	attr, err := groupAttr()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Name, err)
	}
	log, err := openCapture(cfg.LogPath, limit)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Name, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start %s: output pipe: %w", cfg.Name, err)
	}
	cmd := &exec.Cmd{
		Path:        cfg.Path,
		Args:        append([]string{cfg.Path}, cfg.Args...),
		Env:         append([]string{}, cfg.Env...),
		Dir:         cfg.Dir,
		Stdout:      w,
		Stderr:      w,
		SysProcAttr: attr,
	}
	if cfg.Stdin != nil {
		cmd.Stdin = cfg.Stdin
	}
	if cfg.Stdout != nil {
		cmd.Stdout = cfg.Stdout
	}
	p := &Process{name: cfg.Name, logPath: cfg.LogPath, grace: grace, cmd: cmd, log: log, done: make(chan struct{})}
	started := make(chan error)
	go p.own(r, w, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Name, err)
	}
	return p, nil
}

// own starts the process, copies its output, waits for its end, sweeps its group and reaps it.
func (p *Process) own(r, w *os.File, started chan<- error) {
	// The parent-death signal belongs to the thread that started the child, not to the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	p.began = time.Now()
	err := p.cmd.Start()
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		_ = p.log.Close()
		started <- err
		return
	}
	started <- nil
	defer close(p.done)

	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(p.log, r)
	}()
	awaitExit(p.cmd.Process.Pid)
	// Not reaped yet, the process still holds its number, so the group can be no one else's.
	signalGroup(p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
	p.state, p.ended = p.cmd.ProcessState, time.Now()
	// A grandchild that left the group may hold the pipe open for ever.
	t := time.NewTimer(2 * time.Second)
	select {
	case <-copied:
	case <-t.C:
	}
	t.Stop()
	_ = r.Close()
	<-copied
	_ = p.log.Close()
}

// Name returns the name from the Config.
func (p *Process) Name() string { return p.name }

// PID returns the process id, which is also the id of the process group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// LogPath returns the path of the log file.
func (p *Process) LogPath() string { return p.logPath }

// Tail returns at most the newest n bytes of output (n up to 32 KiB), also after the end.
func (p *Process) Tail(n int) string { return p.log.Tail(n) }

// Done is closed when the process has ended, has been reaped and its log is closed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Alive reports whether the process has not ended yet.
func (p *Process) Alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Exit returns how the process ended, or nil while it runs. An exit with status 0 is returned too: whether it is a
// fault is the caller's to say.
func (p *Process) Exit() *ExitError {
	if p.Alive() {
		return nil
	}
	return &ExitError{Name: p.name, Status: p.state.String(), After: p.ended.Sub(p.began)}
}

// Stop sends SIGTERM to the process, not to its group, and after the grace kills the whole group. It returns when
// the process has been reaped; if ctx ends first, the kill comes at once. Stopping a process that has ended does
// nothing. The error is non-nil only if the kill was needed, and is then an *ExitError.
func (p *Process) Stop(ctx context.Context) error {
	if !p.Alive() {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	t := time.NewTimer(p.grace)
	defer t.Stop()
	select {
	case <-p.done:
		return nil
	case <-t.C:
	case <-ctx.Done():
	}
	p.Kill()
	return fmt.Errorf("stop %s: no end within %v of SIGTERM: %w", p.name, p.grace, p.Exit())
}

// Kill sends SIGKILL to the process group and returns when the process has been reaped.
func (p *Process) Kill() {
	if p.Alive() {
		// Through the handle, which cannot hit a reused number; the owner sweeps the rest of the group.
		_ = p.cmd.Process.Kill()
	}
	<-p.done
}

// RSS returns the resident memory of the process group in bytes; 0 once the process has ended.
func (p *Process) RSS() (int64, error) {
	if !p.Alive() {
		return 0, nil
	}
	return groupRSS(p.PID())
}
