package substratemodel

// closeHere closes the object because the application of x says so. SUBSTRATE-ANSWER-006: what was asked of it and not answered fails at once. What is
// queued is still sent, in order, before the close.
func (p *pairRun) closeHere(x Side, inc uint8) {
	p.failCalls(x, 0, inc, CodeClosed)
	p.ended(x, phaseClosed)
}

// ended brings the object to one of its last two phases.
func (p *pairRun) ended(x Side, to phase) {
	e := &p.s.side[x]
	e.obj, e.over = to, p.m.stamp(p.s)
}

// closedBy is a close of the peer, committed. SUBSTRATE-FINALITY-009: of what is closed already it changes nothing, and is no news. Nor does it change an object
// whose open by this side is not answered: the peer answers an open by accept or reject (SUBSTRATE-VERB-001), so that its close is about an incarnation before, and crossed the open.
func (p *pairRun) closedBy(x Side, f Frame) {
	e := &p.s.side[x]
	if (!e.alive() || e.glares()) && p.m.bug != bugCloseMistaken {
		return
	}
	p.die(x, e.inc, CodeClosed)
	p.reopen(x)
	p.arrive(x, f)
}

// reopen goes back to the open of this side that gave way to one of the peer, which is over now. SUBSTRATE-OBJ-006: had the peer not ended it before it saw the other open, it would
// have refused that one.
func (p *pairRun) reopen(x Side) {
	e := &p.s.side[x]
	if e.obj != phaseClosed && e.obj != phaseRejected || e.opener || p.m.bug == bugGivesUp {
		return
	}
	for op := uint8(1); op < 8; op++ {
		if e.calls&(1<<op) != 0 && p.m.kind(op) == KindOpen {
			e.begin(true, p.m.idOf(op))
			e.called[op] = e.inc
			return
		}
	}
}

// die ends an incarnation of the object because the other side said so. SUBSTRATE-FINALITY-008: what is queued for it is futile, answers too, up to the next open, and
// what is under way has an outcome that is not known. The reject of an open that found the name taken stays: it is of no incarnation, and would go with an object that the
// peer does not even know, and its open would wait for ever.
func (p *pairRun) die(x Side, inc uint8, code Code) {
	e := &p.s.side[x]
	for i := uint8(0); i < e.queued; {
		r := e.rows[i]
		if r.inc != inc && p.m.bug != bugDeathPurgesAll && (r.inc != noIncarnation || p.m.bug != bugDeathPurgesAnswers) {
			i++
			continue
		}
		if r.sent && !r.kind.Answer() {
			p.s.seen[x].unknown |= 1 << r.op
		}
		p.purge(x, i, code)
	}
	p.failCalls(x, inc, inc, code)
	if e.inc == inc && e.alive() {
		p.ended(x, phaseClosed)
		p.o.add(WhatDied, x, Frame{Code: code})
	}
}

// failCalls fails every open and req of those incarnations that waits for its answer.
func (p *pairRun) failCalls(x Side, from, to uint8, code Code) {
	e := &p.s.side[x]
	for op := uint8(1); op < 8; op++ {
		k := p.m.kind(op)
		if e.calls&(1<<op) != 0 && (k == KindOpen || k == KindReq) && e.called[op] >= from && e.called[op] <= to {
			p.settle(x, op, code)
		}
	}
}

// lookup returns the code with which an operation or an answer is refused because of the object. An answer that a caller waits for is not.
// SUBSTRATE-BOUNCE-001, SUBSTRATE-BOUNCE-005, SUBSTRATE-ANSWER-006
func (p *pairRun) lookup(x Side, f Frame) Code {
	e := &p.s.side[x]
	switch {
	case f.Kind == KindOpen || f.Kind.Answer() && e.calls&(1<<f.Op) != 0, f.Kind == KindAccept && p.m.bug == bugAcceptRevives:
		return CodeNone
	case f.Kind == KindClose && (e.obj == phaseClosed || e.obj == phaseRejected) && p.m.bug != bugCloseBounces:
		// SUBSTRATE-FINALITY-009
		return CodeNone
	}
	switch e.obj {
	case phaseLive:
		return CodeNone
	case phaseOpening:
		// SUBSTRATE-OBJ-005
		if f.Kind != KindSend && f.Kind != KindReq || p.m.bug == bugOpeningTakes {
			return CodeNone
		}
		return CodeNotAccepted
	case phaseClosed:
		return CodeClosed
	}
	return CodeNoSuchObject
}

