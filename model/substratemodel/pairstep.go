package substratemodel

import "iter"

// A pairRun is one step on its way: the state as it is so far, and what happened.
type pairRun struct {
	m *Pair
	s *pairState
	o *PairOutcome
	// failing says that the store refuses the commit of this step; failed, that there was one to refuse.
	failing, failed bool
	// variant is the outcome that is taken where a seeded bug leaves a choice.
	variant int
}

// Step yields what a comes to in s, or nothing if it is impossible.
func (m *Pair) Step(s PairState, a PairAction) iter.Seq2[PairState, PairOutcome] {
	return func(yield func(PairState, PairOutcome) bool) {
		m.take(s.pairState, a, func(_ PairAction, next PairState, o PairOutcome) bool { return yield(next, o) })
	}
}

// Expand calls yield for every step from s: see model.Expander.
func (m *Pair) Expand(s PairState, yield func(PairAction, PairState, PairOutcome) bool) {
	for _, a := range m.actions {
		if !m.take(s.pairState, a, yield) {
			return
		}
	}
}

// take yields the outcomes of a in s, and says whether to go on.
func (m *Pair) take(s *pairState, a PairAction, yield func(PairAction, PairState, PairOutcome) bool) bool {
	if !m.possible(s, a) {
		return true
	}
	for variant := range m.variants(a) {
		next, o := new(pairState), PairOutcome{}
		*next = *s
		p := pairRun{m: m, s: next, o: &o, variant: variant}
		p.do(a)
		if p.failing && !p.failed {
			continue
		}
		if !yield(a, PairState{next}, o) {
			return false
		}
	}
	return true
}

// variants returns how many outcomes a can have: one, unless a seeded bug leaves a choice.
func (m *Pair) variants(a PairAction) int {
	if m.bug == bugAckFirst && a.Op == OpDeliver || m.bug == bugWireFirst && a.Op == OpEnqueue {
		return 2
	}
	return 1
}

// possible says that a can be taken in s.
func (m *Pair) possible(s *pairState, a PairAction) bool {
	e, in := &s.side[a.Side], &s.wire[a.Side]
	switch a.Op {
	case OpEnqueue:
		return m.asks(s)
	case OpEnqueueFails:
		return s.left.StoreFail > 0 && m.asks(s)
	case OpConnect:
		return !s.up
	case OpTransmit:
		return s.up && e.queued > e.flight && e.flight < m.inFlight(a.Side)
	case OpDeliver:
		return in.n > 0
	case OpDeliverFails:
		return s.left.StoreFail > 0 && in.n > 0
	case OpDrop:
		return s.left.Drop > 0 && in.n > 0
	case OpDuplicate:
		return s.left.Duplicate > 0 && in.n > 0
	case OpReorder:
		return s.left.Reorder > 0 && in.n > 1
	case OpResend:
		return s.up && e.flight > 0 && e.resends < m.resends && m.quiet(s, a.Side)
	case OpEscalate:
		return s.up && e.flight > 0 && e.resends >= m.resends && m.quiet(s, a.Side) && m.bug != bugNoEscalation
	case OpSpurious:
		return s.left.Spurious > 0 && s.up && e.flight > 0 && e.resends < m.resends
	case OpHandover:
		return e.waiting > 0 && !e.busy
	case OpHandled:
		return e.busy
	case OpDisconnect:
		return s.left.Disconnect > 0 && s.up
	case OpTakeover:
		return s.left.Takeover > 0 && s.up
	case OpDeliverOld:
		return s.old[a.Side].n > 0
	case OpCrash:
		return *s.crashes(a.Side) > 0
	case OpAppOpen:
		return s.left.OpenB > 0 && e.obj != phaseOpening && e.obj != phaseLive
	case OpAppClose:
		return s.left.CloseB > 0 && e.live()
	case OpAppAsk:
		return s.left.AskB > 0 && e.live()
	case OpFlip:
		return s.left.Flip > 0
	case OpStaleAck:
		return s.left.StaleAck > 0 && s.up && s.side[A].queued > a.N
	case OpExpire:
		return s.left.Expire > 0
	case OpForeign:
		return s.left.Foreign > 0
	case OpTick:
		return int(s.now) < len(m.cfg.Marks)
	}
	return false
}

