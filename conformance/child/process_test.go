//go:build linux

package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is its own helper process when these are set: what to be, and where to report.
const (
	helperMode = "ASSAY_CHILD_HELPER"
	helperAddr = "ASSAY_CHILD_REPORT"
	helperLog  = "ASSAY_CHILD_LOG"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		os.Exit(helper(mode))
	}
	goleak.VerifyTestMain(m)
}

// helper is the life of a helper process; it returns the exit status.
func helper(mode string) int {
	switch mode {
	case "crash":
		fmt.Println("first words")
		fmt.Fprintln(os.Stderr, "cannot bind: the reason")
		return 3
	case "flood":
		for i := range 20000 {
			fmt.Printf("line %d\n", i)
		}
		return 0
	case "polite": // ends on SIGTERM
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		report()
		<-term
		fmt.Println("bye")
		return 0
	case "stubborn": // ignores SIGTERM
		signal.Ignore(syscall.SIGTERM)
		report()
		select {}
	case "family": // a parent whose child would outlive it
		if _, err := spawn("stubborn", false); err != nil {
			fmt.Println(err)
			return 1
		}
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		report()
		<-term
		return 0
	case "supervisor": // stands for Assay: supervises a child and is killed
		if _, err := spawn("stubborn", true); err != nil {
			fmt.Println(err)
			return 1
		}
		report()
		select {}
	}
	return 64
}

// spawn starts a further helper that reports to the same test.
func spawn(mode string, supervised bool) (int, error) {
	env := []string{helperMode + "=" + mode, helperAddr + "=" + os.Getenv(helperAddr)}
	if supervised {
		p, err := Start(Config{Name: mode, Path: os.Args[0], Env: env, LogPath: os.Getenv(helperLog) + ".inner"})
		if err != nil {
			return 0, err
		}
		return p.PID(), nil
	}
	p, err := os.StartProcess(os.Args[0], []string{os.Args[0]}, &os.ProcAttr{Env: env, Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, err
	}
	return p.Pid, nil
}

// report tells the test that the helper is set up, on a connection that lasts as long as the process.
func report() {
	conn, err := net.Dial("tcp", os.Getenv(helperAddr))
	if err != nil {
		os.Exit(65)
	}
	fmt.Fprintln(conn, os.Getpid())
}

// life is the test's end of a helper's connection.
type life struct {
	pid int
	r   *bufio.Reader
}

// awaitDeath returns when the process has ended, however that came about.
func (l life) awaitDeath(t *testing.T) {
	t.Helper()
	if _, err := l.r.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("process %d did not end: read gave %v", l.pid, err)
	}
}

// start starts a helper and waits for n processes to report.
func start(t *testing.T, mode string, n int, cfg Config) (*Process, []life) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg.Name, cfg.Path = mode, os.Args[0]
	if cfg.LogPath == "" {
		cfg.LogPath = filepath.Join(t.TempDir(), "log")
	}
	cfg.Env = []string{helperMode + "=" + mode, helperAddr + "=" + l.Addr().String(), helperLog + "=" + cfg.LogPath}
	p, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	var lives []life
	for range n {
		_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))
		conn, err := l.Accept()
		if err != nil {
			t.Fatalf("a helper reports: %v; log: %s", err, p.Tail(1000))
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		r := bufio.NewReader(conn)
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		lives = append(lives, life{pid: pid, r: r})
	}
	return p, lives
}

func assertReaped(t *testing.T, p *Process) {
	t.Helper()
	if p.Alive() {
		t.Error("an ended process is not alive")
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("an ended process has been reaped, no zombie is left: signal 0 to %d gave %v", p.PID(), err)
	}
}

