package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// ErrUnstable means that a machine answered differently when it was asked the same thing
// again, so that a trace could not be rebuilt: it is not pure.
var ErrUnstable = errors.New("the machine is not deterministic: asked again, it yields other steps")

// Exhaust visits every state of m that the bounds allow, breadth first, and
// checks every law in cfg on the way.
//
// The first depth at which a law is broken is finished, and then the violation with the
// shortest trace is reported; among several, the one whose law is listed first,
// invariants of states before those of edges, and then the one with the least key. So the verdict, the law, the faulty state and
// all counts are the same in every run and with any number of workers. With
// more than one worker the trace is some shortest trace, and not always the
// same one; and when Bounds.States stops the run, which states were kept, and so
// how many edges were seen, depends on timing.
//
// A broken law is not an error: it is in Result.Counterexample. An error
// means that cfg is not valid, that ctx ended, in which case the result holds
// the counts so far, or that the machine is not pure (ErrUnstable).
func Exhaust[S, A, O any](ctx context.Context, m Machine[S, A, O], cfg ExhaustConfig[S, A, O]) (Result[S, A, O], error) {
	if err := cfg.Validate(); err != nil {
		return Result[S, A, O]{}, err
	}
	x := newExplorer(m, cfg)
	begun := time.Now()
	worst := x.explore(ctx)
	result := Result[S, A, O]{Summary: Summary{
		Stopped: x.reason(ctx, worst),
		States:  x.states,
		Edges:   x.edges,
		Depth:   x.deepest,
		Elapsed: time.Since(begun),
		Bytes:   x.peak,
	}}
	if x.exact != nil {
		result.Collisions = x.exact.collisions.Load()
	}
	switch result.Stopped {
	case StopComplete:
		result.Complete = true
	case StopViolation:
		counterexample, err := x.counterexample(worst)
		if err != nil {
			return result, fmt.Errorf("rebuild the trace to a state that breaks %s: %w", worst.law, err)
		}
		result.Counterexample = counterexample
	case StopContext:
		return result, fmt.Errorf("explore to depth %d, %d states: %w", x.deepest, x.states, context.Cause(ctx))
	}
	return result, nil
}

// explorer is one exploration: what the workers share, and the sums that are
// drawn up between two depths.
type explorer[S, A, O any] struct {
	machine  Machine[S, A, O]
	expander Expander[S, A, O]
	cfg      ExhaustConfig[S, A, O]

	table    *table
	exact    *exactTable
	ancestry *ancestry
	workers  []*worker[S, A, O]

	limit    int64
	kept     atomic.Int64
	stopped  atomic.Bool
	overflow atomic.Bool

	depth, deepest int
	shallow        bool
	states, edges  int64
	peak           int64
}

func newExplorer[S, A, O any](m Machine[S, A, O], cfg ExhaustConfig[S, A, O]) *explorer[S, A, O] {
	x := &explorer[S, A, O]{
		machine:  m,
		cfg:      cfg,
		table:    newTable(),
		ancestry: newAncestry(),
		limit:    cfg.Bounds.states(),
	}
	x.expander, _ = m.(Expander[S, A, O])
	if cfg.Exact {
		x.exact = newExactTable()
	}
	for range cfg.Bounds.workers() {
		x.workers = append(x.workers, newWorker(x))
	}
	return x
}

// explore runs depth by depth and returns the violation to report, or nil.
func (x *explorer[S, A, O]) explore(ctx context.Context) *violation[S] {
	level, worst := x.begin()
	for level.states > 0 && worst == nil && !x.stopped.Load() {
		if x.cfg.Bounds.Depth > 0 && x.depth == x.cfg.Bounds.Depth {
			x.shallow = true
			break
		}
		width := level.states
		x.expand(ctx, &level)
		level = frontier[S]{}
		for _, w := range x.workers {
			level.join(&w.next)
			w.next = frontier[S]{}
			x.states, x.edges = x.states+w.states, x.edges+w.edges
			w.states, w.edges = 0, 0
			if w.worst != nil && w.worst.less(worst) {
				worst = w.worst
			}
		}
		x.depth++
		if level.states > 0 {
			x.deepest = x.depth
		}
		x.measure(width + level.states)
		if x.cfg.Progress != nil {
			x.cfg.Progress(Progress{Depth: x.depth, States: x.states, Edges: x.edges, Frontier: level.states})
		}
	}
	return worst
}

// begin keeps and judges the initial state.
func (x *explorer[S, A, O]) begin() (frontier[S], *violation[S]) {
	w := x.workers[0]
	initial := x.machine.Init()
	key := x.machine.AppendKey(nil, initial)
	if x.exact != nil {
		x.exact.insert(fingerprint(key), key)
	} else {
		x.table.insert(fingerprint(key))
	}
	x.depth = -1
	w.keep(initial, 0, 0)
	x.depth = 0
	level := w.next
	w.next, w.states = frontier[S]{}, 0
	x.states = 1
	return level, w.worst
}

// expand gives one depth to the workers and waits for them.
func (x *explorer[S, A, O]) expand(ctx context.Context, level *frontier[S]) {
	var taken atomic.Int64
	var others sync.WaitGroup
	for _, w := range x.workers[1:min(len(x.workers), max(1, len(level.chunks)))] {
		others.Go(func() { w.run(ctx, level, &taken) })
	}
	x.workers[0].run(ctx, level, &taken)
	others.Wait()
}

func (x *explorer[S, A, O]) reason(ctx context.Context, worst *violation[S]) Stop {
	switch {
	case worst != nil:
		return StopViolation
	case x.overflow.Load():
		return StopStates
	case x.stopped.Load() && ctx.Err() != nil:
		return StopContext
	case x.shallow:
		return StopDepth
	}
	return StopComplete
}

// measure notes the memory held, given how many states the two frontiers hold.
func (x *explorer[S, A, O]) measure(waiting int) {
	held := x.ancestry.bytes() + int64(waiting)*int64(unsafe.Sizeof(numbered[S]{}))
	if x.exact != nil {
		held += x.exact.bytes()
	} else {
		held += x.table.bytes()
	}
	x.peak = max(x.peak, held)
}
