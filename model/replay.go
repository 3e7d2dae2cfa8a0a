package model

import (
	"bytes"
	"fmt"
)

// counterexample rebuilds the trace of a violation by asking the machine for
// the successors that the ancestry names.
func (x *explorer[S, A, O]) counterexample(v *violation[S]) (*Counterexample[S, A, O], error) {
	deadlock := v.rank < 0
	c := &Counterexample[S, A, O]{Law: v.law, Title: v.title, Err: v.err, States: []S{x.machine.Init()}}
	ordinals := x.ancestry.path(v.from, max(v.depth-1, 0))
	switch {
	case deadlock:
		ordinals = x.ancestry.path(v.from, v.depth)
	case v.depth > 0:
		ordinals = append(ordinals, v.ordinal)
	}
	for i, ordinal := range ordinals {
		step, after, ok := nth(x.machine, c.States[i], ordinal)
		if !ok {
			return nil, fmt.Errorf("step %d: want successor %d: %w", i+1, ordinal, ErrUnstable)
		}
		c.Trace = append(c.Trace, step)
		c.States = append(c.States, after)
	}
	// A violation of an edge invariant is known by the state before the edge.
	at := len(c.States) - 1
	if v.rank >= len(x.cfg.Invariants) {
		at--
	}
	if key := x.machine.AppendKey(nil, c.States[at]); !bytes.Equal(key, v.key) {
		return nil, fmt.Errorf("step %d: want the state with key %x, found %x: %w", at, v.key, key, ErrUnstable)
	}
	return c, nil
}

// nth returns the successor of s with the given ordinal.
func nth[S, A, O any](m Machine[S, A, O], s S, ordinal uint32) (step Step[A, O], after S, ok bool) {
	seen := uint32(0)
	for a := range m.Actions(s) {
		for next, o := range m.Step(s, a) {
			if seen == ordinal {
				return Step[A, O]{a, o}, next, true
			}
			seen++
		}
	}
	return step, after, false
}
