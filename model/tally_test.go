package model

import "iter"

type tallyAction int

const (
	tallyUp tallyAction = iota
	tallyDown
	tallyRead
)

// tallyMachine is a small machine: a number that goes up and down and is read.
type tallyMachine struct{}

func (tallyMachine) Init() int { return 0 }

func (tallyMachine) Actions(int) iter.Seq[tallyAction] { return tallyActions }

func tallyActions(yield func(tallyAction) bool) {
	_ = yield(tallyUp) && yield(tallyDown) && yield(tallyRead)
}

func (tallyMachine) Step(s int, a tallyAction) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		switch a {
		case tallyUp:
			yield(s+1, s+1)
		case tallyDown:
			if s > 0 {
				yield(s-1, s-1)
			}
		case tallyRead:
			yield(s, s)
		}
	}
}

func (tallyMachine) AppendKey(dst []byte, s int) []byte { return append(dst, byte(s), byte(s>>8)) }

// tally is the real thing, and counts what it is asked.
type tally struct {
	n     int
	steps *int
}

func (r *tally) Do(a tallyAction) int {
	*r.steps++
	switch a {
	case tallyUp:
		r.n++
	case tallyDown:
		r.n--
	}
	return r.n
}
