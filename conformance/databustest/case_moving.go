package databustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// movingCases are about owners that come and go, and about what is left behind.
func movingCases() []conformance.Case {
	return slices.Concat(
		handoffCases(), heartbeatCases(), ttlCases(), gcCases(), lifecycleCases(), stopCases(), visibilityCases(), degradeCases(), reconnectCases(),
		traceCases(), limitCases(), liveCases(), invariantCases(),
	)
}
