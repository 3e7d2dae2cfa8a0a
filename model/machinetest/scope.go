package machinetest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/model"
)

// Named returns the configuration of the scope of that name.
func Named[C any](t testing.TB, scopes []model.Scope[C], name string) C {
	t.Helper()
	at := slices.IndexFunc(scopes, func(s model.Scope[C]) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("no scope is called %q", name)
	}
	return scopes[at].Config
}

// Holds explores m to its end, and fails unless every invariant holds and the numbers of states and edges are those given: one that moves means that the
// machine allows more or less. Numbers of 0 are not compared. A machine that is a model.Lively must be live as well, unless its
// liveness has no law.
func Holds[S, A, O any](t *testing.T, m model.Checked[S, A, O], states, edges int64) {
	t.Helper()
	r := exhaust(t, m, model.Bounds{}, checksOf(m))
	if !r.Complete {
		t.Fatal(r)
	}
	t.Log(r)
	if m, ok := m.(model.Lively[S, A, O]); ok && m.Liveness().Law != "" {
		if l := live(t, m, model.Bounds{}); !l.Complete || l.States != r.States || l.Edges != r.Edges {
			t.Error(l)
		}
	}
	if states != 0 && (r.States != states || r.Edges != edges) {
		t.Errorf("%d states and %d edges, want %d and %d", r.States, r.Edges, states, edges)
	}
}

// Walks takes random walks through each of the machines and looks at every invariant on the way. Where reached, which may be nil, says which laws a step
// put to the test, those of every invariant must be put to the test by some walk.
func Walks[M model.Checked[S, A, O], S, A, O any](t *testing.T, machines []M, reached func(m M, before S, a A, after S, o O) []string) {
	t.Helper()
	seen := map[string]bool{}
	unseen := func(law string) bool { return reached != nil && !seen[law] }
	laws := model.LawsOf(machines[0])
	// A law that few walks reach may be missed by all of one round.
	for round := 0; round == 0 || round < 10 && slices.ContainsFunc(laws, unseen); round++ {
		walks(t, machines, reached, seen)
	}
	for _, law := range laws {
		if unseen(law) {
			t.Errorf("no walk puts %s to the test", law)
		}
	}
}

// walks takes a round of walks, and notes what they put to the test.
func walks[M model.Checked[S, A, O], S, A, O any](t *testing.T, machines []M, reached func(m M, before S, a A, after S, o O) []string, seen map[string]bool) {
	t.Helper()
	for _, m := range machines {
		cfg := model.WalkConfig[S, A, O]{Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants()}
		if reached != nil {
			cfg.Visit = func(before S, step model.Step[A, O], after S) {
				for _, law := range reached(m, before, step.Action, after, step.Outcome) {
					seen[law] = true
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) { model.Walk(t, m, cfg) })
	}
}
