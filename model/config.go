package model

import "fmt"

// ExhaustConfig says what Exhaust checks and how far it goes. The zero value
// visits every state and checks nothing.
type ExhaustConfig[S, A, O any] struct {
	// Bounds limits the exploration.
	Bounds Bounds
	// Invariants are checked once in every state.
	Invariants []Invariant[S]
	// EdgeInvariants are checked on every step.
	EdgeInvariants []EdgeInvariant[S, A, O]
	// Deadlock reports a state that has no way on, as a counterexample under
	// DeadlockLaw.
	Deadlock bool
	// Final says that s may have no way on. It is used only with Deadlock; nil
	// means that no state is final.
	Final func(s S) bool
	// Exact keeps the whole key of each state instead of a 64-bit fingerprint:
	// no state can be lost. It costs the key's length and 10 to 25 bytes more
	// of memory for each state, and about a third of the speed. Without it, the chance that any state of n
	// is lost is about n²/2⁶⁵: 7e-7 for 5 million.
	Exact bool
	// Progress, if not nil, is called after each depth is finished, from the goroutine
	// that called Exhaust.
	Progress func(Progress)
}

// Progress is how far an exploration has come.
type Progress struct {
	// Depth is the number of steps just finished.
	Depth int
	// States and Edges are the counts so far.
	States, Edges int64
	// Frontier is the number of states to expand next.
	Frontier int
}

// Validate reports the first field that is wrong, by name.
func (c ExhaustConfig[S, A, O]) Validate() error {
	if err := c.Bounds.Validate(); err != nil {
		return err
	}
	if err := validate(c.Invariants, c.EdgeInvariants); err != nil {
		return fmt.Errorf("exhaust config: %w", err)
	}
	if c.Final != nil && !c.Deadlock {
		return fmt.Errorf("exhaust config: Final: is set, but Deadlock is false")
	}
	return nil
}

func validate[S, A, O any](states []Invariant[S], edges []EdgeInvariant[S, A, O]) error {
	for i, inv := range states {
		if inv.Law == "" || inv.Holds == nil {
			return fmt.Errorf("field Invariants[%d]: want a Law and a Holds function, found law %q", i, inv.Law)
		}
	}
	for i, inv := range edges {
		if inv.Law == "" || inv.Check == nil {
			return fmt.Errorf("field EdgeInvariants[%d]: want a Law and a Check function, found law %q", i, inv.Law)
		}
	}
	return nil
}
