// Package suites is the list of the suites that there are, by the names under which the command knows them.
package suites

import (
	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/eventbustest"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// All returns every suite in the order of their names, made afresh, so that a caller may change what it gets.
func All() []*conformance.Suite {
	return []*conformance.Suite{eventbustest.Suite(), eventbustest.Client(), stomptest.Server(), stomptest.Client()}
}

// Named returns one suite, made afresh.
func Named(name string) (*conformance.Suite, bool) {
	for _, s := range All() {
		if s.Protocol == name {
			return s, true
		}
	}
	return nil, false
}

// Names returns the names of all, in their order.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Protocol)
	}
	return names
}
