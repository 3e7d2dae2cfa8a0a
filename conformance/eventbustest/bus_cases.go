package eventbustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busCases are the cases of what is reached through an adapter.
func busCases() []conformance.Case {
	cases := slices.Concat(
		busIDCases(),
		busIDSequenceCases(),
		busRingCases(),
		busPublishCases(),
		busSubscribeCases(),
		busReplayCases(),
		busResyncCases(),
		busPropertyCases(),
		busQueueCases(),
		busWarnCases(),
		busEvictCases(),
		busAbortCases(),
		busCloseCases(),
		busLimitCases(),
		busConcurrencyCases(),
		busReducerCases(),
		busParserCases(),
	)
	for i := range cases {
		cases[i].Needs.Transports = []string{"exec"}
	}
	return cases
}
