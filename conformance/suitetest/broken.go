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

// GoesRed judges broken targets, so many at once, each of which must be found out: a case fails or, of a SHOULD, is lax. Each case of
// every must be red for one of them, or it could not fail at all. Most of what a judge does with a broken target is to wait for what
// never comes: more at once than there are processors take less time.
func GoesRed(t *testing.T, atOnce int, all []Broken, every []conformance.Case) {
	t.Helper()
	type outcome struct {
		res *conformance.Result
		err error
	}
	var (
		wg       sync.WaitGroup
		outcomes = make([]outcome, len(all))
		slots    = make(chan struct{}, atOnce)
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
		red := redOf(outcomes[i].res)
		for _, c := range red {
			id, _, _ := strings.Cut(c.ID, "@")
			reached[id] = true
		}
		t.Run(b.Name, func(t *testing.T) {
			if outcomes[i].err != nil {
				t.Fatal(outcomes[i].err)
			}
			t.Logf("%d cases are red, in %.0f ms", len(red), outcomes[i].res.Footer.Millis)
			if b.found(outcomes[i].res, red) {
				return
			}
			t.Errorf("what should be red for %s is not: %v", b.Law, outcomes[i].res.Footer.Counts)
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

// redOf returns the cases that found something broken; none of no result.
func redOf(res *conformance.Result) (red []conformance.CaseResult) {
	if res == nil {
		return nil
	}
	for _, c := range res.Cases {
		if c.Verdict == conformance.Fail || c.Verdict == conformance.Lax {
			red = append(red, c)
		}
	}
	return red
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
