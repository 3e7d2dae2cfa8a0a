package engine

// An undo is what puts the memory of an engine back to where it was when the batch began: copies of the objects that were touched since,
// and steps for what is kept in maps (SUBSTRATE-STORE-008).
type undo struct {
	round  uint64 // of the batch
	before scalars
	states []savedState
	steps  []func()
}

type savedState struct {
	o   *object
	was state
}

// step records how to undo a change that was just made.
func (u *undo) step(f func()) { u.steps = append(u.steps, f) }

// begin makes the present the state to come back to.
func (e *Engine) begin() {
	e.undo.round++
	e.undo.before = e.scalars
	clear(e.undo.states)
	clear(e.undo.steps)
	e.undo.states, e.undo.steps = e.undo.states[:0], e.undo.steps[:0]
	// Bodies are not to be held on to.
	clear(e.batch.Rows)
	clear(e.batch.Inbound)
	clear(e.inputs)
	e.batch.Reset()
	clear(e.fresh)
	e.pending, e.marks = nil, e.marks[:0]
	e.inputs = e.inputs[:0]
}

// touch returns the state of an object to be changed. Nothing of a state is changed otherwise, and what its slices and pointers lead to
// is never changed, only replaced or appended to.
func (e *Engine) touch(o *object) *state {
	if o.round != e.undo.round {
		o.round = e.undo.round
		e.undo.states = append(e.undo.states, savedState{o, o.state})
	}
	if !o.stale {
		o.stale = true
		e.stale = append(e.stale, o)
	}
	return &o.state
}

// rollback forgets everything since begin.
func (e *Engine) rollback() {
	for i := len(e.undo.steps) - 1; i >= 0; i-- {
		e.undo.steps[i]()
	}
	for _, s := range e.undo.states {
		s.o.state = s.was
		s.o.dirtyRecord, s.o.dirtyCounter = false, false
		if !s.o.stale {
			s.o.stale = true
			e.stale = append(e.stale, s.o)
		}
	}
	e.scalars = e.undo.before
	e.refresh()
	e.begin()
}
