package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

// A fault of a section names its field, and a key that no suite reads is one.
func TestFaultsOfAProfileNameTheirField(t *testing.T) {
	for text, want := range map[string]string{
		"queue: /queue/x\n":                     "queue: \"/queue/x\" does not contain {name}",
		"http: {open: {method: POST, path: x}}": "http: open: path",
		"login: guest\nhttp:\n  rings: 3\n":     "[3:3] unknown field \"rings\"",
		"login: guest\npascode: guest\n":        "[2:1] unknown field \"pascode\"",
	} {
		if _, err := conformance.ParseProfile([]byte(text), suites.Sections()...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

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
		if s, ok := suites.Named(name); !ok || s.Name != name {
			t.Errorf("%s is not found", name)
		}
	}
	for _, s := range suites.All() {
		if !slices.Contains(spec.KnownProtocols(), s.Protocol) || s.Title == "" || len(s.Schemes) == 0 {
			t.Errorf("%s: protocol %q, title %q, schemes %v", s.Name, s.Protocol, s.Title, s.Schemes)
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
