package eventbustest

import (
	"context"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// patient returns deadlines for a bus or a client in this process, which the race detector may slow down.
func patient() conformance.ProfileDeadlines {
	return conformance.ProfileDeadlines{Case: conformance.Duration(3 * time.Minute)}
}

// busSuite is the cases of the bus alone, for targets behind an adapter.
func busSuite() *conformance.Suite {
	return &conformance.Suite{
		Name: "eventbus", Protocol: "eventbus", Title: "Event bus", Cases: busCases(), Schemes: []string{"exec"},
		Reference: func(context.Context) (*conformance.Reference, error) {
			return &conformance.Reference{
				Adapter: adapter.Adapter(ServeReference), Transports: []string{"exec"}, Stop: func() {},
				Profile: conformance.Profile{Name: "ref", Title: "Assay's reference bus", Deadlines: patient()},
			}, nil
		},
		Probe: probeBus,
	}
}

// probeBus greets the adapter of a bus and finds out what target and adapter do without.
func probeBus(_ context.Context, t *conformance.T) conformance.Capabilities {
	b := busOf(t)
	return conformance.Capabilities{
		Versions: b.hello.Versions, Software: b.hello.Software, Absent: b.hello.Options,
	}
}
