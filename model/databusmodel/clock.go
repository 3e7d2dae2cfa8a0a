package databusmodel

// still says that nothing is due but the clock. Deliveries and flushes take no time that a law could tell, and a tab that sleeps holds up
// nobody.
func (m *Cluster) still(s *State) bool {
	if !m.cfg.Clock || s.pub.inbox&m.awake(s) != 0 {
		return false
	}
	for i := range m.cfg.Tabs {
		t := &s.tabs[i]
		if s.views[i].n > 0 || t.awake() && m.looks(s, i) || t.awake() && (t.next == 0 || !t.pend.empty()) || t.retrying && !t.frozen || t.leaving {
			return false
		}
		for from := range m.cfg.Tabs {
			if t.awake() && s.wire[from][i].n > 0 {
				return false
			}
		}
	}
	return true
}

func (m *Cluster) awake(s *State) (mask uint8) {
	for i := range m.cfg.Tabs {
		if s.tabs[i].awake() {
			mask |= bit(i)
		}
	}
	return mask
}

// pass moves the clock to the next mark: a heartbeat, or the next second in a scope with every second.
func (m *Cluster) pass(s *State) {
	step := uint8(heartbeat)
	for i := range m.cfg.Tabs {
		if t := &s.tabs[i]; t.awake() {
			step = min(step, t.next)
		}
	}
	if m.cfg.Fine {
		step = 1
	}
	for i := range m.cfg.Tabs {
		t := &s.tabs[i]
		if t.phase == running {
			t.next -= min(t.next, step)
			t.age = older(t.age, step)
		}
		if t.pend.worker[i] == set {
			t.pend.rec.age = older(t.pend.rec.age, step)
		}
		if s.store.workers[i].there {
			s.store.workers[i].age = older(s.store.workers[i].age, step)
		}
		for x := range m.cfg.Topics {
			ageRoute(&t.pend.routes[x], step)
		}
	}
	for x := range m.cfg.Topics {
		ageRoute(&s.store.routes[x], step)
		if !m.cfg.Watch || m.right(s, x) {
			s.idle[x] = 0
		} else {
			s.idle[x] = min(s.idle[x]+step, maxIdle)
		}
	}
	for i := range m.cfg.Tabs {
		m.catchUp(s, i)
	}
}

func older(age, step uint8) uint8 { return min(age+step, maxAge) }

// ageRoute lets a route grow old. Beyond the TTL nothing tells its ages apart. DATABUS-GC-002
func ageRoute(r *route, step uint8) {
	if r.there {
		r.age = min(r.age+step, ttl+1)
	}
}
