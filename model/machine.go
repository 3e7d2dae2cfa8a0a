package model

import "iter"

// A Machine says what may happen. It is pure: no clock, no randomness, no I/O,
// no goroutine; the same arguments always give the same answers in the same
// order, because traces are rebuilt by asking again. Its methods may be called
// from several goroutines at once.
//
// S is a value: a machine never changes a state that it was given. Two states
// are the same state when their keys are equal.
type Machine[S, A, O any] interface {
	// Init returns the one state in which every run begins.
	Init() S

	// Actions yields the actions worth trying in s, those of the environment
	// included. It may yield actions that turn out to be impossible.
	Actions(s S) iter.Seq[A]

	// Step yields every outcome that the laws allow when a is taken in s, each
	// with the state that it leads to. No outcome means that a is impossible
	// in s.
	Step(s S, a A) iter.Seq2[S, O]

	// AppendKey appends the canonical key of s to dst and returns the longer
	// slice. Equal keys must mean equal futures: whatever Step, Actions or an
	// invariant can tell apart belongs in the key.
	AppendKey(dst []byte, s S) []byte
}

// A Step is one action taken and what was observed when it was.
type Step[A, O any] struct {
	Action  A
	Outcome O
}

// An Invariant is a law about states.
type Invariant[S any] struct {
	// Law is the id of the law in the catalogue, such as STOMP-ACK-004.
	Law string
	// Title says in a few words what holds; it is printed beside the id.
	Title string
	// Holds returns nil when the law holds in s, and otherwise says how it is
	// broken. It is called once for each distinct state, from several
	// goroutines at once.
	Holds func(s S) error
}

// An EdgeInvariant is a law about one step: what may not change, or must.
type EdgeInvariant[S, A, O any] struct {
	// Law is the id of the law in the catalogue.
	Law string
	// Title says in a few words what holds; it is printed beside the id.
	Title string
	// Check returns nil when the law holds for the step from before to after,
	// and otherwise says how it is broken. It is called once for each edge,
	// from several goroutines at once.
	Check func(before S, a A, after S, o O) error
}

// A Checked machine knows what holds in it.
type Checked[S, A, O any] interface {
	Machine[S, A, O]

	// Invariants returns the laws about states.
	Invariants() []Invariant[S]

	// EdgeInvariants returns the laws about steps.
	EdgeInvariants() []EdgeInvariant[S, A, O]
}

// A Scope is a configuration that is small enough for its machine to be explored to
// its end.
type Scope[C any] struct {
	// Name says in a few words what is in it.
	Name   string
	Config C
}

// lawName is how messages name a law.
func lawName(law, title string) string {
	if title == "" {
		return law
	}
	return law + " (" + title + ")"
}
