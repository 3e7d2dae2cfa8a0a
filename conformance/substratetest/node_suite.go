package substratetest

import (
	"context"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeCases are the cases of what is reached through an adapter.
func nodeCases() []conformance.Case {
	return slices.Concat(
		nodeRelayCases(),
		nodeFeedCases(),
		nodeJournalCases(),
		nodeSeqCases(),
		nodeOutboxCases(),
		nodeExpireCases(),
		nodeFailCases(),
		nodeDedupeCases(),
		nodeCrossCases(),
		nodeAnswerCases(),
		nodeLocalCases(),
		nodeCrashCases(),
		nodePropertyCases(),
		nodePairCases(),
		nodeConfigCases(),
		configBackoffCases(),
		nodeLimitCases(),
		nodeAnswerLimitCases(),
		nodeStoreCases(),
		nodeObserveCases(),
		nodeAuthzCases(),
	)
}

// nodeSuite is the cases of nodes alone, for targets in a Go test.
func nodeSuite() *conformance.Suite {
	return &conformance.Suite{
		Name: "substrate", Protocol: "substrate", Title: "Substrate peer", Cases: nodeCases(), Schemes: []string{"exec"},
		Reference: func(context.Context) (*conformance.Reference, error) {
			return &conformance.Reference{
				Adapter: ServeReference, Transports: []string{"exec"}, Stop: func() {},
				Profile: conformance.Profile{Name: "ref", Title: "Assay's reference peer", Deadlines: patient()},
			}, nil
		},
		Probe: probeNodes,
	}
}

// patient returns deadlines for nodes in this process, which the race detector may slow down.
func patient() conformance.ProfileDeadlines {
	return conformance.ProfileDeadlines{Case: conformance.Duration(3 * time.Minute)}
}

// probeNodes greets the adapter of nodes and finds out what target and adapter do without.
func probeNodes(_ context.Context, t *conformance.T) conformance.Capabilities {
	n := nodesOf(t)
	return conformance.Capabilities{Software: n.hello.Software, Absent: n.hello.Options}
}

// overNetwork reports whether the target has an address.
func overNetwork(t *conformance.T) bool { return t.Target().Address != "" }
