package machines_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machines"
	"github.com/seed-6f28358b/assay/spec"
)

// TestMachines: each machine has scopes in its own version, every version of a protocol has a machine and no other has one, and each scope can be
// explored and drawn.
func TestMachines(t *testing.T) {
	missing := map[string][]string{}
	for _, m := range machines.All() {
		missing[m.Protocol] = versionsOf(m.Protocol)
	}
	for _, m := range machines.All() {
		versions := versionsOf(m.Protocol)
		if !slices.Contains(versions, m.Version) {
			t.Errorf("%s: version %q is none of %s", m.Name, m.Version, m.Protocol)
		}
		if _, err := m.Scopes("9.9"); err == nil {
			t.Errorf("%s has scopes in version 9.9", m.Name)
		}
		for _, v := range versions {
			scopes, err := m.Scopes(v)
			if (err != nil || len(scopes) == 0) && v == m.Version {
				t.Fatalf("%s in %s: %d scopes, %v", m.Name, v, len(scopes), err)
			}
			if err == nil {
				missing[m.Protocol] = slices.DeleteFunc(missing[m.Protocol], func(had string) bool { return had == v })
			}
			for _, sc := range scopes {
				found, err := sc.Explore(t.Context(), model.Bounds{Depth: 2}, nil)
				if err != nil || found.Counterexample != "" || found.States < 2 || len(sc.Laws) == 0 {
					t.Errorf("%s in %s, %s: %v, %v", m.Name, v, sc.Name, found, err)
				}
				for _, mermaid := range []bool{false, true} {
					if err := sc.Draw(t.Context(), io.Discard, model.Bounds{Depth: 1}, mermaid); err != nil {
						t.Errorf("%s in %s, %s: %v", m.Name, v, sc.Name, err)
					}
				}
			}
		}
	}
	for protocol, versions := range missing {
		for _, v := range versions {
			t.Errorf("%s in %q has no machine", protocol, v)
		}
	}
}

// versionsOf returns the versions of a protocol, which is the empty one alone where it has none.
func versionsOf(protocol string) []string {
	if versions := spec.Versions(protocol); len(versions) > 0 {
		return versions
	}
	return []string{""}
}

// TestLiveness: a machine that says what comes to be in the end is asked for it once it is explored to its end.
func TestLiveness(t *testing.T) {
	m := machines.Named("substrate-journal")[0]
	scopes, err := m.Scopes("")
	if err != nil {
		t.Fatal(err)
	}
	sc := scopes[0]
	if found, err := sc.Explore(t.Context(), model.Bounds{}, nil); err != nil || !found.Complete || !found.Live || sc.LiveLaw == "" || sc.LiveTitle == "" {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := sc.Explore(t.Context(), model.Bounds{Depth: 3}, nil); err != nil || found.Complete || found.Live {
		t.Errorf("%+v, %v", found, err)
	}
}

// A machine is explored by name.
func ExampleNamed() {
	m := machines.Named("eventbus-reducer")[0]
	scopes, err := m.Scopes("later")
	if err != nil {
		panic(err)
	}
	for _, sc := range scopes {
		found, err := sc.Explore(context.Background(), model.Bounds{}, nil)
		fmt.Println(sc.Name, found.Complete, found.States, err)
	}
	// Output: small true 1080 <nil>
}
