// Package suitetest runs suites inside Go tests: users' targets, one subtest for each case; a suite's own reference; targets that
// break a law on purpose, which must be found out; and hostile ones, which must not hang the run.
package suitetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// Options say how a target of a user is judged; the zero value: by every case, and nothing is excused.
type Options struct {
	Profile conformance.Profile // credentials, names, deadlines, what the target does without; zero: none of that
	Only    []string            // globs over case ids, or law ids; empty: all
	// Baseline lists known deviations: what deviates as listed passes, and what no longer does fails. Nil: every break of a law
	// fails.
	Baseline *conformance.Baseline
}

// Config returns what o says of a run on a target.
func (o Options) Config(target conformance.Target) conformance.Config {
	return conformance.Config{
		Target: target, Profile: o.Profile, Baseline: o.Baseline, Selection: conformance.Selection{Only: o.Only},
	}
}

// Target reads a target as the command line names it; empty: the reference.
func Target(t testing.TB, text string) conformance.Target {
	t.Helper()
	target, err := conformance.ParseTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// InGo is the target of a run whose Config brings an adapter in this process.
func InGo() conformance.Target { return conformance.Target{Spec: "go", Scheme: "go"} }

// Run judges a target and makes a subtest of each case that ran. A broken law and a doubt fail the subtest; a broken SHOULD and a
// recorded choice are logged; what does not apply is skipped.
func Run(t *testing.T, suite *conformance.Suite, cfg conformance.Config) {
	t.Helper()
	res := run(t, suite, cfg)
	var red []string
	if delta := res.Footer.Baseline; delta != nil {
		red = slices.Concat(delta.New, delta.Changed, delta.Expired)
		for _, id := range delta.Fixed {
			t.Errorf("baseline: %s no longer deviates: its entry is stale", id)
		}
	}
	for _, c := range res.Cases {
		if c.Verdict == conformance.NotRun {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			excused := cfg.Baseline != nil && !slices.Contains(red, c.ID)
			switch {
			case c.Verdict == conformance.Unsupported:
				t.Skip(c.Reason)
			case c.Verdict == conformance.Pass:
			case c.Verdict == conformance.Lax || c.Verdict == conformance.Info || excused:
				t.Log(Told(c))
			default:
				t.Error(Told(c))
			}
		})
	}
}

// One runs one instance of a case, named by its id with the version, and returns what came of it.
func One(t testing.TB, suite *conformance.Suite, cfg conformance.Config, id string) conformance.CaseResult {
	t.Helper()
	cfg.Selection = conformance.Selection{Only: []string{id}}
	for _, c := range run(t, suite, cfg).Cases {
		if c.ID == id && c.Verdict != conformance.NotRun {
			return c
		}
	}
	t.Fatalf("%s is not among the cases", id)
	return conformance.CaseResult{}
}

// run runs a suite; no result at all ends the test.
func run(t testing.TB, suite *conformance.Suite, cfg conformance.Config) *conformance.Result {
	t.Helper()
	res, err := conformance.Run(t.Context(), suite, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Asked returns the operations that a case asked of its adapter, in order.
func Asked(c conformance.CaseResult) (ops []string) {
	for _, r := range c.Transcript {
		var request struct {
			Op string `json:"op"`
		}
		if r.Dir == ">" && json.Unmarshal([]byte(r.Text), &request) == nil {
			ops = append(ops, request.Op)
		}
	}
	return ops
}

// Told tells a result in a way that stands alone in a log: the verdict, what was found, and the transcript.
func Told(c conformance.CaseResult) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s", c.Verdict, c.Reason)
	for _, f := range c.Findings {
		fmt.Fprintf(&out, "\n%s (%s), step %d: %s", f.Law, f.Level, f.Step, f.Reason)
		if f.Expected != "" {
			fmt.Fprintf(&out, "\n  expected %s", f.Expected)
		}
		if f.Seen != "" {
			fmt.Fprintf(&out, "\n  seen     %s", f.Seen)
		}
	}
	for _, r := range c.Transcript {
		fmt.Fprintf(&out, "\n  %s %s %s", r.Conn, r.Dir, r.Text)
	}
	return out.String()
}
