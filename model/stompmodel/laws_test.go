package stompmodel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/spec"
)

// sources returns the text of the package's files, tests or not.
func sources(t *testing.T, tests bool) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, name := range files {
		if name == "laws.go" || name == "laws_test.go" || strings.HasSuffix(name, "_test.go") != tests {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// TestLawsAreEnforcedAndTested: each law listed is in the catalogue, is cited where it is enforced and is cited by a test.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	code, tests := sources(t, false), sources(t, true)
	listed := make(map[string]bool)
	for _, e := range Laws() {
		if listed[e.Law] || e.Where == "" {
			t.Errorf("%s is listed twice, or without a place", e.Law)
		}
		listed[e.Law] = true
		if _, ok := catalogue.Law(e.Law); !ok {
			t.Errorf("%s is not in the catalogue", e.Law)
		}
		if !strings.Contains(code, e.Law) {
			t.Errorf("%s is cited by no code", e.Law)
		}
		if !strings.Contains(tests, e.Law) {
			t.Errorf("%s is cited by no test", e.Law)
		}
	}
	b := mustBroker(t, BrokerConfig{})
	for _, inv := range b.Invariants() {
		if !listed[inv.Law] {
			t.Errorf("%s has an invariant and is not listed", inv.Law)
		}
	}
	for _, inv := range b.EdgeInvariants() {
		if !listed[inv.Law] {
			t.Errorf("%s has an invariant and is not listed", inv.Law)
		}
	}
}

// TestRulesNameLaws: each rule names a law of the catalogue.
func TestRulesNameLaws(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Rule{
		RuleLineLimit, RuleHeaderLimit, RuleBodyLimit, RuleEventLimit, RuleNulInLine, RuleBareCR, RuleUTF8, RuleUnknownCommand, RuleHeaderShape, RuleRawColon,
		RuleEscape, RuleContentLength, RuleBodyForbidden, RuleTerminator, RuleTruncated, RuleSpent, RuleUnrepresentable, RuleHeader10,
	} {
		if _, ok := catalogue.Law(r.Law()); !ok {
			t.Errorf("rule %s names %q", r, r.Law())
		}
	}
	if law := Rule("none").Law(); law != "" {
		t.Errorf("an unknown rule names %s", law)
	}
}
