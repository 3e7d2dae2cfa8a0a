package conformance

import "fmt"

// Verdict is what one case concluded about a target.
type Verdict string

// The verdicts, in the order in which a summary lists them.
const (
	// Fail: a MUST is broken or, on the reference, a REFERENCE law.
	Fail Verdict = "fail"
	// Lax: a SHOULD is broken, or a MUST is met loosely where the specification leaves room.
	Lax Verdict = "lax"
	// Inconclusive: Assay could not decide; the case says why.
	Inconclusive Verdict = "inconclusive"
	// Blocked: a prerequisite failed; the case names it.
	Blocked Verdict = "blocked"
	// Unsupported: the profile or the target says that it does not have what the case needs.
	Unsupported Verdict = "unsupported"
	// Info: the specification is silent; the target's choice is recorded.
	Info Verdict = "info"
	// Pass: every check held.
	Pass Verdict = "pass"
	// NotRun: the case was not selected.
	NotRun Verdict = "notrun"
)

// Verdicts returns every verdict, worst first.
func Verdicts() []Verdict {
	return []Verdict{Fail, Lax, Inconclusive, Blocked, Unsupported, Info, Pass, NotRun}
}

// ParseVerdict returns the verdict of that name.
func ParseVerdict(name string) (Verdict, error) {
	for _, v := range Verdicts() {
		if string(v) == name {
			return v, nil
		}
	}
	return "", fmt.Errorf("unknown verdict %q", name)
}

// Decided reports whether v says something about the target.
func (v Verdict) Decided() bool {
	return v == Pass || v == Fail || v == Lax || v == Info
}

// rank orders verdicts inside one case: a proven break outweighs a doubt, a doubt outweighs a
// looseness, and any of them outweighs a pass.
func (v Verdict) rank() int {
	switch v {
	case Fail:
		return 7
	case Blocked:
		return 6
	case Inconclusive:
		return 5
	case Unsupported:
		return 4
	case Lax:
		return 3
	case Info:
		return 2
	case Pass:
		return 1
	default:
		return 0
	}
}

// Worse returns the verdict that outweighs the other inside one case.
func (v Verdict) Worse(w Verdict) Verdict {
	if w.rank() > v.rank() {
		return w
	}
	return v
}

// Exit statuses of a run that judges (design: "The command").
const (
	ExitHeld         = 0  // every law that was decided held
	ExitBroken       = 1  // a law is broken
	ExitInconclusive = 2  // something could not be decided
	ExitBaseline     = 3  // the baseline is stale or expired
	ExitUsage        = 64 // the command line or a file given on it is wrong
)

// Counts holds the number of cases by verdict.
type Counts map[Verdict]int

// Total returns the number of cases counted.
func (c Counts) Total() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

// Exit returns the exit status that the counts call for, without a baseline. A run that decided
// nothing at all is inconclusive: it must not look like a run in which everything held.
func (c Counts) Exit() int {
	switch {
	case c[Fail] > 0:
		return ExitBroken
	case c[Inconclusive] > 0 || c[Blocked] > 0:
		return ExitInconclusive
	case c[Pass]+c[Lax]+c[Info] == 0:
		return ExitInconclusive
	default:
		return ExitHeld
	}
}
