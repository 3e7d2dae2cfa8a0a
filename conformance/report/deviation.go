package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// A Deviation is one finding of one case of one target: the unit that a person acts on.
type Deviation struct {
	Target  *Target
	Case    Case
	Finding conformance.Finding
	Law     spec.Law // only ID is set when the catalogue does not know the law
}

// Deviations returns the findings of a target that have the verdict v, in the order of its cases; those that a baseline
// excuses come last. A
// finding inside a case that was not decided is left out: it is no evidence. A case of verdict v without
// such a finding stands for itself.
func (m *Matrix) Deviations(t *Target, v conformance.Verdict) []Deviation {
	var out []Deviation
	for _, c := range t.Cases {
		if !c.Verdict.Decided() {
			continue
		}
		found := false
		for _, f := range c.Findings {
			if f.Verdict == v && c.Verdict.Worse(v) == c.Verdict {
				found = true
				out = append(out, m.deviation(t, c, f))
			}
		}
		if !found && c.Verdict == v {
			f := conformance.Finding{Law: strings.Join(c.Laws, " "), Verdict: v, Reason: c.Reason}
			if len(c.Laws) > 0 {
				law, _ := m.law(c.Laws[0])
				f.Law, f.Level = c.Laws[0], string(law.Level)
			}
			out = append(out, m.deviation(t, c, f))
		}
	}
	slices.SortStableFunc(out, func(a, b Deviation) int { return cmp.Compare(excused(a), excused(b)) })
	return out
}

// tally counts findings of one verdict, the cases that they were made in, and the laws that they are about.
func tally(list []Deviation, v conformance.Verdict) string {
	cases, laws, known, failed := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range list {
		cases[d.Case.ID], laws[d.Law.ID] = true, true
		if d.Case.Excuse != nil {
			known[d.Case.ID] = true
		}
		if d.Case.Verdict != v {
			failed[d.Case.ID] = true
		}
	}
	s := fmt.Sprintf("%s in %s, about %s", count(len(list), "finding"), count(len(cases), "case"), count(len(laws), "law"))
	if n := len(failed); n > 0 {
		s += fmt.Sprintf("; %d of the cases counted as fail", n)
	}
	switch n := len(known); {
	case n > 0 && n == len(cases):
		s += "; all known to the baseline"
	case n > 0:
		s += fmt.Sprintf("; %d of the cases known to the baseline", n)
	}
	return s
}

func excused(d Deviation) int {
	if d.Case.Excuse != nil {
		return 1
	}
	return 0
}

func (m *Matrix) deviation(t *Target, c Case, f conformance.Finding) Deviation {
	law, known := m.law(f.Law)
	if !known {
		law.ID = f.Law
	}
	if f.Level == "" {
		f.Level = string(law.Level)
	}
	return Deviation{Target: t, Case: c, Finding: f, Law: law}
}

// Sentence returns the law in one sentence, or a remark where the catalogue does not know it.
func (d Deviation) Sentence() string {
	if d.Law.Statement == "" {
		return "(not in this catalogue)"
	}
	return d.Law.Statement
}

// A Reason is one reason for which cases were not decided, and the cases.
type Reason struct {
	Text  string
	Cases []Case
}

// Reasons groups the cases of a target that have the verdict v by their reason, in the order of cases.
func (t *Target) Reasons(v conformance.Verdict) []Reason {
	index := map[string]int{}
	var out []Reason
	for _, c := range t.Cases {
		if c.Verdict != v {
			continue
		}
		text := c.Reason
		if text == "" {
			text = "(no reason given)"
		}
		i, ok := index[text]
		if !ok {
			i = len(out)
			index[text] = i
			out = append(out, Reason{Text: text})
		}
		out[i].Cases = append(out[i].Cases, c)
	}
	return out
}

// A GroupCount is the cases of one group of ids, counted.
type GroupCount struct {
	Name   string
	Counts conformance.Counts
}

// Groups returns the counts of a target's cases by the group in their ids, in order of group. Groups of
// which nothing ran are one line at the end, so that a run of few cases stays short and the sum comes out.
func (t *Target) Groups() []GroupCount {
	var out []GroupCount
	index := map[string]int{}
	for _, c := range t.Cases {
		i, ok := index[c.Group]
		if !ok {
			i = len(out)
			index[c.Group] = i
			out = append(out, GroupCount{c.Group, conformance.Counts{}})
		}
		out[i].Counts[c.Verdict]++
	}
	var ran []GroupCount
	idle, names := conformance.Counts{}, 0
	for _, g := range out {
		if g.Counts[conformance.NotRun] < g.Counts.Total() {
			ran = append(ran, g)
			continue
		}
		idle[conformance.NotRun] += g.Counts.Total()
		names++
	}
	if names < 3 {
		return out
	}
	return append(ran, GroupCount{fmt.Sprintf("(%s not run)", count(names, "group")), idle})
}

// used returns the verdicts that occur among a target's cases, worst first, always with fail and pass.
func (t *Target) used() []conformance.Verdict {
	var out []conformance.Verdict
	for _, v := range conformance.Verdicts() {
		if t.Counts[v] > 0 || v == conformance.Fail || v == conformance.Pass {
			out = append(out, v)
		}
	}
	return out
}
