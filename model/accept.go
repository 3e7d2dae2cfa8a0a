package model

import (
	"fmt"
	"strings"
)

// DefaultMaxStates is how many states an Acceptor and Lockstep keep at most
// unless they are told otherwise.
const DefaultMaxStates = 4096

// An Acceptor judges a trace step by step as it is recorded. It keeps every
// state that the machine may be in, so that something that chose freely among
// what the laws allow is never blamed for its choice. It is not safe for concurrent use.
type Acceptor[S, A, O any] struct {
	// MaxStates bounds the number of states kept; 0 means DefaultMaxStates.
	MaxStates int
	// Hidden names the actions that may happen at any time without being in
	// the trace, such as a link losing a message. Before each step every state
	// that they lead to counts as possible, whatever their outcome. nil means
	// that the trace holds every action.
	Hidden func(a A) bool

	possible *possible[S, A, O]
	steps    int
	failed   error
}

// NewAcceptor returns an acceptor at the machine's initial state. match says
// whether an outcome that was observed is the one that the machine allows; nil
// compares with go-cmp.
func NewAcceptor[S, A, O any](m Machine[S, A, O], match func(want, got O) bool) *Acceptor[S, A, O] {
	if match == nil {
		match = matchWith[O](nil)
	}
	return &Acceptor[S, A, O]{possible: newPossible(m, match)}
}

// Step judges the next step. It returns nil if the machine allows it,
// *Rejected if it does not, and *TooManyStates if more states than MaxStates
// would be possible: then nothing can be said. After an error every
// further call returns the same error.
func (acc *Acceptor[S, A, O]) Step(a A, got O) error {
	if acc.failed != nil {
		return acc.failed
	}
	p := acc.possible
	if p.limit = acc.MaxStates; p.limit <= 0 {
		p.limit = DefaultMaxStates
	}
	switch {
	case acc.Hidden != nil && !p.unseen(acc.Hidden):
		acc.failed = &TooManyStates{Index: acc.steps, Limit: p.limit}
	case p.advance(a, got, nil):
		acc.steps++
		return nil
	case p.over:
		acc.failed = &TooManyStates{Index: acc.steps, Limit: p.limit}
	default:
		acc.failed = &Rejected[S, A, O]{
			Index:   acc.steps,
			Step:    Step[A, O]{a, got},
			States:  append([]S(nil), p.states...),
			Allowed: p.allowed(a),
		}
	}
	return acc.failed
}

// States returns how many states the machine may be in right after the last
// step, before anything hidden happens.
func (acc *Acceptor[S, A, O]) States() int { return len(acc.possible.states) }

// Possible returns the states that States counts. The caller may
// keep the slice.
func (acc *Acceptor[S, A, O]) Possible() []S {
	return append([]S(nil), acc.possible.states...)
}

// Steps returns how many steps have been accepted.
func (acc *Acceptor[S, A, O]) Steps() int { return acc.steps }

// Accepts judges a whole trace, as Acceptor does, with at most DefaultMaxStates states.
func Accepts[S, A, O any](m Machine[S, A, O], trace []Step[A, O], match func(want, got O) bool) error {
	acc := NewAcceptor(m, match)
	for _, step := range trace {
		if err := acc.Step(step.Action, step.Outcome); err != nil {
			return err
		}
	}
	return nil
}

// Rejected is the first step of a trace that the machine does not allow.
type Rejected[S, A, O any] struct {
	// Index is the position of the step in the trace, from 0.
	Index int
	// Step is the action with the outcome that was seen.
	Step Step[A, O]
	// States are those that were possible before the step.
	States []S
	// Allowed are the outcomes that the machine allows for this action in those states,
	// without repeats; empty if the action is impossible in all of them.
	Allowed []O
}

// Error says which step was rejected, what was seen and what was allowed.
func (r *Rejected[S, A, O]) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d: %+v: outcome %+v is not allowed; ", r.Index, r.Step.Action, r.Step.Outcome)
	if len(r.Allowed) == 0 {
		b.WriteString("the action is impossible here")
	} else {
		b.WriteString("allowed: ")
		writeList(&b, r.Allowed)
	}
	fmt.Fprintf(&b, "; states possible before (%d): ", len(r.States))
	writeList(&b, r.States)
	return b.String()
}

// TooManyStates means that more states were possible than may be kept, so that nothing
// can be said about the rest of a trace.
type TooManyStates struct {
	// Index is the position in the trace of the step that led to it, from 0.
	Index int
	// Limit is the number of states allowed.
	Limit int
}

// Error says where the bound was exceeded.
func (e *TooManyStates) Error() string {
	return fmt.Sprintf("step %d: more than %d states are possible", e.Index, e.Limit)
}

// listed is how many values a message shows before it only counts the rest.
const listed = 8

func writeList[T any](b *strings.Builder, values []T) {
	for i, v := range values {
		if i == listed {
			fmt.Fprintf(b, " and %d more", len(values)-listed)
			return
		}
		if i > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(b, "%+v", v)
	}
}
