package fuzz

import "slices"

// An Oracle is one fuzz target and the laws that its oracle would see broken.
type Oracle struct {
	Target string // name of the Fuzz function
	Says   string // what holds for every input
	Laws   []string
}

// Oracles returns every fuzz target of this package, and that of package storefuzz. Its laws are those that a breach of would make the target fail on some input, not those
// that it happens to exercise.
func Oracles() []Oracle {
	return slices.Concat(stompOracles(), eventbusOracles(), substrateOracles(), databusOracles())
}
