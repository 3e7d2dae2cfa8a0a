package main

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// resultFile is what a run writes into its folder as it goes.
const resultFile = "result.jsonl"

// written lists the files of a report for a person: each of the folder's own, and one word for each folder below it.
func written(dir string, files []string) string {
	var out []string
	below := map[string]int{}
	for _, file := range files {
		rel, err := filepath.Rel(dir, file)
		folder := path.Dir(filepath.ToSlash(rel))
		if err != nil || folder == "." {
			out = append(out, file)
			continue
		}
		if below[folder]++; below[folder] == 1 {
			out = append(out, folder)
		}
	}
	for i, name := range out {
		if n := below[name]; n > 0 {
			out[i] = fmt.Sprintf("%s (%d files)", filepath.Join(dir, name)+string(filepath.Separator), n)
		}
	}
	return strings.Join(out, ", ")
}

// nothingJudged returns what stands for a whole report when the probe of the target failed: a table of what was blocked says
// nothing more. It is empty for every other run.
func nothingJudged(res *conformance.Result) string {
	counts := res.Footer.Counts
	if res.Footer.Stopped == "" || counts[conformance.Inconclusive] != 1 ||
		counts[conformance.Inconclusive]+counts[conformance.Blocked]+counts[conformance.NotRun] != res.Footer.Total ||
		!slices.ContainsFunc(res.Cases, func(c conformance.CaseResult) bool {
			return c.Verdict == conformance.Inconclusive && c.Reason == res.Footer.Stopped
		}) {
		return ""
	}
	var parts []string
	for _, v := range conformance.Verdicts() {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("nothing was judged of %s: %s\n%d cases = %s", res.Header.Target, res.Footer.Stopped, res.Footer.Total, strings.Join(parts, " + "))
}
