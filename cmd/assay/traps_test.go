package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/spec"
)

// Faults that other suites were found with, each of which makes a run greener than the software is.
func TestFaultsOfOtherSuites(t *testing.T) {
	// One folder for all, so that the reference is judged once.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Run("failures and doubts are told apart in JUnit", func(t *testing.T) {
		out := t.TempDir()
		exits := assay(t, "test", "stomp", misnaming(t), "--only", named, "--only", greeted, "--format", "junit", "--out", out)
		if j := junit(t, out); exits != conformance.ExitBroken || j.Failures != 1 || j.Errors != 0 {
			t.Errorf("a broken law: exit %d, %+v", exits, j)
		}
		exits = assay(t, "test", "stomp", "tcp://127.0.0.1:1", "--only", named, "--only", greeted, "--format", "junit", "--out", out)
		if j := junit(t, out); exits != conformance.ExitInconclusive || j.Failures != 0 || j.Errors != 2 {
			t.Errorf("nobody there: exit %d, %+v", exits, j)
		}
	})
	t.Run("a filter that matches nothing is a fault", func(t *testing.T) {
		for _, args := range [][]string{
			{"test", "stomp", "--only", "stomp/server/nothing/**"},
			{"test", "stomp", "--only", greeted, "--only", "stomp/server/nothing/**"},
			{"laws", "STOMP-NOTHING-*"},
		} {
			if got := assay(t, args...); got != conformance.ExitUsage {
				t.Errorf("%q: exit %d", args, got)
			}
		}
	})
	t.Run("a refused connection leaves a whole result", func(t *testing.T) {
		out := t.TempDir()
		if got := assay(t, "test", "stomp", "tcp://127.0.0.1:1", "--out", out); got != conformance.ExitInconclusive {
			t.Errorf("exit %d", got)
		}
		res := result(t, out)
		decided := res.Footer.Counts[conformance.Pass] + res.Footer.Counts[conformance.Fail] + res.Footer.Counts[conformance.Info]
		if res.Footer.Total != len(res.Cases) || len(res.Cases) < 500 || decided != 0 {
			t.Errorf("%d results of %d cases: %v", len(res.Cases), res.Footer.Total, res.Footer.Counts)
		}
	})
	t.Run("a run over clients has an exit status", func(t *testing.T) {
		if got := assay(t, "test", "stomp-client", "--only", "stomp/client/connect/**", "--out", t.TempDir(), "--", "false"); got != conformance.ExitInconclusive {
			t.Errorf("a testee that ends at once: exit %d", got)
		}
	})
	t.Run("every repetition of a flag counts", func(t *testing.T) {
		out := t.TempDir()
		assay(t, "test", "stomp", "--only", greeted, "--only", named, "--out", out)
		if n := result(t, out).Footer.Counts[conformance.Pass]; n != 2 {
			t.Errorf("%d cases ran for two patterns", n)
		}
	})
	t.Run("a broken law is red without a baseline", func(t *testing.T) {
		out := t.TempDir()
		if got := assay(t, "test", "stomp", misnaming(t), "--only", named, "--out", out); got != conformance.ExitBroken {
			t.Errorf("exit %d: %v", got, result(t, out).Footer.Counts)
		}
	})
	// One verdict a case: what a target does with the connection is a finding like any other.
	t.Run("how a connection ends is part of the verdict", func(t *testing.T) {
		out := t.TempDir()
		profile := filepath.Join(out, "profile.yaml")
		if err := os.WriteFile(profile, []byte("name: clinging\ndeadlines: {reply: 2s, close: 2s, quiet: 300ms}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		got := assay(t, "test", "stomp", clinging(t), "--only", "stomp/server/error/closes-the-connection@1.2", "--profile", profile, "--out", out)
		if got != conformance.ExitBroken {
			t.Errorf("exit %d: %v", got, result(t, out).Footer.Counts)
		}
	})
}

// Coverage that is looked at only when somebody asks for it dies; and it is a list, since a percentage can be rounded.
func TestEveryLawHasACheckAndACaughtMutant(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	coverage, err := evidence()
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"stomp", "eventbus"} {
		laws := catalogue.Laws(protocol)
		if len(laws) == 0 {
			t.Fatalf("no law of %s", protocol)
		}
		for _, l := range coverage.Undecided(laws) {
			t.Errorf("%s has no check", l.ID)
		}
		for _, l := range coverage.Unproven(laws) {
			t.Errorf("%s has no caught mutant", l.ID)
		}
	}
}

const (
	greeted = "stomp/server/connect/connected@1.2"
	named   = "stomp/server/subscribe/message-headers@1.2"
)

// assay runs one command line and returns its exit status.
func assay(t *testing.T, args ...string) int {
	t.Helper()
	var out bytes.Buffer
	status := execute(t.Context(), args, streams{out: &out, err: &out})
	t.Logf("assay %s: exit %d\n%s", strings.Join(args, " "), status, out.Bytes()[max(0, out.Len()-2000):])
	return status
}

func result(t *testing.T, dir string) *conformance.Result {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	res, err := conformance.ReadResult(f)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// tally is what the root of a JUnit file counts.
type tally struct {
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

func junit(t *testing.T, dir string) (j tally) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err == nil {
		err = xml.Unmarshal(data, &j)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// misnaming starts a broker whose MESSAGE frames name no subscription.
func misnaming(t *testing.T) (url string) {
	return between(t, func(dst net.Conn, src net.Conn) {
		buf := make([]byte, 64<<10)
		for {
			n, err := src.Read(buf)
			if _, werr := dst.Write(bytes.ReplaceAll(buf[:n], []byte("\nsubscription:"), []byte("\nsubscriptiox:"))); err != nil || werr != nil {
				_ = dst.Close()
				return
			}
		}
	})
}

// clinging starts a broker whose connections end on the client's side only.
func clinging(t *testing.T) (url string) {
	return between(t, func(dst net.Conn, src net.Conn) { _, _ = io.Copy(dst, src) })
}

// between starts the reference broker behind a relay, in which back carries what the broker sends.
func between(t *testing.T, back func(dst, src net.Conn)) (url string) {
	t.Helper()
	b, err := broker.New(broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	inner, outer := listen(t), listen(t)
	var wg sync.WaitGroup
	wg.Go(func() { _ = b.Serve(context.Background(), inner) })
	wg.Go(func() {
		for {
			c, err := outer.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", inner.Addr().String())
			if err != nil {
				_ = c.Close()
				continue
			}
			wg.Go(func() { back(c, s) })
			wg.Go(func() {
				_, _ = io.Copy(s, c)
				_, _ = s.Close(), c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = outer.Close()
		_ = b.Close()
		wg.Wait()
	})
	return "tcp://" + outer.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
