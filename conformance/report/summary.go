package report

import (
	"io"

	"github.com/seed-6f28358b/assay/conformance"
)

// A Summary is what the json form writes: the outcome for machines, without transcripts. The whole of a
// run is in its result file.
type Summary struct {
	Type    string          `json:"type"`   // "summary"
	Schema  int             `json:"schema"` // 1
	Exit    int             `json:"exit"`   // the worst of all targets
	Targets []TargetSummary `json:"targets"`
	// Portable are the laws that hold on every target, Differ those on which targets were decided
	// differently.
	Portable []string `json:"portable"`
	Differ   []string `json:"differ"`
	Laws     int      `json:"laws"`    // laws that a case cites
	Uncited  int      `json:"uncited"` // active laws that no case cites
}

// A TargetSummary is the outcome for one target.
type TargetSummary struct {
	Name        string                           `json:"name"`
	Label       string                           `json:"label"`
	Target      string                           `json:"target"`
	Suite       string                           `json:"protocol"`
	Kind        string                           `json:"kind"`
	Profile     string                           `json:"profile,omitempty"`
	Software    string                           `json:"software,omitempty"`
	Versions    []string                         `json:"versions"`
	Seeds       []uint64                         `json:"seeds"`
	Calibration conformance.Calibration          `json:"calibration"`
	Counts      map[conformance.Verdict]int      `json:"counts"` // every verdict, zeros included
	Total       int                              `json:"total"`
	Groups      map[string]conformance.Counts    `json:"groups"` // by group of the case ids
	Laws        map[string]conformance.Verdict   `json:"laws"`
	Exit        int                              `json:"exit"`
	Meaning     string                           `json:"meaning"`
	Stopped     string                           `json:"stopped,omitempty"`
	Missing     []string                         `json:"missing,omitempty"`  // parts (--shard) that no result holds
	Commands    []string                         `json:"commands,omitempty"` // make the runs again
	Baseline    *conformance.BaselineDelta       `json:"baseline,omitempty"`
	Findings    []FindingSummary                 `json:"findings"` // fail and lax
	Undecided   []CaseSummary                    `json:"undecided"`
	Varies      map[string][]conformance.Verdict `json:"varies,omitempty"` // cases on which runs disagree
}

// A FindingSummary is one finding with the case that it was made in.
type FindingSummary struct {
	conformance.Finding
	Case    string `json:"case"`
	Replay  string `json:"replay,omitempty"`
	Command string `json:"command,omitempty"`
	Known   string `json:"known,omitempty"` // why the baseline excuses it
}

// A CaseSummary is one case that was not decided.
type CaseSummary struct {
	Case    string              `json:"case"`
	Verdict conformance.Verdict `json:"verdict"`
	Reason  string              `json:"reason"`
	Command string              `json:"command,omitempty"`
	Known   string              `json:"known,omitempty"`
}

// JSON writes a Summary.
func JSON(w io.Writer, o Options, results ...*conformance.Result) error {
	return writeJSON(w, o.join(results...).Summary())
}

// Summary returns the outcome of a matrix for machines. No list in it is nil.
func (m *Matrix) Summary() Summary {
	s := Summary{
		Type: "summary", Schema: 1, Laws: len(m.Rows), Uncited: m.Uncited,
		Targets: []TargetSummary{}, Portable: []string{}, Differ: []string{}, Exit: m.Exit(),
	}
	for _, r := range m.Rows {
		if r.Portable() {
			s.Portable = append(s.Portable, r.ID)
		}
		if r.Differs() {
			s.Differ = append(s.Differ, r.ID)
		}
	}
	for ti, t := range m.Targets {
		s.Targets = append(s.Targets, m.targetSummary(ti, t))
	}
	return s
}

// Exit returns the worst exit status of all targets; without any, the run was inconclusive.
func (m *Matrix) Exit() int {
	severity := map[int]int{conformance.ExitHeld: 0, conformance.ExitBaseline: 1, conformance.ExitInconclusive: 2, conformance.ExitBroken: 3}
	if len(m.Targets) == 0 {
		return conformance.ExitInconclusive
	}
	worst := conformance.ExitHeld
	for _, t := range m.Targets {
		if severity[t.Exit] > severity[worst] {
			worst = t.Exit
		}
	}
	return worst
}

func (m *Matrix) targetSummary(ti int, t *Target) TargetSummary {
	h := t.Header
	out := TargetSummary{
		Name: h.Name, Label: t.Label, Target: h.Target, Suite: h.Suite, Kind: h.Kind, Profile: h.Profile, Software: h.Software,
		Versions: append([]string{}, h.Versions...), Seeds: []uint64{}, Calibration: h.Calibration,
		Counts: map[conformance.Verdict]int{}, Groups: map[string]conformance.Counts{}, Total: t.Counts.Total(), Laws: map[string]conformance.Verdict{},
		Exit: t.Exit, Meaning: exitSentence(t), Stopped: t.Stopped, Baseline: t.Baseline, Missing: t.Missing, Commands: reproduceCommands(t),
		Findings: []FindingSummary{}, Undecided: []CaseSummary{},
	}
	for _, v := range conformance.Verdicts() {
		out.Counts[v] = t.Counts[v]
	}
	for _, c := range t.Cases {
		if out.Groups[c.Group] == nil {
			out.Groups[c.Group] = conformance.Counts{}
		}
		out.Groups[c.Group][c.Verdict]++
	}
	for _, r := range t.Runs {
		out.Seeds = append(out.Seeds, r.Seed)
	}
	for _, r := range m.Rows {
		out.Laws[r.ID] = r.Cells[ti].Verdict
	}
	for _, v := range []conformance.Verdict{conformance.Fail, conformance.Lax} {
		for _, d := range m.Deviations(t, v) {
			out.Findings = append(out.Findings, FindingSummary{Finding: d.Finding, Case: d.Case.ID, Replay: d.Case.Replay, Command: d.Case.Command, Known: d.Case.known()})
		}
	}
	for _, c := range t.Cases {
		if c.Verdict == conformance.Inconclusive || c.Verdict == conformance.Blocked {
			out.Undecided = append(out.Undecided, CaseSummary{Case: c.ID, Verdict: c.Verdict, Reason: c.Reason, Command: c.Command, Known: c.known()})
		}
		if c.Varies != nil {
			if out.Varies == nil {
				out.Varies = map[string][]conformance.Verdict{}
			}
			out.Varies[c.ID] = c.Varies
		}
	}
	return out
}
