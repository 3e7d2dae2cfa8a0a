package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

// resultFile is what a run writes into its folder as it goes.
const resultFile = "result.jsonl"

// sweep removes what an earlier run left in its folder, so that nothing there speaks of another run than the result beside it. A
// folder without a result is left alone, and so is every file that no run writes.
func sweep(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, resultFile)); err != nil {
		return nil
	}
	names := []string{resultFile}
	for _, f := range report.Formats() {
		names = append(names, f.File)
	}
	for _, pattern := range []string{"replays/*.json", "badges/*.json"} {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return err
		}
		names = append(names, files...)
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear %s of an earlier run: %w", dir, err)
		}
	}
	for _, folder := range []string{"replays", "badges"} {
		_ = os.Remove(filepath.Join(dir, folder)) // it stays when it holds what no run writes
	}
	return nil
}

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
