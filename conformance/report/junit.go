package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/seed-6f28358b/assay/conformance"
)

// JUnit writes one test suite for each target and one test case for each case. A fail is a failure,
// inconclusive and blocked are errors, unsupported and notrun are skipped with their reason; pass, lax and
// info have passed, the latter two with what was found as output. What a baseline excuses is skipped too, with the reason
// that it gives: a CI system is red for the rest.
func JUnit(w io.Writer, o Options, results ...*conformance.Result) error {
	m := o.join(results...)
	suites := junit.Testsuites{Name: "assay"}
	total := 0.0
	for i, t := range m.Targets {
		s := junit.Testsuite{Name: t.Header.Suite + " on " + t.Label, ID: i, Package: t.Header.Suite}
		seconds := 0.0
		for _, r := range t.Runs {
			seconds += r.Millis / 1000
		}
		total += seconds
		s.Time = fmt.Sprintf("%.3f", seconds)
		if len(t.Runs) > 0 && !t.Runs[0].Started.IsZero() {
			s.SetTimestamp(t.Runs[0].Started.UTC())
		}
		for _, p := range [][2]string{
			{"target", t.Header.Target},
			{"kind", t.Header.Kind},
			{"software", t.Header.Software},
			{"versions", strings.Join(t.Header.Versions, ", ")},
			{"profile", t.Header.Profile},
			{"calibration", calibrationLine(t.Header)},
			{"exit", exitSentence(t)},
			{"stopped", t.Stopped},
			{"missing", t.missingText()},
		} {
			if p[1] != "" {
				s.AddProperty(p[0], p[1])
			}
		}
		for _, r := range t.Runs {
			s.AddProperty("seed", fmt.Sprint(r.Seed))
		}
		for _, c := range t.Cases {
			s.AddTestcase(m.testcase(t, c))
		}
		suites.AddSuite(s)
	}
	suites.Time = fmt.Sprintf("%.3f", total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

func (m *Matrix) testcase(t *Target, c Case) junit.Testcase {
	class := c.ID
	name := c.ID
	if i := strings.LastIndexByte(c.ID, '/'); i >= 0 {
		class, name = c.ID[:i], c.ID[i+1:]
	}
	if name == "" {
		name = c.ID
	}
	if name == "" {
		name, class = "(no id)", "(no id)"
	}
	tc := junit.Testcase{
		Name: name, Classname: strings.ReplaceAll(strings.Trim(class, "/"), "/", "."),
		Time: fmt.Sprintf("%.3f", c.Millis/1000), Status: string(c.Verdict),
	}
	if tc.Classname == "" {
		tc.Classname = name
	}
	out := &junit.Result{Message: firstOf(c.Reason, meaning(c.Verdict)), Type: strings.Join(c.Laws, " "), Data: m.caseText(t, c)}
	if known := c.known(); known != "" && c.Verdict != conformance.Lax {
		out.Message, out.Type = string(c.Verdict)+", "+known, ""
		tc.Skipped = out
		return tc
	}
	switch c.Verdict {
	case conformance.Fail:
		for _, f := range c.Findings {
			if f.Verdict == conformance.Fail {
				out.Message, out.Type = firstOf(f.Law+": "+f.Reason, out.Message), f.Law
				break
			}
		}
		tc.Failure = out
	case conformance.Inconclusive, conformance.Blocked:
		out.Message, out.Type = string(c.Verdict)+": "+out.Message, string(c.Verdict)
		tc.Error = out
	case conformance.Unsupported, conformance.NotRun:
		out.Message, out.Type = string(c.Verdict)+": "+out.Message, ""
		tc.Skipped = out
	case conformance.Lax, conformance.Info:
		tc.SystemOut = &junit.Output{Data: m.caseText(t, c)}
	}
	return tc
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// caseText is everything about one case as plain text that stands alone.
func (m *Matrix) caseText(t *Target, c Case) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s%s\n", name, value)
		}
	}
	line("verdict", string(c.Verdict))
	line("case", c.ID)
	line("title", c.Title)
	line("target", t.Header.Name+" at "+t.Header.Target)
	line("reason", c.Reason)
	line("known", c.known())
	line("laws", strings.Join(c.Laws, " "))
	for _, f := range c.Findings {
		b.WriteByte('\n')
		line("law", f.Law+" "+f.Level+" "+string(f.Verdict))
		if l, ok := m.law(f.Law); ok {
			line("", l.Statement)
			line("source", l.Source)
		}
		if f.Step > 0 {
			line("step", fmt.Sprint(f.Step))
		}
		line("reason", f.Reason)
		line("expected", f.Expected)
		line("seen", f.Seen)
	}
	for _, n := range c.Notes {
		line("note", n.Key+": "+n.Value)
	}
	if c.Varies != nil {
		line("varies", variesText(c.Varies))
	}
	line("timing", c.Timing)
	line("window", windowText(c))
	replay, command := again(c)
	line("replay", replay)
	line("run again", command)
	return b.String()
}
