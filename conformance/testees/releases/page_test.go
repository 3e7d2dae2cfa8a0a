package releases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

// A row is a known bug and the verdicts of its cases, on the affected release and on the fixed one.
type row struct {
	bug      corpus.KnownBug
	level    spec.Level
	verdicts [][2]conformance.Verdict
}

// page tells of the known bugs that the suite has found again.
func page(rows []row) string {
	libraries, laws := map[string]bool{}, map[string]bool{}
	var table, words strings.Builder
	for _, r := range rows {
		b := r.bug
		libraries[b.Library], laws[b.Law] = true, true
		for i, id := range b.Cases {
			name := ""
			if i == 0 {
				name = fmt.Sprintf("%s | %s | %s → %s | %s %s | %s", b.Name, b.Library, b.Affected, b.Fixed, b.Law, r.level, b.Report)
			} else {
				name = " | | | |"
			}
			fmt.Fprintf(&table, "| %s | `%s` | %s | %s |\n", name, strings.TrimPrefix(id, "stomp/client/"), r.verdicts[i][0], r.verdicts[i][1])
		}
		fmt.Fprintf(&words, "- **%s**: %s Right: %s\n", b.Name, b.What, b.Right)
	}
	return fmt.Sprintf(`# Known bugs of client libraries, found again

%d faults of %d libraries that were reported in public and mended later, under %d laws. The cases were run on the last
release that has the fault and on the first that has not: each verdict on the affected release rests on the law of the
row and held when it was judged again; on the fixed release no case blames that law. Written by `+"`make known-bugs`"+`; the data is
corpus/stomp/known-bugs.yaml. A fixed release is fixed for its own row only.

| bug | library | releases | law | report | case | affected | fixed |
|---|---|---|---|---|---|---|---|
%s
## What goes wrong

%s`, len(rows), len(libraries), len(laws), table.String(), words.String())
}

func TestPageTellsBothVerdicts(t *testing.T) {
	b := corpus.KnownBug{
		Name: "cut", Library: "lib", Affected: "1.0", Fixed: "1.1", Law: "STOMP-FRAME-012", Report: "a/b#1", What: "It hangs.", Right: "It does not.",
		Cases: []string{"stomp/client/chunk/a@1.2", "stomp/client/chunk/b"},
	}
	got := page([]row{{b, spec.Must, [][2]conformance.Verdict{{conformance.Fail, conformance.Pass}, {conformance.Lax, conformance.Info}}}})
	for _, line := range []string{
		"1 faults of 1 libraries that were reported in public and mended later, under 1 laws.",
		"| cut | lib | 1.0 → 1.1 | STOMP-FRAME-012 MUST | a/b#1 | `chunk/a@1.2` | fail | pass |\n",
		"|  | | | | | `chunk/b` | lax | info |\n",
		"- **cut**: It hangs. Right: It does not.\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("the page lacks %q:\n%s", line, got)
		}
	}
}
