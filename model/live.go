package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// What a counterexample of Live says.
var (
	errNoGoal = errors.New("no steps of fair actions lead from here to a goal")
	errStays  = errors.New("a fair action leads from here to the same state, which is no goal")
	errCircle = errors.New("fair steps lead in a circle, which passes no goal")
)

// Live visits every state of m that the bounds allow, breadth first, by all actions, and then looks for a state from which the fair actions alone lead to no
// goal. The counterexample is a shortest way to such a state: among several, the first in the order in which the machine yields them. A fair action that
// leaves a state that is no goal as it is counts as a fault as well: it could be taken for ever. With l.Strict, so does every circle of fair steps
// outside the goals; the counterexample is then a way to the circle and once around it.
//
// A state that a bound has cut off from its steps is taken for a goal, so that a bound leads to no false alarm. Bounds.Workers is ignored: there is one.
//
// A state costs 30 to 50 bytes and its own size while it waits, and a fair step 8. States are told apart by fingerprints: see the comment of the package.
//
// A broken law is not an error: it is in Result.Counterexample. An error means that l or b is not valid, that ctx ended, or that the machine is
// not pure (ErrUnstable).
func Live[S, A, O any](ctx context.Context, m Machine[S, A, O], l Liveness[S, A], b Bounds) (Result[S, A, O], error) {
	if err := b.Validate(); err != nil {
		return Result[S, A, O]{}, err
	}
	if err := l.validate(); err != nil {
		return Result[S, A, O]{}, err
	}
	begun := time.Now()
	g := &fairGraph[S, A, O]{machine: m, law: l, bounds: b}
	stopped := g.explore(ctx)
	result := Result[S, A, O]{Summary: Summary{Stopped: stopped, States: int64(len(g.links)), Edges: g.edges, Depth: g.deepest}}
	if stopped == StopContext {
		result.Elapsed, result.Bytes = time.Since(begun), g.peak
		return result, fmt.Errorf("explore to depth %d, %d states: %w", g.deepest, len(g.links), context.Cause(ctx))
	}
	end, fault := g.judge()
	result.Elapsed, result.Bytes = time.Since(begun), g.peak
	if fault == nil {
		result.Complete = stopped == StopComplete
		return result, nil
	}
	result.Stopped = StopViolation
	counterexample, err := g.counterexample(end, fault)
	if err != nil {
		return result, fmt.Errorf("rebuild the trace to a state that breaks %s: %w", l.Law, err)
	}
	result.Counterexample = counterexample
	return result, nil
}

// judge looks for a state from which no fair steps lead to a goal. It returns the numbers of the states that the trace passes at its end, and what is
// wrong there; or nil.
func (g *fairGraph[S, A, O]) judge() (end []uint32, fault error) {
	first, sources := g.reversed()
	stuck := noStateFrom(g.reach(first, sources))
	if stuck == noState && g.stays == noState {
		if !g.law.Strict {
			return nil, nil
		}
		return g.circle(first, sources)
	}
	// A smaller number is no longer a way.
	if g.stays <= stuck {
		return []uint32{g.stays, g.stays}, errStays
	}
	return []uint32{stuck}, errNoGoal
}

// reversed returns the fair steps by the states that they lead to.
func (g *fairGraph[S, A, O]) reversed() (first, sources []uint32) {
	first = make([]uint32, len(g.links)+1)
	for _, to := range g.targets {
		first[to+1]++
	}
	for i := range g.links {
		first[i+1] += first[i]
	}
	sources = make([]uint32, len(g.targets))
	at := make([]uint32, len(g.links))
	copy(at, first)
	for from := range g.links {
		for _, to := range g.targets[g.first[from]:g.first[from+1]] {
			sources[at[to]] = uint32(from)
			at[to]++
		}
	}
	g.peak += int64(len(first)+len(sources)+2*len(at)) * 4
	return first, sources
}

