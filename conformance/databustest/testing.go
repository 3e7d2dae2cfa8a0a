package databustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// TestRuntime judges a data bus inside a Go test, one subtest for each case: f makes the bus of each tab, over a storage, a channel, a
// clock, a transport and a page that the case moves. A broken law and a doubt fail the subtest; a broken SHOULD and a recorded choice are
// logged; what does not apply is skipped, such as the cases of a version that f does not have.
func TestRuntime(t *testing.T, f Factory, o suitetest.Options) {
	t.Helper()
	if o.Profile.Deadlines == (conformance.ProfileDeadlines{}) {
		o.Profile.Deadlines = patient()
	}
	cfg := o.Config(suitetest.InGo())
	cfg.Adapter = serve("a bus in Go", f, nil, hooks{})
	suitetest.Run(t, Suite(), cfg)
}
