package eventbustest

import (
	"reflect"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

func TestPageIsTrue(t *testing.T) {
	suitetest.Page{Protocol: "eventbus", Adapter: ServeReference, Least: 25, Agrees: agrees}.Check(t)
}

// agrees compares an example with a real reply. Tokens and texts are the target's own, and the page shows a view in part.
func agrees(want, got map[string]any) bool {
	for _, side := range []map[string]any{want, got} {
		suitetest.EachObject(side, func(m map[string]any) {
			delete(m, "message")
			if _, ok := m["epoch"]; ok {
				m["epoch"] = "any"
			}
			if lines, ok := m["lines"].([]any); ok {
				m["lines"] = len(lines)
			}
		})
	}
	ok, _ := want["ok"].(map[string]any)
	if ok["views"] == nil {
		return reflect.DeepEqual(want, got)
	}
	real, _ := got["ok"].(map[string]any)
	for i, view := range ok["views"].([]any) {
		all := real["views"].([]any)[i].(map[string]any)
		for name, v := range view.(map[string]any) {
			if !reflect.DeepEqual(all[name], v) {
				return false
			}
		}
	}
	return true
}
