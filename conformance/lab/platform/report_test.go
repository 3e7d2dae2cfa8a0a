package platform_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/lab/platform"
)

func sample() *platform.Report {
	find := func(id string, v platform.Verdict, cover, evidence string, trials int) platform.Finding {
		return platform.Finding{
			Assumption: platform.Assumption{
				ID: id, Text: "text of " + id, Rule: "step.go: a rule", Laws: []string{"DATABUS-ROUTE-001"},
				Cover: cover,
			},
			Verdict: v, Evidence: evidence, Trials: trials,
		}
	}
	return &platform.Report{Browser: "Chrome/1", System: "linux/amd64", Findings: []platform.Finding{
		find("a/one", platform.Holds, "Late", "0 of 5", 5),
		find("a/two", platform.Fails, "Late", "3 of 5 | first: <1>", 5),
		find("a/three", platform.Fails, "", "4 of 5", 5),
		find("a/four", platform.Undecided, "", "out of reach: too long", 0),
	}}
}

const sum = "4 assumptions = 1 hold + 2 do not + 1 could not be decided"

func TestReportsTellAll(t *testing.T) {
	for format, want := range map[string][]string{
		"terminal": {
			sum, "✓ │ a/one", "✗ does not hold a/two", "  seen      3 of 5 | first: <1>", "  covered   Late",
			"  covered   by nothing of the machine", "? could not be decided a/four",
		},
		"md": {
			sum, "## Does not hold", "| `a/two` text of a/two | 3 of 5 \\| first: &lt;1> | ROUTE-001 | step.go: a rule | Late |", "## Holds\n",
			"out of reach",
		},
	} {
		var b bytes.Buffer
		if err := sample().Write(&b, format); err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			if !strings.Contains(b.String(), s) {
				t.Errorf("%s lacks %q:\n%s", format, s, b.String())
			}
		}
	}
	var b bytes.Buffer
	if err := sample().Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var back platform.Report
	if err := json.Unmarshal(b.Bytes(),
		&back); err != nil || len(back.Findings) != 4 || back.Count(platform.Fails) != 2 || back.Findings[1].ID != "a/two" {
		t.Errorf("%v: %s", err, b.String())
	}
	if err := sample().Write(&b, "yaml"); err == nil || !strings.Contains(err.Error(), "yaml") {
		t.Errorf("an unknown format is named: %v", err)
	}
}

func TestOnlyFailedMeasurementsAreFaults(t *testing.T) {
	r := sample()
	if r.Faulty() {
		t.Error("what is out of reach is no fault")
	}
	r.Findings[3].Fault = true
	if !r.Faulty() {
		t.Error("a fault is one")
	}
}
