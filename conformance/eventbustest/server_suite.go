package eventbustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// Server returns the suite that judges an HTTP server of event streams: laws of the role sse-server, and those of the role bus
// that show over HTTP.
func Server() *conformance.Suite {
	return &conformance.Suite{
		Name: "eventbus", Protocol: "eventbus", Title: "Event streams over HTTP",
		Section:   Section{},
		Cases:     serverCases(),
		Schemes:   []string{"http", "https"},
		Reference: serverReference,
		Probe:     serverProbe,
		Alive:     serverAlive,
		Death:     serverDeath,
	}
}

// serverDeath is the law that a server breaks when one client leaves it unable to serve others.
const serverDeath = "EVENTBUS-CONCURRENCY-003"

func serverCases() []conformance.Case {
	return slices.Concat(
		serverHeaderCases(),
		serverFrameCases(),
		serverStampCases(),
		serverResumeCases(),
		serverReplayCases(),
		serverResyncCases(),
		serverRingCases(),
		serverOptionCases(),
		serverCursorCases(),
		serverQueryCases(),
		serverEpochCases(),
		serverSnapshotCases(),
		serverLimitCases(),
		serverEvictCases(),
		serverWarnCases(),
		serverEndCases(),
		serverIdleCases(),
		serverRobustCases(),
	)
}
