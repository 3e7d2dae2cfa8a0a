package databusmodel

import (
	"flag"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

var whole = flag.Bool("whole", false, "explore the largest scopes as well")

// explored are the scopes with the numbers of states and edges that each has: a count that moves means that the machine allows more or
// less.
var explored = []struct {
	scope                       string
	states, edges               int64 // of the documented version; 0: it is not explored there
	fencedStates, fencedEdges   int64
	servedWithin, cleanedWithin int // the worst case in seconds in both, where the scope watches
}{
	{"leave", 337, 862, 337, 862, 0, 0},
	{"leave two", 282, 706, 282, 706, 0, 0},
	{"handoff", 3800, 15117, 3800, 15117, 0, 0},
	{"return", 921, 2092, 921, 2092, 0, 0},
	{"lossy close", 1055, 2889, 1055, 2889, 0, 0},
	{"freeze", 1371, 3335, 1371, 3335, 0, 0},
	{"stall", 51031, 232432, 36108, 145220, 0, 0},
	{"leave in two", 1315, 5032, 1315, 5032, 0, 0},
	{"leaves in two", 6033, 24082, 6033, 24082, 0, 0},
	{"stall in two", 86325, 373631, 54940, 217821, 0, 0},
	{"crash", 214, 244, 214, 244, 12, 0},
	{"crash 1", 221, 244, 221, 244, 13, 0},
	{"crash 2", 198, 220, 198, 220, 11, 0},
	{"orphan", 201, 231, 201, 231, 0, 12},
	{"dead target", 441, 961, 441, 961, 12, 0},
	{"loss", 7377, 34910, 7377, 34910, 6, 0},
	{"one id", 404, 1005, 434, 1062, 0, 0},
	{"refusal", 455, 1011, 373, 820, 0, 0},
	{"cleanup", 1643, 3570, 3367, 9092, 0, 0},
	{"visibility", 3451, 10740, 3451, 10740, 0, 0},
	{"users", 13678, 35506, 12699, 33667, 0, 0},
	{"users of a third", 20478, 95627, 19314, 90738, 0, 0},
	{"users and loss", 3322, 9860, 3135, 9524, 0, 0},
	{"users and hiding", 982, 2596, 945, 2543, 0, 0},
	{"late flush", 62768, 147809, 16327, 38202, 0, 0},
	{"late flush of two", 624835, 1401208, 162059, 367424, 0, 0},
	{"refused user", 0, 0, 18547, 56402, 0, 0},
	{"refused retry", 0, 0, 201428, 940228, 0, 0},
	{"both freeze", 0, 0, 82585, 234426, 0, 0},
	{"hide and lose", 0, 0, 5820, 27292, 0, 0},
	{"hide and crash", 0, 0, 6472, 24953, 0, 0},
	{"late flush and hiding", 0, 0, 3016, 6356, 0, 0},
	{"lag", 0, 0, 45581, 154886, 0, 0},
	{"lag and loss", 0, 0, 10819, 38331, 0, 0},
	{"lag and late flush", 0, 0, 20242, 63206, 0, 0},
	{"lag and hiding", 0, 0, 51955, 165440, 0, 0},
	{"lag of a handoff", 0, 0, 17156, 69032, 0, 0},
	{"lag and crash", 0, 0, 373, 865, 0, 0},
	{"lag and freeze", 0, 0, 4870, 13628, 0, 0},
	{"late flush of a third", 0, 0, 3453101, 13734141, 0, 0},
}

// large is from how many states on a scope is left to the runs with -whole.
const large = 100_000

// TestScopesHold explores the scopes to their ends: DATABUS-INV-001 to -007, DATABUS-LIVE-001 to -004 in both versions, and
// DATABUS-LIVE-005 where no race is left.
func TestScopesHold(t *testing.T) {
	if v, f := len(V010Scopes()), len(FencedScopes()); v >= f || f != len(explored) {
		t.Errorf("%d and %d scopes, want %d of the latter", v, f, len(explored))
	}
	for _, tc := range explored {
		for _, v := range []struct {
			name          string
			scopes        []model.Scope[Config]
			states, edges int64
		}{{"v010", V010Scopes(), tc.states, tc.edges}, {"fenced", FencedScopes(), tc.fencedStates, tc.fencedEdges}} {
			if v.states == 0 || v.states > large && !*whole {
				continue
			}
			t.Run(v.name+" "+tc.scope, func(t *testing.T) {
				if (testing.Short() || raced) && v.states > 25_000 {
					t.Skip("explored without -short and without the race detector")
				}
				machinetest.Holds(t, mustCluster(t, machinetest.Named(t, v.scopes, tc.scope), 0), v.states, v.edges)
			})
		}
	}
}

// TestWorstCases: the bounds of DATABUS-LIVE-001, DATABUS-LIVE-003 and DATABUS-LIVE-004 are not idle: these are the longest times that a
// topic is wrong.
func TestWorstCases(t *testing.T) {
	for _, tc := range explored {
		cfg := machinetest.Named(t, FencedScopes(), tc.scope)
		if !cfg.Watch {
			continue
		}
		m := mustCluster(t, cfg, 0)
		var served, cleaned atomic.Int64
		_, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[State, Action, Outcome]{Invariants: []model.Invariant[State]{{
			Law: "DATABUS-LIVE-001", Holds: func(s State) error {
				worst := &cleaned
				if m.wanted(&s, 0) {
					worst = &served
				}
				for old := worst.Load(); int64(s.idle[0]) > old && !worst.CompareAndSwap(old, int64(s.idle[0])); old = worst.Load() {
				}
				return nil
			},
		}}})
		if err != nil || int(served.Load()) != tc.servedWithin || int(cleaned.Load()) != tc.cleanedWithin {
			t.Errorf("%s: wrong for %d s while wanted and %d s while not, want %d and %d; %v",
				tc.scope, served.Load(), cleaned.Load(), tc.servedWithin, tc.cleanedWithin, err)
		}
	}
}

