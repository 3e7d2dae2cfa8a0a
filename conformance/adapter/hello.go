package adapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/spec"
)

// HelloRequest is the request of hello.
type HelloRequest struct {
	Protocol string `json:"protocol"`
}

// A Greeting is what an adapter says about itself and its target, the reply to hello in every protocol.
type Greeting struct {
	Protocol string   `json:"protocol"`
	Software string   `json:"software"` // name and version of the target
	Roles    []string `json:"roles"`
	Versions []string `json:"versions,omitempty"` // of the protocol, by which the target can be judged; none where it has none
	// Options are those that the target or the adapter does without, with the reason.
	Options map[string]string `json:"options,omitempty"`
}

// Fits returns nil if g speaks for a protocol, and lists no version that the laws of the protocol do not know.
func (g Greeting) Fits(protocol string) error {
	if g.Protocol != protocol {
		return fmt.Errorf("protocol is %q, asked for was %q", g.Protocol, protocol)
	}
	known := spec.Versions(protocol)
	for _, v := range g.Versions {
		if !slices.Contains(known, v) {
			return fmt.Errorf("%q is no version of %s, known: %s", v, protocol, strings.Join(known, ", "))
		}
	}
	return nil
}

// Hello answers hello with a greeting; one for another protocol is unsupported.
func Hello(r *Request, g Greeting) (any, error) {
	return Op(r, func(q HelloRequest) (any, error) {
		if q.Protocol != g.Protocol {
			return nil, &UnsupportedError{Op: r.Op, Reason: "protocol " + q.Protocol}
		}
		return g, nil
	})
}
