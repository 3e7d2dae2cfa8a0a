package suites_test

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
)

// Suites and their cases have names of their own, by which they are found again.
func TestNamesAreUnique(t *testing.T) {
	names := suites.Names()
	if !slices.IsSorted(names) {
		t.Errorf("%v are not in order", names)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("two suites are called %s", name)
		}
		if s, ok := suites.Named(name); !ok || s.Protocol != name {
			t.Errorf("%s is not found", name)
		}
	}
	if s, ok := suites.Named("smtp"); ok {
		t.Errorf("found %s", s.Title)
	}
	var cases []conformance.Case
	for _, s := range suites.All() {
		cases = append(cases, s.Cases...)
	}
	if err := conformance.ValidateCases(cases, func(string) bool { return true }); err != nil {
		t.Error(err)
	}
}
