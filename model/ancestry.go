package model

import (
	"sync"
	"sync/atomic"
)

const (
	// idBlock is how many state numbers a worker takes at a time.
	idBlock = 1 << 10
	// slabSize is how many links one slab holds; a block never spans two.
	slabSize = 1 << 16
)

// A link says how a state was first reached: from which state, and as which of
// that state's successors in the order in which the machine yields them. The
// steps themselves are found again by asking the machine, so a trace costs 8
// bytes a state whatever the machine.
type link struct {
	parent  uint32
	ordinal uint32
}

// ancestry numbers the states and keeps one link for each. Workers take blocks
// of numbers, so that only taking a block is shared.
type ancestry struct {
	next  atomic.Int64
	mu    sync.Mutex
	slabs atomic.Pointer[[]*[slabSize]link]
}

func newAncestry() *ancestry {
	a := &ancestry{}
	a.slabs.Store(&[]*[slabSize]link{})
	return a
}

// take returns an empty block of links and the number of its first.
func (a *ancestry) take() ([]link, uint32) {
	first := a.next.Add(idBlock) - idBlock
	slab := int(first / slabSize)
	for {
		slabs := *a.slabs.Load()
		if slab < len(slabs) {
			at := first % slabSize
			return slabs[slab][at : at : at+idBlock], uint32(first)
		}
		a.mu.Lock()
		if slabs = *a.slabs.Load(); slab >= len(slabs) {
			longer := append(slabs[:len(slabs):len(slabs)], new([slabSize]link))
			a.slabs.Store(&longer)
		}
		a.mu.Unlock()
	}
}

// link returns how state id was reached.
func (a *ancestry) link(id uint32) link {
	return (*a.slabs.Load())[id/slabSize][id%slabSize]
}

// path returns the ordinals that lead from the initial state, number 0, to id.
func (a *ancestry) path(id uint32, depth int) []uint32 {
	ordinals := make([]uint32, depth)
	for i := depth - 1; i >= 0; i-- {
		l := a.link(id)
		ordinals[i], id = l.ordinal, l.parent
	}
	return ordinals
}

func (a *ancestry) bytes() int64 {
	return int64(len(*a.slabs.Load())) * slabSize * 8
}