// reach returns by state whether fair steps lead to a goal.
func (g *fairGraph[S, A, O]) reach(first, sources []uint32) []bool {
	reached := make([]bool, len(g.links))
	waiting := make([]uint32, 0, len(g.links))
	for s, goal := range g.goal {
		if goal {
			reached[s] = true
			waiting = append(waiting, uint32(s))
		}
	}
	for len(waiting) > 0 {
		to := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		for _, from := range sources[first[to]:first[to+1]] {
			if !reached[from] {
				reached[from] = true
				waiting = append(waiting, from)
			}
		}
	}
	return reached
}

func noStateFrom(reached []bool) uint32 {
	for s, yes := range reached {
		if !yes {
			return uint32(s)
		}
	}
	return noState
}

// circle looks for fair steps that lead back to a state that is no goal, without passing one: it takes away the states that are goals or whose fair
// steps all lead to states taken away, and what is left leads to a circle or lies on one.
func (g *fairGraph[S, A, O]) circle(first, sources []uint32) ([]uint32, error) {
	left := make([]uint32, len(g.links))
	var waiting []uint32
	for s := range left {
		left[s] = g.first[s+1] - g.first[s]
		if g.goal[s] {
			left[s] = 0
			waiting = append(waiting, uint32(s))
		}
	}
	for len(waiting) > 0 {
		to := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		for _, from := range sources[first[to]:first[to+1]] {
			if left[from] == 0 {
				continue
			}
			if left[from]--; left[from] == 0 {
				waiting = append(waiting, from)
			}
		}
	}
	for s, n := range left {
		if n > 0 {
			return g.around(uint32(s), left), errCircle
		}
	}
	return nil, nil
}

// around follows fair steps between states that are left, from s until one comes again, and returns from that one once around to it.
func (g *fairGraph[S, A, O]) around(s uint32, left []uint32) []uint32 {
	at, path := map[uint32]int{}, []uint32{}
	for {
		if begin, again := at[s]; again {
			return append(path[begin:], s)
		}
		at[s] = len(path)
		path = append(path, s)
		for _, to := range g.targets[g.first[s]:g.first[s+1]] {
			if left[to] > 0 {
				s = to
				break
			}
		}
	}
}

// counterexample rebuilds the way to the first state of end, and goes on through the others by fair steps.
func (g *fairGraph[S, A, O]) counterexample(end []uint32, fault error) (*Counterexample[S, A, O], error) {
	c := &Counterexample[S, A, O]{Law: g.law.Law, Title: g.law.Title, Err: fault, States: []S{g.machine.Init()}}
	var ordinals []uint32
	for id := end[0]; id != 0; id = g.links[id].parent {
		ordinals = append(ordinals, g.links[id].ordinal)
	}
	slices.Reverse(ordinals)
	for i, ordinal := range ordinals {
		step, after, ok := nth(g.machine, c.States[i], ordinal)
		if !ok {
			return nil, fmt.Errorf("step %d: want successor %d: %w", i+1, ordinal, ErrUnstable)
		}
		c.Trace, c.States = append(c.Trace, step), append(c.States, after)
	}
	for _, id := range end[1:] {
		step, after, ok := g.fairStep(c.States[len(c.States)-1], id)
		if !ok {
			return nil, fmt.Errorf("step %d: want a fair step to state %d: %w", len(c.Trace)+1, id, ErrUnstable)
		}
		c.Trace, c.States = append(c.Trace, step), append(c.States, after)
	}
	return c, nil
}

// fairStep returns the first fair step from s to the state of that number.
func (g *fairGraph[S, A, O]) fairStep(s S, id uint32) (step Step[A, O], after S, ok bool) {
	for a := range g.machine.Actions(s) {
		if !g.law.Fair(a) {
			continue
		}
		for next, o := range g.machine.Step(s, a) {
			g.key = g.machine.AppendKey(g.key[:0], next)
			if n, known := g.numbers.find(fingerprint(g.key), 0, false); known && n == id {
				return Step[A, O]{a, o}, next, true
			}
		}
	}
	return step, after, false
}
