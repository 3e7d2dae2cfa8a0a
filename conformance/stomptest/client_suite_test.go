package stomptest

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// The reference client obeys every law that the suite can decide.
func TestReferenceClient(t *testing.T) {
	t.Parallel()
	TestClient(t, Testee{})
}

// The catalogue is as large and as wide as it is said to be, and every MUST and SHOULD law of the role client is
// cited by a case.
func TestClientCatalogue(t *testing.T) {
	t.Parallel()
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := Client().Cases
	if err := conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok }); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 250 {
		t.Errorf("%d cases, at least 250 are promised", len(cases))
	}
	groups := map[string]bool{}
	for _, c := range cases {
		parts := strings.Split(c.ID, "/")
		own := len(parts) == 5 && parts[2] == "own"
		if (len(parts) != 4 && !own) || parts[0] != "stomp" || parts[1] != "client" || c.Title == "" {
			t.Errorf("case %s is not stomp/client/GROUP/NAME with a title", c.ID)
			continue
		}
		if own != c.Needs.Reference {
			t.Errorf("case %s is about our own client: %v, and needs it: %v", c.ID, own, c.Needs.Reference)
		}
		groups[parts[2]] = true
	}
	for _, g := range []string{
		"connect", "send", "escape", "subscribe", "ack", "transaction", "receipt", "disconnect", "decode", "chunk",
		"heart-beat", "error", "cut", "deviant", "own", "ambiguity",
	} {
		if !groups[g] {
			t.Errorf("no case in group %s", g)
		}
	}
	cited := conformance.NewCoverage(conformance.CaseEvidence(cases))
	for _, l := range laws.Laws("stomp") {
		if !l.Active() || l.Role != "client" || (l.Level != spec.Must && l.Level != spec.Should) {
			continue
		}
		if why, hidden := notOfAClient[l.ID]; hidden != (len(cited.Where(l.ID, conformance.ByCase)) == 0) {
			t.Errorf("%s %s: cited by %d cases, listed as out of reach: %q", l.ID, l.Title, len(cited.Where(l.ID, conformance.ByCase)), why)
		}
	}
}

// notOfAClient are MUST and SHOULD laws of the role client that no case decides, each with the reason.
var notOfAClient = map[string]string{
	"STOMP-NACK-004": "whether a message was processed is known to the user of a library, who also decides to refuse it",
}

// What a case needs are options that hello can list or that a profile knows.
func TestClientCasesNeedKnownOptions(t *testing.T) {
	var known []string
	for _, name := range clientOptions {
		if mapped, ok := optionNames[name]; ok {
			name = mapped
		}
		known = append(known, name)
	}
	for _, c := range Client().Cases {
		for _, option := range c.Needs.Options {
			if !slices.Contains(known, option) {
				t.Errorf("%s needs %q, which no hello lists", c.ID, option)
			}
		}
	}
}
