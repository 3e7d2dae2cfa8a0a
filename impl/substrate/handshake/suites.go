package handshake

// A Suite does to bodies what a name in the slot e2eSeal or e2eSign means, end to end: no relay in between sees inside, or none can change
// a body without being noticed.
type Suite interface {
	// Outbound returns what is sent in place of a body.
	Outbound(body []byte) ([]byte, error)
	// Inbound returns the body in place of which something came.
	Inbound(sent []byte) ([]byte, error)
}

// A Registry has the suites that one slot may be filled with, the most preferred first. What is offered to the other side and what is
// looked up when a name was chosen is this one list (SUBSTRATE-E2E-001).
type Registry []NamedSuite

// A NamedSuite is a suite and its name on the wire.
type NamedSuite struct {
	Name  string
	Suite Suite
}

// PlainSuites returns the registry of the suite "none", which leaves bodies as they are. It is all that is shipped (SUBSTRATE-E2E-003).
func PlainSuites() Registry { return Registry{{Name: nameNone, Suite: plain{}}} }

type plain struct{}

func (plain) Outbound(body []byte) ([]byte, error) { return body, nil }
func (plain) Inbound(sent []byte) ([]byte, error)  { return sent, nil }

// names returns the names of r, in its order.
func (r Registry) names() []string {
	names := make([]string, len(r))
	for i, s := range r {
		names[i] = s.Name
	}
	return names
}

// resolve returns the suite with a name, or nil.
func (r Registry) resolve(name string) Suite {
	for _, s := range r {
		if s.Name == name {
			return s.Suite
		}
	}
	return nil
}

// fault returns what is wrong with r, empty if nothing is.
func (r Registry) fault() string {
	for i, s := range r {
		switch {
		case s.Name == "":
			return "has a suite without a name"
		case s.Suite == nil:
			return "has a name without a suite"
		case r[:i].resolve(s.Name) != nil:
			return "has a name twice"
		}
	}
	return ""
}
