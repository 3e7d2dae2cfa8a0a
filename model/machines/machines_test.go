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

// TestMachines: each machine has scopes in every version of its protocol and in no other, and each of them can be explored and drawn.
func TestMachines(t *testing.T) {
	for _, m := range machines.All() {
		versions := spec.Versions(m.Protocol)
		if !slices.Contains(versions, m.Version) {
			t.Errorf("%s: version %q is none of %s", m.Name, m.Version, m.Protocol)
		}
		if _, err := m.Scopes("9.9"); err == nil {
			t.Errorf("%s has scopes in version 9.9", m.Name)
		}
		for _, v := range versions {
			scopes, err := m.Scopes(v)
			if err != nil || len(scopes) == 0 {
				t.Fatalf("%s in %s: %d scopes, %v", m.Name, v, len(scopes), err)
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
}

// A machine is explored by name.
func ExampleNamed() {
	m, _ := machines.Named("eventbus-reducer")
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
