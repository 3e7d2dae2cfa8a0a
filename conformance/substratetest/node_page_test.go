package substratetest

import (
	"reflect"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

func TestPageIsTrue(t *testing.T) {
	suitetest.Page{Protocol: "substrate", Adapter: ServeReference, Least: 40, Agrees: agrees}.Check(t)
}

// agrees compares an example with a real reply. Texts are the target's own, and what is drawn at random differs: epochs, minted ids, and
// receipts in what a node sends.
func agrees(want, got map[string]any) bool {
	for _, side := range []map[string]any{want, got} {
		suitetest.EachObject(side, func(m map[string]any) {
			for _, drawn := range []string{"message", "epoch", "octets", "id"} {
				if text, is := m[drawn].(string); is && text != "" {
					m[drawn] = "any"
				}
			}
		})
	}
	return reflect.DeepEqual(want, got)
}

// The adapter of the reference keeps the rules that hold for all.
func TestReferenceKeepsTheFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), adapter.Local(ServeReference, adapter.Config{}), "substrate") {
		t.Error(broken)
	}
}
