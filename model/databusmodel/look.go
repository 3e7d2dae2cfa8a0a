package databusmodel

// caughtUp says that the tab sees all that the others have written, but for what storage refuses.
func (m *Cluster) caughtUp(s *State, own uint8) bool {
	for i := range m.cfg.Tabs {
		if t := &s.tabs[i]; i != own && t.awake() && !t.retrying && !t.pend.empty() {
			return false
		}
	}
	return s.views[own].n == 0
}

// looks says that it is worth while for the tab to look again at the routes of what it refused: one names it, or there is no more to see.
func (m *Cluster) looks(s *State, own uint8) bool {
	again := s.tabs[own].again
	if again == 0 || m.caughtUp(s, own) {
		return again != 0
	}
	after := *s
	k := m.task(&after, &Outcome{}, own)
	for x := range m.cfg.Topics {
		if again&bit(x) != 0 && k.mayTake(x) {
			return true
		}
	}
	return false
}

// mayTake says that the route of x names the tab and waits for nobody.
func (k *task) mayTake(x uint8) bool {
	r := k.route(x)
	return r.there && r.owner == k.own && !r.released && !(r.handingOver() && k.pendingHandoff(r, k.live()))
}

// look takes the topics whose route names the tab by now and waits for nobody, as a SUBSCRIBE would that came now (DATABUS-FENCE-002), and
// ends when there is no more to see.
func (k *task) look() {
	for x := range k.m.cfg.Topics {
		if k.tab.again&bit(x) != 0 && k.mayTake(x) {
			k.tab.again &^= bit(x)
			k.assign(x)
		}
	}
	if k.m.caughtUp(k.s, k.own) {
		k.tab.again = 0
	}
}
