package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

// excused is a run of which the baseline knows every fail but, if asked, one.
func excused(withNew bool) *conformance.Result {
	r := allOf("Alpha", conformance.Fail)
	r.Cases = append(r.Cases, plainCase("frame/other@1.2", conformance.Pass, "DEMO-FRAME-002"))
	b := &conformance.BaselineDelta{}
	for i, c := range r.Cases {
		switch {
		case c.Verdict != conformance.Fail:
		case withNew && strings.Contains(c.ID, "cumulative"):
			b.New = append(b.New, c.ID)
		default:
			b.Known++
			b.Excused = append(b.Excused, conformance.Excuse{Case: r.Cases[i].ID, Reason: "reported upstream"})
		}
	}
	r = result(r.Header, r.Cases...)
	r.Footer.Baseline, r.Footer.Exit = b, b.Exit()
	return r
}

// What a baseline knows turns no CI system red, and says that and why it is known; what is new does.
func TestKnownDeviationsAreNotRed(t *testing.T) {
	for _, withNew := range []bool{false, true} {
		r := excused(withNew)
		fresh := len(r.Footer.Baseline.New)
		var suites junit.Testsuites
		if err := xml.Unmarshal([]byte(write(t, "junit", r)), &suites); err != nil {
			t.Fatal(err)
		}
		if suites.Failures != fresh || suites.Skipped != 3-fresh || suites.Errors != 0 {
			t.Errorf("%d new: JUnit has %d failures, %d errors, %d skipped", fresh, suites.Failures, suites.Errors, suites.Skipped)
		}
		for _, c := range suites.Suites[0].Testcases {
			if c.Skipped != nil && !strings.Contains(c.Skipped.Message, "listed in the baseline: reported upstream") {
				t.Errorf("%s is skipped because of %q", c.Name, c.Skipped.Message)
			}
		}
		log, err := sarif.FromString(write(t, "sarif", r))
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Validate(); err != nil {
			t.Error(err)
		}
		for _, res := range log.Runs[0].Results {
			state := ""
			if res.BaselineState != nil {
				state = *res.BaselineState
			}
			isNew := strings.Contains(*res.Message.Text, "ack/cumulative") && withNew
			if isNew != (state == "new") || isNew == (len(res.Suppressions) == 1) {
				t.Errorf("SARIF: state %q, %d suppressions of %s", state, len(res.Suppressions), *res.Message.Text)
			}
			if !isNew && (*res.Suppressions[0].Kind != "external" || !strings.Contains(*res.Suppressions[0].Justification, "reported upstream")) {
				t.Errorf("SARIF: suppression %+v", res.Suppressions[0])
			}
		}
		var badge struct{ Message, Color string }
		if err := json.Unmarshal([]byte(write(t, "badge", r)), &badge); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{false: "yellow", true: "red"}[withNew]; badge.Color != want {
			t.Errorf("%d new: badge %+v, want %s", fresh, badge, want)
		}
		out := write(t, "terminal", r)
		if n := strings.Count(out, "known       listed in the baseline: reported upstream"); n != 3-fresh {
			t.Errorf("%d boxes of %d tell that the deviation is known", n, 3-fresh)
		}
		if first, known := strings.Index(out, "case        demo/server/ack/cumulative"), strings.Index(out, "│ known"); withNew && first > known {
			t.Error("what is known stands before what is new")
		}
		for _, name := range []string{"md", "html"} {
			if !strings.Contains(write(t, name, r), "reported upstream") {
				t.Errorf("%s does not tell that a deviation is known", name)
			}
		}
	}
}

// A result that counts its known deviations without naming them is read as what it says, where that is certain.
func TestUnnamedKnownDeviations(t *testing.T) {
	r := excused(true)
	r.Footer.Baseline.Excused = nil
	m := report.Join(nil, r)
	known := 0
	for _, c := range m.Targets[0].Cases {
		if c.Excuse != nil {
			known++
		}
	}
	if known != 2 {
		t.Errorf("%d cases are excused, the result counts 2", known)
	}
	r.Footer.Baseline.Known = 1
	for _, c := range report.Join(nil, r).Targets[0].Cases {
		if c.Excuse != nil {
			t.Errorf("%s is excused although nobody knows which is meant", c.ID)
		}
	}
}

// A case is excused only if the baseline of every run that saw it deviate excuses it.
func TestJoinedExcuses(t *testing.T) {
	for want, other := range map[bool]*conformance.Result{true: excused(false), false: allOf("Alpha", conformance.Fail)} {
		for _, c := range report.Join(nil, excused(false), other).Targets[0].Cases {
			if c.Verdict == conformance.Fail && (c.Excuse != nil) != want {
				t.Errorf("%s: excused %v, want %v", c.ID, c.Excuse != nil, want)
			}
		}
	}
}

// Lists of a baseline are bounded, and what was not compared is told, so that the cause of an early end is not lost.
func TestBaselineListsAreBounded(t *testing.T) {
	r := allOf("Alpha", conformance.Blocked)
	d := &conformance.BaselineDelta{Unjudged: 3}
	for i := range 300 {
		d.New = append(d.New, fmt.Sprintf("demo/server/new/%03d", i))
	}
	r.Footer.Baseline, r.Footer.Stopped, r.Footer.Exit = d, "target no longer answers", conformance.ExitInconclusive
	out := write(t, "terminal", r)
	if n := strings.Count(out, "demo/server/new/"); n > 20 {
		t.Errorf("%d entries are listed", n)
	}
	for _, part := range []string{"… and 280 more", "3 cases not compared: the run ended before they were decided", "exit 2: the run ended early"} {
		if !strings.Contains(out, part) {
			t.Errorf("the end lacks %q:\n%s", part, out)
		}
	}
}
