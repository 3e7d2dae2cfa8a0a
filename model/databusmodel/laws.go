package databusmodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// Laws lists the laws that this package really checks, each once: those whose breach an invariant or the liveness reports, and the races
// that have a scope in which they happen, and what the fenced version cannot do without.
func Laws() []model.Embodied {
	m := &Cluster{}
	var shown []model.Embodied
	for _, r := range Races() {
		shown = append(shown, model.Embody("RaceScopes: "+r.Title, r.Law)...)
	}
	return slices.Concat(
		model.Embody("Cluster: invariant", model.LawsOf(m)...),
		model.Embody("Cluster: liveness", "DATABUS-LIVE-002", "DATABUS-LIVE-005"),
		shown,
		model.Embody("Fenced: a topic is never right again without it", "DATABUS-FENCE-001", "DATABUS-FENCE-002", "DATABUS-FENCE-003"),
	)
}
