package stomptest

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// The reference obeys every law that the suite can decide. This is the suite's own calibration.
func TestReference(t *testing.T) {
	t.Parallel()
	TestBroker(t, Target{})
}

// Three runs on the reference come to the same verdicts.
func TestVerdictsAreStable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the suite twice")
	}
	target, _ := conformance.ParseTarget("ref")
	var first map[string]conformance.Verdict
	for range 2 {
		res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]conformance.Verdict{}
		for _, c := range res.Cases {
			got[c.ID] = c.Verdict
		}
		if first == nil {
			first = got
		}
		for id, v := range got {
			if first[id] != v {
				t.Errorf("%s: %s, then %s", id, first[id], v)
			}
		}
	}
}

// The catalogue is as large and as wide as it is said to be, and every MUST and SHOULD law of the roles
// codec and server that a black box can decide is cited by a case.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := Server().Cases
	if err := conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok }); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 150 {
		t.Errorf("%d cases, at least 150 are promised", len(cases))
	}
	groups := map[string]bool{}
	for _, c := range cases {
		parts := strings.Split(c.ID, "/")
		if len(parts) != 4 || parts[0] != "stomp" || parts[1] != "server" {
			t.Errorf("case id %s is not stomp/server/GROUP/NAME", c.ID)
			continue
		}
		groups[parts[2]] = true
	}
	for _, g := range []string{
		"frame", "header", "escape", "body", "connect", "negotiate", "heart-beat", "send", "subscribe", "unsubscribe",
		"ack", "nack", "transaction", "receipt", "error", "disconnect", "robustness", "interop",
	} {
		if !groups[g] {
			t.Errorf("no case in group %s", g)
		}
	}
	cited := conformance.NewCoverage(conformance.CaseEvidence(cases))
	for _, l := range laws.Laws("stomp") {
		if (l.Role != "codec" && l.Role != "server") || (l.Level != spec.Must && l.Level != spec.Should) {
			continue
		}
		if why, hidden := notFromOutside[l.ID]; hidden != (len(cited.Where(l.ID, conformance.ByCase)) == 0) {
			t.Errorf("%s %s: cited by %d cases, listed as hidden from a black box: %q", l.ID, l.Title, len(cited.Where(l.ID, conformance.ByCase)), why)
		}
	}
	if i := slices.IndexFunc(cases, func(c conformance.Case) bool { return c.Title == "" }); i >= 0 {
		t.Errorf("%s has no title", cases[i].ID)
	}
}

// notFromOutside are MUST and SHOULD laws of the roles codec and server that no black box can decide on a
// server, each with the reason.
var notFromOutside = map[string]string{}
