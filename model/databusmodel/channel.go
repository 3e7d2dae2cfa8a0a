package databusmodel

// post puts a frame under way, unless nobody listens. DATABUS-LIFECYCLE-005: the channel of a page that is hidden is closed.
func (k *task) post(to uint8, f frame) {
	k.o.add(Effect{Kind: EffectPost, Tab: k.own, Topic: f.topic, To: to, Gen: f.gen, Frame: f.kind})
	if to != k.own && k.s.tabs[to].phase == running {
		k.full = !k.s.wire[k.own][to].put(f) || k.full
	}
}

// nudge tells all others to reconcile. DATABUS-REGISTRY-001
func (k *task) nudge() {
	told := false
	for w := range k.m.cfg.Tabs {
		if w != k.own && k.s.tabs[w].phase == running {
			k.full = !k.s.wire[k.own][w].put(frame{kind: FrameRegistry}) || k.full
			told = true
		}
	}
	if told {
		k.o.add(Effect{Kind: EffectPost, Tab: k.own, Frame: FrameRegistry})
	}
}

// receive is the task of one frame.
func (k *task) receive(from uint8, f frame) {
	switch f.kind {
	case FrameSubscribe:
		k.tab.known |= bit(f.topic)
		k.onSubscribe(f)
	case FrameUnsubscribe:
		k.tab.known |= bit(f.topic)
		k.onUnsubscribe(f)
	case FrameReleased:
		k.onReleased(from, f)
	case FrameRegistry:
		// DATABUS-REGISTRY-002
		if k.m.bug != bugDeaf {
			k.reconcile()
		}
	case FrameEvent:
		// DATABUS-GATE-003
		k.dispatch(from)
	}
}

// onSubscribe obeys, or asks the route whether it may. Only a handoff has it list the workers, which removes the dead. DATABUS-CONTROL-004,
// DATABUS-FENCE-002, DATABUS-TTL-004
func (k *task) onSubscribe(f frame) {
	r, rules := k.route(f.topic), &k.m.cfg.Rules
	mine := r.there && r.owner == k.own && !r.released
	if rules.AuthorizeByRoute && (!mine || r.handingOver() && k.pendingHandoff(r, k.live())) || rules.CarryGeneration && r.there && r.gen != f.gen {
		k.refuse(f)
		return
	}
	k.assign(f.topic)
}

// onUnsubscribe obeys, or asks the route whether it may. DATABUS-UNSUBSCRIBE-003, DATABUS-CONTROL-004, DATABUS-FENCE-001
func (k *task) onUnsubscribe(f frame) {
	x := f.topic
	r, rules := k.route(x), &k.m.cfg.Rules
	mine := r.there && r.owner == k.own
	if rules.AuthorizeUnsubscribe && mine && !r.released || rules.CarryGeneration && mine && r.gen != f.gen {
		k.refuse(f)
		return
	}
	if mine && r.released {
		k.write(x, route{}, false)
		k.o.add(Effect{Kind: EffectDelete, Tab: k.own, Topic: x})
	}
	if k.tab.asg&bit(x) != 0 {
		k.release(x)
		k.lateRelease(x, r)
		k.weigh()
	}
}

// onReleased takes a topic over from its old owner. DATABUS-HANDOFF-005, DATABUS-GENERATION-003
func (k *task) onReleased(from uint8, f frame) {
	r := k.route(f.topic)
	fits := map[GenerationTest]bool{
		GenerationEqual: f.gen == r.gen, GenerationNotOlder: f.gen >= r.gen, GenerationInverted: f.gen <= r.gen,
	}[k.m.cfg.Rules.Release]
	if !r.there || r.released || r.owner != k.own || r.from != from+1 || !fits {
		k.refuse(f)
		return
	}
	k.o.add(Effect{Kind: EffectAccept, Tab: k.own, Topic: f.topic, Gen: f.gen, Odd: f.gen != r.gen})
	k.assign(f.topic)
}

func (k *task) refuse(f frame) {
	k.o.add(Effect{Kind: EffectRefuse, Tab: k.own, Topic: f.topic, Frame: f.kind})
	if k.m.cfg.Rules.LookAgain && f.kind != FrameUnsubscribe {
		k.tab.again |= bit(f.topic)
	}
}

// assigned says that the tab owns x: in its memory or, failing that, by the route. DATABUS-GATE-005
func (k *task) assigned(x uint8) bool {
	r := k.route(x)
	return k.tab.asg&bit(x) != 0 || r.there && r.owner == k.own
}

// arrive is a publication that comes from the transport. DATABUS-GATE-001, DATABUS-GATE-002, DATABUS-GATE-004
func (k *task) arrive() {
	if !k.assigned(0) && k.m.bug != bugNoGate {
		k.o.add(Effect{Kind: EffectStale, Tab: k.own})
		return
	}
	k.o.add(Effect{Kind: EffectPublication, Tab: k.own})
	if k.assigned(0) {
		k.s.pub.accepted |= bit(k.own)
	}
	for w := range k.m.cfg.Tabs {
		if w != k.own || k.m.bug == bugEcho {
			k.post(w, frame{kind: FrameEvent})
		}
	}
	k.dispatch(k.own)
	if k.m.bug == bugEcho {
		k.dispatch(k.own)
	}
}

// dispatch calls the handlers of the first topic with what a worker accepted. DATABUS-GATE-003, DATABUS-GATE-006
func (k *task) dispatch(by uint8) {
	if k.tab.sub&1 == 0 && k.m.bug != bugDispatchesAll {
		return
	}
	k.o.add(Effect{Kind: EffectDispatch, Tab: k.own, To: by, Odd: k.tab.sub&1 == 0 || k.s.pub.accepted&bit(by) == 0})
	k.s.pub.calls[by][k.own]++
}
