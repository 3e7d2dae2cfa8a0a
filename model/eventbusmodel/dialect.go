package eventbusmodel

import "fmt"

// A Dialect is one of the two versions of the protocol.
type Dialect uint8

const (
	// Seed is the bus as first described; it is the zero value.
	Seed Dialect = iota
	// Later adds epochs, history seeding, the replay budget and eager sizing.
	Later
)

// String returns the name that laws and cases use.
func (d Dialect) String() string {
	switch d {
	case Seed:
		return "seed"
	case Later:
		return "later"
	}
	return fmt.Sprintf("dialect %d", uint8(d))
}

// ParseDialect returns the dialect of that name.
func ParseDialect(name string) (Dialect, error) {
	for _, d := range []Dialect{Seed, Later} {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("eventbusmodel: dialect %q, want seed or later", name)
}