func TestCrashIsReportedWithStatusAndLog(t *testing.T) {
	p, _ := start(t, "crash", 0, Config{})
	<-p.Done()
	assertReaped(t, p)
	exit := p.Exit()
	if exit == nil || exit.Status != "exit status 3" || exit.Name != "crash" {
		t.Fatalf("the exit names the process and its status: %v", exit)
	}
	const want = "first words\ncannot bind: the reason\n"
	if got := p.Tail(1000); got != want {
		t.Errorf("the tail has both streams in order: %q", got)
	}
	if b, err := os.ReadFile(p.LogPath()); err != nil || string(b) != want {
		t.Errorf("so has the log file: %q, %v", b, err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("stopping what has ended does nothing: %v", err)
	}
}

func TestStopEndsAPoliteProcess(t *testing.T) {
	p, lives := start(t, "polite", 1, Config{})
	if lives[0].pid != p.PID() {
		t.Errorf("PID is %d, the process says %d", p.PID(), lives[0].pid)
	}
	if n, err := p.RSS(); err != nil || n < 1<<20 {
		t.Errorf("a Go process has more than a megabyte resident: %d, %v", n, err)
	}
	if p.Exit() != nil {
		t.Error("a running process has no exit")
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("no kill was needed: %v", err)
	}
	assertReaped(t, p)
	if got := p.Exit().Status; got != "exit status 0" {
		t.Errorf("it ended by itself after SIGTERM: %s", got)
	}
	if got := p.Tail(100); got != "bye\n" {
		t.Errorf("its last words are in the log: %q", got)
	}
	if n, err := p.RSS(); n != 0 || err != nil {
		t.Errorf("an ended process has no memory: %d, %v", n, err)
	}
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	p, _ := start(t, "stubborn", 1, Config{Grace: 10 * time.Millisecond})
	var exit *ExitError
	if err := p.Stop(t.Context()); !errors.As(err, &exit) || exit.Status != "signal: killed" {
		t.Errorf("a process that ignores SIGTERM is killed, and Stop says so: %v", err)
	}
	assertReaped(t, p)
}

func TestStopKillsWhenTheContextEnds(t *testing.T) {
	p, _ := start(t, "stubborn", 1, Config{Grace: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ctx); err == nil {
		t.Error("Stop says that it had to kill")
	}
	assertReaped(t, p)
}

func TestNothingOfTheGroupOutlivesTheProcess(t *testing.T) {
	for name, end := range map[string]func(*Process){
		"stop": func(p *Process) { _ = p.Stop(t.Context()) },
		"kill": func(p *Process) { p.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			p, lives := start(t, "family", 2, Config{})
			end(p)
			assertReaped(t, p)
			for _, l := range lives {
				l.awaitDeath(t)
			}
		})
	}
}

func TestChildDiesWithItsSupervisor(t *testing.T) {
	p, lives := start(t, "supervisor", 2, Config{})
	// The inner child is in a group of its own, so only the parent-death signal can reach it.
	p.Kill()
	for _, l := range lives {
		l.awaitDeath(t)
	}
}

func TestLogIsBoundedAndKeepsBothEnds(t *testing.T) {
	const limit = 64 << 10
	p, _ := start(t, "flood", 0, Config{LogLimit: limit})
	<-p.Done()
	b, err := os.ReadFile(p.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > limit+100 {
		t.Errorf("the log has %d bytes, limit %d", len(b), limit)
	}
	text := string(b)
	if !strings.HasPrefix(text, "line 0\n") || !strings.HasSuffix(text, "line 19999\n") || !strings.Contains(text, "bytes of output dropped") {
		t.Errorf("the log has the beginning, a note and the end: %.20q ... %q", text, text[len(text)-20:])
	}
	if got := p.Tail(25); got != "line 19998\nline 19999\n" {
		t.Errorf("a tail begins with a line: %q", got)
	}
}

func TestStartFailuresLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	for name, cfg := range map[string]Config{
		"no such program": {Name: "x", Path: filepath.Join(dir, "none"), LogPath: filepath.Join(dir, "log")},
		"no such folder":  {Name: "x", Path: os.Args[0], LogPath: filepath.Join(dir, "none", "log")},
	} {
		if p, err := Start(cfg); err == nil || p != nil || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	good := Config{Name: "x", Path: "/bin/true", LogPath: "log"}
	for field, edit := range map[string]func(*Config){
		"Name":     func(c *Config) { c.Name = "" },
		"Path":     func(c *Config) { c.Path = "true" },
		"LogPath":  func(c *Config) { c.LogPath = "" },
		"LogLimit": func(c *Config) { c.LogLimit = -1 },
		"Grace":    func(c *Config) { c.Grace = -1 },
	} {
		c := good
		edit(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("an error names %s: %v", field, err)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}
