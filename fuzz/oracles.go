package fuzz

// An Oracle is one fuzz target and the laws that its oracle would see broken.
type Oracle struct {
	Target string // name of the Fuzz function
	Says   string // what holds for every input
	Laws   []string
}

// Oracles returns every fuzz target of this package.
func Oracles() []Oracle { return nil }
