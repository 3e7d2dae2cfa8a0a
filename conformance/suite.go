package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// A Suite is the cases of one protocol and what a run needs to know about it.
type Suite struct {
	Name     string // by which the command line and results know it: "stomp-client"
	Protocol string // whose laws it judges by: "stomp"
	Title    string // what it judges, before "conformance of" in a page: "STOMP client"
	Cases    []Case
	// WebSocket says that what the suite plays a server for may come over WebSocket. The protocol's first octet is then never G, as
	// that of every WebSocket is.
	WebSocket bool
	// Subprotocols are offered on a WebSocket.
	Subprotocols []string
	// OwnWebSocket says that the suite speaks WebSocket itself, so that it can break it off at any octet: a target of the scheme ws or
	// wss is dialled by TCP or TLS alone.
	OwnWebSocket bool
	// Schemes are those of the targets that the suite can judge besides the reference: "tcp", "exec".
	Schemes []string
	// Section is a zero value of what the suite reads from a profile besides what all read; nil: nothing.
	Section Section
	// Reference starts the reference inside the process.
	Reference func(ctx context.Context) (*Reference, error)
	// Clients says that the suite judges clients: it plays the server, and the target is the command of a
	// testee or adapter, or the reference.
	Clients bool
	// Probe finds out what the target can do. It ends its T as inconclusive when the target cannot be
	// judged at all; then nothing else runs.
	Probe func(ctx context.Context, t *T) Capabilities
	// Alive repeats the shortest useful dialogue with a target that once managed it, and reports
	// through T if it does not any more. Nil: that is never asked.
	Alive func(ctx context.Context, t *T)
	// Death is the law that a target breaks when a case leaves it unable to serve others.
	Death string
}

// Judges returns nil if the suite can judge such a target, and otherwise says which it can.
func (s *Suite) Judges(target Target) error {
	if target.Reference() || slices.Contains(s.Schemes, target.Scheme) {
		return nil
	}
	return fmt.Errorf("target %s: %s judges targets of the kinds %s", target.Spec, s.Name, strings.Join(s.Schemes, ", "))
}

// TakesCommands reports whether a target of the suite can be a command.
func (s *Suite) TakesCommands() bool { return slices.Contains(s.Schemes, "exec") }

// Options returns the names that a profile can list as unsupported, sorted: those that some case needs.
func (s *Suite) Options() []string {
	var out []string
	for _, c := range s.Cases {
		out = append(out, c.Needs.Options...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Understands returns nil if every option that p lists as unsupported is one of the suite's. A misspelt one would excuse nothing
// and say nothing.
func (s *Suite) Understands(p Profile) error {
	options := s.Options()
	for _, option := range slices.Sorted(maps.Keys(p.Unsupported)) {
		if !slices.Contains(options, option) {
			return fmt.Errorf("unsupported: %q is no option of %s, known: %s", option, s.Name, strings.Join(options, ", "))
		}
	}
	return nil
}

// A Reference is our own implementation, running inside the process.
type Reference struct {
	Address string  // host:port where it listens
	Profile Profile // how it is set up; used when the caller names no profile
	Stop    func()  // ends it and waits for it
	// Testee is the client for a suite that judges clients, which needs no Address: it connects to the
	// address, serves until its control connection or ctx ends, and returns when all that it started has ended.
	Testee func(ctx context.Context, address string) error
	// Adapter answers the requests of spec/adapter.md.
	Adapter adapter.Adapter
	// Transports are those of Needs.Transports over which the reference can be judged; nil: tcp.
	Transports []string
}
