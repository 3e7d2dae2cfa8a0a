package spec

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"sync"
)

//go:embed stomp.yaml eventbus.yaml substrate.yaml databus.yaml
var files embed.FS

// A Catalogue is a set of laws that does not change. Everything it returns is the caller's to keep and alter. It is safe
// for concurrent use. The zero value is an empty catalogue.
type Catalogue struct {
	protocols []string         // in the order of first appearance
	laws      map[string][]Law // per protocol, in file order
	index     map[string]Law   // by id
}

// embedded parses the law files of this build once: they cannot change while the program runs.
var embedded = sync.OnceValues(func() (*Catalogue, error) {
	var all []Law
	var faults []error
	for _, protocol := range KnownProtocols() {
		file := protocol + ".yaml"
		data, err := files.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read embedded law file: %w", err)
		}
		laws, err := Parse(file, protocol, data)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, laws...)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return New(all)
})

// Load returns the catalogue that is embedded in the program: the four law files of this folder. The files are parsed on
// the first call only. An error joins the Errors of every faulty file.
func Load() (*Catalogue, error) { return embedded() }

// New makes a catalogue of the given laws, for tools and tests that judge with a set of their own. Each protocol keeps
// the order of the laws given. A repeated or empty id is an error.
func New(laws []Law) (*Catalogue, error) {
	c := &Catalogue{laws: map[string][]Law{}, index: make(map[string]Law, len(laws))}
	for _, l := range laws {
		if l.ID == "" || l.Protocol == "" {
			return nil, fmt.Errorf("make catalogue: law %q of protocol %q needs both an id and a protocol", l.ID, l.Protocol)
		}
		if first, ok := c.index[l.ID]; ok {
			return nil, fmt.Errorf("make catalogue: law %s of %s:%d is already defined at %s:%d", l.ID, l.File, l.Line, first.File, first.Line)
		}
		l = l.clone()
		c.index[l.ID] = l
		if _, ok := c.laws[l.Protocol]; !ok {
			c.protocols = append(c.protocols, l.Protocol)
		}
		c.laws[l.Protocol] = append(c.laws[l.Protocol], l)
	}
	return c, nil
}

// Protocols returns the protocols that have laws, in file order: stomp, eventbus, substrate, databus.
func (c *Catalogue) Protocols() []string { return slices.Clone(c.protocols) }

// Laws returns every law of a protocol in file order, withdrawn ones included, or nil for an unknown protocol.
func (c *Catalogue) Laws(protocol string) []Law {
	if _, ok := c.laws[protocol]; !ok {
		return nil
	}
	return cloneLaws(c.laws[protocol])
}

// All returns every law of every protocol, in the order of Protocols and then of the files.
func (c *Catalogue) All() []Law {
	out := make([]Law, 0, c.Len())
	for _, p := range c.protocols {
		out = append(out, cloneLaws(c.laws[p])...)
	}
	return out
}

// Len returns the number of laws, withdrawn ones included.
func (c *Catalogue) Len() int { return len(c.index) }

// Law returns the law with exactly this id. A withdrawn law is found too: Active tells.
func (c *Catalogue) Law(id string) (Law, bool) {
	l, ok := c.index[id]
	return l.clone(), ok
}

// Groups returns the groups of a protocol in file order, or nil for an unknown protocol.
func (c *Catalogue) Groups(protocol string) []string {
	var out []string
	for _, l := range c.laws[protocol] {
		if !slices.Contains(out, l.Group) {
			out = append(out, l.Group)
		}
	}
	return out
}
