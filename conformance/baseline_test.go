package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func deviating(id string, v Verdict) CaseResult {
	c := CaseResult{ID: id, Verdict: v, Reason: "seen"}
	if v == Fail || v == Lax {
		c.Findings = []Finding{{Law: "STOMP-FRAME-001", Verdict: v, Reason: "it must hold"}}
	}
	return c
}

func listed(c CaseResult, reason string) BaselineEntry {
	return BaselineEntry{Case: c.ID, Verdict: c.Verdict, Fingerprint: c.Fingerprint(), Reason: reason, Link: "STOMP-FRAME-001"}
}

// What a baseline excuses is named with its reason, so that every form can tell it from what is new.
func TestKnownDeviationsAreNamed(t *testing.T) {
	known, lax, other := deviating("a/known@1.2", Fail), deviating("a/lax@1.2", Lax), deviating("a/new@1.2", Fail)
	b := &Baseline{Entries: []BaselineEntry{listed(lax, "tolerated"), listed(known, "reported upstream")}}
	d := b.Compare([]CaseResult{lax, known, other, deviating("a/pass", Pass)}, time.Now(), false)
	want := &BaselineDelta{
		New: []string{"a/new@1.2"}, Known: 2,
		Excused: []Excuse{{"a/known@1.2", "reported upstream", "STOMP-FRAME-001"}, {"a/lax@1.2", "tolerated", "STOMP-FRAME-001"}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
}

// A case that was not judged because the run had ended is neither new nor changed; what was proven before the end counts.
func TestWhatEarlyEndLeftOpenIsNotCompared(t *testing.T) {
	known := deviating("a/known", Fail)
	b := &Baseline{Entries: []BaselineEntry{listed(known, "reported"), listed(deviating("a/doubt", Inconclusive), "slow"), listed(deviating("a/fixed", Fail), "old")}}
	cases := []CaseResult{
		known, deviating("a/proven", Fail), deviating("a/fixed", Pass), deviating("a/doubt", Blocked), deviating("a/open", Inconclusive),
		deviating("a/blocked", Blocked),
	}
	want := &BaselineDelta{
		New: []string{"a/proven"}, Fixed: []string{"a/fixed"}, Known: 1, Unjudged: 3,
		Excused: []Excuse{{"a/known", "reported", "STOMP-FRAME-001"}},
	}
	if diff := cmp.Diff(want, b.Compare(cases, time.Now(), true)); diff != "" {
		t.Errorf("a run that ended early (-want +got):\n%s", diff)
	}
	whole := b.Compare(cases, time.Now(), false)
	if whole.Unjudged != 0 || len(whole.New) != 3 || len(whole.Changed) != 1 {
		t.Errorf("in a whole run every doubt counts: %+v", whole)
	}
}

// A run that ended early is inconclusive whatever its baseline says, unless it proved a break before.
func TestEarlyEndOutweighsBaseline(t *testing.T) {
	silent := scripted(Case{ID: "stomp/server/a/x", Laws: []string{"STOMP-FRAME-001"}, Run: func(ctx context.Context, t *T) {}}, Case{ID: "stomp/server/a/y", Laws: []string{"STOMP-FRAME-001"}, Run: func(ctx context.Context, t *T) {}})
	silent.Probe = func(ctx context.Context, t *T) Capabilities {
		t.Inconclusive("connection refused")
		return Capabilities{}
	}
	res, err := Run(t.Context(), silent, Config{Target: Target{Spec: "ref", Scheme: "ref"}, Baseline: &Baseline{Entries: []BaselineEntry{{Case: "stomp/server/a/gone", Verdict: Fail, Reason: "r"}}}})
	if err != nil {
		t.Fatal(err)
	}
	b := res.Footer.Baseline
	if res.Footer.Exit != ExitInconclusive || len(b.New)+len(b.Changed) > 0 || b.Unjudged != 2 {
		t.Errorf("exit %d, stopped %q, baseline %+v: want exit 2 and nothing new", res.Footer.Exit, res.Footer.Stopped, b)
	}
}
