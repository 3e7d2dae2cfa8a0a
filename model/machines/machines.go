// Package machines lists the machines of all protocols, for those who explore them by name. Start with [All].
package machines

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/databusmodel"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
	"github.com/seed-6f28358b/assay/model/stompmodel"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A Machine is one of the machines of a protocol, with scopes that are small enough to be explored.
type Machine struct {
	Name, Protocol string
	// Help says in a few words what is explored.
	Help string
	// Version is the one that is explored by default; empty: the protocol has none.
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
		{
			Name: "substrate-pair", Protocol: "substrate", Help: "one object between two peers, with every fault of the connection, of processes and of stores",
			scopes: of(only("substrate", ""), always(substratemodel.PairScopes), substratemodel.NewPair),
		},
		{
			Name: "substrate-relay", Protocol: "substrate", Help: "an edge without state between a browser and a store",
			scopes: of(only("substrate", ""), always(substratemodel.RelayScopes), substratemodel.NewRelay),
		},
		{
			Name: "substrate-feed", Protocol: "substrate", Help: "a stream from an edge to a browser",
			scopes: of(only("substrate", ""), always(substratemodel.FeedScopes), substratemodel.NewFeed),
		},
		{
			Name: "substrate-journal", Protocol: "substrate", Help: "the outbox of a page that is loaded again",
			scopes: of(only("substrate", ""), always(substratemodel.JournalScopes), substratemodel.NewJournal),
		},
		{
			Name: "databus-v010", Protocol: "databus", Version: "v010", Help: "tabs that do what the document says, and what holds in spite of its races",
			scopes: of(only("databus", "v010"), always(databusmodel.V010Scopes), databusmodel.New),
		},
		{
			Name: "databus-races", Protocol: "databus", Version: "v010", Help: "a shortest way into each of the races",
			scopes: of(only("databus", "v010"), always(databusmodel.RaceScopes), databusmodel.New),
		},
		{
			Name: "databus-fenced", Protocol: "databus", Version: "fenced", Help: "tabs with the least that has to change so that no race is left for ever",
			scopes: of(only("databus", "fenced"), always(databusmodel.FencedScopes), databusmodel.New),
		},
	}
}

// only parses the one version that a machine has, which is empty where the protocol has none.
func only(protocol, has string) func(string) (struct{}, error) {
	return func(version string) (struct{}, error) {
		switch {
		case version == has:
			return struct{}{}, nil
		case has == "":
			return struct{}{}, fmt.Errorf("%s has no versions, found %q", protocol, version)
		}
		return struct{}{}, fmt.Errorf("unknown version %q of this machine of %s, it has %q", version, protocol, has)
	}
}

// always returns scopes that are the same in every version.
func always[C any](scopes func() []model.Scope[C]) func(struct{}) []model.Scope[C] {
	return func(struct{}) []model.Scope[C] { return scopes() }
}

// Named returns the machine of that name or, if it is the name of a protocol, all the machines of that.
func Named(name string) []Machine {
	return slices.DeleteFunc(All(), func(m Machine) bool { return m.Name != name && m.Protocol != name })
}

// Laws returns the laws that the machines of all protocols really check.
func Laws() []model.Embodied {
	return slices.Concat(stompmodel.Laws(), eventbusmodel.Laws(), substratemodel.Laws(), databusmodel.Laws())
}

// Scopes returns the scopes of a version of the protocol; empty means m.Version. An unknown version is an error that names those there are.
func (m Machine) Scopes(version string) ([]Scope, error) { return m.scopes(cmp.Or(version, m.Version)) }
