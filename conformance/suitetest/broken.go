package suitetest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// A Broken is a target that breaks a law on purpose.
type Broken struct {
	Name   string
	Law    string             // that a case must find broken; empty: every case that runs must find something broken
	Only   []string           // the cases to run, as in Options; empty: those that cite the law
	Config conformance.Config // but for the selection
	Suite  *conformance.Suite
}

// brokenAtOnce is how many broken targets are judged at a time. Most of what a judge does with one is to wait for what never comes.
const brokenAtOnce = 8

// GoesRed judges broken targets, each of which must be found out: a case fails or, of a SHOULD, is lax. Each case of every must be
// red for one of them, or it could not fail at all.
func GoesRed(t *testing.T, all []Broken, every []conformance.Case) {
	t.Helper()
	type outcome struct {
		res *conformance.Result
		err error
	}
	var (
		wg       sync.WaitGroup
		outcomes = make([]outcome, len(all))
		slots    = make(chan struct{}, brokenAtOnce)
	)
	for i, b := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			b.Config.Selection.Only = b.Only
			if len(b.Only) == 0 {
				b.Config.Selection.Only = []string{b.Law}
			}
			outcomes[i].res, outcomes[i].err = conformance.Run(t.Context(), b.Suite, b.Config)
		})
	}
	wg.Wait()
	reached := map[string]bool{}
	for i, b := range all {
		var red []conformance.CaseResult
		if outcomes[i].res != nil {
			red = slices.DeleteFunc(slices.Clone(outcomes[i].res.Cases), func(c conformance.CaseResult) bool {
				return c.Verdict != conformance.Fail && c.Verdict != conformance.Lax
			})
		}
		for _, c := range red {
			id, _, _ := strings.Cut(c.ID, "@")
			reached[id] = true
		}
		t.Run(b.Name, func(t *testing.T) {
			if outcomes[i].err != nil {
				t.Fatal(outcomes[i].err)
			}
			if b.found(outcomes[i].res, red) {
				return
			}
			t.Errorf("red are %d cases, and not all that should be; broken is %s", len(red), b.Law)
			for _, c := range outcomes[i].res.Cases {
				if c.Verdict != conformance.NotRun {
					t.Logf("%s is %s", c.ID, Told(c))
				}
			}
		})
	}
	for _, c := range every {
		if !reached[c.ID] {
			t.Errorf("no broken target turns %s red", c.ID)
		}
	}
}

// found reports whether the red cases are as b says.
func (b Broken) found(res *conformance.Result, red []conformance.CaseResult) bool {
	if b.Law == "" {
		return len(red) > 0 && len(red) == res.Footer.Total-res.Footer.Counts[conformance.NotRun]
	}
	return slices.ContainsFunc(red, func(c conformance.CaseResult) bool {
		return slices.ContainsFunc(c.Findings, func(f conformance.Finding) bool { return f.Law == b.Law })
	})
}
