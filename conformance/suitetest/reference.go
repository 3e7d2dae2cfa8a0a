package suitetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// Calibrate runs a suite on its reference, which keeps every law: each case passes, records a choice that is left open, or is about
// what the reference does without. It returns that result. Unless the tests are to be short a second run, of the cases that again
// names, globs or law ids, or of all, comes to the same verdicts. Of cfg the target is left open.
func Calibrate(t *testing.T, suite *conformance.Suite, cfg conformance.Config, again ...string) *conformance.Result {
	t.Helper()
	cfg.Target = Target(t, "ref")
	first := run(t, suite, cfg)
	verdicts := map[string]conformance.Verdict{}
	for _, c := range first.Cases {
		verdicts[c.ID] = c.Verdict
		switch c.Verdict {
		case conformance.Pass, conformance.Info, conformance.Unsupported:
		default:
			t.Errorf("%s is %s", c.ID, Told(c))
		}
	}
	if testing.Short() {
		return first
	}
	cfg.Selection.Only = again
	for _, c := range run(t, suite, cfg).Cases {
		if c.Verdict != verdicts[c.ID] && c.Verdict != conformance.NotRun {
			t.Errorf("%s was %s at first, and then is %s", c.ID, verdicts[c.ID], Told(c))
		}
	}
	return first
}
