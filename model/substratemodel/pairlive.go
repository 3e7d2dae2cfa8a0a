package substratemodel

import "github.com/seed-6f28358b/assay/model"

// Liveness says that everything comes to an end once the environment does no more harm: whatever was queued is freed or futile, handed over and answered, every
// caller has its outcome, and an object that was to be opened lives. SUBSTRATE-RECONNECT-001
func (m *Pair) Liveness() model.Liveness[PairState, PairAction] {
	return model.Liveness[PairState, PairAction]{
		Law: "SUBSTRATE-RECONNECT-001", Title: "all that is queued comes to its end",
		Fair: PairAction.Fair,
		Goal: func(s PairState) bool { return m.done(s) },
		// SUBSTRATE-FINALITY-007: what is refused while answers are unfreed is sent again after a while, as often as it takes. Without a clock that is a circle, which
		// needs no other step.
		Strict: m.cfg.Outbox == 0,
	}
}

func (m *Pair) done(s PairState) bool {
	if int(s.script) < len(m.cfg.Script) || !s.Drained() {
		return false
	}
	return !m.opens || s.side[A].live() && s.side[B].live()
}
