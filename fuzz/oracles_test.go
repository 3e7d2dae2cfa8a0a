package fuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/spec"
)

// Every fuzz target of the package and of the one below it has its oracle, and the other way round.
func TestOraclesAreTheTargets(t *testing.T) {
	targets := map[string]bool{}
	var files []string
	for _, pattern := range []string{"*_test.go", "storefuzz/*_test.go"} {
		found, err := fs.Glob(os.DirFS("."), pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				targets[f.Name.Name] = true
			}
		}
	}
	oracles := map[string]bool{}
	for _, o := range Oracles() {
		if oracles[o.Target] {
			t.Errorf("%s has two oracles", o.Target)
		}
		oracles[o.Target] = true
	}
	if !maps.Equal(targets, oracles) {
		t.Errorf("targets %v, oracles %v", slices.Sorted(maps.Keys(targets)), slices.Sorted(maps.Keys(oracles)))
	}
}

// An oracle says what holds, and which laws in force it would see broken, each once.
func TestOraclesNameLaws(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range Oracles() {
		if o.Says == "" || len(o.Laws) == 0 {
			t.Errorf("%s says nothing or decides no law", o.Target)
		}
		for i, id := range o.Laws {
			if law, ok := laws.Law(id); !ok || !law.Active() {
				t.Errorf("%s: %s is not a law in force", o.Target, id)
			}
			if slices.Contains(o.Laws[:i], id) {
				t.Errorf("%s: %s is named twice", o.Target, id)
			}
		}
	}
}
