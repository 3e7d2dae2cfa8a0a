package model

import (
	"bytes"
	"cmp"
	"errors"
)

// errDeadlock is what a counterexample under DeadlockLaw says.
var errDeadlock = errors.New("no action is possible and the state is not final")

// A violation is a fault found while a depth was explored. Several may turn
// up; the least of them is reported, whichever worker met it first.
type violation[S any] struct {
	depth      int
	rank       int
	key        []byte
	ordinal    uint32
	from       uint32
	law, title string
	err        error
}

// less orders violations by length of trace, then by the order in which the
// laws are listed, then by the state's key, so that the choice does not depend
// on timing.
func (v *violation[S]) less(other *violation[S]) bool {
	if other == nil {
		return true
	}
	return cmp.Or(
		cmp.Compare(v.depth, other.depth),
		cmp.Compare(v.rank, other.rank),
		bytes.Compare(v.key, other.key),
		cmp.Compare(v.ordinal, other.ordinal),
	) < 0
}

func (w *worker[S, A, O]) found(v *violation[S]) {
	if v.less(w.worst) {
		w.worst = v
	}
}

func (w *worker[S, A, O]) checkState(state S, parent, ordinal uint32) {
	for i := range w.x.cfg.Invariants {
		inv := &w.x.cfg.Invariants[i]
		err := inv.Holds(state)
		if err == nil {
			continue
		}
		w.found(&violation[S]{
			depth: w.x.depth + 1, rank: i, key: w.x.machine.AppendKey(nil, state),
			from: parent, ordinal: ordinal, law: inv.Law, title: inv.Title, err: err,
		})
		return
	}
}

func (w *worker[S, A, O]) checkEdge(after S, o O) {
	for i := range w.x.cfg.EdgeInvariants {
		inv := &w.x.cfg.EdgeInvariants[i]
		err := inv.Check(w.from.state, w.action, after, o)
		if err == nil {
			continue
		}
		w.found(&violation[S]{
			depth: w.x.depth + 1, rank: len(w.x.cfg.Invariants) + i, key: w.x.machine.AppendKey(nil, w.from.state),
			from: w.from.id, ordinal: w.ordinal, law: inv.Law, title: inv.Title, err: err,
		})
		return
	}
}

func (w *worker[S, A, O]) deadlocked() {
	w.found(&violation[S]{
		depth: w.x.depth, rank: -1, key: w.x.machine.AppendKey(nil, w.from.state),
		from: w.from.id, law: DeadlockLaw, title: "every state but a final one has a way on", err: errDeadlock,
	})
}
