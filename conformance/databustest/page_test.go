package databustest

import (
	"reflect"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// The examples of spec/adapter.md are what the reference answers, to the letter.
func TestPageIsTrue(t *testing.T) {
	suitetest.Page{Protocol: "databus", Adapter: ServeReference, Least: 38, Agrees: func(want, got map[string]any) bool {
		return reflect.DeepEqual(want, got)
	}}.Check(t)
}

// The adapter of the reference keeps the rules that hold for all.
func TestReferenceKeepsTheFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), adapter.Local(ServeReference, adapter.Config{}), "databus") {
		t.Error(broken)
	}
}
