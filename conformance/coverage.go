package conformance

import (
	"slices"

	"github.com/seed-6f28358b/assay/spec"
)

// The kinds of evidence that a law can have.
const (
	ByCase    = "case"    // a case of a suite cites it
	ByMachine = "machine" // an invariant or transition of a machine embodies it
	ByFuzz    = "fuzz"    // the oracle of a fuzz target, or a vector in its corpus, checks it
	ByMutant  = "mutant"  // a build that breaks it is caught by something that cites it
)

// Kinds returns the kinds of evidence in the order of the columns of a coverage matrix.
func Kinds() []string { return []string{ByCase, ByMachine, ByFuzz, ByMutant} }

// Evidence is one thing that speaks for a law.
type Evidence struct {
	Law   string
	Kind  string
	Where string // case id, invariant, fuzz target or mutant
}

// Coverage is the evidence for each law. It is computed from what cites a law, never claimed.
type Coverage struct {
	laws map[string]map[string][]string
}

// NewCoverage collects evidence.
func NewCoverage(evidence []Evidence) *Coverage {
	c := &Coverage{laws: map[string]map[string][]string{}}
	for _, e := range evidence {
		if c.laws[e.Law] == nil {
			c.laws[e.Law] = map[string][]string{}
		}
		if list := c.laws[e.Law][e.Kind]; !slices.Contains(list, e.Where) {
			c.laws[e.Law][e.Kind] = append(list, e.Where)
		}
	}
	return c
}

// CaseEvidence returns the evidence that cases give.
func CaseEvidence(cases []Case) []Evidence {
	var out []Evidence
	for _, c := range cases {
		for _, law := range c.Laws {
			out = append(out, Evidence{law, ByCase, c.ID})
		}
	}
	return out
}

// Where returns what speaks for a law in one kind, in the order in which it was collected.
func (c *Coverage) Where(law, kind string) []string { return c.laws[law][kind] }

// Decided reports whether a case, a machine or a fuzz oracle cites the law.
func (c *Coverage) Decided(law string) bool {
	return len(c.Where(law, ByCase))+len(c.Where(law, ByMachine))+len(c.Where(law, ByFuzz)) > 0
}

// Proven reports whether the law is decided and a mutant that breaks it was caught.
func (c *Coverage) Proven(law string) bool {
	return c.Decided(law) && len(c.Where(law, ByMutant)) > 0
}

// Undecided returns the MUST and REFERENCE laws among laws that nothing decides. Laws that bind documents are left out: people
// read those.
func (c *Coverage) Undecided(laws []spec.Law) []spec.Law { return unmet(laws, c.Decided) }

// Unproven returns the MUST and REFERENCE laws among laws without a caught mutant. Laws of which no build of this project's
// can be a mutant are left out: those that bind documents, and the records of other software.
func (c *Coverage) Unproven(laws []spec.Law) []spec.Law {
	return slices.DeleteFunc(unmet(laws, c.Proven), func(l spec.Law) bool { return l.Kind == spec.Record && c.Decided(l.ID) })
}

func unmet(laws []spec.Law, holds func(law string) bool) []spec.Law {
	var out []spec.Law
	for _, l := range laws {
		if l.Active() && l.Kind != spec.Document && (l.Level == spec.Must || l.Level == spec.Reference) && !holds(l.ID) {
			out = append(out, l)
		}
	}
	return out
}
