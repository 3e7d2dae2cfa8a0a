package stomptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// A Target is a STOMP server for TestBroker.
type Target struct {
	URL     string              // tcp://…, tls://…, ws://… or wss://…; empty: the reference
	Profile conformance.Profile // credentials, destinations, what it does without; zero: none of that
	Only    []string            // globs over case ids, or law ids; empty: all
	// Baseline lists known deviations; with it, what deviates as listed passes and what no longer does
	// fails. Nil: every break of a law fails.
	Baseline *conformance.Baseline
}

// TestBroker judges a server inside a Go test, one subtest for each case. A broken law and a doubt fail
// the subtest; a broken SHOULD and a recorded choice are logged; what does not apply is skipped. Serve
// the broker on a loopback address first.
func TestBroker(t *testing.T, target Target) {
	t.Helper()
	parsed, err := conformance.ParseTarget(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	runSuite(t, Server(), conformance.Config{
		Target: parsed, Profile: target.Profile, Baseline: target.Baseline,
		Selection: conformance.Selection{Only: target.Only},
	})
}

// A Testee is a STOMP client for TestClient.
type Testee struct {
	Command  []string              // program and arguments, as spec/testee.md asks for; empty: the reference
	Profile  conformance.Profile   // deadlines, versions to judge; zero: none of that
	Only     []string              // globs over case ids, or law ids; empty: all
	Baseline *conformance.Baseline // as in Target
}

// TestClient judges a client inside a Go test, one subtest for each case, by playing the broker to the testee,
// which is started once for each case. Subtests end as those of TestBroker do.
func TestClient(t *testing.T, testee Testee) {
	t.Helper()
	target, err := conformance.ParseTarget("ref")
	if err != nil {
		t.Fatal(err)
	}
	if len(testee.Command) > 0 {
		target = conformance.ExecTarget(testee.Command)
	}
	runSuite(t, Client(), conformance.Config{
		Target: target, Profile: testee.Profile, Baseline: testee.Baseline,
		Selection: conformance.Selection{Only: testee.Only},
	})
}

// runSuite runs a suite and makes a subtest of each case.
func runSuite(t *testing.T, suite *conformance.Suite, cfg conformance.Config) {
	t.Helper()
	res, err := conformance.Run(t.Context(), suite, cfg)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	if cfg.Baseline != nil {
		for _, e := range cfg.Baseline.Entries {
			listed[e.Case] = true
		}
		for _, id := range append(append([]string(nil), res.Footer.Baseline.Changed...), res.Footer.Baseline.Expired...) {
			listed[id] = false
		}
		for _, id := range res.Footer.Baseline.Fixed {
			t.Errorf("baseline: %s no longer deviates: its entry is stale", id)
		}
	}
	for _, c := range res.Cases {
		if c.Verdict == conformance.NotRun {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			switch text := describe(c); {
			case c.Verdict == conformance.Unsupported:
				t.Skip(c.Reason)
			case c.Verdict == conformance.Pass:
			case c.Verdict == conformance.Lax || c.Verdict == conformance.Info || listed[c.ID]:
				t.Log(text)
			default:
				t.Error(text)
			}
		})
	}
}

// describe tells a result in a way that stands alone in a log.
func describe(c conformance.CaseResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.Verdict, c.Reason)
	for _, f := range c.Findings {
		fmt.Fprintf(&b, "\n%s (%s), step %d: %s", f.Law, f.Level, f.Step, f.Reason)
		if f.Expected != "" {
			fmt.Fprintf(&b, "\n  expected %s", f.Expected)
		}
		if f.Seen != "" {
			fmt.Fprintf(&b, "\n  seen     %s", f.Seen)
		}
	}
	return b.String()
}
