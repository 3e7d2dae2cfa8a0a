package report

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// excuses returns what a run's baseline says of a case: nil when it says nothing or the case differs from what it says.
func excuses(d *conformance.BaselineDelta, cases []conformance.CaseResult) func(conformance.CaseResult) *conformance.Excuse {
	if d == nil {
		return func(conformance.CaseResult) *conformance.Excuse { return nil }
	}
	known := map[string]conformance.Excuse{}
	for _, e := range d.Excused {
		known[e.Case] = tidyExcuse(e)
	}
	// In a result that counts its known deviations without naming them they are those that no list names.
	if len(known) == 0 && d.Known > 0 {
		for _, c := range cases {
			if c.Verdict.Deviation() && !slices.Contains(d.New, c.ID) && !slices.Contains(d.Changed, c.ID) && !slices.Contains(d.Expired, c.ID) {
				known[c.ID] = conformance.Excuse{Case: clean(c.ID, 300), Reason: listedReason}
			}
		}
		if len(known) != d.Known {
			clear(known)
		}
	}
	return func(c conformance.CaseResult) *conformance.Excuse {
		if e, ok := known[c.ID]; ok && c.Verdict.Deviation() {
			return &e
		}
		return nil
	}
}

// listedReason stands for a reason that the result does not hold.
const listedReason = "listed in the baseline"

func tidyExcuse(e conformance.Excuse) conformance.Excuse {
	return conformance.Excuse{Case: clean(e.Case, 300), Reason: clean(e.Reason, maxText), Link: clean(e.Link, 400)}
}

// known says why a deviation is excused; empty when it is not.
func (c Case) known() string {
	if c.Excuse == nil {
		return ""
	}
	s := listedReason
	if c.Excuse.Reason != listedReason {
		s += ": " + c.Excuse.Reason
	}
	if c.Excuse.Link != "" {
		s += " (" + c.Excuse.Link + ")"
	}
	return s
}
