package model

// frontierChunk is how many states a worker takes from the frontier at a time.
const frontierChunk = 256

// A numbered state is one that waits to be expanded.
type numbered[S any] struct {
	state S
	id    uint32
}

// frontier is one depth of the exploration, in chunks: a chunk is the unit of
// work and is freed as soon as it is done.
type frontier[S any] struct {
	chunks [][]numbered[S]
	states int
}

func (f *frontier[S]) add(state S, id uint32) {
	last := len(f.chunks) - 1
	if last < 0 || len(f.chunks[last]) == frontierChunk {
		f.chunks = append(f.chunks, make([]numbered[S], 0, frontierChunk))
		last++
	}
	f.chunks[last] = append(f.chunks[last], numbered[S]{state, id})
	f.states++
}

// join moves all of other's chunks into f. The chunks keep their fill, so none is copied.
func (f *frontier[S]) join(other *frontier[S]) {
	f.chunks = append(f.chunks, other.chunks...)
	f.states += other.states
}
