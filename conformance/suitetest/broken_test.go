package suitetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// Of a broken target its law must be found broken or, where none is named, something in every case that ran.
func TestBrokenIsFound(t *testing.T) {
	result := func(verdicts ...conformance.Verdict) *conformance.Result {
		res := &conformance.Result{Footer: conformance.Footer{Counts: conformance.Counts{}}}
		for _, v := range verdicts {
			res.Cases = append(res.Cases, conformance.CaseResult{Verdict: v, Findings: []conformance.Finding{{Law: "A"}}})
			res.Footer.Counts[v]++
			res.Footer.Total++
		}
		return res
	}
	const (
		pass, fail, lax, doubt, notRun = conformance.Pass, conformance.Fail, conformance.Lax, conformance.Inconclusive, conformance.NotRun
	)
	for _, c := range []struct {
		law  string
		res  *conformance.Result
		want bool
	}{
		{"A", result(pass, fail), true},
		{"A", result(pass, lax, notRun), true},
		{"A", result(pass, doubt), false},
		{"B", result(fail), false},
		{"", result(fail, lax, notRun), true},
		{"", result(fail, pass), false},
		{"", result(fail, doubt), false},
		{"", result(notRun), false},
	} {
		if got := (Broken{Law: c.law}).found(c.res, redOf(c.res)); got != c.want {
			t.Errorf("law %q, %v: %v, want %v", c.law, c.res.Footer.Counts, got, c.want)
		}
	}
}

func TestTold(t *testing.T) {
	got := Told(conformance.CaseResult{
		Verdict: conformance.Fail, Reason: "it broke", Findings: []conformance.Finding{{Law: "A", Level: "MUST", Step: 2, Reason: "it holds", Seen: "x"}},
		Transcript: []conformance.Record{{Conn: "a", Dir: ">", Text: "SEND"}},
	})
	if want := "fail: it broke\nA (MUST), step 2: it holds\n  seen     x\n  a > SEND"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
