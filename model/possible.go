package model

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// possible is the set of states that a machine may be in, given what has been
// observed. It keeps the order in which the machine yields states, so that
// messages are the same in every run.
type possible[S, A, O any] struct {
	machine Machine[S, A, O]
	match   func(want, got O) bool
	states  []S
	next    []S
	// seen tells states apart once there is more than one.
	seen map[string]struct{}
	key  []byte
	// got is the outcome being matched by accept.
	got    O
	accept func(S, O) bool
	limit  int
	over   bool
}

func newPossible[S, A, O any](m Machine[S, A, O], match func(want, got O) bool) *possible[S, A, O] {
	p := &possible[S, A, O]{machine: m, match: match, states: []S{m.Init()}, limit: DefaultMaxStates}
	p.accept = func(s S, o O) bool {
		if p.match(o, p.got) {
			p.add(s)
		}
		return !p.over
	}
	return p
}

// advance takes a with the outcome got. It returns false, and keeps the states
// as they were, when no possible state allows it or when more than limit
// states would be possible; over tells which. asked may hold what the machine
// allows for a, if that is known already.
func (p *possible[S, A, O]) advance(a A, got O, asked []successor[S, O]) bool {
	p.next, p.got, p.over = p.next[:0], got, false
	clear(p.seen)
	if asked != nil {
		for i := range asked {
			p.accept(asked[i].state, asked[i].outcome)
		}
	} else {
		for _, s := range p.states {
			p.machine.Step(s, a)(p.accept)
		}
	}
	if p.over || len(p.next) == 0 {
		return false
	}
	p.states, p.next = p.next, p.states
	return true
}

// unseen adds every state that hidden actions lead to. It returns false when
// more than limit states would be possible.
func (p *possible[S, A, O]) unseen(hidden func(A) bool) bool {
	p.next, p.over = p.next[:0], false
	clear(p.seen)
	for _, s := range p.states {
		p.add(s)
	}
	for i := 0; i < len(p.next) && !p.over; i++ {
		for a := range p.machine.Actions(p.next[i]) {
			if !hidden(a) {
				continue
			}
			for s := range p.machine.Step(p.next[i], a) {
				p.add(s)
			}
		}
	}
	if p.over {
		return false
	}
	p.states, p.next = p.next, p.states
	return true
}

func (p *possible[S, A, O]) add(s S) {
	if len(p.next) == 0 {
		p.next = append(p.next, s)
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]struct{})
	}
	if len(p.next) == 1 {
		p.key = p.machine.AppendKey(p.key[:0], p.next[0])
		p.seen[string(p.key)] = struct{}{}
	}
	p.key = p.machine.AppendKey(p.key[:0], s)
	if _, ok := p.seen[string(p.key)]; ok {
		return
	}
	if len(p.next) >= p.limit {
		p.over = true
		return
	}
	p.seen[string(p.key)] = struct{}{}
	p.next = append(p.next, s)
}

// allowed lists the outcomes of a in all the possible states, without repeats.
func (p *possible[S, A, O]) allowed(a A) []O {
	var outcomes []O
	for _, s := range p.states {
		for _, o := range p.machine.Step(s, a) {
			known := false
			for _, other := range outcomes {
				known = known || reflect.DeepEqual(other, o)
			}
			if !known {
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

// compareAll makes go-cmp look into unexported fields, where it would otherwise panic.
func compareAll() []cmp.Option {
	return []cmp.Option{cmp.Exporter(func(reflect.Type) bool { return true })}
}

// matchWith returns a comparison by go-cmp: with the given options, or if
// there are none, of everything, unexported fields included. Values that are
// equal by == are taken as equal without asking go-cmp, which costs about a
// microsecond, unless an option might see a difference between them.
func matchWith[O any](options []cmp.Option) func(want, got O) bool {
	plain := len(options) == 0
	if plain {
		options = compareAll()
	}
	slow := func(want, got O) bool { return cmp.Equal(want, got, options...) }
	if !plain || !plainlyComparable(reflect.TypeFor[O]()) {
		return slow
	}
	return func(want, got O) bool { return any(want) == any(got) || slow(want, got) }
}

// plainlyComparable is true for types whose == cannot panic and never says
// equal where go-cmp would not: no interfaces, and no Equal method anywhere.
func plainlyComparable(t reflect.Type) bool {
	if _, ok := t.MethodByName("Equal"); ok {
		return false
	}
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Chan:
		return false
	case reflect.Array:
		return plainlyComparable(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plainlyComparable(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Comparable()
}
