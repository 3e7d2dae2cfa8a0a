package fuzz

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
	"github.com/seed-6f28358b/assay/model/databusmodel"
)

// Where a walk ends because machine and reference speak of different things from there on, beside errTopicOrder.
var (
	// errRoleWritten: a worker writes its role, which the machine does not have, and with it a new heartbeat.
	errRoleWritten = errors.New("a role is written")
	// errNewestGeneration: the machine counts generations no further.
	errNewestGeneration = errors.New("generations end")
)

// apart says that a walk ends there and nothing is wrong.
func apart(err error) bool {
	return errors.Is(err, errTopicOrder) || errors.Is(err, errRoleWritten) || errors.Is(err, errNewestGeneration)
}

// newestGeneration is where the machine stops to count.
const newestGeneration = 29

// A databusWalk is a way that the machine and the reference take together.
type databusWalk struct {
	m     *databusmodel.Cluster
	r     *raceRig
	state databusmodel.State
	way   []string
	roles bool // one has changed
	ledger
}

// beginDatabus returns a walk that has not left its scope's beginning, or false if the tabs of the rig cannot do what happens in it.
func beginDatabus(cfg databusmodel.Config, rules cluster.Rules) (*databusWalk, bool, error) {
	m, err := databusmodel.New(cfg)
	if err != nil {
		return nil, false, err
	}
	w, ok, err := enterDatabus(m, rules)
	return w, ok, err
}

func enterDatabus(m *databusmodel.Cluster, rules cluster.Rules) (*databusWalk, bool, error) {
	cfg := m.Config()
	setup, ok := setupOf(&cfg)
	if !ok {
		return nil, false, nil
	}
	r, err := newRaceRig(&setup, rules)
	if err != nil {
		return nil, false, err
	}
	w := &databusWalk{m: m, r: r, state: m.Init(), ledger: newLedger(setup.first)}
	if got, want := r.String(), w.state.String(); got != want {
		return nil, false, fmt.Errorf("begins with\n\t%s\nwant\n\t%s", got, want)
	}
	return w, true, nil
}

// possible returns what can happen next.
func (w *databusWalk) possible() []databusmodel.Action { return slices.Collect(w.m.Actions(w.state)) }

// take takes one step, and returns in what machine and reference differ, or an error that is apart. An action for whose frames the machine
// has no room is no step: it reports false.
func (w *databusWalk) take(action databusmodel.Action) (bool, error) {
	step, stepped := raceStep{Do: action.String()}, false
	for next, o := range w.m.Step(w.state, action) {
		for _, e := range o.Effects() {
			step.Effects = append(step.Effects, e.String())
		}
		w.state, stepped = next, true
	}
	if !stepped {
		return false, nil
	}
	w.way = append(w.way, step.Do)
	reconciles := w.r.reconciles(step.Do)
	roles := w.r.roles()
	if err := w.r.compare(step); err != nil {
		return true, err
	}
	w.roles = w.roles || roles != w.r.roles()
	if err := w.check(w.r, step.Do, reconciles); err != nil {
		return true, fmt.Errorf("%s: %w", step.Do, err)
	}
	got, want := w.r.String(), w.state.String()
	switch {
	case got == want && w.r.newest() >= newestGeneration:
		return true, errNewestGeneration
	case got == want:
		return true, nil
	case w.roles && raceAges.ReplaceAllString(got, "") == raceAges.ReplaceAllString(want, ""):
		return true, errRoleWritten
	}
	return true, fmt.Errorf("%s: comes to\n\t%s\nwant\n\t%s", step.Do, got, want)
}

// raceAges are what shows a heartbeat in the words of a state: its age, or that it waits to be flushed.
var raceAges = regexp.MustCompile(` age [0-9]+| unflushed`)

// A databusVersion is what the machine and the reference do alike.
type databusVersion struct {
	name      string
	machine   databusmodel.Rules
	reference cluster.Rules
}

