package databusmodel

// open starts the worker of a tab, or brings it back from being hidden. DATABUS-RECORD-004, DATABUS-LIFECYCLE-004
func (k *task) open() {
	t := k.tab
	t.phase, t.age, t.load = running, 0, 0
	k.m.catchUp(k.s, k.own)
	if k.m.cfg.Clock {
		// DATABUS-HEARTBEAT-003
		t.next = heartbeat
	}
	k.putRecord()
	// DATABUS-REGISTRY-001, DATABUS-STICKY-004: what it wants is written by the reconcile.
	k.nudge()
	k.reconcile()
}

// hide is pagehide: everything that it writes is in storage before the last frame is posted. DATABUS-HANDOFF-001, DATABUS-REGISTRY-004
func (k *task) hide() {
	t, before := k.tab, k.s.wire[k.own]
	k.hiding = true
	for x := range k.m.cfg.Topics {
		if t.sub&bit(x) != 0 {
			k.deleteSubscriber(x, k.tabID(k.own))
		}
	}
	live := k.live() &^ bit(k.own)
	// The routes that lose their last subscriber go first: the flush of a handoff finds them gone. DATABUS-HANDOFF-006
	for x := range k.m.cfg.Topics {
		if t.sub&bit(x) != 0 && k.prune(x, live) == 0 {
			k.abandon(x)
		}
	}
	var projected [maxTabs]uint8
	for x := range k.m.cfg.Topics {
		// Of what it neither loses as a subscriber nor as an owner, nobody asks who is left. DATABUS-UNSUBSCRIBE-004
		if t.asg&bit(x) == 0 {
			continue
		}
		if k.prune(x, live) == 0 {
			k.abandon(x)
			continue
		}
		if r := k.route(x); r.there && r.owner == k.own && !r.released {
			k.handOn(x, r, live, &projected)
		}
	}
	if k.m.cfg.Split {
		t.leaving = true
		return
	}
	k.leave()
	if k.m.cfg.LossyClose {
		k.s.wire[k.own] = before
	}
}

// leave lets go of what is still owned, and tells the new owners if there are any, and then ends the leave. DATABUS-HANDOFF-003
func (k *task) leave() {
	for x := range k.m.cfg.Topics {
		if k.tab.asg&bit(x) != 0 {
			r := k.route(x)
			k.release(x)
			k.lateRelease(x, r)
		}
	}
	k.tab.leaving = false
	k.close()
}

// handOn gives an owned topic to another worker. DATABUS-HANDOFF-002, DATABUS-HANDOFF-003, DATABUS-HANDOFF-007
func (k *task) handOn(x uint8, old route, live uint8, projected *[maxTabs]uint8) {
	r := route{there: true, owner: k.elect(live, *projected), from: k.own + 1, fromLife: k.tab.life, gen: old.gen + 1}
	projected[r.owner]++
	k.write(x, r, false)
	k.o.add(Effect{Kind: EffectHandoff, Tab: k.own, Topic: x, To: r.owner, Gen: r.gen})
	k.flush()
	if k.m.cfg.Split {
		return
	}
	if k.m.bug != bugLateUnsubscribe {
		k.release(x)
	}
	k.tab.asg &^= bit(x)
	k.post(r.owner, frame{kind: FrameReleased, topic: x, gen: r.gen})
}

// close is the end of a leave.
func (k *task) close() {
	t := k.tab
	t.pend.worker[k.own], t.pend.rec = remove, record{}
	k.flush()
	if t.retrying && k.m.cfg.Rules.DiscardAtTeardown {
		t.pend, t.retrying = pending{}, false
	}
	k.nudge()
	t.phase, t.frozen, t.asg, t.again, t.load, t.next, t.age = suspended, false, 0, 0, 0, 0, 0
	k.m.catchUp(k.s, k.own)
	if k.m.bug != bugLateUnsubscribe {
		t.srv = 0
	}
	for w := range k.m.cfg.Tabs {
		k.s.wire[w][k.own] = queue{}
	}
	k.s.pub.inbox &^= bit(k.own)
}

// crash ends a tab with all that it has in memory; what it has posted is still under way.
func (k *task) crash() {
	life := k.tab.life
	*k.tab = tab{life: life}
	k.m.catchUp(k.s, k.own)
	for w := range k.m.cfg.Tabs {
		k.s.wire[w][k.own] = queue{}
	}
	k.s.pub.inbox &^= bit(k.own)
}

// beat is the heartbeat. DATABUS-HEARTBEAT-001
func (k *task) beat() {
	k.tab.next, k.tab.age = heartbeat, 0
	if k.m.bug != bugNoHeartbeat {
		k.putRecord()
	}
	k.reconcile()
}

// turn changes the visibility of the page. DATABUS-VISIBILITY-001
func (k *task) turn() {
	k.tab.hidden, k.tab.age = !k.tab.hidden, 0
	k.putRecord()
	k.nudge()
	k.reconcile()
}
