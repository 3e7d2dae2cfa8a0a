package model

import (
	"context"
	"math"
	"unsafe"
)

// noState is the number of no state.
const noState = math.MaxUint32

// fairGraph is what Live keeps of a machine: for each state how it was first reached, whether it is a goal, and where its fair steps lead. States are
// numbered in the order in which they are reached, and their steps are taken in that order.
type fairGraph[S, A, O any] struct {
	machine Machine[S, A, O]
	law     Liveness[S, A]
	bounds  Bounds

	numbers numberTable
	links   []link
	goal    []bool   // by state: a goal, or cut off by a bound
	first   []uint32 // by state: the first of its fair steps in targets; one more at the end
	targets []uint32
	stays   uint32 // the first state that is no goal and has a fair step to itself; noState: none

	level, next frontier[S]
	key         []byte
	from        uint32
	ordinal     uint32
	edges       int64
	deepest     int
	over        bool
	peak        int64
}

// explore visits the states, level by level, and says why it ended.
func (g *fairGraph[S, A, O]) explore(ctx context.Context) Stop {
	g.stays = noState
	g.numbers = newNumberTable()
	g.number(g.machine.Init(), link{})
	expand := g.expansion()
	for depth := 0; g.next.states > 0; depth++ {
		g.deepest = depth
		g.level, g.next = g.next, frontier[S]{}
		if g.bounds.Depth > 0 && depth == g.bounds.Depth {
			for id := len(g.links) - g.level.states; id < len(g.links); id++ {
				g.goal[id] = true
			}
			g.seal()
			return StopDepth
		}
		width := g.level.states
		for i, chunk := range g.level.chunks {
			if ctx.Err() != nil {
				return StopContext
			}
			for _, from := range chunk {
				g.from, g.ordinal = from.id, 0
				g.first = append(g.first, uint32(len(g.targets)))
				expand(from.state)
			}
			g.level.chunks[i] = nil
		}
		g.measure(width + g.next.states)
	}
	g.seal()
	if g.over {
		return StopStates
	}
	return StopComplete
}

// expansion returns what takes every step of a state. Its callbacks are made once.
func (g *fairGraph[S, A, O]) expansion() func(S) {
	if x, ok := g.machine.(Expander[S, A, O]); ok {
		step := func(a A, after S, _ O) bool { return g.step(a, after) }
		return func(s S) { x.Expand(s, step) }
	}
	var s S
	var a A
	successor := func(after S, _ O) bool { return g.step(a, after) }
	visit := func(next A) bool {
		a = next
		g.machine.Step(s, a)(successor)
		return true
	}
	return func(from S) {
		s = from
		g.machine.Actions(s)(visit)
	}
}

func (g *fairGraph[S, A, O]) step(a A, after S) bool {
	to := g.number(after, link{g.from, g.ordinal})
	g.ordinal++
	g.edges++
	switch {
	case to == noState:
		g.goal[g.from] = true
	case !g.law.Fair(a):
	case to != g.from:
		g.targets = append(g.targets, to)
	case !g.goal[g.from] && g.stays == noState:
		g.stays = g.from
	}
	return true
}

// number returns the number of s, which may be new; beyond the bound on states it is noState.
func (g *fairGraph[S, A, O]) number(s S, l link) uint32 {
	g.key = g.machine.AppendKey(g.key[:0], s)
	n := uint32(len(g.links))
	limit := int64(n) >= g.bounds.states()
	if known, ok := g.numbers.find(fingerprint(g.key), n, !limit); ok {
		return known
	}
	if limit {
		g.over = true
		return noState
	}
	g.links = append(g.links, l)
	g.goal = append(g.goal, g.law.Goal(s))
	g.next.add(s, n)
	return n
}

// seal gives the states without known steps none, and the list its end.
func (g *fairGraph[S, A, O]) seal() {
	for len(g.first) <= len(g.links) {
		g.first = append(g.first, uint32(len(g.targets)))
	}
}

// measure notes the memory held, given how many states wait.
func (g *fairGraph[S, A, O]) measure(waiting int) {
	held := g.numbers.bytes() + int64(cap(g.links))*8 + int64(cap(g.goal)) + int64(cap(g.first)+cap(g.targets))*4
	g.peak = max(g.peak, held+int64(waiting)*int64(unsafe.Sizeof(numbered[S]{})))
}

// numberTable maps fingerprints to numbers: open addressing, linear probing, 0 for a free slot.
type numberTable struct {
	slots []numberSlot
	shift uint
	used  int
}

type numberSlot struct {
	fp     uint64
	number uint32
}

func newNumberTable() numberTable {
	return numberTable{slots: make([]numberSlot, 1<<12), shift: shiftFor(1 << 12)}
}

// find returns the number of fp and true, or stores n for it if asked to, and returns false.
func (t *numberTable) find(fp uint64, n uint32, store bool) (uint32, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := fp >> t.shift; ; i++ {
		slot := &t.slots[i&mask]
		switch slot.fp {
		case fp:
			return slot.number, true
		case 0:
			if store {
				slot.fp, slot.number = fp, n
				t.used++
				t.grow()
			}
			return 0, false
		}
	}
}

func (t *numberTable) grow() {
	if t.used*4 <= len(t.slots)*3 {
		return
	}
	old := t.slots
	t.slots, t.used = make([]numberSlot, 2*len(old)), 0
	t.shift--
	for _, slot := range old {
		if slot.fp != 0 {
			t.find(slot.fp, slot.number, true)
		}
	}
}

func (t *numberTable) bytes() int64 { return int64(len(t.slots)) * 16 }
