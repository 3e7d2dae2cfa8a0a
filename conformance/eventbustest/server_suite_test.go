package eventbustest

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// The reference obeys every law that the suite can decide, in both dialects. This is the suite's own calibration.
func TestServerReference(t *testing.T) {
	t.Parallel()
	target, err := conformance.ParseTarget("ref")
	if err != nil {
		t.Fatal(err)
	}
	res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict != conformance.Pass {
			t.Errorf("%s is %s: %s %+v", c.ID, c.Verdict, c.Reason, c.Findings)
		}
	}
}

// A target of which nothing is known but the address of a stream is judged by the cases that need no more.
func TestServerWithoutAProfile(t *testing.T) {
	t.Parallel()
	ref, err := serverReference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Stop()
	x := (&plainClient{t, ref.Address}).open()
	target, err := conformance.ParseTarget("http://" + ref.Address + "/later/session/" + x + "/events")
	if err != nil {
		t.Fatal(err)
	}
	res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	counts := res.Footer.Counts
	if counts[conformance.Pass] < 8 || counts.Total() != counts[conformance.Pass]+counts[conformance.Unsupported]+counts[conformance.NotRun] {
		t.Errorf("what can be judged passes, and the rest is unsupported: %v", counts)
	}
}

// The catalogue is as large and as wide as it is said to be, and every MUST and SHOULD law of the role sse-server is cited by a
// case.
func TestServerCatalogue(t *testing.T) {
	t.Parallel()
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := Server().Cases
	if err := conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok }); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Errorf("%d cases, at least 100 are promised", len(cases))
	}
	for _, c := range cases {
		parts := strings.Split(c.ID, "/")
		if len(parts) != 4 || parts[0] != "eventbus" || parts[1] != "server" || c.Title == "" {
			t.Errorf("case %s is not eventbus/server/GROUP/NAME with a title: %q", c.ID, c.Title)
		}
		if c.Needs.Transports == nil {
			t.Errorf("%s needs no transport, and would be run on a bus behind an adapter", c.ID)
		}
		for _, v := range c.Versions {
			for _, id := range c.Laws {
				if law, _ := laws.Law(id); !slices.Contains(law.Versions, v) {
					t.Errorf("%s runs under %s, where %s does not hold", c.ID, v, id)
				}
			}
		}
	}
	cited := conformance.NewCoverage(conformance.CaseEvidence(cases))
	for _, l := range laws.Laws("eventbus") {
		if l.Role != "sse-server" || (l.Level != spec.Must && l.Level != spec.Should) {
			continue
		}
		if len(cited.Where(l.ID, conformance.ByCase)) == 0 {
			t.Errorf("%s %s: cited by no case", l.ID, l.Title)
		}
	}
}
