package machinetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

// A Fault is a bug that a test seeds into a machine, the scope in which it shows, and the one invariant that must see it.
type Fault[C any, B ~uint8] struct {
	Bug    B
	Config C
	// Law and Title name the invariant: its law, and a part of its title that no other invariant of that law has. Both are empty for a fault that only what
	// comes to be in the end shows, which model.Live finds.
	Law, Title string
	// Steps is the length of the shortest counterexample.
	Steps int
}

// Seed returns a Fault: a row of a table.
func Seed[C any, B ~uint8](bug B, config C, law, title string, steps int) Fault[C, B] {
	return Fault[C, B]{bug, config, law, title, steps}
}

// Stuck returns a Fault that breaks the liveness of a machine, which is a model.Lively.
func Stuck[C any, B ~uint8](bug B, config C, steps int) Fault[C, B] {
	return Fault[C, B]{Bug: bug, Config: config, Steps: steps}
}

// Faults shows that every invariant of a machine can fail, and that every bug from 1 below count is seen. For each fault, its invariant alone finds a
// counterexample of so many steps in the machine that build makes with the bug, and none is found by all of them in the one without, which is bug 0. The
// latter is explored as far as sound says. The liveness of a machine that is a model.Lively counts as one more invariant.
func Faults[C any, B ~uint8, M model.Checked[S, A, O], S, A, O any](t *testing.T, sound model.Bounds, count B, build func(C, B) M, faults []Fault[C, B]) {
	t.Helper()
	var zero C
	all := checksOf(build(zero, 0))
	seeded, caught, held := make([]bool, count), make([]bool, len(all)), map[string]bool{}
	_, lively := any(build(zero, 0)).(model.Lively[S, A, O])
	stuck := false
	for _, f := range faults {
		seeded[f.Bug] = true
		if f.Law == "" {
			stuck = true
			t.Run(fmt.Sprintf("%d liveness", f.Bug), func(t *testing.T) {
				t.Parallel()
				stuckIn(t, f.Steps, any(build(f.Config, 0)), any(build(f.Config, f.Bug)).(model.Lively[S, A, O]), sound)
			})
			continue
		}
		var rest []check[S, A, O]
		for i, c := range checksOf(build(f.Config, f.Bug)) {
			if c.law == f.Law && strings.Contains(c.title, f.Title) {
				caught[i] = true
				rest = append(rest, c)
			}
		}
		// Many faults share a scope, which holds without them once and for all.
		scope := fmt.Sprintf("%+v", f.Config)
		known := held[scope]
		held[scope] = true
		t.Run(fmt.Sprintf("%d %s %s", f.Bug, f.Law, f.Title), func(t *testing.T) {
			t.Parallel()
			if m := build(f.Config, 0); !known {
				if r := exhaust(t, m, sound, checksOf(m)); r.Counterexample != nil {
					t.Fatalf("without the fault: %v", r)
				}
			}
			if len(rest) != 1 {
				t.Fatalf("%d invariants match, want one", len(rest))
			}
			r := exhaust(t, build(f.Config, f.Bug), model.Bounds{Depth: f.Steps}, rest)
			if r.Counterexample == nil {
				t.Fatalf("the fault was not found: %v", r)
			}
			if n := len(r.Counterexample.Trace); n != f.Steps {
				t.Errorf("want %d steps, found %d:\n%v", f.Steps, n, r.Counterexample)
			}
		})
	}
	for bug, yes := range seeded {
		if bug > 0 && !yes {
			t.Errorf("bug %d is seeded nowhere", bug)
		}
	}
	if lively && !stuck {
		t.Error("no fault is seeded for the liveness")
	}
	for i, yes := range caught {
		if !yes {
			t.Errorf("no fault is seeded for %s: %s", all[i].law, all[i].title)
		}
	}
}

// stuckIn shows that the faulty machine comes to where fair steps lead to no goal, and the sound one does not as far as the bounds say.
func stuckIn[S, A, O any](t *testing.T, steps int, sound any, faulty model.Lively[S, A, O], b model.Bounds) {
	t.Helper()
	if m := sound.(model.Lively[S, A, O]); live(t, m, b).Counterexample != nil {
		t.Fatalf("without the fault: %v", live(t, m, b))
	}
	r := live(t, faulty, model.Bounds{})
	if r.Counterexample == nil {
		t.Fatalf("the fault was not found: %v", r)
	}
	if n := len(r.Counterexample.Trace); n != steps {
		t.Errorf("want %d steps, found %d:\n%v", steps, n, r.Counterexample)
	}
}

func live[S, A, O any](t *testing.T, m model.Lively[S, A, O], b model.Bounds) model.Result[S, A, O] {
	t.Helper()
	r, err := model.Live(t.Context(), m, m.Liveness(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A check is an invariant of either kind.
type check[S, A, O any] struct {
	law, title string
	state      *model.Invariant[S]
	edge       *model.EdgeInvariant[S, A, O]
}

// checksOf returns the invariants of m in order, those of states first.
func checksOf[S, A, O any](m model.Checked[S, A, O]) []check[S, A, O] {
	var out []check[S, A, O]
	for _, inv := range m.Invariants() {
		out = append(out, check[S, A, O]{inv.Law, inv.Title, &inv, nil})
	}
	for _, inv := range m.EdgeInvariants() {
		out = append(out, check[S, A, O]{inv.Law, inv.Title, nil, &inv})
	}
	return out
}

// exhaust explores m and looks at the invariants given.
func exhaust[S, A, O any](t *testing.T, m model.Machine[S, A, O], b model.Bounds, checks []check[S, A, O]) model.Result[S, A, O] {
	t.Helper()
	cfg := model.ExhaustConfig[S, A, O]{Bounds: b}
	for _, c := range checks {
		if c.state != nil {
			cfg.Invariants = append(cfg.Invariants, *c.state)
		} else {
			cfg.EdgeInvariants = append(cfg.EdgeInvariants, *c.edge)
		}
	}
	r, err := model.Exhaust(t.Context(), m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
