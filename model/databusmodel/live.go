package databusmodel

import "github.com/seed-6f28358b/assay/model"

// Liveness says that once the users and the environment do no more, every topic comes to be as it should be, whatever was before. With the
// clock that is DATABUS-LIVE-005; without it what remains is DATABUS-LIVE-002, which needs no heartbeat. There is no law in a scope that
// shows a race, or that has one.
func (m *Cluster) Liveness() model.Liveness[State, Action] {
	law, title := "DATABUS-LIVE-002", "every topic that a running tab wants is served, without any heartbeat"
	if m.cfg.Clock {
		law, title = "DATABUS-LIVE-005", "every topic that a running tab wants has one owner, and others have none"
	}
	if m.cfg.Race != "" || m.cfg.Racy {
		law, title = "", ""
	}
	return model.Liveness[State, Action]{
		Law: law, Title: title, Fair: Action.Fair, Goal: func(s State) bool { return m.done(&s) }, Strict: true,
	}
}

func (m *Cluster) done(s *State) bool {
	if !m.quiet(s) {
		return false
	}
	for x := range m.cfg.Topics {
		switch {
		case m.cfg.Clock && !m.right(s, x):
			return false
		case !m.cfg.Clock && m.wanted(s, x) && !m.right(s, x):
			return false
		}
	}
	return true
}
