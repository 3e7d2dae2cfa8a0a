package suitetest

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

// A Hostile is a target that cannot be judged, for what it does to each connection.
type Hostile struct {
	Name  string
	Serve func(c *net.TCPConn, stop <-chan struct{}) // as peer.Handler
	Why   string                                     // part of the reason given for the first case
}

// Survives runs a suite on each of the hostile targets, as SCHEME://HOST:PORT. A run ends in the time given and with a whole result
// file, and nothing is said of the target but, once, that it cannot be judged.
func Survives(t *testing.T, suite *conformance.Suite, scheme string, profile conformance.Profile, within time.Duration, all []Hostile) {
	t.Helper()
	explores := map[string]bool{}
	for _, in := range conformance.Instances(suite.Cases) {
		explores[in.ID()] = in.Case.Explores
	}
	for _, h := range all {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			res := Whole(t, suite, conformance.Config{
				Target: Target(t, scheme+"://"+peer.Serve(t, h.Serve)), Profile: profile,
			}, within)
			if res.Footer.Exit != conformance.ExitInconclusive {
				t.Errorf("exit %d, want %d", res.Footer.Exit, conformance.ExitInconclusive)
			}
			first := res.Cases[0]
			if first.Verdict != conformance.Inconclusive || !strings.Contains(first.Reason, h.Why) || len(first.Transcript) == 0 {
				t.Errorf("first case is %s with %d records: %s", first.Verdict, len(first.Transcript), first.Reason)
			}
			for _, c := range res.Cases[1:] {
				if c.Verdict != conformance.Blocked && (c.Verdict != conformance.NotRun || !explores[c.ID]) {
					t.Errorf("%s is %s: a target that cannot be judged is found out once", c.ID, c.Verdict)
				}
			}
		})
	}
}

// Whole runs a suite and returns the result, which comes in the time given and has a file that reads back.
func Whole(t testing.TB, suite *conformance.Suite, cfg conformance.Config, within time.Duration) *conformance.Result {
	t.Helper()
	cfg.Out = t.TempDir()
	start := time.Now()
	res := run(t, suite, cfg)
	if took := time.Since(start); took > within {
		t.Errorf("the run took %v, allowed are %v", took, within)
	}
	f, err := os.Open(filepath.Join(cfg.Out, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := conformance.ReadResult(f); err != nil {
		t.Error(err)
	}
	return res
}
