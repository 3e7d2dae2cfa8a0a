//go:build linux

package lab

import (
	"context"
	"os"
	"testing"
	"time"
)

// forEachBroker runs f against every broker of that suite, or of any if it is empty, that is installed, if ASSAY_LAB asks
// for it.
func forEachBroker(t *testing.T, suite string, f func(t *testing.T, b Broker)) {
	t.Helper()
	if os.Getenv("ASSAY_LAB") != "1" {
		t.Skip("starts real brokers: set ASSAY_LAB=1 to run it")
	}
	for _, b := range All() {
		if suite != "" && b.Suite != suite {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			version, err := b.Installed(t.Context())
			if err != nil {
				t.Skip(err)
			}
			t.Logf("%s %s", b.Name, version)
			f(t, b)
		})
	}
}

func startBroker(t *testing.T, b Broker, o Options) *Running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := b.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Errorf("stop at the end of the test: %v", err)
		}
	})
	return r
}

func TestBrokerStartsAnswersAndStopsTwice(t *testing.T) {
	forEachBroker(t, "", func(t *testing.T, b Broker) {
		for round := range 2 {
			r := startBroker(t, b, Options{Dir: t.TempDir()})
			if len(r.Targets) != len(b.Transports) {
				t.Errorf("a broker has one endpoint per transport %v: got %v", b.Transports, r.Targets)
			}
			for i, e := range r.Targets {
				c, err := Probe(t.Context(), b.Suite, e, r.Profile)
				if err != nil {
					t.Fatalf("an endpoint that was ready answers again: %v", err)
				}
				if e.Transport != b.Transports[i] {
					t.Errorf("endpoint %d has transport %q, the broker says %q", i, e.Transport, b.Transports[i])
				}
				t.Logf("%-4s %s: CONNECTED version %q server %q", e.Transport, e.URL, c.Version, c.Server)
			}
			assertLoopbackListeners(t, r)
			rss, err := r.RSS()
			if err != nil || rss < 1<<20 {
				t.Errorf("a running broker has resident memory: %d bytes, error %v", rss, err)
			}
			began := time.Now()
			if err := r.Stop(t.Context()); err != nil {
				t.Errorf("a broker stops on SIGTERM: %v", err)
			}
			t.Logf("round %d: ready after %v, %d MB resident, stopped in %v", round+1, r.ReadyAfter().Round(time.Millisecond), rss>>20, time.Since(began).Round(time.Millisecond))
			if r.Alive() {
				t.Error("a stopped broker is not alive")
			}
			if _, err := os.Stat(r.Dir); !os.IsNotExist(err) {
				t.Errorf("a clean stop removes the folder: stat %s: %v", r.Dir, err)
			}
			for _, e := range r.Targets {
				if _, err := Probe(t.Context(), b.Suite, e, r.Profile); err == nil {
					t.Errorf("%s still answers after the stop", e.URL)
				}
			}
		}
	})
}

func TestBrokerComesBackOnItsPortsAfterKill(t *testing.T) {
	forEachBroker(t, "", func(t *testing.T, b Broker) {
		r := startBroker(t, b, Options{Dir: t.TempDir(), KeepLogs: true})
		first := r.PID()
		r.Kill()
		if r.Alive() {
			t.Fatal("a killed broker is not alive")
		}
		if crash := r.Crash(); crash != nil {
			t.Errorf("a kill that was asked for is no crash: %v", crash)
		}
		if err := r.Restart(t.Context()); err != nil {
			t.Fatalf("a killed broker can be started again on its ports: %v", err)
		}
		t.Logf("restart: ready after %v", r.ReadyAfter().Round(time.Millisecond))
		if r.PID() == first {
			t.Error("a restarted broker is a new process")
		}
		if err := r.Ready(t.Context()); err != nil {
			t.Errorf("the endpoints of before the kill answer: %v", err)
		}
		if err := r.Restart(t.Context()); err != nil {
			t.Fatalf("a running broker can be restarted: %v", err)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Errorf("a restarted broker stops: %v", err)
		}
		if _, err := os.Stat(r.LogPath); err != nil {
			t.Errorf("KeepLogs keeps the log: %v", err)
		}
	})
}
