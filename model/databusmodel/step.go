package databusmodel

// possible says that the action can be taken in s.
func (m *Cluster) possible(s *State, a Action) bool {
	t := &s.tabs[a.Tab]
	switch a.Op {
	case OpDeliver:
		return t.ready() && s.wire[a.Peer][a.Tab].n > 0
	case OpFlush:
		return t.awake() && !t.retrying && !t.pend.empty()
	case OpSync:
		return s.views[a.Tab].n > 0
	case OpLook:
		return t.ready() && m.looks(s, a.Tab)
	case OpRetry:
		return t.retrying && t.phase != closed && !t.frozen && !t.leaving
	case OpBeat:
		return t.ready() && t.next == 0
	case OpTime:
		return m.still(s)
	case OpReceive:
		return t.ready() && s.pub.inbox&bit(a.Tab) != 0
	case OpThaw:
		return t.frozen
	case OpLeave:
		return t.leaving
	case OpLose:
		return s.left.Loss > 0 && s.wire[a.Peer][a.Tab].n > 0 && s.wire[a.Peer][a.Tab].frames[0].kind != FrameEvent
	case OpPublish:
		return s.left.Publish > 0
	}
	return m.allowed(s, t, a)
}

// allowed says that the budget of the action is not spent and the tab is in a state for it.
func (m *Cluster) allowed(s *State, t *tab, a Action) bool {
	switch a.Op {
	case OpSubscribe:
		return s.left.User > 0 && t.awake() && t.sub&bit(a.Topic) == 0
	case OpUnsubscribe:
		return s.left.User > 0 && t.awake() && t.sub&bit(a.Topic) != 0
	case OpHide:
		return s.left.Hide > 0 && t.awake()
	case OpShow:
		return s.left.Show > 0 && t.phase == suspended
	case OpCrash:
		return s.left.Crash > 0 && t.phase == running
	case OpOpen:
		return s.left.Open > 0 && t.phase == closed && !s.store.workers[a.Tab].there && m.cfg.Absent&bit(a.Tab) != 0
	case OpFreeze:
		return s.left.Freeze > 0 && t.awake()
	case OpRefuse:
		return s.left.Fail > 0 && t.awake() && !t.refusing
	case OpVisibility:
		return s.left.Visibility > 0 && t.awake()
	}
	return false
}

// do takes the action.
func (m *Cluster) do(s State, a Action) (State, Outcome, bool) {
	var o Outcome
	if !m.possible(&s, a) {
		return s, o, false
	}
	k := m.task(&s, &o, a.Tab)
	k.act(a)
	if !m.cfg.Late && k.tab.phase == running && !k.tab.retrying {
		k.flush()
	}
	if k.full {
		return s, o, false
	}
	if a.Op == OpSubscribe || a.Op == OpUnsubscribe {
		s.idle[a.Topic] = 0
	}
	if a.Op >= OpSubscribe {
		m.spend(&s.left, a.Op)
	}
	return s, o, true
}

func (m *Cluster) task(s *State, o *Outcome, own uint8) *task {
	return &task{m: m, s: s, o: o, own: own, tab: &s.tabs[own]}
}

// spend takes the action from its budget.
func (m *Cluster) spend(left *Budgets, op Op) {
	*map[Op]*uint8{
		OpSubscribe: &left.User, OpUnsubscribe: &left.User, OpHide: &left.Hide, OpShow: &left.Show, OpCrash: &left.Crash, OpOpen: &left.Open,
		OpFreeze: &left.Freeze, OpLose: &left.Loss, OpRefuse: &left.Fail, OpVisibility: &left.Visibility, OpPublish: &left.Publish,
	}[op]--
}

// act is the task of the action.
func (k *task) act(a Action) {
	switch a.Op {
	case OpDeliver:
		k.receive(a.Peer, k.s.wire[a.Peer][a.Tab].take())
	case OpFlush:
		k.flush()
	case OpSync:
		k.sync()
	case OpLook:
		k.look()
	case OpRetry:
		k.tab.refusing = false
		k.flush()
	case OpBeat:
		k.beat()
	case OpTime:
		k.m.pass(k.s)
	case OpReceive:
		k.s.pub.inbox &^= bit(a.Tab)
		k.arrive()
	case OpThaw:
		k.tab.frozen = false
	case OpLeave:
		k.leave()
	case OpSubscribe:
		k.subscribe(a.Topic)
	case OpUnsubscribe:
		k.unsubscribe(a.Topic)
	case OpHide:
		k.hide()
	case OpShow:
		k.tab.life++
		k.open()
	case OpCrash:
		k.crash()
	case OpOpen:
		k.open()
	case OpFreeze:
		k.tab.frozen = true
		k.m.catchUp(k.s, k.own)
	case OpLose:
		k.s.wire[a.Peer][a.Tab].take()
	case OpRefuse:
		k.tab.refusing = true
	case OpVisibility:
		k.turn()
	case OpPublish:
		k.publish()
	}
}

// publish makes the publication of the server, which is under way to every transport that is subscribed.
func (k *task) publish() {
	k.s.pub.out = true
	for w := range k.m.cfg.Tabs {
		t := &k.s.tabs[w]
		if t.phase == running && t.srv&1 != 0 {
			k.s.pub.inbox |= bit(w)
			k.s.pub.sent |= bit(w)
		}
		if t.phase == running && t.sub&1 != 0 {
			k.s.pub.wanted |= bit(w)
		}
	}
}
