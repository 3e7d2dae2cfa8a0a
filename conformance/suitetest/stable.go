package suitetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// Stable runs a suite on its reference a number of times, and every run comes to the same verdicts.
func Stable(t *testing.T, suite *conformance.Suite, runs int) {
	t.Helper()
	first := map[string]conformance.Verdict{}
	for n := range runs {
		for _, c := range run(t, suite, conformance.Config{Target: Target(t, "ref")}).Cases {
			if n == 0 {
				first[c.ID] = c.Verdict
			} else if first[c.ID] != c.Verdict {
				t.Errorf("%s is %s in run %d, and was %s in the first", c.ID, Told(c), n+1, first[c.ID])
			}
		}
	}
}
