package eventbustest

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// judge runs a suite and makes a subtest of each case that was selected.
func judge(t *testing.T, suite *conformance.Suite, cfg conformance.Config) {
	t.Helper()
	res, err := conformance.Run(t.Context(), suite, cfg)
	if err != nil {
		t.Fatal(err)
	}
	known := excused(cfg.Baseline, res.Footer.Baseline)
	if delta := res.Footer.Baseline; delta != nil {
		for _, id := range delta.Fixed {
			t.Errorf("baseline: %s no longer deviates: its entry is stale", id)
		}
	}
	for _, c := range res.Cases {
		if c.Verdict == conformance.NotRun {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			switch {
			case c.Verdict == conformance.Unsupported:
				t.Skip(c.Reason)
			case c.Verdict == conformance.Pass:
			case c.Verdict == conformance.Lax || c.Verdict == conformance.Info || slices.Contains(known, c.ID):
				t.Log(told(c))
			default:
				t.Error(told(c))
			}
		})
	}
}

// excused returns the cases whose deviation is as the baseline lists it.
func excused(baseline *conformance.Baseline, delta *conformance.BaselineDelta) (ids []string) {
	if baseline == nil {
		return nil
	}
	for _, e := range baseline.Entries {
		if !slices.Contains(delta.Changed, e.Case) && !slices.Contains(delta.Expired, e.Case) {
			ids = append(ids, e.Case)
		}
	}
	return ids
}

// told tells a result in a way that stands alone in a log.
func told(c conformance.CaseResult) string {
	var out strings.Builder
	out.WriteString(string(c.Verdict) + ": " + c.Reason)
	for _, f := range c.Findings {
		out.WriteString("\n" + f.Law + " (" + f.Level + "): " + f.Reason + "\n  expected " + f.Expected + "\n  seen     " + f.Seen)
	}
	for _, r := range c.Transcript {
		out.WriteString("\n  " + r.Dir + " " + r.Text)
	}
	return out.String()
}
