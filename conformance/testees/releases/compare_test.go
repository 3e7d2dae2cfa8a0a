package releases

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

// results are those of the cases of one release, by id.
type results map[string]conformance.CaseResult

// compare tells in what a bug was not found again: each of its cases has to blame the affected release by the law of the
// bug, with the verdict that a break of its level comes to, and none of them the fixed one.
func compare(b corpus.KnownBug, law spec.Law, affected, fixed results) (row, error) {
	want, ok := map[spec.Level]conformance.Verdict{spec.Must: conformance.Fail, spec.Should: conformance.Lax}[law.Level]
	if !ok {
		return row{}, fmt.Errorf("%s: %s is a %s, a break of which is no verdict", b.Name, law.ID, law.Level)
	}
	r := row{bug: b, level: law.Level}
	var faults []error
	for _, id := range b.Cases {
		a, f := affected[id], fixed[id]
		r.verdicts = append(r.verdicts, [2]conformance.Verdict{a.Verdict, f.Verdict})
		if !blames(a, law.ID, want) || !clears(f, law.ID) {
			faults = append(faults, fmt.Errorf("%s, %s, %s:\n  %s\n  %s", b.Name, id, law.ID, describe(b, b.Affected, a), describe(b, b.Fixed, f)))
		}
	}
	return r, errors.Join(faults...)
}

// blames reports whether a verdict that held when it was judged again rests on the law.
func blames(c conformance.CaseResult, law string, want conformance.Verdict) bool {
	if c.Verdict != conformance.Fail && c.Verdict != conformance.Lax || c.Attempts < 2 {
		return false
	}
	for _, f := range c.Findings {
		if f.Law == law && f.Verdict == want {
			return true
		}
	}
	return false
}

// clears reports whether a case came to a verdict that does not say that the law is broken, not even loosely.
func clears(c conformance.CaseResult, law string) bool {
	switch c.Verdict {
	case conformance.Pass, conformance.Info, conformance.Lax, conformance.Fail:
	default:
		return false
	}
	for _, f := range c.Findings {
		if f.Law == law && (f.Verdict == conformance.Fail || f.Verdict == conformance.Lax) {
			return false
		}
	}
	return true
}

func describe(b corpus.KnownBug, release string, c conformance.CaseResult) string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s: %s after %d attempts %s", b.Library, release, c.Verdict, c.Attempts, c.Reason))
	for _, f := range c.Findings {
		text += fmt.Sprintf("\n    %s %s: expected %s, seen %s", f.Law, f.Verdict, f.Expected, f.Seen)
	}
	return text
}

func TestOnlyTheLawOfTheBugFindsItAgain(t *testing.T) {
	const id = "stomp/client/chunk/a@1.2"
	b := corpus.KnownBug{Name: "cut", Library: "lib", Affected: "1.0", Fixed: "1.1", Cases: []string{id}}
	must, should := spec.Law{ID: "STOMP-FRAME-012", Level: spec.Must}, spec.Law{ID: "STOMP-FRAME-012", Level: spec.Should}
	result := func(v conformance.Verdict, attempts int, law string, f conformance.Verdict) conformance.CaseResult {
		c := conformance.CaseResult{ID: id, Verdict: v, Attempts: attempts, Reason: "why it is " + string(v)}
		if law != "" {
			c.Findings = []conformance.Finding{{Law: law, Verdict: f}}
		}
		return c
	}
	pass := result(conformance.Pass, 1, "", "")
	broken := result(conformance.Fail, 2, must.ID, conformance.Fail)
	loose := result(conformance.Lax, 2, must.ID, conformance.Lax)
	for _, c := range []struct {
		what            string
		law             spec.Law
		affected, fixed conformance.CaseResult
		found           bool
	}{
		{"a MUST is broken and mended", must, broken, pass, true},
		{"a SHOULD is broken and mended", should, loose, pass, true},
		{"the fixed release breaks another law", must, broken, result(conformance.Fail, 2, "STOMP-ESC-001", conformance.Fail), true},
		{"the fixed release shows a choice", must, broken, result(conformance.Info, 1, must.ID, conformance.Info), true},
		{"a MUST is met loosely only", must, loose, pass, false},
		{"another law is broken", must, result(conformance.Fail, 2, "STOMP-ESC-001", conformance.Fail), pass, false},
		{"the verdict was not judged again", must, result(conformance.Fail, 1, must.ID, conformance.Fail), pass, false},
		{"the verdict did not hold", must, result(conformance.Inconclusive, 3, must.ID, conformance.Fail), pass, false},
		{"both releases pass", must, pass, pass, false},
		{"both releases break it", must, broken, broken, false},
		{"the fixed release meets it loosely", must, broken, loose, false},
		{"the fixed release is blocked", must, broken, result(conformance.Blocked, 2, "", ""), false},
		{"the fixed release cannot be asked", must, broken, result(conformance.Unsupported, 1, "", ""), false},
		{"the fixed release was not judged", must, broken, conformance.CaseResult{}, false},
		{"a break of the law is no verdict", spec.Law{ID: must.ID, Level: spec.May}, broken, pass, false},
	} {
		r, err := compare(b, c.law, results{id: c.affected}, results{id: c.fixed})
		if (err == nil) != c.found {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil && !strings.Contains(err.Error(), b.Name) {
			t.Errorf("%s: %v does not name the bug", c.what, err)
		}
		if c.law.Level != spec.May && r.verdicts[0] != [2]conformance.Verdict{c.affected.Verdict, c.fixed.Verdict} {
			t.Errorf("%s: verdicts %v", c.what, r.verdicts)
		}
	}
}
