package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
)

// An Expander is a machine that also lists all steps from a state in one call. It is
// optional: Exhaust uses Expand where there is one, which saves the closure
// that each call of Step allocates and is worth about a third of the time on a
// machine whose steps are cheap. CheckExpander shows that the two agree.
type Expander[S, A, O any] interface {
	Machine[S, A, O]

	// Expand calls yield for each action of Actions(s), in that order, with
	// each outcome of Step, in that order, until yield returns false.
	Expand(s S, yield func(a A, after S, o O) bool)
}

// ErrExpand means that a machine's Expand yields other steps than its Actions and Step.
var ErrExpand = errors.New("the machine yields other steps by Expand than by Actions and Step")

// CheckExpander compares Expand with Actions and Step in every state that a
// breadth-first exploration within the bounds reaches; Bounds.States 0 means
// DefaultGraphStates. It returns an error that wraps ErrExpand at the first
// difference. A machine with Expand should have a test that calls this.
func CheckExpander[S, A, O any](ctx context.Context, m Expander[S, A, O], bounds Bounds) error {
	g, err := Unfold(ctx, Machine[S, A, O](m), bounds)
	if err != nil {
		return err
	}
	for _, s := range g.States {
		if err := checkExpand(m, s); err != nil {
			return fmt.Errorf("in state %+v: %w", s, err)
		}
	}
	return nil
}

func checkExpand[S, A, O any](m Expander[S, A, O], s S) error {
	type step struct {
		Step[A, O]
		after S
	}
	var want, got []step
	for a := range m.Actions(s) {
		for after, o := range m.Step(s, a) {
			want = append(want, step{Step[A, O]{a, o}, after})
		}
	}
	m.Expand(s, func(a A, after S, o O) bool {
		got = append(got, step{Step[A, O]{a, o}, after})
		return true
	})
	if len(got) != len(want) {
		return fmt.Errorf("%d steps by Expand, %d by Actions and Step: %w", len(got), len(want), ErrExpand)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i].Step, want[i].Step) ||
			!bytes.Equal(m.AppendKey(nil, got[i].after), m.AppendKey(nil, want[i].after)) {
			return fmt.Errorf("step %d: %+v to %+v by Expand, %+v to %+v by Step: %w",
				i, got[i].Step, got[i].after, want[i].Step, want[i].after, ErrExpand)
		}
	}
	return nil
}
