package fuzz

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/databusmodel"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// How many walks are taken in each scope, and of how many steps at most. Every step moves the clock of the reference by a millisecond,
// which must not add up to a second.
const (
	databusWalks = 12
	databusSteps = 60
)

// setupOf returns what the tabs of a scope begin with, or false if the tabs of the rig cannot do what happens in it.
func setupOf(c *databusmodel.Config) (s raceSetup, ok bool) {
	// A leave is one task, a second is longer than all steps of a walk, and all tabs see one storage.
	if c.Split || c.Fine || c.Lag > 0 {
		return s, false
	}
	s = raceSetup{tabs: int(c.Tabs), tabIDs: map[string]string{}, lossy: c.LossyClose, late: c.Late}
	name := func(i uint8) string { return string(rune('A' + i)) }
	for i := range c.Tabs {
		s.tabIDs[name(i)] = name(c.TabIDs[i])
		if c.Absent&(1<<i) != 0 {
			s.absent = name(i)
		}
	}
	for _, a := range c.Setup {
		s.first = append(s.first, a.String())
	}
	return s, true
}

// walkDatabus takes one random way through a scope on both sides. It ends where the two speak of different things, with an error that is
// apart.
func walkDatabus(w *databusWalk, rng *rand.Rand) error {
	for range databusSteps {
		actions := w.possible()
		if len(actions) == 0 {
			return nil
		}
		if _, err := w.take(actions[rng.IntN(len(actions))]); err != nil {
			return err
		}
	}
	return nil
}

// roles returns the role of each worker.
func (r *raceRig) roles() string {
	var roles []string
	for _, t := range r.tabs {
		roles = append(roles, string(t.c.Snapshot().Self.Role))
	}
	return fmt.Sprint(roles)
}

// stepDatabus takes so many walks through a scope, and returns the first difference between the machine and the reference with these rules.
// It reports false if the tabs of the rig cannot do what happens in the scope.
func stepDatabus(t *testing.T, cfg databusmodel.Config, rules cluster.Rules, walks uint64) (differs error, ok bool) {
	t.Helper()
	m, err := databusmodel.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range walks {
		w, ok, err := enterDatabus(m, rules)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return nil, false
		}
		if err := walkDatabus(w, rand.New(rand.NewPCG(seed, 0))); err != nil && !apart(err) {
			return fmt.Errorf("seed %d, %q: %w", seed, w.way, err), true
		}
	}
	return nil, true
}

// TestDatabusLockstep: the machine and the reference take the same random ways through the scopes of the documented, the fenced and the
// drifted version, and agree in each effect and in each state.
func TestDatabusLockstep(t *testing.T) {
	rules := map[databusmodel.Rules]cluster.Rules{
		databusmodel.V010(): cluster.V010(), databusmodel.Fenced(): cluster.Fenced(), databusmodel.Drifted(): cluster.Drifted(),
	}
	taken := 0
	for name, scopes := range map[string][]model.Scope[databusmodel.Config]{
		"races": databusmodel.RaceScopes(), "v010": databusmodel.V010Scopes(), "fenced": databusmodel.FencedScopes(),
	} {
		for _, scope := range scopes {
			t.Run(name+"/"+scope.Name, func(t *testing.T) {
				differs, ok := stepDatabus(t, scope.Config, rules[scope.Config.Rules], databusWalks)
				if differs != nil {
					t.Error(differs)
				}
				if ok {
					taken++
				}
			})
		}
	}
	if taken < 60 {
		t.Errorf("%d scopes are taken", taken)
	}
}

// TestDatabusLockstepSwitches: they also agree on what the switches do that laws speak of, each added to the documented and to the fenced
// version. Generations in CONTROL, and routes that wait for their owner to delete them, are repairs that the machine alone has, to show
// that they are none (see package databusmodel).
func TestDatabusLockstepSwitches(t *testing.T) {
	for _, c := range databusSwitches() {
		for _, fenced := range []bool{false, true} {
			m, rules := databusmodel.V010(), cluster.V010()
			if fenced {
				m, rules = databusmodel.Fenced(), cluster.Fenced()
			}
			c.machine(&m)
			c.reference(&rules)
			for _, scope := range databusmodel.FencedScopes() {
				scope.Config.Rules = m
				if differs, _ := stepDatabus(t, scope.Config, rules, 2); differs != nil {
					t.Errorf("%s, fenced %t, %s: %v", c.name, fenced, scope.Name, differs)
				}
			}
		}
	}
}

// TestDatabusLockstepNotices: a reference that lacks one rule of the fenced version leaves the way of the machine.
func TestDatabusLockstepNotices(t *testing.T) {
	for _, c := range []struct {
		rule, scope string // the law that asks for it, or its name
		without     func(*cluster.Rules)
		with        func(*databusmodel.Rules) // nil: the machine is the fenced one
	}{
		{"DATABUS-FENCE-001", "users", func(r *cluster.Rules) { r.AuthorizeUnsubscribe = false }, nil},
		{"DATABUS-FENCE-002", "late flush", func(r *cluster.Rules) { r.AuthorizeSubscribe = false }, nil},
		{"DATABUS-FENCE-003", "both freeze", func(r *cluster.Rules) { r.RestoreRecord = false }, nil},
		{"DATABUS-HANDOFF-008", "lossy close", func(r *cluster.Rules) { r.Gone = cluster.GoneNever }, nil},
		{"LookAgain", "late flush", func(*cluster.Rules) {}, func(r *databusmodel.Rules) { r.LookAgain = true }},
	} {
		rules := cluster.Fenced()
		c.without(&rules)
		cfg := machinetest.Named(t, databusmodel.FencedScopes(), c.scope)
		if c.with != nil {
			c.with(&cfg.Rules)
		}
		if differs, ok := stepDatabus(t, cfg, rules, 300); differs == nil || !ok {
			t.Errorf("%s: nobody misses it", c.rule)
		}
	}
}