// deadErr says that f is an error that answers something of an object that is gone, and that nobody waits for. SUBSTRATE-BOUNCE-004: it is acked and has no other effect, so that
// its sender is rid of it.
func (p *pairRun) deadErr(x Side, f Frame) bool {
	return f.Kind == KindErr && p.lookup(x, f) != CodeNone
}

// opened is a fresh open, committed. SUBSTRATE-OBJ-006: of a name that is taken it is answered by a reject.
func (p *pairRun) opened(x Side, f Frame) {
	e := &p.s.side[x]
	switch {
	case e.glares() && (x == A || p.m.bug == bugGlareRejectsBoth):
		p.queue(x, row{kind: KindReject, op: f.Op, id: f.ID, code: CodeOpenConflict})
		return
	case e.alive() && !e.glares() && p.m.bug != bugOpensTwice:
		p.queue(x, row{kind: KindReject, op: f.Op, id: f.ID, code: CodeAlreadyExists})
		return
	}
	e.begin(false, f.ID)
	p.arrive(x, f)
}

// answered is an answer, committed. SUBSTRATE-ANSWER-004: it shows that its operation is committed as well. SUBSTRATE-ANSWER-005: it changes the object only
// if it answers the open that the object waits for.
func (p *pairRun) answered(x Side, f Frame) {
	e := &p.s.side[x]
	i := e.find(f.ID, false)
	row := i >= 0 && e.rows[i].kind != KindClose
	if row {
		r := e.rows[i]
		p.o.add(WhatAnswered, x, r.frame())
		p.remove(x, uint8(i))
		p.s.seen[x].freed |= 1 << r.op
		if p.m.bug != bugAnswerNoPredecessor {
			p.precede(x, r.seq)
		}
	}
	waits := e.glares() && e.opening == f.ID
	switch {
	case f.Kind == KindAccept && (waits || p.m.bug == bugAcceptRevives):
		e.obj = phaseLive
	case f.Kind == KindReject && waits:
		p.ended(x, phaseRejected)
	}
	settled := p.settle(x, f.Op, f.Code)
	if !settled {
		p.o.add(WhatOrphan, x, f)
	}
	if f.Kind == KindErr && (settled || row) {
		// SUBSTRATE-FINALITY-006: once. One whose caller is gone and whose row is gone may have been reported before.
		p.futile(x, f.Op, f.Code)
	}
}

// arrive puts a committed operation before the application.
func (p *pairRun) arrive(x Side, f Frame) {
	e := &p.s.side[x]
	if e.waiting == maxInbox {
		panic("substratemodel: an inbox with more arrivals than there is room for")
	}
	e.inbox[e.waiting] = arrival{f.Kind, f.Op, f.ID, e.incarnation()}
	e.waiting++
}

// handover gives the first arrival to the application. SUBSTRATE-DEDUPE-008
func (p *pairRun) handover(x Side) {
	e, seen := &p.s.side[x], &p.s.seen[x]
	in := e.inbox[0]
	what := WhatHanded
	if seen.excused&(1<<in.op) != 0 {
		what = WhatAgain
		seen.excused &^= 1 << in.op
	}
	p.o.add(what, x, Frame{Kind: in.kind, Op: in.op, ID: in.id})
	seen.handed |= 1 << in.op
	if p.m.cfg.Handler {
		e.busy, seen.running = true, in.op
		if p.m.bug == bugMarksEarly {
			p.shift(x)
		}
		return
	}
	p.handled(x)
}

// handled marks the first arrival as done, together with its answer. SUBSTRATE-ANSWER-002. To what was asked of an object that is gone, or of another incarnation, there is
// none: its caller has failed.
func (p *pairRun) handled(x Side) {
	e := &p.s.side[x]
	e.busy, p.s.seen[x].running = false, 0
	if e.waiting == 0 {
		return
	}
	in := e.inbox[0]
	p.shift(x)
	switch {
	case in.kind == KindReq && (!e.alive() || in.inc != e.inc):
	case in.kind == KindReq && p.m.cfg.Fails:
		p.queue(x, row{kind: KindErr, op: in.op, id: in.id, code: CodeAppError})
	case in.kind == KindReq:
		p.queue(x, row{kind: KindRes, op: in.op, id: in.id})
	case in.kind == KindOpen && e.obj == phaseOpening && !e.opener && e.opening == in.id:
		e.obj = phaseLive
		p.queue(x, row{kind: KindAccept, op: in.op, id: in.id})
	}
}

func (p *pairRun) shift(x Side) {
	e := &p.s.side[x]
	copy(e.inbox[:], e.inbox[1:])
	e.waiting--
	e.inbox[e.waiting] = arrival{}
}
