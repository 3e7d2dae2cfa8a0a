package spec

import "slices"

// A dialect is what the law file of one protocol may say.
type dialect struct {
	name     string
	prefix   string   // first part of every law id
	roles    []string // legal values of role
	versions []string // legal values of versions, ascending; nil when the protocol has none
	required []string // keys that every law must have, in the order of the files
	optional []string // keys that a law may have
}

// dialects is a function so that the table cannot be changed at run time.
func dialects() []dialect {
	return []dialect{
		{
			name: "stomp", prefix: "STOMP",
			roles:    []string{"codec", "client", "server", "reference-client"},
			versions: []string{"1.0", "1.1", "1.2"},
			required: []string{"id", "role", "versions", "level", "title", "statement", "source", "check"},
			optional: []string{"kind", "notes", "withdrawn"},
		},
		{
			name: "eventbus", prefix: "EVENTBUS",
			roles:    []string{"bus", "sse-server", "sse-client", "reducer"},
			versions: []string{"seed", "later"},
			required: []string{"id", "role", "level", "versions", "since", "title", "statement", "source", "check"},
			optional: []string{"kind", "notes", "withdrawn"},
		},
		{
			name: "substrate", prefix: "SUBSTRATE",
			roles:    []string{"codec", "peer", "sender", "receiver", "acceptor", "relay", "journal", "model"},
			required: []string{"id", "role", "level", "title", "statement", "kind", "source", "check"},
			optional: []string{"decision", "notes", "withdrawn"},
		},
		{
			name: "databus", prefix: "DATABUS",
			roles:    []string{"databus", "runtime", "storage-writer", "model"},
			versions: []string{"v010", "fenced"},
			required: []string{"id", "role", "level", "title", "statement", "kind", "source", "check"},
			optional: []string{"versions", "decision", "notes", "withdrawn"},
		},
	}
}

func dialectOf(protocol string) (dialect, bool) {
	for _, d := range dialects() {
		if d.name == protocol {
			return d, true
		}
	}
	return dialect{}, false
}

func (d dialect) keys() []string { return slices.Concat(d.required, d.optional) }

// KnownProtocols returns the name of every protocol that a law file may be written for, in the order of the house:
// stomp, eventbus, substrate, databus.
func KnownProtocols() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name)
	}
	return names
}

// Roles returns the roles that the laws of a protocol may bind, or nil for an unknown protocol.
func Roles(protocol string) []string {
	d, _ := dialectOf(protocol)
	return d.roles
}

// Versions returns the versions of a protocol, ascending, or nil when it has none or is unknown.
func Versions(protocol string) []string {
	d, _ := dialectOf(protocol)
	return d.versions
}

// Kinds returns the legal values of Law.Kind: a function is decided by one input and its output, an invariant by any
// single state, safety by a finite trace, a limit by a number, liveness only under fairness and a bound, a document
// by people who read it, and a record by the release that it names.
func Kinds() []string {
	return []string{"function", "invariant", "safety", "limit", "liveness", Document, Record}
}

func sinces() []string { return []string{"seed", "later"} }