// databusVersions are the named sets, and the fenced version with each switch that laws speak of. The guard is not among them: that of the
// machine is one of routes only (DATABUS-RACE-015), that of the reference one of every key.
func databusVersions() []databusVersion {
	out := []databusVersion{
		{"fenced", databusmodel.Fenced(), cluster.Fenced()},
		{"v010", databusmodel.V010(), cluster.V010()},
		{"drifted", databusmodel.Drifted(), cluster.Drifted()},
	}
	for _, s := range databusSwitches() {
		if s.name == guardSwitch {
			continue
		}
		v := databusVersion{s.name, databusmodel.Fenced(), cluster.Fenced()}
		s.machine(&v.machine)
		s.reference(&v.reference)
		out = append(out, v)
	}
	return out
}

// A databusSwitch is one rule on both sides.
type databusSwitch struct {
	name      string
	machine   func(*databusmodel.Rules)
	reference func(*cluster.Rules)
}

const guardSwitch = "Guard"

func databusSwitches() []databusSwitch {
	type (
		machine   = databusmodel.Rules
		reference = cluster.Rules
	)
	return []databusSwitch{
		{"Reclaim", func(r *machine) { r.Reclaim = true }, func(r *reference) { r.Reclaim = true }},
		{"LookAgain", func(r *machine) { r.LookAgain = true }, func(r *reference) { r.LookAgain = true }},
		{"DiscardAtTeardown", func(r *machine) { r.DiscardAtTeardown = true }, func(r *reference) { r.DiscardAtTeardown = true }},
		{guardSwitch, func(r *machine) { r.DropStaleRetries = true }, func(r *reference) { r.Guard = writer.Retries }},
		{"GoneAfterTTL", func(r *machine) { r.Gone = databusmodel.GoneTTL }, func(r *reference) { r.Gone = cluster.GoneAfterTTL }},
		{"GoneNever", func(r *machine) { r.Gone = databusmodel.GoneNever }, func(r *reference) { r.Gone = cluster.GoneNever }},
		{
			"ReleaseNotOlder", func(r *machine) { r.Release = databusmodel.GenerationNotOlder },
			func(r *reference) { r.Release = cluster.ReleaseNotOlder },
		},
		{
			"ReleaseInverted", func(r *machine) { r.Release = databusmodel.GenerationInverted },
			func(r *reference) { r.Release = cluster.ReleaseInverted },
		},
	}
}

// draftDatabus drafts a version and a scope: two or three tabs with one or two topics, to which a bit of everything happens.
func draftDatabus(d draws) (databusVersion, databusmodel.Config) {
	version := one(d, databusVersions()...)
	few := func() uint8 { return one[uint8](d, 1, 2, 0, 3) }
	c := databusmodel.Config{
		Rules: version.machine, Tabs: one[uint8](d, 2, 3), Topics: one[uint8](d, 1, 2), Clock: !d.rarely(8), Late: d.rarely(2),
		LossyClose: d.rarely(4), Setup: one(d, databusSetups()...),
		Budgets: databusmodel.Budgets{
			User: one[uint8](d, 3, 6, 9, 1), Hide: few(), Show: one[uint8](d, 1, 2, 0), Crash: one[uint8](d, 0, 1, 2), Freeze: few(), Loss: few(),
			Fail: few(), Visibility: one[uint8](d, 0, 0, 0, 2), Publish: one[uint8](d, 1, 0),
		},
	}
	if d.rarely(5) {
		c.TabIDs = one(d, [3]uint8{1, 1, 2}, [3]uint8{0, 1, 1})
	}
	if c.Tabs == 3 && d.rarely(3) {
		c.Absent, c.Budgets.Open = 1<<2, 1
	}
	return version, c
}

// databusSetups are what the tabs have done before a drafted walk.
func databusSetups() [][]databusmodel.Action {
	want := func(tab, topic uint8) databusmodel.Action {
		return databusmodel.Action{Op: databusmodel.OpSubscribe, Tab: tab, Topic: topic}
	}
	return [][]databusmodel.Action{nil, {want(0, 0), want(1, 0)}, {want(1, 0)}, {want(0, 0)}}
}
