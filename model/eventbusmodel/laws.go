package eventbusmodel

// An Embodied law is one that this package checks, with the transition or the invariant that does it.
type Embodied struct{ Law, Where string }

// Laws lists the laws that the machines of this package really check: those whose breach an invariant reports, or a transition or a function does
// otherwise. Each is there once, with the first place that checks it.
func Laws() []Embodied {
	var out []Embodied
	seen := make(map[string]bool)
	add := func(law, where string) {
		if !seen[law] {
			seen[law] = true
			out = append(out, Embodied{Law: law, Where: where})
		}
	}
	for _, r := range stateRules() {
		add(r.law, "Bus: invariant")
	}
	for _, r := range edgeRules() {
		add(r.law, "Bus: edge invariant")
	}
	for _, r := range reducerRules() {
		add(r.law, "Reducer: edge invariant")
	}
	for _, group := range []struct {
		where string
		laws  []string
	}{
		{"BusConfig.Validate", []string{"EVENTBUS-SUBSCRIBE-005"}},
		{"ParseStream: octets and lines", []string{
			"EVENTBUS-SSE-010", "EVENTBUS-WHATWG-001", "EVENTBUS-WHATWG-002", "EVENTBUS-WHATWG-003", "EVENTBUS-WHATWG-016",
		}},
		{"ParseStream: fields", []string{
			"EVENTBUS-SSE-012", "EVENTBUS-WHATWG-005", "EVENTBUS-WHATWG-006", "EVENTBUS-WHATWG-007", "EVENTBUS-WHATWG-008", "EVENTBUS-WHATWG-009",
			"EVENTBUS-WHATWG-011", "EVENTBUS-WHATWG-012", "EVENTBUS-WHATWG-013", "EVENTBUS-WHATWG-014", "EVENTBUS-WHATWG-015", "EVENTBUS-WHATWG-017",
			"EVENTBUS-WHATWG-018", "EVENTBUS-WHATWG-019", "EVENTBUS-WHATWG-020", "EVENTBUS-WHATWG-021", "EVENTBUS-WHATWG-022", "EVENTBUS-WHATWG-023",
			"EVENTBUS-WHATWG-024",
		}},
		{"ReadEnvelopes", []string{"EVENTBUS-SSE-011"}},
		{"DecodeEnvelope", []string{"EVENTBUS-SSE-013"}},
		{"Unframed", []string{"EVENTBUS-SSE-015"}},
		{"ParseLastEventID", []string{"EVENTBUS-HTTP-001", "EVENTBUS-HTTP-002", "EVENTBUS-HTTP-003"}},
		{"ParseMaxQueued", []string{"EVENTBUS-HTTP-004"}},
		{"Reducer.Outcomes", []string{"EVENTBUS-REDUCER-009"}},
	} {
		for _, law := range group.laws {
			add(law, group.where)
		}
	}
	return out
}
