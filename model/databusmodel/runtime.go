package databusmodel

// elect returns the owner of a new route: the least loaded of the visible workers among live, or of all if none is visible.
// DATABUS-OWNER-001, DATABUS-OWNER-003, DATABUS-OWNER-007
func (k *task) elect(live uint8, projected [maxTabs]uint8) uint8 {
	var visible uint8
	for w := range k.m.cfg.Tabs {
		if live&bit(w) != 0 && !k.worker(w).hidden {
			visible |= bit(w)
		}
	}
	if visible != 0 {
		live = visible
	}
	best, least := k.own, uint8(255)
	for w := range k.m.cfg.Tabs {
		if load := k.worker(w).load + projected[w]; live&bit(w) != 0 && load < least {
			best, least = w, load
		}
	}
	return best
}

func (k *task) subscribe(x uint8) {
	// DATABUS-SUBSCRIBE-002: intent, subscriber record, then the route.
	k.tab.sub |= bit(x)
	k.tab.known |= bit(x)
	k.setSubscriber(x, k.tabID(k.own))
	r, live := k.route(x), k.live()
	// DATABUS-STICKY-003: with a live owner nothing else is written or posted.
	if !r.there || r.released || live&bit(r.owner) == 0 {
		k.assignRoute(x, r, live)
	}
}

// assignRoute elects an owner, writes the route and asks the owner. DATABUS-OWNER-005, DATABUS-ROUTE-002, DATABUS-GENERATION-001
func (k *task) assignRoute(x uint8, old route, live uint8) {
	r := route{there: true, owner: k.elect(live, [maxTabs]uint8{}), gen: min(old.gen+1, maxGen)}
	if k.m.bug == bugGenerationZero {
		r.gen = old.gen
	}
	k.write(x, r, false)
	k.o.add(Effect{Kind: EffectElect, Tab: k.own, Topic: x, To: r.owner, Gen: r.gen})
	k.request(x, r)
	// DATABUS-REGISTRY-001
	k.nudge()
}

// request asks the owner of a route to take it. DATABUS-SUBSCRIBE-003: nobody asks itself over the channel.
func (k *task) request(x uint8, r route) {
	if r.owner == k.own {
		k.assign(x)
		return
	}
	k.post(r.owner, frame{kind: FrameSubscribe, topic: x, gen: k.generation(r)})
}

// generation returns what a CONTROL frame carries.
func (k *task) generation(r route) uint8 {
	if k.m.cfg.Rules.CarryGeneration {
		return r.gen
	}
	return 0
}

// assign makes the tab the owner of x: it confirms the route if that names it, and subscribes its transport. DATABUS-CONTROL-003,
// DATABUS-CONFIRM-001
func (k *task) assign(x uint8) {
	k.tab.known |= bit(x)
	k.tab.asg |= bit(x)
	if r := k.route(x); r.there && r.owner == k.own && !r.confirmed && k.m.bug != bugNoConfirm {
		r.confirmed = true
		k.write(x, r, true)
		k.o.add(Effect{Kind: EffectConfirm, Tab: k.own, Topic: x})
	}
	// DATABUS-SUBSCRIBE-005
	if k.tab.srv&bit(x) == 0 {
		k.tab.srv |= bit(x)
		k.o.add(Effect{Kind: EffectTake, Tab: k.own, Topic: x})
	}
	k.weigh()
}

// release takes the assignment and the subscription of the transport back.
func (k *task) release(x uint8) {
	k.tab.asg &^= bit(x)
	if k.tab.srv&bit(x) != 0 && k.m.bug != bugTransportStays {
		k.tab.srv &^= bit(x)
		k.o.add(Effect{Kind: EffectDrop, Tab: k.own, Topic: x, Odd: k.unflushed(x)})
	}
}

// unflushed says that another tab has a route to this one that it has not flushed.
func (k *task) unflushed(x uint8) bool {
	for w := range k.m.cfg.Tabs {
		p := &k.s.tabs[w].pend
		if w != k.own && p.route[x] == set && p.routes[x].owner == k.own && k.s.tabs[w].phase == running {
			return true
		}
	}
	return false
}

// weigh brings the load up to date; a change is written and told, but not in a leave, which ends with the record. DATABUS-RECORD-001,
// DATABUS-REGISTRY-001, DATABUS-HANDOFF-001
func (k *task) weigh() {
	if k.hiding {
		return
	}
	if n := count(k.tab.asg); n != k.tab.load && k.m.bug != bugLoadStale {
		k.tab.load, k.tab.age = n, 0
		k.putRecord()
		k.nudge()
	}
}

func (k *task) unsubscribe(x uint8) {
	if k.m.bug != bugIntentStays {
		k.tab.sub &^= bit(x)
	}
	// DATABUS-CACHE-004
	if k.tab.asg&bit(x) == 0 {
		k.tab.known &^= bit(x)
	}
	k.deleteSubscriber(x, k.tabID(k.own))
	if live := k.live(); k.prune(x, live) == 0 {
		k.abandon(x)
	}
}

