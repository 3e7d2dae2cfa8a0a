package stompmodel

import (
	"os"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
	"github.com/seed-6f28358b/assay/spec"
)

// TestLawsAreEnforcedAndTested: each law listed is in force, is cited where it is enforced, and by a test.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	machines := slices.Concat(model.LawsOf(mustBroker(t, BrokerConfig{})), model.LawsOf(mustSession(t, SessionConfig{})))
	machinetest.Laws(t, os.DirFS("."), Laws(), machines)
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
