package engine

import (
	"cmp"
	"container/heap"
	"time"
)

// timers are the objects that have one, the first to be due at the top. They are derived from the states of the objects, so that nothing
// in them is rolled back.
type timers []*object

func (t timers) Len() int { return len(t) }

func (t timers) Less(i, j int) bool {
	return cmp.Or(t[i].due.Compare(t[j].due), cmp.Compare(t[i].name, t[j].name)) < 0
}

func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].at, t[j].at = i+1, j+1
}

// Push implements heap.Interface.
func (t *timers) Push(x any) {
	o, _ := x.(*object)
	*t = append(*t, o)
	o.at = len(*t)
}

// Pop implements heap.Interface.
func (t *timers) Pop() any {
	last := len(*t) - 1
	o := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	o.at = 0
	return o
}

// set moves an object to where it belongs.
func (t *timers) set(o *object, due time.Time) {
	o.due = due
	switch {
	case due.IsZero() && o.at > 0:
		heap.Remove(t, o.at-1)
	case due.IsZero():
	case o.at == 0:
		heap.Push(t, o)
	default:
		heap.Fix(t, o.at-1)
	}
}

// refresh puts every object that was touched where it belongs.
func (e *Engine) refresh() {
	for _, o := range e.stale {
		o.stale = false
		known := e.objects[o.name] == o
		if known && o.blank() {
			delete(e.objects, o.name)
			known = false
			e.undo.step(func() { e.objects[o.name] = o })
		}
		due := time.Time{}
		if known {
			due = e.due(o)
		}
		if due != o.due || due.IsZero() && o.at > 0 {
			e.timers.set(o, due)
		}
		if known && len(o.rows) > 0 {
			e.busy[o] = struct{}{}
		} else {
			delete(e.busy, o)
		}
		if t := o.chain.token; t != o.token {
			delete(e.stored, o.token)
			if t != 0 {
				e.stored[t] = o
			}
			o.token = t
		}
	}
	e.stale = e.stale[:0]
}

// due returns when something is to be done about an object, zero if nothing is.
func (e *Engine) due(o *object) time.Time {
	var first time.Time
	for _, t := range [...]time.Time{e.headDue(o), e.gapDue(o), e.feedDue(o), e.chainDue(o)} {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
