package databusmodel

import (
	"slices"
	"testing"
)

// way takes the actions one after the other, and returns the effects of the last one in words.
func way(t *testing.T, cfg Config, actions ...string) []string {
	t.Helper()
	m := mustCluster(t, cfg, 0)
	s, o := m.Init(), Outcome{}
	for _, a := range actions {
		s, o, _ = take(t, m, s, a)
	}
	return words(o)
}

// DATABUS-HANDOFF-001: a page that hides tells nobody of its load; there is one REGISTRY, the last frame.
func TestLeaveNudgesOnce(t *testing.T) {
	got := way(t, Config{Rules: V010(), Setup: []Action{sub(0, 0)}, Budgets: Budgets{Hide: 1}}, "hide A")
	want := []string{"A deletes route x", "A transport unsubscribes x", "A erases route x", "A posts REGISTRY"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// DATABUS-HANDOFF-001, DATABUS-UNSUBSCRIBE-004: a page that hides leaves the records of a topic alone that it neither wants nor owns, also
// those of a tab that it takes for dead.
func TestLeaveTouchesOnlyItsOwn(t *testing.T) {
	cfg := Config{Rules: V010(), Setup: []Action{sub(0, 0)}, Clock: true, Budgets: Budgets{Hide: 1, Freeze: 2}}
	m := mustCluster(t, cfg, 0)
	s := m.Init()
	for _, a := range []string{"time", "beat B", "freeze A", "freeze B", "time", "time", "time", "thaw B", "hide B"} {
		s, _, _ = take(t, m, s, a)
	}
	if s.store.workers[0].there || s.store.subs[0] != wA {
		t.Errorf("%v: want no record of A, and that it subscribes", s)
	}
}

// DATABUS-GATE-005: a worker that has let go of a topic, and that a new route names, accepts what its transport still brings.
func TestAssignedByRoute(t *testing.T) {
	cfg := Config{Rules: V010(), Setup: second, Budgets: Budgets{User: 2, Publish: 1}}
	actions := []string{"publish", "unsubscribe B x", "deliver A from B"}
	if got := way(t, cfg, append(actions, "receive A")...); !slices.Equal(got, []string{"A discards publication of x"}) {
		t.Errorf("without a route: %q", got)
	}
	got := way(t, cfg, append(actions, "deliver B from A", "subscribe B x", "receive A")...)
	if len(got) == 0 || got[0] != "A accepts publication of x" {
		t.Errorf("with a route: %q", got)
	}
}

// DATABUS-HANDOFF-001: routes that lose their last subscriber go before others are handed on, so that no flush stores them for a moment.
func TestLeaveDropsBeforeItHandsOn(t *testing.T) {
	cfg := Config{Rules: V010(), Topics: 2, Late: true, Setup: shared, Budgets: Budgets{User: 1, Hide: 1}}
	got := way(t, cfg, "subscribe A y", "hide A")
	want := []string{
		"A deletes route y", "A posts UNSUBSCRIBE y to B", "A hands on x->B gen 2", "A stores x->B gen 2", "A transport unsubscribes x",
		"A posts ROUTE_RELEASED x to B", "A posts REGISTRY",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
