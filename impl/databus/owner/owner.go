// Package owner decides which worker owns a topic, from the records of the live workers alone. Equal views give equal owners, whatever the
// order of the records (DATABUS-OWNER-003).
//
// [Cut] is who is eligible, [Choose] who is chosen for one topic, [NewPlan] spreads several topics, and [RoleOf] is what a worker records
// of itself. Who is eligible says nothing of routes that exist (DATABUS-OWNER-008).
package owner

import (
	"cmp"
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// DefaultMaxActive is how many workers are eligible at most (DATABUS-OWNER-002).
const DefaultMaxActive = 3

// Candidates returns those of the live workers that come before all others: the healthy ones, of those the visible ones, and where there
// are none of a kind, all (DATABUS-OWNER-001, DATABUS-VISIBILITY-003). It is empty only if there is no worker.
func Candidates(live []record.Worker) []record.Worker {
	best := bestOf(live)
	kept := make([]record.Worker, 0, len(live))
	for i := range live {
		if merit(&live[i]) == best {
			kept = append(kept, live[i])
		}
	}
	return kept
}

// bestOf returns the greatest merit of the workers.
func bestOf(live []record.Worker) int {
	best := 0
	for i := range live {
		best = max(best, merit(&live[i]))
	}
	return best
}

// merit is the greater the earlier a worker is taken.
func merit(w *record.Worker) int {
	merit := 0
	if w.Status.Healthy() {
		merit += 2
	}
	if w.Visibility == record.Visible {
		merit++
	}
	return merit
}

// Cut returns the candidates that are eligible: the first most by the time of registration and then by id (DATABUS-OWNER-002). Load plays
// no part in it.
func Cut(live []record.Worker, most int) []record.Worker {
	candidates := Candidates(live)
	if most > fewEligible || most >= len(candidates) {
		slices.SortFunc(candidates, earlier)
		return candidates[:min(most, len(candidates))]
	}
	// The front of candidates holds the first of those that were looked at, in order.
	for i, w := range candidates {
		at := min(i, most)
		for at > 0 && earlier(w, candidates[at-1]) < 0 {
			if at < most {
				candidates[at] = candidates[at-1]
			}
			at--
		}
		if at < most {
			candidates[at] = w
		}
	}
	return candidates[:most]
}

// earlier orders candidates.
func earlier(a, b record.Worker) int {
	return cmp.Or(cmp.Compare(a.RegisteredAt, b.RegisteredAt), record.Compare(a.WorkerID, b.WorkerID))
}

// fewEligible are picked out faster than all are sorted.
const fewEligible = 16

// Choose returns the owner for a topic that has none: the eligible worker with the least load, of several the first by id
// (DATABUS-OWNER-003). It reports false if no worker is live.
func Choose(live []record.Worker, most int) (record.Worker, bool) {
	return Least(Cut(live, most))
}

// Least returns the one that [Choose] would, from those that are eligible.
func Least(eligible []record.Worker) (record.Worker, bool) {
	if len(eligible) == 0 {
		return record.Worker{}, false
	}
	return slices.MinFunc(eligible, func(a, b record.Worker) int {
		return cmp.Or(cmp.Compare(a.Load, b.Load), record.Compare(a.WorkerID, b.WorkerID))
	}), true
}

// RoleOf returns the role of the worker with this id: active if it is eligible (DATABUS-OWNER-009).
func RoleOf(live []record.Worker, most int, workerID string) record.Role {
	at := slices.IndexFunc(live, func(w record.Worker) bool { return w.WorkerID == workerID })
	best := bestOf(live)
	if at < 0 || merit(&live[at]) < best {
		return record.Standby
	}
	before := 0
	for i := range live {
		if merit(&live[i]) == best && earlier(live[i], live[at]) < 0 {
			before++
		}
	}
	if before < most {
		return record.Active
	}
	return record.Standby
}

// A Plan chooses owners for several topics in a row.
type Plan struct {
	eligible []record.Worker
}

// NewPlan returns a plan over these workers.
func NewPlan(live []record.Worker, most int) *Plan {
	return &Plan{Cut(live, most)}
}

// Next returns the owner for one more topic, and counts the topic into its load (DATABUS-HANDOFF-007). It reports false if no worker is
// live.
func (p *Plan) Next() (record.Worker, bool) {
	chosen, ok := Least(p.eligible)
	if ok {
		at := slices.IndexFunc(p.eligible, func(w record.Worker) bool { return w.WorkerID == chosen.WorkerID })
		p.eligible[at].Load++
	}
	return chosen, ok
}
