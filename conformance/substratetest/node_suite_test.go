package substratetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// The engine of the reference obeys every law that the cases of nodes can decide. Nothing in them races, so that none runs twice.
func TestReferenceNodes(t *testing.T) {
	t.Parallel()
	for _, c := range suitetest.Calibrate(t, nodeSuite(), conformance.Config{}, "substrate/node/seq/*").Cases {
		if c.Verdict != conformance.Pass {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
}
