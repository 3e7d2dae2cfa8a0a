package machinetest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/spec"
)

// Laws holds the list of laws of a package of machines to what is there. Each law listed is in force, and is cited both by the code of the package in dir
// and by its tests, whose tables are files of dir besides. And the laws of the package's machines, that is of their invariants, are listed.
func Laws(t *testing.T, dir fs.FS, listed []model.Embodied, machines []string, tables ...string) {
	t.Helper()
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	code, tests := sources(t, dir, tables)
	var seen []string
	for _, e := range listed {
		if slices.Contains(seen, e.Law) || e.Where == "" {
			t.Errorf("%s is listed twice, or without a place", e.Law)
		}
		seen = append(seen, e.Law)
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
	for _, law := range machines {
		if !slices.Contains(seen, law) {
			t.Errorf("%s has an invariant and is not listed", law)
		}
	}
}

// sources returns the text of the files of a package and that of its tests with their tables, without the list of laws and its test.
func sources(t *testing.T, dir fs.FS, tables []string) (code, tests string) {
	t.Helper()
	files, err := fs.Glob(dir, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, tables...) {
		text, err := fs.ReadFile(dir, name)
		switch {
		case err != nil:
			t.Fatal(err)
		case name == "laws.go" || name == "laws_test.go":
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			code += string(text)
		default:
			tests += string(text)
		}
	}
	return code, tests
}
