package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// symbol returns the sign of a verdict. It always stands beside the word or a legend.
func symbol(v conformance.Verdict) string {
	switch v {
	case conformance.Fail:
		return "✗"
	case conformance.Lax:
		return "≈"
	case conformance.Inconclusive:
		return "?"
	case conformance.Blocked:
		return "⊘"
	case conformance.Unsupported:
		return "–"
	case conformance.Info:
		return "i"
	case conformance.Pass:
		return "✓"
	default:
		return "·"
	}
}

// abbreviation returns a short word for a verdict where there is no room for the whole one.
func abbreviation(v conformance.Verdict) string {
	switch v {
	case conformance.Inconclusive:
		return "inconcl."
	case conformance.Unsupported:
		return "unsupp."
	default:
		return string(v)
	}
}

// meaning returns what a verdict says, in one clause.
func meaning(v conformance.Verdict) string {
	switch v {
	case conformance.Fail:
		return "a MUST is broken"
	case conformance.Lax:
		return "a SHOULD is broken, or a MUST is met loosely where the specification leaves room"
	case conformance.Inconclusive:
		return "Assay could not decide"
	case conformance.Blocked:
		return "a prerequisite failed, so this was not reached"
	case conformance.Unsupported:
		return "the profile or the target says that it does not have this"
	case conformance.Info:
		return "the specification leaves this open; the choice is recorded"
	case conformance.Pass:
		return "every check held"
	default:
		return "not selected, or decided by no case that ran"
	}
}

// exitMeaning returns what an exit status of a run says.
func exitMeaning(code int) string {
	switch code {
	case conformance.ExitHeld:
		return "every law that was decided held"
	case conformance.ExitBroken:
		return "a law is broken"
	case conformance.ExitInconclusive:
		return "something could not be decided"
	case conformance.ExitBaseline:
		return "the baseline is stale or expired"
	default:
		return "the command line or a file given on it is wrong"
	}
}

// exitSentence explains a target's exit status, with the baseline's part in it.
func exitSentence(t *Target) string {
	m := exitMeaning(t.Exit)
	if t.Baseline != nil {
		switch t.Exit {
		case conformance.ExitHeld:
			m = "nothing differs from the baseline"
		case conformance.ExitBroken:
			m = "a deviation is new or has changed against the baseline"
		case conformance.ExitInconclusive:
			if t.Stopped != "" {
				m = "the run ended early"
			}
		}
	} else if t.Exit == conformance.ExitHeld && t.Counts[conformance.Lax] > 0 {
		m = fmt.Sprintf("no law is broken, %s lax", count(t.Counts[conformance.Lax], "case"))
	} else if t.Exit == conformance.ExitInconclusive && t.Stopped != "" {
		m = "the run ended early"
	} else if t.Exit == conformance.ExitInconclusive && t.Counts[conformance.Inconclusive]+t.Counts[conformance.Blocked] == 0 {
		m = "the run decided nothing"
	}
	if missing := t.missingText(); missing != "" {
		if t.Exit == conformance.ExitInconclusive && t.Stopped == "" && t.Counts[conformance.Inconclusive]+t.Counts[conformance.Blocked] == 0 {
			m = missing
		} else {
			m += "; " + missing
		}
	}
	return fmt.Sprintf("exit %d: %s", t.Exit, m)
}

// unjudgedText says what a baseline was not compared with.
func unjudgedText(n int) string {
	return count(n, "case") + " not compared: the run ended before they were decided"
}

// sum writes the totals as the addition that they are, with every verdict in it.
func sum(c conformance.Counts) string {
	parts := make([]string, 0, len(conformance.Verdicts()))
	for _, v := range conformance.Verdicts() {
		parts = append(parts, fmt.Sprintf("%d %s", c[v], v))
	}
	return fmt.Sprintf("%s = %s", count(c.Total(), "case"), strings.Join(parts, " + "))
}

// brief lists the verdicts that occur.
func brief(c conformance.Counts) string {
	var parts []string
	for _, v := range conformance.Verdicts() {
		if c[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c[v], v))
		}
	}
	if parts == nil {
		return "no cases"
	}
	return strings.Join(parts, ", ")
}

// calibrationShort says whether the instrument was proven to work before it judged.
func calibrationShort(h conformance.Header) string {
	switch h.Calibration.Reference {
	case "green":
		return "the reference passed under this binary"
	case "red":
		return "the reference did NOT pass: trust no verdict of this run"
	case "self":
		return "the target is the reference itself"
	default:
		return "the reference was not run, so the instrument is unproven"
	}
}

// calibrationLine is calibrationShort with what was compared.
func calibrationLine(h conformance.Header) string {
	c := h.Calibration
	var b strings.Builder
	b.WriteString(calibrationShort(h))
	if c.Cases > 0 {
		fmt.Fprintf(&b, " (%s", count(c.Cases, "case"))
		if c.At != "" {
			b.WriteString(", " + c.At)
		}
		b.WriteString(")")
	}
	if c.Laws != "" {
		b.WriteString("; laws " + abbreviate(c.Laws))
	}
	if c.Binary != "" {
		b.WriteString("; binary " + abbreviate(c.Binary))
	}
	if c.Platform != "" {
		b.WriteString("; " + c.Platform)
	}
	return b.String()
}

// windowText says how long was watched before it was said that nothing arrived; empty when nothing of
// the kind was said.
//
// STOMP-INTEROP-002: every such statement names its window.
func windowText(c Case) string {
	if c.WindowMS <= 0 {
		return ""
	}
	return fmt.Sprintf("%d ms for everything that did not arrive", c.WindowMS)
}

// abbreviate shortens a hash to what a person compares.
func abbreviate(hash string) string { return hash[:min(12, len(hash))] }

// timingLine says how patient the run was.
func timingLine(h conformance.Header) string {
	t := h.Timing
	s := fmt.Sprintf("reply %v, close %v, quiet %v, case %v", t.Reply, t.Close, t.Quiet, t.Case)
	if t.RTT > 0 {
		s += fmt.Sprintf("; round trip %v", t.RTT.Round(10*time.Microsecond))
	}
	return s
}
