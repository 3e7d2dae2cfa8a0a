package model

import (
	"fmt"
	"runtime"
)

const (
	// maxWorkers keeps the inserts that the workers have not yet reported well
	// below the free slots of the smallest table.
	maxWorkers = 64
	// maxStates is what the 32-bit state numbers of the trace log can name.
	maxStates = 1<<32 - 1<<20
)

// Bounds limits an exploration. The zero value is unbounded and uses every
// processor.
type Bounds struct {
	// States is the largest number of distinct states to keep; the exploration
	// stops when one more turns up. 0 means 4,293,918,720, which is the most
	// that can be numbered.
	States int
	// Depth is the largest number of steps from the initial state: states at
	// this depth are kept and judged, but no step is taken from them. 0 means
	// no limit.
	Depth int
	// Workers is the number of goroutines that expand states, 1 to 64.
	// 0 means runtime.GOMAXPROCS(0), at most 64.
	Workers int
}

// Validate reports the first field that is out of range, by name.
func (b Bounds) Validate() error {
	switch {
	case b.States < 0 || b.States > maxStates:
		return fmt.Errorf("bounds: States: want 0 to %d, found %d", maxStates, b.States)
	case b.Depth < 0:
		return fmt.Errorf("bounds: Depth: want 0 or more, found %d", b.Depth)
	case b.Workers < 0 || b.Workers > maxWorkers:
		return fmt.Errorf("bounds: Workers: want 0 to %d, found %d", maxWorkers, b.Workers)
	}
	return nil
}

func (b Bounds) workers() int {
	if b.Workers > 0 {
		return b.Workers
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}

func (b Bounds) states() int64 {
	if b.States > 0 {
		return int64(b.States)
	}
	return maxStates
}
