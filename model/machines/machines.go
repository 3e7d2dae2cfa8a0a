// Package machines lists the machines of all protocols, for those who explore them by name. Start with [All].
package machines

import (
	"cmp"
	"slices"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A Machine is one of the machines of a protocol, with scopes that are small enough to be explored.
type Machine struct {
	Name, Protocol string
	// Help says in a few words what is explored.
	Help string
	// Version is the one that is explored by default.
	Version string

	scopes func(version string) ([]Scope, error)
}

// All returns every machine.
func All() []Machine {
	return []Machine{
		{
			Name: "stomp-broker", Protocol: "stomp", Version: "1.2", Help: "two sessions, one queue, two messages, one transaction, and less with other settings",
			scopes: of(stompmodel.ParseVersion, stompmodel.BrokerScopes, stompmodel.NewBroker),
		},
		{
			Name: "stomp-session", Protocol: "stomp", Version: "1.2",
			Help:   "one client with room for two subscriptions, two transactions, two receipts and three deliveries",
			scopes: of(stompmodel.ParseVersion, stompmodel.SessionScopes, stompmodel.NewSession),
		},
		{
			Name: "eventbus-bus", Protocol: "eventbus", Version: "seed", Help: "small buses, one for each family of laws",
			scopes: of(eventbusmodel.ParseDialect, eventbusmodel.BusScopes, eventbusmodel.NewBus),
		},
		{
			Name: "eventbus-reducer", Protocol: "eventbus", Version: "seed", Help: "the view of a session",
			scopes: of(eventbusmodel.ParseDialect, eventbusmodel.ReducerScopes, eventbusmodel.NewReducer),
		},
	}
}

// Named returns the machine of that name.
func Named(name string) (Machine, bool) {
	all := All()
	at := slices.IndexFunc(all, func(m Machine) bool { return m.Name == name })
	if at < 0 {
		return Machine{}, false
	}
	return all[at], true
}

// Laws returns the laws that the machines of all protocols really check.
func Laws() []model.Embodied { return slices.Concat(stompmodel.Laws(), eventbusmodel.Laws()) }

// Scopes returns the scopes of a version of the protocol; empty means m.Version. An unknown version is an error that names those there are.
func (m Machine) Scopes(version string) ([]Scope, error) { return m.scopes(cmp.Or(version, m.Version)) }
