package model

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A Real is the thing that a machine describes.
type Real[A, O any] interface {
	// Do takes the action and returns what was observed. It is called once for
	// each step, in order, from the goroutine of the test.
	Do(a A) O
}

// RealFunc makes a function a Real.
type RealFunc[A, O any] func(a A) O

// Do calls f.
func (f RealFunc[A, O]) Do(a A) O { return f(a) }

// LockstepConfig says how machine and real thing are compared. The zero value
// compares everything, unexported fields included, and checks no invariants.
type LockstepConfig[S, A, O any] struct {
	// Compare are the options for go-cmp. They are also used for the difference that is
	// printed when Match is set.
	Compare []cmp.Option
	// Match says whether an observation is the one that the machine allows. nil compares
	// with go-cmp and Compare.
	Match func(want, got O) bool
	// Invariants are checked on the machine's state whenever only one state is
	// possible.
	Invariants []Invariant[S]
	// MaxStates bounds the states kept; 0 means DefaultMaxStates. A run that
	// exceeds it fails, as nothing can be said about it.
	MaxStates int
}

// Validate reports the first field that is wrong, by name.
func (c LockstepConfig[S, A, O]) Validate() error {
	if err := validate(c.Invariants, []EdgeInvariant[S, A, O](nil)); err != nil {
		return fmt.Errorf("lockstep config: %w", err)
	}
	if c.MaxStates < 0 {
		return fmt.Errorf("lockstep config: MaxStates: want 0 or more, found %d", c.MaxStates)
	}
	return nil
}

// Lockstep makes machine and real thing take the same random actions, drawn by rapid, and
// fails the test at the first observation that the machine does not allow. The message
// holds all that a reader needs; rapid shrinks the run.
//
// Every state that the machine may be in is kept, so that a real thing that chooses
// among several allowed outcomes is never blamed for its choice. For the same
// reason an action is tried only if it is possible in all of those states.
//
// real is used for this one run: make a new one in each call of the property.
func Lockstep[S, A, O any](t *rapid.T, m Machine[S, A, O], real Real[A, O], cfg LockstepConfig[S, A, O]) {
	t.Helper()
	if err := cfg.Validate(); err != nil {
		t.Fatalf("lockstep: %v", err)
	}
	match := cfg.Match
	if match == nil {
		match = matchWith[O](cfg.Compare)
	}
	l := lockstep[S, A, O]{cfg: cfg, real: real, possible: newPossible(m, match), choices: newChooser(m)}
	if cfg.MaxStates > 0 {
		l.possible.limit = cfg.MaxStates
	}
	l.choices.fits = l.everywhere
	l.checkState(t)
	t.Repeat(map[string]func(*rapid.T){"step": l.step})
}

type lockstep[S, A, O any] struct {
	cfg      LockstepConfig[S, A, O]
	real     Real[A, O]
	possible *possible[S, A, O]
	choices  *chooser[S, A, O]
	taken    []Step[A, O]
}

func (l *lockstep[S, A, O]) step(t *rapid.T) {
	a, ok := l.choose(t)
	if !ok {
		return
	}
	// What choose has asked the machine is not asked again.
	var asked []successor[S, O]
	if len(l.possible.states) == 1 {
		asked = l.choices.successors
	}
	got := l.real.Do(a)
	if !l.possible.advance(a, got, asked) {
		l.fail(t, a, got)
	}
	l.taken = append(l.taken, Step[A, O]{a, got})
	l.checkState(t)
}

// choose draws an action that is possible in every state that is still
// possible. The first state proposes, since it has the actions that all the
// others have.
func (l *lockstep[S, A, O]) choose(t *rapid.T) (A, bool) {
	states := l.possible.states
	return l.choices.choose(t, states[0], len(states) == 1)
}

func (l *lockstep[S, A, O]) everywhere(a A) bool {
	for _, s := range l.possible.states {
		if len(l.choices.outcomes(s, a)) == 0 {
			return false
		}
	}
	return true
}

func (l *lockstep[S, A, O]) checkState(t *rapid.T) {
	if len(l.possible.states) != 1 {
		return
	}
	for _, inv := range l.cfg.Invariants {
		if err := inv.Holds(l.possible.states[0]); err != nil {
			var b strings.Builder
			fmt.Fprintf(&b, "lockstep: the machine itself breaks %s after %d steps: %v", lawName(inv.Law, inv.Title), len(l.taken), err)
			fmt.Fprintf(&b, "\n  state: %+v", l.possible.states[0])
			writeSteps(&b, l.taken)
			t.Fatal(b.String())
		}
	}
}

func (l *lockstep[S, A, O]) fail(t *rapid.T, a A, got O) {
	var b strings.Builder
	p := l.possible
	if p.over {
		fmt.Fprintf(&b, "lockstep: step %d: %+v -> %+v: more than %d states are possible, so nothing can be said",
			len(l.taken)+1, a, got, p.limit)
		writeSteps(&b, l.taken)
		t.Fatal(b.String())
	}
	allowed := p.allowed(a)
	fmt.Fprintf(&b, "lockstep: step %d: %+v: the real thing did what the machine does not allow", len(l.taken)+1, a)
	fmt.Fprintf(&b, "\n  seen:    %+v\n  allowed: ", got)
	writeList(&b, allowed)
	fmt.Fprintf(&b, "\n  states possible before (%d): ", len(p.states))
	writeList(&b, p.states)
	writeSteps(&b, l.taken)
	if len(allowed) > 0 {
		options := l.cfg.Compare
		if len(options) == 0 {
			options = compareAll()
		}
		fmt.Fprintf(&b, "\n  difference to the first allowed (-allowed +seen):\n%s", cmp.Diff(allowed[0], got, options...))
	}
	t.Fatal(b.String())
}
