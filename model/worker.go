package model

import (
	"context"
	"sync/atomic"
)

// pendingSize is how many successors a worker collects before it looks them up
// together: enough for their cache misses to overlap, few enough to stay in
// the first-level cache.
const pendingSize = 32

// A pending successor has not been looked up yet.
type pending[S any] struct {
	state   S
	fp      uint64
	parent  uint32
	ordinal uint32
}

// worker expands states. Its two callbacks are made once and keep what they
// need in the worker, so that expanding allocates only what the machine does.
type worker[S, A, O any] struct {
	x       *explorer[S, A, O]
	machine Machine[S, A, O]
	// edgeLaws is true when there are laws to check on every step.
	edgeLaws bool

	from      numbered[S]
	action    A
	ordinal   uint32
	key       []byte
	visit     func(A) bool
	step      func(A, S, O) bool
	successor func(S, O) bool

	pending [pendingSize]pending[S]
	homes   [pendingSize]uint64
	waiting int

	next       frontier[S]
	block      []link
	blockFirst uint32

	states     int64
	edges      int64
	unreported int64
	worst      *violation[S]
}

func newWorker[S, A, O any](x *explorer[S, A, O]) *worker[S, A, O] {
	w := &worker[S, A, O]{x: x, machine: x.machine, edgeLaws: len(x.cfg.EdgeInvariants) > 0}
	w.successor = w.onSuccessor
	if x.exact != nil {
		w.successor = w.onSuccessorExact
	}
	w.visit = func(a A) bool {
		w.action = a
		w.machine.Step(w.from.state, a)(w.successor)
		return true
	}
	w.step = func(a A, after S, o O) bool {
		w.action = a
		return w.successor(after, o)
	}
	return w
}

// run expands chunks of the frontier until none is left or the exploration
// stops.
func (w *worker[S, A, O]) run(ctx context.Context, level *frontier[S], taken *atomic.Int64) {
	for !w.x.stopped.Load() {
		if ctx.Err() != nil {
			w.x.stopped.Store(true)
			return
		}
		i := int(taken.Add(1)) - 1
		if i >= len(level.chunks) {
			return
		}
		w.x.table.growing.RLock()
		for _, from := range level.chunks[i] {
			if w.expand(from); w.x.stopped.Load() {
				break
			}
		}
		w.flush()
		w.x.table.growing.RUnlock()
		level.chunks[i] = nil
	}
}

func (w *worker[S, A, O]) expand(from numbered[S]) {
	w.from, w.ordinal = from, 0
	if w.x.expander != nil {
		w.x.expander.Expand(from.state, w.step)
	} else {
		w.machine.Actions(from.state)(w.visit)
	}
	w.edges += int64(w.ordinal)
	if w.ordinal == 0 && w.x.cfg.Deadlock && (w.x.cfg.Final == nil || !w.x.cfg.Final(from.state)) {
		w.deadlocked()
	}
}

func (w *worker[S, A, O]) onSuccessor(after S, o O) bool {
	w.key = w.machine.AppendKey(w.key[:0], after)
	if w.edgeLaws {
		w.checkEdge(after, o)
	}
	p := &w.pending[w.waiting]
	p.state, p.fp, p.parent, p.ordinal = after, fingerprint(w.key), w.from.id, w.ordinal
	w.ordinal++
	w.waiting++
	if w.waiting == pendingSize {
		w.flush()
	}
	return true
}

func (w *worker[S, A, O]) onSuccessorExact(after S, o O) bool {
	w.key = w.machine.AppendKey(w.key[:0], after)
	if w.edgeLaws {
		w.checkEdge(after, o)
	}
	ordinal := w.ordinal
	w.ordinal++
	if w.x.exact.insert(fingerprint(w.key), w.key) {
		w.keep(after, w.from.id, ordinal)
	}
	return true
}

// flush looks up the pending successors and keeps the new ones.
func (w *worker[S, A, O]) flush() {
	t := w.x.table
	for i := range w.pending[:w.waiting] {
		w.homes[i] = t.peek(w.pending[i].fp)
	}
	inserted := int64(0)
	for i := range w.pending[:w.waiting] {
		p := &w.pending[i]
		if w.homes[i] == p.fp || !t.insert(p.fp) {
			continue
		}
		inserted++
		w.keep(p.state, p.parent, p.ordinal)
	}
	w.waiting = 0
	if w.unreported += inserted; w.unreported >= reportEvery-pendingSize {
		full := t.report(w.unreported)
		w.unreported = 0
		if full {
			t.growing.RUnlock()
			t.grow()
			t.growing.RLock()
		}
	}
}

// keep numbers a new state, judges it and puts it on the next frontier. Beyond
// the bound on states it stops the exploration instead.
func (w *worker[S, A, O]) keep(state S, parent, ordinal uint32) {
	if w.x.kept.Add(1) > w.x.limit {
		w.x.overflow.Store(true)
		w.x.stopped.Store(true)
		return
	}
	if len(w.block) == cap(w.block) {
		w.block, w.blockFirst = w.x.ancestry.take()
	}
	id := w.blockFirst + uint32(len(w.block))
	w.block = append(w.block, link{parent, ordinal})
	w.states++
	w.next.add(state, id)
	if len(w.x.cfg.Invariants) > 0 {
		w.checkState(state, parent, ordinal)
	}
}
