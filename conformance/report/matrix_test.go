package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

// What the cases of a law say together, and what they must never say.
func TestVerdictOnLaw(t *testing.T) {
	const law = "DEMO-ACK-001"
	find := func(c conformance.CaseResult, law string, v conformance.Verdict) conformance.CaseResult {
		return withFinding(c, conformance.Finding{Law: law, Level: "MUST", Verdict: v, Reason: "r"})
	}
	pass, fail, lax, info := conformance.Pass, conformance.Fail, conformance.Lax, conformance.Info
	inconclusive, blocked, unsupported := conformance.Inconclusive, conformance.Blocked, conformance.Unsupported
	old := find(plainCase("old", info, law), law, info)
	old.Version = "1.0"
	for _, tt := range []struct {
		why   string
		cases []conformance.CaseResult
		want  conformance.Verdict
	}{
		{"a pass holds", []conformance.CaseResult{plainCase("a", pass, law)}, pass},
		{"a version that is not supported says nothing against another", []conformance.CaseResult{plainCase("a", unsupported, law), plainCase("b", pass, law)}, pass},
		{"nor does a case that did not run", []conformance.CaseResult{plainCase("a", conformance.NotRun, law), plainCase("b", pass, law)}, pass},
		{"one break outweighs passes", []conformance.CaseResult{plainCase("a", pass, law), find(plainCase("b", fail, law), law, fail)}, fail},
		{"a doubt outweighs a pass", []conformance.CaseResult{plainCase("a", pass, law), plainCase("b", inconclusive, law)}, inconclusive},
		{"a looseness outweighs a doubt", []conformance.CaseResult{find(plainCase("a", lax, law), law, lax), plainCase("b", inconclusive, law)}, lax},
		{"a prerequisite that failed outweighs a pass", []conformance.CaseResult{plainCase("a", pass, law), plainCase("b", blocked, law)}, blocked},
		{"a case that ended on another law does not show that this one holds", []conformance.CaseResult{find(plainCase("a", fail, law, "DEMO-LINK-001"), "DEMO-LINK-001", fail)}, blocked},
		{"unless another case shows it", []conformance.CaseResult{find(plainCase("a", fail, law, "DEMO-LINK-001"), "DEMO-LINK-001", fail), plainCase("b", pass, law)}, pass},
		{"a fail without findings is about every law it cites", []conformance.CaseResult{plainCase("a", fail, law)}, fail},
		{"a finding of a verdict that moved is no break", []conformance.CaseResult{find(plainCase("a", inconclusive, law), law, fail)}, inconclusive},
		{"a finding never outweighs its case", []conformance.CaseResult{find(plainCase("a", info, law), law, fail)}, info},
		{"a choice outweighs a pass", []conformance.CaseResult{plainCase("a", pass, law), find(plainCase("b", info, law), law, info)}, info},
		{"a choice about another law lets this one hold", []conformance.CaseResult{find(plainCase("a", info, law, "DEMO-ACK-002"), "DEMO-ACK-002", info)}, pass},
		{"a choice under a version that the law does not know says nothing", []conformance.CaseResult{old, plainCase("b", pass, law)}, pass},
		{"nothing ran", []conformance.CaseResult{plainCase("a", conformance.NotRun, law)}, conformance.NotRun},
	} {
		m := report.Join(catalogue(t), result(header("Alpha"), tt.cases...))
		for _, r := range m.Rows {
			if r.ID == law && r.Cells[0].Verdict != tt.want {
				t.Errorf("%s: %s, want %s", tt.why, r.Cells[0].Verdict, tt.want)
			}
		}
	}
}

func TestPortableAndDifferent(t *testing.T) {
	beta := allOf("Beta", conformance.Pass)
	m := report.Join(catalogue(t), mixed("Alpha"), beta)
	s := m.Summary()
	if d := cmp.Diff([]string{"DEMO-FRAME-001"}, s.Portable); d != "" {
		t.Errorf("portable (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"DEMO-ACK-001"}, s.Differ); d != "" {
		t.Errorf("differ (-want +got):\n%s", d)
	}
	if s.Laws != 6 || s.Uncited != 0 {
		t.Errorf("%d laws cited, %d not", s.Laws, s.Uncited)
	}
	if m := report.Join(catalogue(t), beta); m.Uncited != 3 {
		t.Errorf("%d laws without a case, want 3", m.Uncited)
	}
}

func TestChoicesStandSideBySide(t *testing.T) {
	m := report.Join(catalogue(t), mixed("Alpha"), mixed("Beta"))
	list := m.Choices()
	if len(list) != 2 || list[0].Law != "DEMO-ACK-002" || list[1].Key != "largest body" {
		t.Fatalf("choices %+v, want the finding and then the note", list)
	}
	want := [][]report.Answer{{{Text: "ERROR of Alpha", Versions: []string{"1.2"}}}, {{Text: "ERROR of Beta", Versions: []string{"1.2"}}}}
	if d := cmp.Diff(want, list[0].Answers); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	if !list[0].Differs() {
		t.Error("different answers do not differ")
	}
	same := report.Join(catalogue(t), mixed("Alpha"), allOf("Beta", conformance.Pass)).Choices()
	if same[0].Differs() {
		t.Error("a target without an answer differs from one that has it")
	}
}