// TestExpands: Expand and Step are one machine.
func TestExpands(t *testing.T) {
	for _, sc := range slices.Concat(V010Scopes(), FencedScopes(), RaceScopes()) {
		if err := model.CheckExpander(t.Context(), mustCluster(t, sc.Config, 0), model.Bounds{States: 200}); err != nil {
			t.Errorf("%s: %v", sc.Name, err)
		}
	}
}

// TestKeys: whole keys are compared once, so that no state was lost to a collision.
func TestKeys(t *testing.T) {
	m := mustCluster(t, machinetest.Named(t, FencedScopes(), "users"), 0)
	r, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[State, Action, Outcome]{Exact: true})
	if err != nil || r.Collisions != 0 || r.States != 12699 {
		t.Errorf("%v, %v", r, err)
	}
}

// TestKeysTellStatesApart: whatever is different in two states is in their keys.
func TestKeysTellStatesApart(t *testing.T) {
	for _, scope := range []string{"refusal", "freeze", "hide and crash", "users and loss", "lag and loss"} {
		m := mustCluster(t, machinetest.Named(t, FencedScopes(), scope), 0)
		var seen sync.Map
		_, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[State, Action, Outcome]{
			EdgeInvariants: []model.EdgeInvariant[State, Action, Outcome]{{
				Law: "DATABUS-INV-001", Check: func(_ State, _ Action, after State, _ Outcome) error {
					if first, again := seen.LoadOrStore(string(m.AppendKey(nil, after)), after); again && first != any(after) {
						t.Errorf("%s: %v and %v have the same key", scope, first, after)
					}
					return nil
				},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWalks takes random walks through every scope.
func TestWalks(t *testing.T) {
	var machines []*Cluster
	for _, sc := range slices.Concat(calmScopes(), faultScopes(), lagScopes()) {
		sc.Config.Rules = Fenced()
		sc.Config.Watch = false
		machines = append(machines, mustCluster(t, sc.Config, 0))
	}
	machinetest.Walks(t, machines, nil)
}
