package eventbustest_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance/eventbustest"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A test of a bus of one's own gives TestBus a factory; Reference stands here for one.
func ExampleTestBus() {
	newBus := func(s eventbustest.Settings) (eventbustest.Bus, error) {
		if s.Dialect != "later" {
			return nil, eventbustest.ErrDialect
		}
		return eventbustest.Reference(s)
	}
	_ = func(t *testing.T) { eventbustest.TestBus(t, newBus, suitetest.Options{}) }
}
