package model

import "pgregory.net/rapid"

// A successor is one outcome of an action with the state it leads to.
type successor[S, O any] struct {
	state   S
	outcome O
}

// chooser lets rapid draw actions that are possible. It keeps its buffers and
// callbacks from one draw to the next.
type chooser[S, A, O any] struct {
	machine    Machine[S, A, O]
	actions    []A
	successors []successor[S, O]
	addAction  func(A) bool
	addOutcome func(S, O) bool
	fits       func(A) bool
	// draws[n] draws an index below n+1, unsigned since rapid draws signed
	// numbers in two parts.
	draws []*rapid.Generator[uint]
}

func newChooser[S, A, O any](m Machine[S, A, O]) *chooser[S, A, O] {
	c := &chooser[S, A, O]{machine: m}
	c.addAction = func(a A) bool {
		c.actions = append(c.actions, a)
		return true
	}
	c.addOutcome = func(s S, o O) bool {
		c.successors = append(c.successors, successor[S, O]{s, o})
		return true
	}
	return c
}

// redraws is how often an action is drawn again that may not be taken.
const redraws = 8

// choose draws one of the actions of s that may be taken: those that are
// possible in s if alone, else those that c.fits accepts. It returns false
// when there is none. The outcomes of the action in s are in c.successors if
// alone.
//
// What is drawn is an index into all the actions of s, and one that may not be
// taken is drawn again: so the same draw means the same action in many
// states, and rapid can remove the steps before it. Only when several draws
// have failed is the next action taken that may be.
func (c *chooser[S, A, O]) choose(t *rapid.T, s S, alone bool) (A, bool) {
	var none A
	c.actions = c.actions[:0]
	c.machine.Actions(s)(c.addAction)
	n := len(c.actions)
	if n == 0 {
		return none, false
	}
	first := 0
	for range redraws {
		first = c.draw(t, n, "action")
		if a := c.actions[first]; c.may(s, a, alone) {
			return a, true
		}
		if n == 1 {
			return none, false
		}
	}
	for i := range n {
		if a := c.actions[(first+i)%n]; c.may(s, a, alone) {
			return a, true
		}
	}
	return none, false
}

func (c *chooser[S, A, O]) may(s S, a A, alone bool) bool {
	if alone {
		return len(c.outcomes(s, a)) > 0
	}
	return c.fits(a)
}

// outcomes returns the outcomes of a in s, valid until the next call.
func (c *chooser[S, A, O]) outcomes(s S, a A) []successor[S, O] {
	c.successors = c.successors[:0]
	c.machine.Step(s, a)(c.addOutcome)
	return c.successors
}

// draw draws an index below n.
func (c *chooser[S, A, O]) draw(t *rapid.T, n int, label string) int {
	if n == 1 {
		return 0
	}
	for len(c.draws) < n {
		c.draws = append(c.draws, rapid.UintRange(0, uint(len(c.draws))))
	}
	return int(c.draws[n-1].Draw(t, label))
}