// abandon is what the last subscriber of a topic does: it deletes the route and tells the owner. DATABUS-UNSUBSCRIBE-003
func (k *task) abandon(x uint8) {
	r := k.route(x)
	if !r.there {
		return
	}
	k.o.add(Effect{Kind: EffectDelete, Tab: k.own, Topic: x})
	switch {
	case r.owner == k.own:
		k.write(x, route{}, false)
		k.release(x)
		k.weigh()
	case k.m.cfg.Rules.MarkReleased:
		r.released = true
		k.write(x, r, false)
		k.post(r.owner, frame{kind: FrameUnsubscribe, topic: x, gen: k.generation(r)})
	default:
		k.write(x, route{}, false)
		k.post(r.owner, frame{kind: FrameUnsubscribe, topic: x, gen: k.generation(r)})
	}
}

// pendingHandoff says that a new owner has to wait for the old one. DATABUS-HANDOFF-004, DATABUS-HANDOFF-008
func (k *task) pendingHandoff(r route, live uint8) bool {
	return r.handingOver() && !(k.m.cfg.Rules.Gone == GoneAtOnce && k.gone(r, live))
}

// handingOver says that the route waits for its old owner to let go. DATABUS-HANDOFF-004
func (r route) handingOver() bool { return r.from > 0 && !r.confirmed }

// gone says that the old owner of a handoff is not there any more: it is dead, or it came back in another life, in which it knows nothing
// of the handoff.
func (k *task) gone(r route, live uint8) bool {
	return live&bit(r.from-1) == 0 || k.worker(r.from-1).life != r.fromLife
}

// reconcile is the full one. DATABUS-HEARTBEAT-002
func (k *task) reconcile() {
	// DATABUS-FENCE-003
	if k.m.cfg.Rules.RestoreRecord && !k.sees().workers[k.own].there && k.tab.pend.worker[k.own] == keep {
		k.tab.age = 0
		k.putRecord()
	}
	live := k.live()
	// DATABUS-GC-002: subscribers are cleaned before routes.
	for x := range k.m.cfg.Topics {
		tabs := k.prune(x, live)
		if r := k.route(x); r.there && tabs == 0 && r.age > ttl && k.m.bug != bugRoutesStay {
			k.write(x, route{}, false)
			k.o.add(Effect{Kind: EffectDelete, Tab: k.own, Topic: x})
		}
	}
	for x := range k.m.cfg.Topics {
		if k.tab.sub&bit(x) != 0 {
			k.tab.known |= bit(x)
			if k.m.bug != bugRecordStays {
				k.setSubscriber(x, k.tabID(k.own))
			}
			k.pursue(x, live)
		}
	}
	for x := range k.m.cfg.Topics {
		k.settle(x, live)
	}
	k.weigh()
}

// pursue creates, takes over or asks again for the route of a topic that the tab wants. DATABUS-CONFIRM-002
func (k *task) pursue(x, live uint8) {
	r := k.route(x)
	switch {
	case !r.there || r.released || live&bit(r.owner) == 0:
		if k.m.bug != bugNoTakeover {
			k.assignRoute(x, r, live)
		}
	case r.confirmed || k.m.bug == bugNoRetry:
	case k.m.cfg.Rules.Gone == GoneTTL && r.from > 0 && r.age > ttl && k.gone(r, live):
		k.assignRoute(x, r, live)
	case !k.pendingHandoff(r, live):
		k.request(x, r)
	}
}

// settle brings the assignment of a topic in line with its route. DATABUS-HANDOFF-009, DATABUS-UNSUBSCRIBE-005
func (k *task) settle(x, live uint8) {
	r := k.route(x)
	mine := r.there && r.owner == k.own && !r.released
	switch {
	case mine && k.tab.asg&bit(x) == 0:
		// DATABUS-CONFIRM-003: only with Rules.Reclaim. The text of the topic must be at hand.
		if k.m.cfg.Rules.Reclaim && r.confirmed && k.tab.known&bit(x) != 0 {
			k.assign(x)
		}
	case r.there && r.owner == k.own && r.released:
		k.write(x, route{}, false)
		k.o.add(Effect{Kind: EffectDelete, Tab: k.own, Topic: x})
		k.letGo(x)
	case !mine && k.tab.asg&bit(x) != 0 && k.m.bug != bugKeepsForeign:
		k.letGo(x)
		k.lateRelease(x, r)
	}
}

func (k *task) letGo(x uint8) {
	k.release(x)
	if k.tab.sub&bit(x) == 0 {
		k.tab.known &^= bit(x)
	}
}

// lateRelease tells the new owner of a handoff by this tab that it has let go. DATABUS-HANDOFF-009
func (k *task) lateRelease(x uint8, r route) {
	if r.there && r.owner != k.own && r.from == k.own+1 {
		k.post(r.owner, frame{kind: FrameReleased, topic: x, gen: r.gen})
	}
}
