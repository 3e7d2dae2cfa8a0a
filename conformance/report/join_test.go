package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

// verdicts returns the verdict of each case of a target, by id without its protocol and role.
func verdicts(t *report.Target) map[string]conformance.Verdict {
	out := map[string]conformance.Verdict{}
	for _, c := range t.Cases {
		out[strings.TrimPrefix(c.ID, "demo/server/")] = c.Verdict
	}
	return out
}

func TestShardsJoin(t *testing.T) {
	first := result(header("Alpha"), plainCase("a/x", conformance.Pass, "DEMO-ACK-001"), plainCase("a/y", conformance.NotRun, "DEMO-ACK-001"))
	second := result(header("Alpha"), plainCase("a/x", conformance.NotRun, "DEMO-ACK-001"), plainCase("a/y", conformance.Fail, "DEMO-ACK-001"))
	second.Header.Seed, second.Header.Nonce, second.Header.Selection = 9, "zzz", []string{"--shard 2/2"}
	m := report.Join(catalogue(t), first, second)
	if len(m.Targets) != 1 {
		t.Fatalf("%d targets, want shards of one target to join", len(m.Targets))
	}
	got := m.Targets[0]
	if d := cmp.Diff(map[string]conformance.Verdict{"a/x": conformance.Pass, "a/y": conformance.Fail}, verdicts(got)); d != "" {
		t.Errorf("a case that ran wins over notrun (-want +got):\n%s", d)
	}
	if len(got.Runs) != 2 || got.Exit != conformance.ExitBroken || got.Counts.Total() != 2 {
		t.Errorf("%d runs, exit %d, %d cases", len(got.Runs), got.Exit, got.Counts.Total())
	}
	for _, c := range got.Cases {
		if c.Varies != nil {
			t.Errorf("%s varies %v, but notrun is no disagreement", c.ID, c.Varies)
		}
	}
}

func TestWorseVerdictStaysAndVaries(t *testing.T) {
	var runs []*conformance.Result
	for _, v := range []conformance.Verdict{conformance.Pass, conformance.Fail, conformance.Pass, conformance.Inconclusive} {
		runs = append(runs, result(header("Alpha"), plainCase("a/x", v, "DEMO-ACK-001")))
	}
	m := report.Join(catalogue(t), runs...)
	c := m.Targets[0].Cases[0]
	if c.Verdict != conformance.Fail {
		t.Errorf("verdict %s, want the worst", c.Verdict)
	}
	if d := cmp.Diff([]conformance.Verdict{conformance.Fail, conformance.Inconclusive, conformance.Pass}, c.Varies); d != "" {
		t.Errorf("varies (-want +got):\n%s", d)
	}
	if cell := m.Rows[0].Cells[0]; !cell.Varies || cell.Verdict != conformance.Fail {
		t.Errorf("cell %+v, want a fail that varies", cell)
	}
	var b strings.Builder
	if err := report.MatrixMarkdown(&b, report.Options{Laws: catalogue(t)}, runs...); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "✗ fail ±") || !strings.Contains(b.String(), "runs disagree: fail, inconclusive, pass") {
		t.Errorf("the disagreement is not told:\n%s", b.String())
	}
}

func TestWhatKeepsTargetsApart(t *testing.T) {
	base := func() *conformance.Result { return allOf("Alpha", conformance.Pass) }
	for name, change := range map[string]func(*conformance.Header){
		"suite":    func(h *conformance.Header) { h.Suite = "other" },
		"target":   func(h *conformance.Header) { h.Target = "tcp://127.0.0.1:1" },
		"kind":     func(h *conformance.Header) { h.Kind = "scripted-peer" },
		"profile":  func(h *conformance.Header) { h.Profile = "other" },
		"name":     func(h *conformance.Header) { h.Name = "Other" },
		"software": func(h *conformance.Header) { h.Software = "Alpha/2.0" },
		"law set":  func(h *conformance.Header) { h.Calibration.Laws = "other" },
	} {
		other := base()
		change(&other.Header)
		m := report.Join(catalogue(t), base(), other)
		if len(m.Targets) != 2 {
			t.Errorf("a different %s joins into one target", name)
			continue
		}
		if m.Targets[0].Label == m.Targets[1].Label {
			t.Errorf("different %s: both are labelled %q", name, m.Targets[0].Label)
		}
	}
	silent := base()
	silent.Header.Software = ""
	if m := report.Join(catalogue(t), silent, base()); len(m.Targets) != 1 || m.Targets[0].Header.Software != "Alpha/1.0" {
		t.Error("a run that could not ask for the software does not join the one that could")
	}
}

func TestJoinedCalibrationIsTheWorst(t *testing.T) {
	good, bad := allOf("Alpha", conformance.Pass), allOf("Alpha", conformance.Pass)
	bad.Header.Calibration.Reference = "red"
	if got := report.Join(nil, good, bad).Targets[0].Header.Calibration.Reference; got != "red" {
		t.Errorf("calibration %q, want red", got)
	}
}

// The sum of every target comes out, whatever the file holds; repeated ids inside one run are not merged away.
func TestSumComesOut(t *testing.T) {
	twice := plainCase("a/x", conformance.Pass, "DEMO-ACK-001")
	twin := twice
	twin.Verdict = conformance.Fail
	r := result(header("Alpha"), twice, twin, plainCase("a/z", conformance.Verdict("no such verdict"), "DEMO-ACK-001"))
	m := report.Join(catalogue(t), r)
	if n := m.Targets[0].Counts.Total(); n != 3 {
		t.Errorf("%d cases, want 3", n)
	}
	if n := m.Targets[0].Counts[conformance.Inconclusive]; n != 1 {
		t.Errorf("an unknown verdict counts %d times as inconclusive", n)
	}
	h := report.Join(catalogue(t), hostile())
	if n := h.Targets[0].Counts.Total(); n != len(conformance.Verdicts()) {
		t.Errorf("hostile run has %d cases, want %d", n, len(conformance.Verdicts()))
	}
}

func TestExitOfJoinedBaselines(t *testing.T) {
	known, stale := allOf("Alpha", conformance.Fail), allOf("Alpha", conformance.NotRun)
	known.Footer.Baseline, known.Footer.Exit = &conformance.BaselineDelta{Known: 3}, conformance.ExitHeld
	stale.Footer.Baseline, stale.Footer.Exit = &conformance.BaselineDelta{Expired: []string{"x"}}, conformance.ExitBaseline
	if m := report.Join(nil, known); m.Exit() != conformance.ExitHeld {
		t.Errorf("exit %d although the baseline excuses all", m.Exit())
	}
	if m := report.Join(nil, known, stale); m.Exit() != conformance.ExitBaseline || m.Targets[0].Baseline.Known != 3 {
		t.Errorf("exit %d, want that of the stale shard", m.Exit())
	}
	if m := report.Join(nil); m.Exit() != conformance.ExitInconclusive {
		t.Errorf("exit %d without a result", m.Exit())
	}
	ended := allOf("Alpha", conformance.Pass)
	ended.Footer.Stopped = "target gone"
	if m := report.Join(nil, allOf("Alpha", conformance.Pass), ended); m.Exit() != conformance.ExitInconclusive {
		t.Errorf("exit %d although a run ended early", m.Exit())
	}
}

func TestJoinLeavesResultsAlone(t *testing.T) {
	a, b := hostile(), hostile()
	report.Join(catalogue(t), a)
	if d := cmp.Diff(b, a, cmp.AllowUnexported(conformance.CaseResult{})); d != "" {
		t.Errorf("joining changed its input:\n%s", d)
	}
}
