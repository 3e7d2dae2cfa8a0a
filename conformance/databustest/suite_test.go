package databustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// The reference obeys every law that the suite can decide, in both versions. Nothing in the cases races, so that few run twice.
func TestReference(t *testing.T) {
	t.Parallel()
	for _, c := range suitetest.Calibrate(t, Suite(), conformance.Config{}, "databus/tab/fence/*").Cases {
		if c.Verdict != conformance.Pass {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
}

// The catalogue is as large and as wide as it is said to be.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	suitetest.Catalogue{
		Protocol: "databus", Paths: []string{"databus/tab"}, Least: 300, Groups: []string{"fence", "lag", "race", "explore"}, Options: options(),
	}.Check(t, Suite().Cases)
}
