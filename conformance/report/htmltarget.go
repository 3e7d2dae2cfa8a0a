package report

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

type pageTarget struct {
	Label, Software, Kind, Versions, Brief, Cases, ExitText, Stopped, Calibration, Reference string
	DeviationLine, RunLine                                                                   string
	Exit, Total                                                                              int
	FewDeviations                                                                            bool
	Bar                                                                                      []pageBar
	Deviations                                                                               []pageDeviation
	Undecided                                                                                []pageUndecided
	Baseline, Commands                                                                       []string
	Facts                                                                                    []pageFact
}

type pageBar struct {
	Verdict conformance.Verdict
	From, N int
}

type pageDeviation struct {
	Verdict                                        conformance.Verdict
	Symbol, Law, Level, Title, Reason, Case, Known string
}

type pageUndecided struct {
	Verdict       conformance.Verdict
	Symbol, Count string
	Reasons       []pageReason
}

type pageReason struct {
	Text string
	N    int
}

type pageFact struct{ Name, Value string }

func newPageTarget(m *Matrix, t *Target) pageTarget {
	h := t.Header
	out := pageTarget{
		Label: t.Label, Software: short(h.Software, 120), Kind: short(h.Kind, 40), Versions: strings.Join(h.Versions, ", "), Brief: brief(t.Counts),
		Cases: count(t.Counts.Total(), "case"), ExitText: exitSentence(t), Stopped: t.Stopped, Calibration: calibrationShort(h), Reference: h.Calibration.Reference,
		Exit: t.Exit, Total: max(1, t.Counts.Total()), Commands: reproduceCommands(t),
		RunLine: count(len(t.Runs), "run") + ", " + h.Target,
	}
	if out.Software == t.Label {
		out.Software = ""
	}
	from := 0
	for _, v := range []conformance.Verdict{
		conformance.Pass, conformance.Info, conformance.Lax, conformance.Fail, conformance.Inconclusive, conformance.Blocked,
		conformance.Unsupported, conformance.NotRun,
	} {
		if n := t.Counts[v]; n > 0 {
			out.Bar = append(out.Bar, pageBar{v, from, n})
			from += n
		}
	}
	out.deviations(m, t)
	for _, v := range []conformance.Verdict{conformance.Inconclusive, conformance.Blocked, conformance.Unsupported} {
		list := t.Reasons(v)
		if len(list) == 0 {
			continue
		}
		u := pageUndecided{Verdict: v, Symbol: symbol(v), Count: count(t.Counts[v], "case")}
		for i, r := range list {
			if i == maxPageReasons {
				u.Reasons = append(u.Reasons, pageReason{fmt.Sprintf("… and %d more reasons", len(list)-i), len(list) - i})
				break
			}
			u.Reasons = append(u.Reasons, pageReason{short(r.Text, 400), len(r.Cases)})
		}
		out.Undecided = append(out.Undecided, u)
	}
	out.baseline(t)
	out.facts(t)
	return out
}

func (out *pageTarget) deviations(m *Matrix, t *Target) {
	fails, laxes := m.Deviations(t, conformance.Fail), m.Deviations(t, conformance.Lax)
	out.DeviationLine = "no fail and no lax finding"
	var lines []string
	if len(fails) > 0 {
		lines = append(lines, "fail: "+tally(fails, conformance.Fail))
	}
	if len(laxes) > 0 {
		lines = append(lines, "lax: "+tally(laxes, conformance.Lax))
	}
	if len(lines) > 0 {
		out.DeviationLine = strings.Join(lines, " · ")
	}
	out.FewDeviations = len(fails)+len(laxes) <= 5
	for i, d := range append(fails, laxes...) {
		if i == maxPageDeviations {
			out.DeviationLine += fmt.Sprintf("; the first %d are listed", i)
			break
		}
		out.Deviations = append(out.Deviations, pageDeviation{
			Verdict: d.Finding.Verdict, Symbol: symbol(d.Finding.Verdict), Law: d.Law.ID, Level: d.Finding.Level, Title: d.Law.Title,
			Reason: short(d.Finding.Reason, 600), Case: d.Case.ID, Known: short(d.Case.known(), 600),
		})
	}
}

func (out *pageTarget) baseline(t *Target) {
	b := t.Baseline
	if b == nil {
		return
	}
	out.Baseline = append(out.Baseline, count(b.Known, "known deviation")+" excused")
	if b.Unjudged > 0 {
		out.Baseline = append(out.Baseline, unjudgedText(b.Unjudged))
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"new", b.New}, {"changed", b.Changed}, {"fixed, the entry is stale", b.Fixed}, {"expired", b.Expired}} {
		for _, id := range l.ids[:min(len(l.ids), maxPageDeviations)] {
			out.Baseline = append(out.Baseline, l.name+": "+id)
		}
	}
}

func (out *pageTarget) facts(t *Target) {
	h := t.Header
	add := func(name, value string) {
		if value != "" {
			out.Facts = append(out.Facts, pageFact{name, value})
		}
	}
	add("target", h.Target+" ("+h.Kind+")")
	add("software", h.Software)
	add("profile", h.Profile)
	add("assay", h.Assay)
	add("timing", timingLine(h))
	add("calibration", calibrationLine(h))
	add("law set", h.Calibration.Laws)
	add("binary", h.Calibration.Binary)
	for _, r := range t.Runs {
		value := fmt.Sprintf("%s, seed %d, nonce %s, %.1f s", r.Started.UTC().Format("2006-01-02 15:04:05Z"), r.Seed, r.Nonce, r.Millis/1000)
		if len(r.Selection) > 0 {
			value += ", " + strings.Join(r.Selection, " ")
		}
		add("run", value)
	}
}
