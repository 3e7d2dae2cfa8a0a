package model

import "slices"

// An Embodied law is one that a package of machines checks, with the transition or
// the invariant that does it.
type Embodied struct{ Law, Where string }

// Embody returns laws that are checked at one place.
func Embody(where string, laws ...string) []Embodied {
	var out []Embodied
	for _, law := range laws {
		out = append(out, Embodied{Law: law, Where: where})
	}
	return out
}

// LawsOf returns the ids of the laws that the invariants of m state, each once, in
// the order of the invariants.
func LawsOf[S, A, O any](m Checked[S, A, O]) []string {
	var laws []string
	add := func(law string) {
		if !slices.Contains(laws, law) {
			laws = append(laws, law)
		}
	}
	for _, inv := range m.Invariants() {
		add(inv.Law)
	}
	for _, inv := range m.EdgeInvariants() {
		add(inv.Law)
	}
	return laws
}
