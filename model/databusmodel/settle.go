package databusmodel

// right says that x is as it should be among the tabs that are awake: where one wants it, exactly one is assigned and subscribed, and
// named by a confirmed route; otherwise no route and no duty is left. DATABUS-LIVE-005, DATABUS-LIVE-004
func (m *Cluster) right(s *State, x uint8) bool {
	awake, r := m.awake(s), s.store.routes[x]
	if awake == 0 {
		return true
	}
	var wanted, asleep, asg, srv uint8
	for i := range m.cfg.Tabs {
		t := &s.tabs[i]
		switch {
		case awake&bit(i) != 0:
			wanted |= t.sub >> x & 1 << i
			asg |= t.asg >> x & 1 << i
			srv |= t.srv >> x & 1 << i
		case t.phase == running:
			asleep |= (t.sub | t.asg) >> x & 1
		}
	}
	switch {
	case wanted != 0:
		return r.there && r.confirmed && asg == bit(r.owner) && srv == bit(r.owner)
	case asleep != 0:
		return true
	}
	return !r.there && asg == 0 && srv == 0
}

// served says that some worker that runs and is not frozen is assigned x and subscribed.
func (m *Cluster) served(s *State, x uint8) bool {
	for i := range m.cfg.Tabs {
		if t := &s.tabs[i]; t.awake() && t.asg&t.srv&bit(x) != 0 {
			return true
		}
	}
	return false
}

// wanted says that a tab that is awake wants x.
func (m *Cluster) wanted(s *State, x uint8) bool {
	for i := range m.cfg.Tabs {
		if t := &s.tabs[i]; t.awake() && t.sub&bit(x) != 0 {
			return true
		}
	}
	return false
}

// double says that two workers that run have the transport subscribed to x. DATABUS-INV-004
func (m *Cluster) double(s *State, x uint8) bool {
	var srv, asg uint8
	for i := range m.cfg.Tabs {
		if t := &s.tabs[i]; t.phase == running {
			srv += t.srv >> x & 1
			asg += t.asg >> x & 1
		}
	}
	return srv > 1 || asg > 1
}

// quiet says that nothing is under way to a tab that is awake and nothing waits to be flushed.
func (m *Cluster) quiet(s *State) bool {
	for i := range m.cfg.Tabs {
		t := &s.tabs[i]
		if s.views[i].n > 0 || t.awake() && m.looks(s, i) || t.retrying && !t.frozen || t.awake() && !t.pend.empty() {
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

// calm lets all that is under way arrive, in one order out of many, while no time passes and each tab sees all. Frames that lead to frames without end are cut
// off.
func (m *Cluster) calm(s State) State {
	for round, busy := 0, true; busy && round < maxRounds; round++ {
		busy = false
		for t := range m.cfg.Tabs {
			if s.views[t].n > 0 {
				m.catchUp(&s, t)
				busy = true
			}
			for _, op := range []Op{OpThaw, OpLeave, OpLook, OpRetry, OpFlush, OpReceive} {
				if next, _, ok := m.do(s, Action{Op: op, Tab: t}); ok {
					s, busy = next, true
				}
			}
			for p := range m.cfg.Tabs {
				if next, _, ok := m.do(s, Action{Op: OpDeliver, Tab: t, Peer: p}); ok {
					s, busy = next, true
				}
			}
		}
	}
	return s
}

// later returns what becomes of s in so many rounds of heartbeats without any fault: what is under way arrives, each worker reconciles,
// and three seconds pass.
func (m *Cluster) later(s State, rounds int) State {
	timed := *m
	timed.cfg.Clock, timed.cfg.Fine, timed.cfg.Watch = true, false, false
	s = timed.calm(s)
	for range rounds {
		for t := range m.cfg.Tabs {
			if s.tabs[t].phase == running {
				s.tabs[t].next = 0
			}
			if next, _, ok := timed.do(s, Action{Op: OpBeat, Tab: t}); ok {
				s = timed.calm(next)
			}
		}
		if timed.still(&s) {
			timed.pass(&s)
		}
	}
	return s
}

// maxRounds is more than what any cause leads to that ends by itself.
const maxRounds = 50

// forever is more rounds than it takes for all that a heartbeat or the TTL mends.
const forever = 20

// silent says that x is wanted and not served now, with nothing under way, and that heartbeats and time alone never change it.
func (m *Cluster) silent(s *State, x uint8) bool {
	if !m.quiet(s) || !m.wanted(s, x) || m.served(s, x) {
		return false
	}
	end := m.later(*s, forever)
	return m.wanted(&end, x) && !m.served(&end, x)
}
