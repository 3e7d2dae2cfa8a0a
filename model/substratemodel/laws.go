package substratemodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// Laws lists the laws that this package really checks: those whose breach an invariant or the liveness reports, or that a transition or a function of octets does
// otherwise. Each is there once, with the first place that checks it.
func Laws() []model.Embodied {
	all := slices.Concat(
		embodied("Pair", &Pair{}), embodied("Relay", &Relay{}), embodied("Feed", &Feed{}), embodied("Journal", &Journal{}),
		model.Embody("Handshake.Ready", "SUBSTRATE-HANDSHAKE-002", "SUBSTRATE-HANDSHAKE-004", "SUBSTRATE-HANDSHAKE-006", "SUBSTRATE-AUTH-004", "SUBSTRATE-AUTH-005",
			"SUBSTRATE-AUTH-006", "SUBSTRATE-AUTH-007"),
		model.Embody("Pair: liveness", "SUBSTRATE-OUTBOX-005"),
		model.Embody("DecodeWire and WireFrame.Encode", "SUBSTRATE-WIRE-001", "SUBSTRATE-WIRE-004", "SUBSTRATE-WIRE-005", "SUBSTRATE-WIRE-006", "SUBSTRATE-CODEC-001", "SUBSTRATE-CODEC-002",
			"SUBSTRATE-CODEC-003", "SUBSTRATE-CODEC-004"),
		model.Embody("WireFrame.Check", "SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003", "SUBSTRATE-ADDR-001", "SUBSTRATE-ADDR-002", "SUBSTRATE-ADDR-003", "SUBSTRATE-VERB-005", "SUBSTRATE-VERB-006",
			"SUBSTRATE-SEQ-012", "SUBSTRATE-LIMIT-001", "SUBSTRATE-FEED-005"),
		model.Embody("ClassOf", "SUBSTRATE-FINALITY-001", "SUBSTRATE-FINALITY-002"),
		model.Embody("Party.Hear", "SUBSTRATE-HANDSHAKE-001", "SUBSTRATE-HANDSHAKE-003", "SUBSTRATE-HANDSHAKE-005", "SUBSTRATE-HANDSHAKE-007", "SUBSTRATE-HANDSHAKE-008", "SUBSTRATE-AUTH-008"),
	)
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(e model.Embodied) bool {
		again := seen[e.Law]
		seen[e.Law] = true
		return again
	})
}

func embodied[S, A, O any](where string, m model.Lively[S, A, O]) []model.Embodied {
	return append(model.Embody(where+": invariant", model.LawsOf(m)...), model.Embody(where+": liveness", m.Liveness().Law)...)
}
