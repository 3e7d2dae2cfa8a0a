package main

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

var (
	soakRuns    = flag.Int("soak", 0, "how many runs in a row TestLabSoak compares; 0 skips it")
	soakTargets = flag.String("soak-targets", "rabbitmq:tcp,activemq-classic:tcp", "what TestLabSoak judges, as in assay lab test")
)

// A suite that is worth something says the same of the same software each time.
func TestLabSoak(t *testing.T) {
	if *soakRuns < 2 {
		t.Skip("it takes minutes a run and real software: make soak")
	}
	for _, target := range strings.Split(*soakTargets, ",") {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(target, ":")
			var first map[string]conformance.Verdict
			for n := range *soakRuns {
				out := filepath.Join(labOut, "soak", fmt.Sprintf("%s-%d", name, n+1))
				judged(t, []string{"lab", "test", target, "--out", out, "--baselines", "../../conformance/lab/baselines"})
				res, err := conformance.ReadResultFile(filepath.Join(out, name, "result.jsonl"))
				if err != nil {
					t.Fatalf("run %d is not whole: %v", n+1, err)
				}
				verdicts := map[string]conformance.Verdict{}
				for _, c := range res.Cases {
					verdicts[c.ID] = c.Verdict
				}
				if first == nil {
					first = verdicts
				}
				for _, line := range differences(first, verdicts) {
					t.Errorf("run %d: %s", n+1, line)
				}
			}
		})
	}
}

// differences says which verdicts of a run are not those of the first one.
func differences(first, now map[string]conformance.Verdict) (lines []string) {
	all := maps.Clone(first)
	maps.Copy(all, now)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if first[id] != now[id] {
			lines = append(lines, fmt.Sprintf("%s: %q, at first %q", id, now[id], first[id]))
		}
	}
	return lines
}

func TestDifferencesOfRuns(t *testing.T) {
	got := differences(
		map[string]conformance.Verdict{"a": conformance.Pass, "b": conformance.Fail, "c": conformance.Info},
		map[string]conformance.Verdict{"a": conformance.Pass, "b": conformance.Pass, "d": conformance.Lax},
	)
	want := []string{`b: "pass", at first "fail"`, `c: "", at first "info"`, `d: "lax", at first ""`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
