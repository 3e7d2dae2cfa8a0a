package corpus

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/seed-6f28358b/assay/spec"
)

// Place is where a record stands in the corpus.
type Place struct {
	File string
	Line int // from 1
}

// Citation is what every record begins with: what it is called, and what decides it.
type Citation struct {
	Name     string   `yaml:"name"`     // unique in its folder or file; says what is shown
	Laws     []string `yaml:"laws"`     // ids of the laws that decide
	Versions []string `yaml:"versions"` // of the protocol; in the data all of them if left out

	Place `yaml:"-"`
}

// Citations returns what every vector of every protocol cites.
func Citations() ([]Citation, error) {
	var out []Citation
	stomp, err := StompVectors()
	if err != nil {
		return nil, err
	}
	for _, v := range stomp {
		out = append(out, v.Citation)
	}
	eventbus, err := EventbusVectors()
	if err != nil {
		return nil, err
	}
	for _, v := range eventbus {
		out = append(out, v.Citation)
	}
	substrate, err := SubstrateVectors()
	for _, v := range substrate {
		out = append(out, v.Citation)
	}
	return out, err
}

// head is what the loader itself reads of a record, and what it writes.
type head struct {
	name     string
	laws     []string
	versions *[]string
	place    *Place
}

func (c *Citation) head() head { return head{c.Name, c.Laws, &c.Versions, &c.Place} }

var nameShape = regexp.MustCompile(`^[a-z0-9]+([-.][a-z0-9]+)*$`)

// complete fills in versions that the data leaves out, and says what is wrong with the head of a record of the protocol.
func (h head) complete(protocol string) error {
	if !nameShape.MatchString(h.name) {
		return fmt.Errorf("name %q is not words of lower-case letters and digits joined by dashes or dots", h.name)
	}
	if len(h.laws) == 0 {
		return errors.New("no law is cited")
	}
	known := spec.Versions(protocol)
	if *h.versions == nil {
		*h.versions = known
	}
	if len(*h.versions) == 0 && len(known) > 0 {
		return errors.New("versions are empty")
	}
	last := -1
	for _, v := range *h.versions {
		at := slices.Index(known, v)
		if at < 0 {
			return fmt.Errorf("unknown version %q", v)
		}
		if at <= last {
			return fmt.Errorf("versions %v do not increase", *h.versions)
		}
		last = at
	}
	return checkLaws(protocol, h.laws, *h.versions)
}

// checkLaws refuses ids of anything but laws in force, and versions of which none of the laws speaks: for such a version
// the record would claim a result that nothing decides.
func checkLaws(protocol string, ids, versions []string) error {
	catalogue, err := spec.Load()
	if err != nil {
		return err
	}
	var laws []spec.Law
	for i, id := range ids {
		law, ok := catalogue.Law(id)
		if !ok || !law.Active() || law.Protocol != protocol {
			return fmt.Errorf("%q is not a law of %s in force", id, protocol)
		}
		if slices.Contains(ids[:i], id) {
			return fmt.Errorf("law %s is cited twice", id)
		}
		laws = append(laws, law)
	}
	for _, v := range versions {
		if !slices.ContainsFunc(laws, func(l spec.Law) bool { return l.AppliesTo(v) }) {
			return fmt.Errorf("none of the laws %v holds in %s", ids, v)
		}
	}
	return nil
}
