// Package suites is the list of the suites that there are, by the names under which the command knows them.
package suites

import (
	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/databustest"
	"github.com/seed-6f28358b/assay/conformance/eventbustest"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
	"github.com/seed-6f28358b/assay/conformance/substratetest"
)

// All returns every suite in the order of their names, made afresh, so that a caller may change what it gets.
func All() []*conformance.Suite {
	return []*conformance.Suite{
		databustest.Suite(), eventbustest.Suite(), eventbustest.Client(), stomptest.Server(), stomptest.Client(), substratetest.Suite(),
	}
}

// Named returns one suite, made afresh.
func Named(name string) (*conformance.Suite, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Sections returns a zero value of each section of a profile that some suite reads.
func Sections() []conformance.Section {
	var out []conformance.Section
	for _, s := range All() {
		if s.Section != nil {
			out = append(out, s.Section)
		}
	}
	return out
}

// Names returns the names of all, in their order.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}
