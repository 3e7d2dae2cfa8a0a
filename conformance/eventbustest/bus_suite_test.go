package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// The reference bus obeys every law that the suite can decide. The second run is of the cases in which several things happen at once.
func TestReferenceBus(t *testing.T) {
	t.Parallel()
	suitetest.Calibrate(t, busSuite(), conformance.Config{}, "eventbus/bus/{abort,concurrency,property}/*")
}

// TestBusOfAUser judges the reference as a user's own bus is, where nothing is held against it that is about the
// reference alone.
func TestBusOfAUser(t *testing.T) {
	t.Parallel()
	TestBus(t, Reference, suitetest.Options{Only: []string{"EVENTBUS-ID-*"}})
}

func TestReferenceKeepsTheFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), adapter.Local(ServeReference, adapter.Config{}), "eventbus") {
		t.Error(broken)
	}
}
