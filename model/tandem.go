package model

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// A Certain is a machine in which every action has one outcome, or none.
type Certain[S, A, O any] interface {
	// Init returns the one state in which every run begins.
	Init() S

	// Do takes a in s. ok is false when a is impossible in s.
	Do(s S, a A) (after S, o O, ok bool)
}

// A Tandem is a machine and the real thing that it describes, which take the same actions. Lockstep chooses the actions by
// itself; those of a Tandem are the caller's, who may look at the state first.
type Tandem[S, A, O any] struct {
	// Look, if set, compares what else the real thing shows after an action with the state that the machine is in then.
	Look func(a A, after S) error

	machine Certain[S, A, O]
	real    Real[A, O]
	match   func(want, got O) bool
	state   S
	taken   []A
}

// NewTandem returns machine and real thing at their beginning. match says whether an observation is the one that the machine
// wants.
func NewTandem[S, A, O any](machine Certain[S, A, O], real Real[A, O], match func(want, got O) bool) *Tandem[S, A, O] {
	return &Tandem[S, A, O]{machine: machine, real: real, match: match, state: machine.Init()}
}

// State returns the state that the machine is in.
func (t *Tandem[S, A, O]) State() S { return t.state }

// Foresee returns what the machine says of an action, without taking it.
func (t *Tandem[S, A, O]) Foresee(a A) O {
	_, o, _ := t.machine.Do(t.state, a)
	return o
}

// Take makes both take an action, and returns the state before and what the machine wants. The error is a *PartingError when
// they differ; after one, and after an action that the machine cannot take, the Tandem is of no use.
func (t *Tandem[S, A, O]) Take(a A) (before S, want O, err error) {
	before = t.state
	after, want, ok := t.machine.Do(before, a)
	if !ok {
		return before, want, fmt.Errorf("tandem: step %d: the machine cannot %+v in %+v", len(t.taken)+1, a, before)
	}
	t.taken = append(t.taken, a)
	got := t.real.Do(a)
	t.state = after
	var cause error
	switch {
	case !t.match(want, got):
		cause = fmt.Errorf("the observation differs (-machine +real thing):\n%s", cmp.Diff(want, got, compareAll()...))
	case t.Look != nil:
		cause = t.Look(a, after)
	}
	if cause == nil {
		return before, want, nil
	}
	return before, want, &PartingError[S, A, O]{Before: before, After: after, Taken: t.taken, Want: want, Got: got, Cause: cause}
}

// A PartingError says that a real thing did not do what its machine says.
type PartingError[S, A, O any] struct {
	Before, After S   // of the machine
	Taken         []A // in order, the last of which parted them
	Want, Got     O
	Cause         error // how they differ
}

func (e *PartingError[S, A, O]) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tandem: step %d: %v\n  seen:   %+v\n  wanted: %+v\n  before: %+v\n  after:  %+v\n  steps:", len(e.Taken), e.Cause, e.Got, e.Want,
		e.Before, e.After)
	for i, a := range e.Taken {
		fmt.Fprintf(&b, "\n    %d. %+v", i+1, a)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *PartingError[S, A, O]) Unwrap() error { return e.Cause }
