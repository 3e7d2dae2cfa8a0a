package eventbus

// chunk holds a run of events with consecutive places. A slot is written once, before the place is announced, and never
// again: a consumer that learned of the place may read it without a lock.
type chunk struct {
	base  int64 // place of the first slot
	slots []*Event
}

// maxChunk is the length of a run in a large ring. Events leave memory by the run, so it is also how far the ring overshoots.
const maxChunk = 64

// retained is the store of the events that the ring or an attached subscriber needs: one row of runs of equal length. Taking
// an event in costs the same whatever is stored, and nothing that left is referred to.
type retained struct {
	run    int // slots per chunk
	chunks []*chunk
	head   int // index of the oldest in chunks, which is circular
	n      int
}

// newRetained returns a store for a ring of the size given. The overshoot is an eighth of a small ring.
func newRetained(ringSize int) retained {
	return retained{run: min(max(ringSize/8, 1), maxChunk)}
}

// add stores e at place, which is the one behind the last stored.
func (r *retained) add(place int64, e *Event) {
	if r.n > 0 {
		if last := r.at(r.n - 1); place-last.base < int64(r.run) {
			last.slots[place-last.base] = e
			return
		}
	}
	if r.n == len(r.chunks) {
		grown := make([]*chunk, max(2*len(r.chunks), 4))
		for i := range r.n {
			grown[i] = r.at(i)
		}
		r.chunks, r.head = grown, 0
	}
	c := &chunk{base: place, slots: make([]*Event, r.run)}
	c.slots[0] = e
	i := r.head + r.n
	if i >= len(r.chunks) {
		i -= len(r.chunks)
	}
	r.chunks[i] = c
	r.n++
}

// at returns the i-th chunk from the oldest.
func (r *retained) at(i int) *chunk {
	if i += r.head; i >= len(r.chunks) {
		i -= len(r.chunks)
	}
	return r.chunks[i]
}

// holding returns the chunk of a stored place.
func (r *retained) holding(place int64) *chunk {
	return r.at(r.index(place))
}

func (r *retained) index(place int64) int {
	return int((place - r.at(0).base) / int64(r.run))
}

func (r *retained) event(place int64) *Event {
	c := r.holding(place)
	return c.slots[place-c.base]
}

// span returns the chunks of the places from..to-1, none if there are none.
func (r *retained) span(from, to int64) []*chunk {
	if from >= to {
		return nil
	}
	first, last := r.index(from), r.index(to-1)
	chunks := make([]*chunk, 0, last-first+1)
	for i := first; i <= last; i++ {
		chunks = append(chunks, r.at(i))
	}
	return chunks
}

// oldestEnd returns the place behind the oldest chunk, and whether there is one.
func (r *retained) oldestEnd() (int64, bool) {
	if r.n == 0 {
		return 0, false
	}
	return r.at(0).base + int64(r.run), true
}

// dropOldest lets the oldest chunk go.
func (r *retained) dropOldest() {
	r.chunks[r.head] = nil
	if r.head++; r.head == len(r.chunks) {
		r.head = 0
	}
	r.n--
}
