package wire_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-AUTHZ-006: the whole table.
func TestScopes(t *testing.T) {
	m := wire.Matrix{"producer": {wire.Open, wire.Send, wire.Close}, "admin": {wire.AnyVerb}, "idle": nil}
	for _, c := range []struct {
		scopes []string
		want   map[string]bool // nil: every verb
	}{
		{nil, map[string]bool{}},
		{[]string{}, map[string]bool{}},
		{[]string{"nobody"}, map[string]bool{}},
		{[]string{"idle"}, map[string]bool{}},
		{[]string{""}, map[string]bool{}},
		{[]string{"producer"}, map[string]bool{wire.Open: true, wire.Send: true, wire.Close: true}},
		{[]string{"nobody", "producer"}, map[string]bool{wire.Open: true, wire.Send: true, wire.Close: true}},
		{[]string{"admin"}, nil},
		{[]string{"producer", "admin"}, nil},
	} {
		for _, verb := range append(kinds, "") {
			if got, want := wire.ScopeAllows(m, c.scopes, verb), c.want == nil || c.want[verb]; got != want {
				t.Errorf("%q and %q: %t", c.scopes, verb, got)
			}
		}
	}
	if wire.ScopeAllows(nil, []string{"admin"}, wire.Open) {
		t.Error("no matrix allows an open")
	}
}

// SUBSTRATE-AUTHZ-006: more scopes never allow less, and the empty set allows nothing.
func TestScopesOnlyAdd(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c"})
	verb := rapid.SampledFrom([]string{wire.Open, wire.Send, wire.AnyVerb})
	rapid.Check(t, func(t *rapid.T) {
		m := wire.Matrix(rapid.MapOf(word, rapid.SliceOfN(verb, 0, 2)).Draw(t, "matrix"))
		scopes := rapid.SliceOf(word).Draw(t, "scopes")
		var one bool
		for _, s := range scopes {
			one = one || wire.ScopeAllows(m, []string{s}, wire.Send)
		}
		if got := wire.ScopeAllows(m, scopes, wire.Send); got != one {
			t.Errorf("together %t, one by one %t", got, one)
		}
	})
}
