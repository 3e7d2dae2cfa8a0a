package databusmodel

import (
	"sync/atomic"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// taken returns the state that some actions lead to.
func taken(t *testing.T, m *Cluster, actions ...Action) State {
	t.Helper()
	s := m.Init()
	for _, a := range actions {
		next, _, ok := m.do(s, a)
		if !ok {
			t.Fatalf("%v is impossible in %v", a, s)
		}
		s = next
	}
	return s
}

// TestViews: a tab sees its own writes at once, those of others one by one and in their order, and none that it has overwritten.
// DATABUS-ROUTE-001
func TestViews(t *testing.T) {
	m := mustCluster(t, machinetest.Named(t, FencedScopes(), "lag"), 0)
	sync := func(t uint8) Action { return Action{Op: OpSync, Tab: t} }
	s := taken(t, m, sub(1, 0))
	if a, b := &s.views[0], &s.views[1]; b.n != 0 || b.storage != s.store || a.n != 2 || a.routes[0].there || a.subs[0] != 0 {
		t.Errorf("A sees %v, B %v", a, b)
	}
	if s := taken(t, m, sub(1, 0), sync(0)); s.views[0].routes[0].there || s.views[0].subs[0] != bit(1) {
		t.Errorf("A sees %v after one write", s.views[0])
	}
	if s := taken(t, m, sub(1, 0), sync(0), sync(0)); s.views[0].storage != s.store || m.possible(&s, sync(0)) {
		t.Errorf("A sees %v after all writes, of %v", s.views[0], s.store)
	}
	// A writes the route itself, unseen by B, and sees no more what B wrote before.
	s = taken(t, m, sub(1, 0), sub(0, 0))
	if a, b := &s.views[0], &s.views[1]; a.routes[0] != s.store.routes[0] || a.n != 1 || a.behind[0].kind != subscriberKey || b.routes[0] == a.routes[0] {
		t.Errorf("A sees %v, B %v", a, b)
	}
}

// TestLagIsBounded: a tab waits that would leave another too far behind, and no time passes before all have seen all.
func TestLagIsBounded(t *testing.T) {
	cfg := machinetest.Named(t, FencedScopes(), "lag")
	cfg.Lag = 1
	m := mustCluster(t, cfg, 0)
	if _, _, ok := m.do(m.Init(), sub(1, 0)); ok {
		t.Error("two writes are unseen where one may be")
	}
	m = mustCluster(t, machinetest.Named(t, FencedScopes(), "lag and freeze"), 0)
	s := taken(t, m, Action{Op: OpUnsubscribe, Tab: 1})
	if s.wire = [maxTabs][maxTabs]queue{}; m.still(&s) || m.quiet(&s) {
		t.Errorf("time passes while A is behind: %v", s.views[0])
	}
	// Who sleeps sees all when it wakes.
	if s = taken(t, m, Action{Op: OpUnsubscribe, Tab: 1}, Action{Op: OpFreeze}); s.views[0].n != 0 || s.views[0].storage != s.store {
		t.Errorf("A sleeps with %v", s.views[0])
	}
}

// TestLagInFenced: what views that are behind cost. An election that the elected does not see costs the fenced version a heartbeat
// (DATABUS-FENCE-002), and a release that comes before its route costs either one; who looks again saves both. The documented version comes
// besides to where a topic is silent for ever (DATABUS-RACE-001).
func TestLagInFenced(t *testing.T) {
	if raced {
		t.Skip("explored without the race detector")
	}
	again := Fenced()
	again.LookAgain = true
	for _, tc := range []struct {
		name                string
		cfg                 Config
		v010, fenced, again int64
	}{
		{"an election", Config{Stay: wA | wB, Budgets: Budgets{User: 2}}, 0, heartbeat, 0},
		{"a leave", Config{Setup: shared, Budgets: Budgets{Hide: 1}}, heartbeat, heartbeat, 0},
		{"a leave of three", Config{Tabs: 3, Setup: third, Hiders: wA | wB, Budgets: Budgets{Hide: 1}}, heartbeat, heartbeat, 0},
		{"users who come and go", Config{Budgets: Budgets{User: 3}}, maxIdle, 2 * heartbeat, heartbeat},
	} {
		tc.cfg.Lag, tc.cfg.Clock, tc.cfg.Watch = maxLag, true, true
		for _, v := range []struct {
			rules Rules
			want  int64
		}{{V010(), tc.v010}, {Fenced(), tc.fenced}, {again, tc.again}} {
			tc.cfg.Rules = v.rules
			if silent := longestSilence(t, mustCluster(t, tc.cfg, 0)); silent != v.want {
				t.Errorf("%s, %+v: a topic is silent for %d s, want %d", tc.name, v.rules, silent, v.want)
			}
		}
	}
	// DATABUS-FENCE-002: an election that is not seen yet is none.
	cfg := machinetest.Named(t, FencedScopes(), "lag")
	cfg.Rules.AuthorizeByRoute, cfg.Budgets.User = false, 2
	without := exhaust(t, mustCluster(t, cfg, 0), model.Bounds{})
	cfg.Rules.AuthorizeByRoute = true
	if with := exhaust(t, mustCluster(t, cfg, 0), model.Bounds{}); with.States != 5555 || without.States < 10*with.States {
		t.Errorf("with the fence %v, without %v", with, without)
	}
}

// longestSilence returns the longest time in seconds after which the first topic, which is wanted, is neither as it should be nor served.
func longestSilence(t *testing.T, m *Cluster) int64 {
	t.Helper()
	var longest atomic.Int64
	_, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[State, Action, Outcome]{Invariants: []model.Invariant[State]{{
		Law: "DATABUS-LIVE-005", Holds: func(s State) error {
			if !m.wanted(&s, 0) || m.served(&s, 0) {
				return nil
			}
			for old := longest.Load(); int64(s.idle[0]) > old && !longest.CompareAndSwap(old, int64(s.idle[0])); old = longest.Load() {
			}
			return nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return longest.Load()
}
