package spec

import "slices"

// Level says how binding a law is.
type Level string

// The four levels, strongest first. A broken MUST is a fail and a broken SHOULD is lax. A MAY grants a freedom: its uses are
// recorded, and only what the law's check calls failing is a fail. A broken REFERENCE law is a fail of the reference
// implementations in this repository and, on any other target, no more than another policy.
const (
	Must      Level = "MUST"
	Should    Level = "SHOULD"
	May       Level = "MAY"
	Reference Level = "REFERENCE"
)

// Levels returns every level, strongest first.
func Levels() []Level { return []Level{Must, Should, May, Reference} }

// Kinds of laws that no build of this project's can break.
const (
	Document = "document" // binds what documents and reports say, not what software does
	Record   = "record"   // what a named release of somebody else's was seen to do: looked at and told, never required
)

// A Law is one numbered, sourced, testable requirement. Text fields are single-line, trimmed and never empty unless
// marked optional below.
type Law struct {
	ID        string   // PROTOCOL-GROUP-NNN, unique and stable: STOMP-FRAME-001
	Protocol  string   // name of the protocol as commands spell it: stomp
	Group     string   // middle of the ID: FRAME
	Role      string   // who must obey it; the known roles differ per protocol, see Roles
	Level     Level    // how binding it is
	Versions  []string // protocol versions it holds in, ascending; nil when the protocol has no versions
	Since     string   // eventbus only: seed or later; empty elsewhere
	Kind      string   // substrate and databus: function, invariant, safety, limit or liveness; stomp and eventbus: Document, Record or empty
	Decision  bool     // a choice of this project where the seed is silent
	Title     string   // one line for lists and tables
	Statement string   // what must hold
	Source    string   // where the requirement stands
	Check     string   // an experiment that decides it
	Notes     string   // optional: contradictions, readings and reasons
	Withdrawn string   // optional: why the law no longer holds; a withdrawn law keeps its ID for ever
	File      string   // name of the file it was read from
	Line      int      // 1-based line of the law's id in File
}

// Active reports whether the law still binds: it has not been withdrawn.
func (l Law) Active() bool { return l.Withdrawn == "" }

// AppliesTo reports whether the law holds in a version of its protocol. A law that names no versions holds in all.
func (l Law) AppliesTo(version string) bool {
	return len(l.Versions) == 0 || slices.Contains(l.Versions, version)
}

func (l Law) clone() Law {
	l.Versions = slices.Clone(l.Versions)
	return l
}

func cloneLaws(laws []Law) []Law {
	out := make([]Law, len(laws))
	for i, l := range laws {
		out[i] = l.clone()
	}
	return out
}
