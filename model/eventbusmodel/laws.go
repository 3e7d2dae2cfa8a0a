package eventbusmodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// Laws lists the laws that the machines of this package really check: those whose breach an invariant reports, or a transition or a function does
// otherwise. Each is there once, with the first place that checks it.
func Laws() []model.Embodied {
	var state, edge, view []string
	for _, r := range stateRules() {
		state = append(state, r.law)
	}
	for _, r := range edgeRules() {
		edge = append(edge, r.law)
	}
	for _, r := range reducerRules() {
		view = append(view, r.law)
	}
	all := slices.Concat(
		model.Embody("Bus: invariant", state...),
		model.Embody("Bus: edge invariant", edge...),
		model.Embody("Reducer: edge invariant", view...),
		model.Embody("BusConfig.Validate", "EVENTBUS-SUBSCRIBE-005"),
		model.Embody("ParseStream: octets and lines",
			"EVENTBUS-SSE-010", "EVENTBUS-WHATWG-001", "EVENTBUS-WHATWG-002", "EVENTBUS-WHATWG-003", "EVENTBUS-WHATWG-016",
		),
		model.Embody("ParseStream: fields",
			"EVENTBUS-SSE-012", "EVENTBUS-WHATWG-005", "EVENTBUS-WHATWG-006", "EVENTBUS-WHATWG-007", "EVENTBUS-WHATWG-008", "EVENTBUS-WHATWG-009",
			"EVENTBUS-WHATWG-011", "EVENTBUS-WHATWG-012", "EVENTBUS-WHATWG-013", "EVENTBUS-WHATWG-014", "EVENTBUS-WHATWG-015", "EVENTBUS-WHATWG-017",
			"EVENTBUS-WHATWG-018", "EVENTBUS-WHATWG-019", "EVENTBUS-WHATWG-020", "EVENTBUS-WHATWG-021", "EVENTBUS-WHATWG-022", "EVENTBUS-WHATWG-023",
			"EVENTBUS-WHATWG-024",
		),
		model.Embody("ReadEnvelopes", "EVENTBUS-SSE-011"),
		model.Embody("DecodeEnvelope", "EVENTBUS-SSE-013"),
		model.Embody("Unframed", "EVENTBUS-SSE-015"),
		model.Embody("ParseLastEventID", "EVENTBUS-HTTP-001", "EVENTBUS-HTTP-002", "EVENTBUS-HTTP-003"),
		model.Embody("ParseMaxQueued", "EVENTBUS-HTTP-004"),
		model.Embody("Reducer.Outcomes", "EVENTBUS-REDUCER-009"),
	)
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(e model.Embodied) bool {
		again := seen[e.Law]
		seen[e.Law] = true
		return again
	})
}
