//go:build linux

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/conformance/child"
)

// fakeMode makes the test binary a fake broker: what to be, then the address to listen on.
const fakeMode = "ASSAY_LAB_FAKE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(fake(mode, os.Args[1]))
	}
	goleak.VerifyTestMain(m)
}

// fake is the life of a fake broker; it returns the exit status.
func fake(mode, addr string) int {
	fmt.Println("fake broker", mode)
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "bad configuration: line 7")
		return 3
	case "port-taken-once":
		if f, err := os.OpenFile(os.Getenv(fakeMode+"_MARK"), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			fmt.Println("bind: Address already in use")
			return 1
		}
		mode = "good"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return 2
		}
		if mode == "good" {
			go answer(conn)
		}
	}
}

// fakeBroker is a broker of the lab in all but its recipe.
func fakeBroker(mode string, env ...string) Broker {
	return Broker{
		Software: Software{
			Name: "go-stomp", Title: "fake", Suite: "stomp", Install: "make lab-install",
			find: func(context.Context, string) (found, error) { return found{version: "0.1", program: os.Args[0]}, nil },
		},
		Transports: []string{"tcp"},
		recipe: recipe{
			ports: 1,
			plan: func(p *plan) error {
				p.run(command{name: "fake", path: p.program, args: []string{p.addr(0)}, env: append(env, fakeMode+"="+mode)})
				p.serve("tcp", 0, "")
				return nil
			},
		},
	}
}

func TestCrashAtStartIsReportedWithItsLog(t *testing.T) {
	r, err := fakeBroker("crash").Start(t.Context(), Options{Dir: t.TempDir()})
	var start *StartError
	var exit *child.ExitError
	if r != nil || !errors.As(err, &start) || !errors.As(err, &exit) {
		t.Fatalf("a crash is a *StartError that wraps a *child.ExitError: %v, %v", r, err)
	}
	if exit.Status != "exit status 3" || !strings.Contains(err.Error(), "bad configuration: line 7") {
		t.Errorf("the error has status and log: %v", err)
	}
	if b, err := os.ReadFile(start.LogPath); err != nil || !bytes.Contains(b, []byte("line 7")) {
		t.Errorf("the log is kept: %q, %v", b, err)
	}
}

func TestBrokerThatNeverAnswersIsGivenUpAndEnded(t *testing.T) {
	b := fakeBroker("mute")
	const limit = 200 * time.Millisecond
	_, err := b.Start(t.Context(), Options{Dir: t.TempDir(), ReadyTimeout: limit})
	var notReady *NotReadyError
	if !errors.As(err, &notReady) {
		t.Fatalf("no answer is a *NotReadyError: %v", err)
	}
	if notReady.Limit != limit || notReady.Tries < 1 || notReady.Last == nil || notReady.Endpoint.Transport != "tcp" {
		t.Errorf("it says what was tried: %+v", notReady)
	}
	u, _ := notReady.Endpoint.loopback()
	l, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatalf("the process has ended, so its port is free: %v", err)
	}
	_ = l.Close()
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := fakeBroker("mute").Start(ctx, Options{Dir: t.TempDir()})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error wraps the context's: %v", err)
	}
	if n := new(NotReadyError); errors.As(err, &n) {
		t.Errorf("the caller's impatience is not the broker's fault: %v", err)
	}
}

func TestPortThatWasTakenIsReplaced(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	r, err := fakeBroker("port-taken-once", fakeMode+"_MARK="+mark).Start(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the first process found its port taken: %v", err)
	}
}

func TestUnaskedEndIsACrashThatStopReports(t *testing.T) {
	r, err := fakeBroker("good").Start(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Alive() || r.Crash() != nil {
		t.Errorf("a running broker has not crashed: %v", r.Crash())
	}
	if err := syscall.Kill(r.PID(), syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if r.Alive() || r.Crash() == nil {
		t.Error("a broker that ended unasked has crashed")
	}
	r.Kill()
	var exit *child.ExitError
	if err := r.Stop(t.Context()); !errors.As(err, &exit) {
		t.Errorf("Stop reports the crash, also after a late Kill: %v", err)
	}
	if _, err := os.Stat(r.LogPath); err != nil {
		t.Errorf("the log of a crash is kept: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "data")); !os.IsNotExist(err) {
		t.Errorf("the data is not: %v", err)
	}
}

func TestKilledBrokerIsRestartedWhereItWas(t *testing.T) {
	r, err := fakeBroker("good").Start(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	pid := r.PID()
	r.Kill()
	if r.Alive() || r.Crash() != nil {
		t.Errorf("a kill that was asked for is no crash: %v", r.Crash())
	}
	if err := r.Ready(t.Context()); err == nil {
		t.Error("a killed broker does not answer")
	}
	for range 2 {
		if err := r.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Ready(t.Context()); err != nil {
			t.Errorf("it answers at the same endpoint: %v", err)
		}
	}
	if r.PID() == pid {
		t.Error("a restarted broker is another process")
	}
	if b, err := os.ReadFile(r.LogPath); err != nil || strings.Count(string(b), "fake broker good\n") != 3 {
		t.Errorf("the log goes on over restarts: %q, %v", b, err)
	}
	for range 2 {
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("a stop, and a second one: %v", err)
		}
	}
	if _, err := os.Stat(r.Dir); !os.IsNotExist(err) {
		t.Errorf("a clean stop removes the folder: %v", err)
	}
	if err := r.Restart(t.Context()); err == nil {
		t.Error("a stopped broker cannot be restarted: its ports are given back")
	}
}

func TestWhatIsMissingIsSaidWithTheCommandThatInstallsIt(t *testing.T) {
	t.Setenv("ASSAY_LAB_DIR", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	for _, b := range All() {
		version, err := b.Installed(t.Context())
		var missing *NotInstalledError
		if version != "" || !errors.As(err, &missing) {
			t.Errorf("%s without its parts is not installed: %q, %v", b.Name, version, err)
			continue
		}
		if missing.Name != b.Name || missing.Missing == "" || !strings.Contains(missing.Install, "install.sh") {
			t.Errorf("the error says what and how: %+v", missing)
		}
		if _, err := b.Start(t.Context(), Options{}); !errors.As(err, &missing) {
			t.Errorf("Start says the same: %v", err)
		}
	}
}

func TestOptionsAreValidated(t *testing.T) {
	for field, o := range map[string]Options{"ReadyTimeout": {ReadyTimeout: -1}, "LogLimit": {LogLimit: -1}} {
		if _, err := fakeBroker("good").Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("the error names %s: %v", field, err)
		}
	}
	if _, err := fakeBroker("good").Start(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist is the caller's error: %v", err)
	}
}
