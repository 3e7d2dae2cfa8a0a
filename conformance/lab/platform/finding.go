package platform

import (
	"fmt"
	"time"
)

// A Verdict is what came out about an assumption.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "does not hold"
	Undecided Verdict = "could not be decided"
)

// A Finding is an assumption and what was measured.
type Finding struct {
	Assumption
	Verdict Verdict `json:"verdict"`
	// Trials is how often it was tried; 0: not at all.
	Trials int `json:"trials"`
	// Evidence has the counts, and the shortest counterexample if there is one.
	Evidence string `json:"evidence"`
	// Fault says that it is undecided because the measurement failed, and not because the platform does not show it.
	Fault bool `json:"fault,omitempty"`
}

// A Report is the outcome of one check.
type Report struct {
	// Browser is the product and version of the browser, and System what it ran on.
	Browser string `json:"browser"`
	System  string `json:"system"`
	// Findings has one entry for each of Assumptions, in their order.
	Findings []Finding `json:"findings"`
	// Took is how long it all took.
	Took time.Duration `json:"-"`
}

// Count returns how many findings have a verdict.
func (r *Report) Count(v Verdict) (n int) {
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Faulty says that a measurement failed.
func (r *Report) Faulty() bool {
	for _, f := range r.Findings {
		if f.Fault {
			return true
		}
	}
	return false
}

// An outcome is what a judge makes of a measurement, by the id of the assumption.
type outcome struct {
	id       string
	verdict  Verdict
	trials   int
	evidence string
	fault    bool
}

// held is the outcome of an assumption that forbids something.
func held(id string, ok bool, trials int, format string, a ...any) outcome {
	o := outcome{id: id, verdict: Fails, trials: trials, evidence: fmt.Sprintf(format, a...)}
	switch {
	case trials == 0:
		o.verdict, o.fault, o.evidence = Undecided, true, "nothing was measured"
	case ok:
		o.verdict = Holds
	}
	return o
}

// seen is the outcome of an assumption that something can happen, which machine and reference must bear. That it was not seen does not
// say that it cannot be.
func seen(id string, happened bool, trials int, format string, a ...any) outcome {
	o := held(id, true, trials, format, a...)
	if !happened && o.verdict == Holds {
		o.verdict, o.evidence = Undecided, o.evidence+"; not seen, the machine allows more than this platform shows"
	}
	return o
}

// beyond is the outcome of an assumption that is out of reach.
func beyond(id, why string) outcome {
	return outcome{id: id, verdict: Undecided, evidence: "out of reach: " + why}
}

// failed is the outcome of an assumption whose measurement did not come to its end.
func failed(id string, err error) outcome {
	return outcome{id: id, verdict: Undecided, evidence: "the measurement failed: " + err.Error(), fault: true}
}
