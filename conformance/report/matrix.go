package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// A Row is one law and what each target does about it.
type Row struct {
	ID    string
	Law   spec.Law // only ID is set when the catalogue does not know the law
	Known bool     // the catalogue knows the law
	Group string   // STOMP-FRAME; OTHER for an id that has no law's form
	Cells []Cell   // one per target, in the order of Matrix.Targets
}

// A Cell is what one target does about one law.
type Cell struct {
	Verdict conformance.Verdict
	Cases   []int // indexes into Target.Cases of the cases that speak of the law
	Varies  bool  // runs of this target disagree about one of the cases
	Known   bool  // the baseline excuses every case behind a verdict that deviates
}

// Portable reports whether the law holds on every target of the matrix.
func (r *Row) Portable() bool {
	for _, c := range r.Cells {
		if c.Verdict != conformance.Pass {
			return false
		}
	}
	return len(r.Cells) > 0
}

// Differs reports whether two targets were decided differently.
func (r *Row) Differs() bool {
	var first conformance.Verdict
	for _, c := range r.Cells {
		switch {
		case !c.Verdict.Decided():
		case first == "":
			first = c.Verdict
		case c.Verdict != first:
			return true
		}
	}
	return false
}

// worstDecided returns the worst verdict that was decided on any target, or notrun when none was.
func (r *Row) worstDecided() conformance.Verdict {
	worst := conformance.NotRun
	for _, c := range r.Cells {
		if c.Verdict.Decided() {
			worst = worst.Worse(c.Verdict)
		}
	}
	return worst
}

// Level returns the law's level, or a dash where the catalogue does not know the law.
func (r *Row) Level() string {
	if r.Law.Level == "" {
		return "–"
	}
	return string(r.Law.Level)
}

// Title returns the law's title, or a remark where the catalogue does not know the law.
func (r *Row) Title() string {
	if !r.Known {
		return "(not in this catalogue)"
	}
	return r.Law.Title
}

// Groups returns the law groups of the matrix in order.
func (m *Matrix) Groups() []string {
	var out []string
	for _, r := range m.Rows {
		if !slices.Contains(out, r.Group) {
			out = append(out, r.Group)
		}
	}
	return out
}

// law returns the catalogue's text of a law.
func (m *Matrix) law(id string) (spec.Law, bool) { return m.laws.Law(id) }

// rows collects the laws that any case speaks of, in the order of the catalogue; laws that the catalogue
// does not know come last.
func (m *Matrix) rows() {
	index := map[string]*Row{}
	for ti, t := range m.Targets {
		for ci, c := range t.Cases {
			for _, id := range c.lawsSpokenOf() {
				row := index[id]
				if row == nil {
					row = &Row{ID: id, Group: lawGroup(id), Cells: make([]Cell, len(m.Targets))}
					row.Law, row.Known = m.law(id)
					for i := range row.Cells {
						row.Cells[i].Verdict = conformance.NotRun
					}
					index[id] = row
					m.Rows = append(m.Rows, row)
				}
				row.Cells[ti].Cases = append(row.Cells[ti].Cases, ci)
			}
		}
	}
	order, protocols := map[string]int{}, map[string]bool{}
	for i, l := range m.laws.All() {
		order[l.ID] = i + 1
	}
	slices.SortStableFunc(m.Rows, func(a, b *Row) int {
		x, y := order[a.ID], order[b.ID]
		if x == 0 || y == 0 {
			return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Compare(x, y)
	})
	for _, row := range m.Rows {
		protocols[row.Law.Protocol] = true
		for ti := range row.Cells {
			row.judge(ti, m.Targets[ti])
		}
	}
	for _, l := range m.laws.All() {
		if protocols[l.Protocol] && l.Active() && index[l.ID] == nil {
			m.Uncited++
			m.uncited = append(m.uncited, l)
		}
	}
}

// lawsSpokenOf returns the laws that a case cites or has a finding about.
func (c Case) lawsSpokenOf() []string {
	var out []string
	for _, id := range c.Laws {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, f := range c.Findings {
		if f.Law != "" && !slices.Contains(out, f.Law) {
			out = append(out, f.Law)
		}
	}
	return out
}

// Weights of what the cases of one law say, for the verdict on the law. Unlike inside one case, a version
// that the target does not support says nothing against the versions that it does.
const (
	saysNotRun = iota
	saysUnsupported
	saysEnded // the case ended on another law before this one was checked
	saysPass
	saysInfo
	saysBlocked
	saysInconclusive
	saysLax
	saysFail
)

// judge gives the cell of one target the verdict on the law.
func (r *Row) judge(ti int, t *Target) {
	cell := &r.Cells[ti]
	best, known := saysNotRun, false
	for _, ci := range cell.Cases {
		c := t.Cases[ci]
		cell.Varies = cell.Varies || c.Varies != nil
		switch says := c.says(r); {
		case says > best:
			best, known = says, c.Excuse != nil
		case says == best:
			known = known && c.Excuse != nil
		}
	}
	cell.Known = known
	switch best {
	case saysFail:
		cell.Verdict = conformance.Fail
	case saysLax:
		cell.Verdict = conformance.Lax
	case saysInconclusive:
		cell.Verdict = conformance.Inconclusive
	case saysBlocked, saysEnded:
		cell.Verdict = conformance.Blocked
	case saysInfo:
		cell.Verdict = conformance.Info
	case saysPass:
		cell.Verdict = conformance.Pass
	case saysUnsupported:
		cell.Verdict = conformance.Unsupported
	}
}

// says returns what a case says about one of its laws.
//
// A law without a finding holds in a case that passed or only recorded choices. In a case that deviated
// from another law nobody knows whether this one was still reached. A case that was not decided decides
// none of its laws, whatever it noticed on the way: a finding of a verdict that moved is no evidence.
func (c Case) says(r *Row) int {
	switch c.Verdict {
	case conformance.NotRun:
		return saysNotRun
	case conformance.Unsupported:
		return saysUnsupported
	case conformance.Blocked:
		return saysBlocked
	case conformance.Inconclusive:
		return saysInconclusive
	}
	verdict := conformance.Verdict("")
	for _, f := range c.Findings {
		if f.Law == r.ID && (verdict == "" || verdict.Worse(f.Verdict) != verdict) {
			verdict = f.Verdict
		}
	}
	// A finding never outweighs its case.
	if verdict != "" && c.Verdict.Worse(verdict) != c.Verdict {
		verdict = c.Verdict
	}
	switch verdict {
	case conformance.Fail:
		return saysFail
	case conformance.Lax:
		return saysLax
	case conformance.Info:
		if r.Known && c.Version != "" && !r.Law.AppliesTo(c.Version) {
			return saysUnsupported // how another version behaves says nothing about this law
		}
		return saysInfo
	}
	if c.Verdict == conformance.Fail && len(c.Findings) == 0 {
		return saysFail // nothing tells which of the laws is meant
	}
	if c.Verdict == conformance.Fail || c.Verdict == conformance.Lax {
		return saysEnded
	}
	return saysPass
}

// lawGroup returns protocol and group of a law id. Groups name files, so an id that has no law's form
// must not choose one.
func lawGroup(id string) string {
	if !isLawID(id) {
		return "OTHER"
	}
	return id[:strings.LastIndexByte(id, '-')]
}

// LawCounts counts the rows of one target by verdict; an empty group counts all.
func (m *Matrix) LawCounts(ti int, group string) conformance.Counts {
	c := conformance.Counts{}
	for _, r := range m.Rows {
		if group == "" || r.Group == group {
			c[r.Cells[ti].Verdict]++
		}
	}
	return c
}
