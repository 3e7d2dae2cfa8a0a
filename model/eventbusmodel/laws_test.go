package eventbusmodel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/spec"
)

// sources returns the text of the package's files: those of tests with their tables, or the others.
func sources(t *testing.T, tests bool) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	if tests {
		files = append(files, "testdata/bus.txt")
	}
	var out strings.Builder
	for _, name := range files {
		if name == "laws.go" || name == "laws_test.go" || tests == (strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// TestLawsAreEnforcedAndTested: each law listed is in force, is cited where it is enforced, and by a test.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	code, tests := sources(t, false), sources(t, true)
	listed := make(map[string]bool)
	for _, e := range Laws() {
		if listed[e.Law] || e.Where == "" {
			t.Errorf("%s is listed twice, or without a place", e.Law)
		}
		listed[e.Law] = true
		if law, ok := catalogue.Law(e.Law); !ok || !law.Active() {
			t.Errorf("%s is not a law in force", e.Law)
		}
		if !strings.Contains(code, e.Law) {
			t.Errorf("%s is cited by no code", e.Law)
		}
		if !strings.Contains(tests, e.Law) {
			t.Errorf("%s is cited by no test", e.Law)
		}
	}
	for _, inv := range mustReducer(t, ReducerConfig{}).Invariants() {
		if !listed[inv.Law] {
			t.Errorf("%s has an invariant and is not listed", inv.Law)
		}
	}
}

// TestBusLawsAreTheirs: a law of the bus is listed if and only if the machine can state it. What is missing needs more than one machine can see: input that
// carries its own id, the token itself, calls that throw, two buses, or true concurrency.
func TestBusLawsAreTheirs(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{
		"EVENTBUS-ID-006": true, "EVENTBUS-ID-007": true, "EVENTBUS-RING-007": true, "EVENTBUS-PUBLISH-003": true, "EVENTBUS-REPLAY-005": true,
		"EVENTBUS-CONCURRENCY-002": true,
	}
	listed := make(map[string]bool)
	for _, e := range Laws() {
		listed[e.Law] = true
	}
	for _, law := range catalogue.Laws("eventbus") {
		if role := string(law.Role); (role == "bus" || role == "reducer") && law.Active() && listed[law.ID] == missing[law.ID] {
			t.Errorf("%s: listed %t, expected to be missing %t", law.ID, listed[law.ID], missing[law.ID])
		}
	}
}