func (s *pairState) crashes(x Side) *uint8 {
	if x == A {
		return &s.left.CrashA
	}
	return &s.left.CrashB
}

// asks says that A's application has something to ask for. SUBSTRATE-OBJ-005: while this side opens the object the API refuses a send and a req, so it waits.
func (m *Pair) asks(s *pairState) bool {
	if int(s.script) == len(m.cfg.Script) {
		return false
	}
	k := m.cfg.Script[s.script]
	return s.side[A].obj != phaseOpening || k != KindSend && k != KindReq
}

// inFlight is how many rows the side may have under way. SUBSTRATE-OUTBOX-002
func (m *Pair) inFlight(x Side) uint8 {
	if x == A && (m.cfg.Pipeline || m.bug == bugTwoInFlight) {
		return max(m.cfg.Flight, 2)
	}
	return 1
}

// quiet says that neither the head of the outbox of x nor what it leads to is under way, nor will it be without a resend.
func (m *Pair) quiet(s *pairState, x Side) bool {
	head := &s.side[x].rows[0]
	for _, f := range s.wire[x.Peer()].all() {
		if f.Kind.Operation() && f.Seq == head.seq {
			return false
		}
	}
	for _, f := range s.wire[x].all() {
		reply := f.Kind == KindAck || f.Kind == KindBounce || f.Kind.Answer() && !head.kind.Answer()
		if reply && f.ID == head.id {
			return false
		}
	}
	return true
}

func (p *pairRun) do(a PairAction) {
	s, x := p.s, a.Side
	switch a.Op {
	case OpEnqueue:
		p.ask()
	case OpEnqueueFails:
		s.left.StoreFail--
		p.askInVain()
	case OpConnect:
		p.connect()
	case OpTransmit:
		p.transmit(x)
	case OpDeliver:
		p.receive(x, s.wire[x].take(0))
	case OpDeliverFails:
		p.failing = true
		s.left.StoreFail--
		p.receiveInVain(x, s.wire[x].take(0))
	case OpDrop:
		s.left.Drop--
		s.wire[x].take(0)
	case OpDuplicate:
		s.left.Duplicate--
		p.receive(x, s.wire[x].frames[0])
	case OpReorder:
		s.left.Reorder--
		p.receive(x, s.wire[x].take(1))
	case OpResend:
		s.side[x].resends++
		p.retransmit(x)
	case OpSpurious:
		// SUBSTRATE-OUTBOX-005: it is a resend like any other.
		s.left.Spurious--
		s.side[x].resends++
		p.retransmit(x)
	case OpEscalate:
		p.end(x, CodeAckTimeout)
	case OpHandover:
		p.handover(x)
	case OpHandled:
		p.handled(x)
	case OpDisconnect:
		s.left.Disconnect--
		p.hangUp()
	case OpTakeover:
		s.left.Takeover--
		p.takeover()
	case OpDeliverOld:
		p.deliverOld(x)
	case OpCrash:
		*s.crashes(x)--
		p.crash(x)
	case OpAppOpen:
		s.left.OpenB--
		p.call(x, KindOpen, OpOpenB)
	case OpAppClose:
		s.left.CloseB--
		p.call(x, KindClose, OpCloseB)
	case OpAppAsk:
		p.call(x, KindReq, OpOpenB+p.m.cfg.Budgets.AskB-s.left.AskB)
		s.left.AskB--
	case OpFlip:
		s.left.Flip--
		s.denied ^= 1 << 1
	case OpStaleAck:
		s.left.StaleAck--
		p.forge(a.N)
	case OpExpire:
		s.left.Expire--
		p.expireAll()
	case OpForeign:
		s.left.Foreign--
		p.foreign(a.N)
	case OpTick:
		p.tick()
	}
}
