package databustest_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance/databustest"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A test of a bus of one's own gives TestRuntime a factory; Reference stands here for one.
func ExampleTestRuntime() {
	newBus := func(s databustest.Settings) (databustest.Bus, error) {
		if s.Version != "v010" {
			return nil, databustest.ErrVersion
		}
		return databustest.Reference(s)
	}
	_ = func(t *testing.T) { databustest.TestRuntime(t, newBus, suitetest.Options{}) }
}
