package releases

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
	"github.com/seed-6f28358b/assay/corpus"
)

func knownBugs(t *testing.T) []corpus.KnownBug {
	t.Helper()
	bugs, err := corpus.KnownBugs()
	if err != nil {
		t.Fatal(err)
	}
	return bugs
}

func TestCasesOfKnownBugsCanShowThem(t *testing.T) {
	cites := map[string][]string{}
	for _, in := range conformance.Instances(stomptest.Client().Cases) {
		cites[in.ID()] = in.Case.Laws
	}
	for _, b := range knownBugs(t) {
		for _, id := range b.Cases {
			if laws, ok := cites[id]; !ok || !slices.Contains(laws, b.Law) {
				t.Errorf("%s: case %s is not in the suite or does not cite %s", b.Name, id, b.Law)
			}
		}
	}
}

func TestTesteesOfKnownBugsAreHere(t *testing.T) {
	for _, b := range knownBugs(t) {
		if _, err := os.Stat(b.Testee); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
}

func TestInstallerHasTheReleasesOfTheKnownBugs(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.CommandContext(t.Context(), bash, "install.sh", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	releases := map[string]bool{}
	for _, b := range knownBugs(t) {
		releases[b.Library+" "+b.Affected], releases[b.Library+" "+b.Fixed] = true, true
	}
	got := slices.Sorted(strings.SplitSeq(strings.TrimSpace(string(out)), "\n"))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(releases)), got); diff != "" {
		t.Errorf("releases of the known bugs and what install.sh lists (-want +got):\n%s", diff)
	}
}
