package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

func TestReferenceBus(t *testing.T) {
	judge(t, busSuite(), conformance.Config{Target: conformance.Target{Spec: "ref", Scheme: "ref"}})
}

// TestBusOfAUser judges the reference as a user's own bus is, where nothing is held against it that is about the
// reference alone.
func TestBusOfAUser(t *testing.T) { TestBus(t, Reference, "EVENTBUS-ID-*") }

func TestReferenceKeepsTheFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), adapter.Local(ServeReference, adapter.Config{}), "eventbus") {
		t.Error(broken)
	}
}
