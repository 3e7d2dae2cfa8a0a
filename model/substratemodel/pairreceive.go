package substratemodel

import "slices"

// receive processes a frame on the connection that both sides hold for theirs.
func (p *pairRun) receive(x Side, f Frame) {
	switch f.Kind {
	case KindAck:
		p.acked(x, f)
	case KindBounce:
		p.bounced(x, f)
	case KindResync:
		p.resynced(x, f)
	default:
		p.operation(x, f)
	}
}

// receiveInVain processes a frame whose commit fails, if there is one. SUBSTRATE-STORE-008: an operation is refused for now. What waited in a gap for a base stays there, and the base is as
// if it had not come.
func (p *pairRun) receiveInVain(x Side, f Frame) {
	was := *p.s
	p.receive(x, f)
	if p.failed && f.Kind == KindResync {
		*p.s, *p.o = was, PairOutcome{}
		p.o.add(WhatDropped, x, f)
	}
}

// operation takes an operation or an answer through the checks, in the order of the laws: gate, ledger, tombstone, object, caps, sequencer, commit, ack.
func (p *pairRun) operation(x Side, f Frame) {
	e, bug := &p.s.side[x], p.m.bug
	denied := p.denies(x, f)
	if bug == bugLedgerBeforeGate && e.knows(f) {
		denied = false
	}
	// SUBSTRATE-AUTHZ-002, SUBSTRATE-AUTHZ-012
	if denied && bug != bugGateLast {
		p.o.add(WhatDenied, x, f)
		if bug == bugDenialMoves && f.Seq >= e.next {
			e.next = f.Seq + 1
		}
		p.refuse(x, f, CodeUnauthorized)
		return
	}
	if bug == bugLookupFirst {
		if code := p.lookup(x, f); code != CodeNone {
			p.refuse(x, f, code)
			return
		}
	}
	// SUBSTRATE-DEDUPE-004: what is known is acked, whatever became of the object.
	if e.knows(f) && bug != bugNoLedger && (bug != bugAnswersTwice || !f.Kind.Answer()) {
		p.o.add(WhatDuplicate, x, f)
		if bug == bugRefreshes {
			p.s.at[x][f.slot()] = p.m.stamp(p.s)
		}
		if bug != bugNoReack {
			p.acknowledge(x, f)
		}
		return
	}
	if code, refused := p.tombstone(x, f); refused {
		p.refuse(x, f, code)
		return
	}
	if p.deadErr(x, f) {
		p.o.add(WhatDropped, x, f)
		if e.next != 0 && f.Seq >= e.next && f.Prev < e.next {
			// SUBSTRATE-SEQ-009: it is acked, and so the next one names it.
			e.next = f.Seq + 1
		}
		if bug != bugDeadErrUnacked {
			p.acknowledge(x, f)
		}
		return
	}
	if code := p.lookup(x, f); code != CodeNone {
		p.refuse(x, f, code)
		return
	}
	// SUBSTRATE-LIMIT-008: nothing is taken that could lead to another answer.
	if p.m.indebted(e) && !f.Kind.Answer() && f.Kind != KindClose && bug != bugNoDebts {
		if bug == bugDebtsMove {
			e.next = f.Seq + 1
		}
		p.busy(x, f, CodeBusy)
		return
	}
	// SUBSTRATE-LIMIT-002: a close and an answer are always admitted.
	if p.s.left.Full > 0 && x == B && !f.Kind.Answer() && f.Kind != KindClose && e.fresh(f) {
		p.s.left.Full--
		if bug == bugFullMoves {
			e.next = f.Seq + 1
		}
		p.busy(x, f, CodeQueueFull)
		return
	}
	if x == B && p.m.cfg.Inbox > 0 && e.waiting >= p.m.cfg.Inbox && !f.Kind.Answer() && f.Kind != KindClose {
		p.busy(x, f, CodeQueueFull)
		return
	}
	p.sequence(x, f)
}

// fresh says that f would not be acked for its seq alone.
func (e *endpoint) fresh(f Frame) bool { return e.next == 0 || f.Seq >= e.next }

// denies says that the policy of x refuses f. Errors are not offered to it. SUBSTRATE-AUTHZ-008
func (p *pairRun) denies(x Side, f Frame) bool {
	return x == B && !f.Kind.Answer() && p.s.denied&(1<<f.Op) != 0
}

// tombstone returns the code that f was refused with before, if it was. SUBSTRATE-TOMBSTONE-001: what is noted is the id.
func (p *pairRun) tombstone(x Side, f Frame) (Code, bool) {
	e := &p.s.side[x]
	switch p.m.bug {
	case bugTombstoneOfName:
		for i, c := range e.codes {
			if e.tombs&(1<<i) != 0 {
				return c, true
			}
		}
	case bugTombstoneYields:
		if e.live() {
			return CodeNone, false
		}
	}
	return e.codes[f.tombSlot()], e.tombs&(1<<f.tombSlot()) != 0
}

// sequence lets f pass if it is next, and keeps it if it is ahead.
func (p *pairRun) sequence(x Side, f Frame) {
	e, bug := &p.s.side[x], p.m.bug
	switch {
	case e.next == 0, bug == bugNoOrder:
		// SUBSTRATE-SEQ-010: the first fresh operation is in sequence by definition.
	case f.Seq < e.next && bug != bugBelowIsFresh:
		// SUBSTRATE-SEQ-005
		p.o.add(WhatBelow, x, f)
		p.acknowledge(x, f)
		return
	case f.Prev < e.next:
		// SUBSTRATE-SEQ-002, SUBSTRATE-SEQ-009
	case f.Seq > e.next+p.m.window:
		// SUBSTRATE-SEQ-004
		p.refuse(x, f, CodeOutOfSeq)
		return
	default:
		p.buffer(x, f)
		return
	}
	if p.failing {
		// SUBSTRATE-STORE-008
		p.failed = true
		if bug == bugStoreLies {
			p.acknowledge(x, f)
			return
		}
		p.busy(x, f, CodeStoreUnavailable)
		return
	}
	e.next = f.Seq + 1
	p.commit(x, f)
	p.drain(x)
}

// buffer keeps f until what is before it has come. SUBSTRATE-SEQ-013: without an ack.
func (p *pairRun) buffer(x Side, f Frame) {
	e := &p.s.side[x]
	if p.m.bug == bugBufferAcks {
		p.acknowledge(x, f)
	}
	if p.m.bug == bugGapRestarts {
		e.since = p.s.now
	}
	for _, held := range e.gap[:e.gaps] {
		if held.Seq == f.Seq {
			p.o.add(WhatDropped, x, f)
			return
		}
	}
	if e.gaps == maxGap {
		panic("substratemodel: a gap with more frames than there is room for")
	}
	if e.gaps == 0 {
		e.since, e.asked, e.askedAt = p.s.now, 0, 0
		p.s.seen[x].began = p.s.now
	}
	i := e.gaps
	for ; i > 0 && e.gap[i-1].Seq > f.Seq; i-- {
		e.gap[i], e.came[i] = e.gap[i-1], e.came[i-1]
	}
	e.gap[i], e.came[i] = f, p.s.now
	e.gaps++
	p.o.add(WhatBuffered, x, f)
}

// drain lets pass what was waiting for the frame that came. What is left then waits in a new gap, which is as old as the first of it to come. SUBSTRATE-SEQ-007
func (p *pairRun) drain(x Side) {
	e, seen := &p.s.side[x], &p.s.seen[x]
	filled := false
	for e.gaps > 0 && (e.gap[0].Seq < e.next || e.gap[0].Prev < e.next) {
		f := e.gap[0]
		copy(e.gap[:], e.gap[1:])
		copy(e.came[:], e.came[1:])
		e.gaps--
		e.gap[e.gaps], e.came[e.gaps] = Frame{}, 0
		filled = true
		p.operation(x, f)
	}
	switch {
	case !filled:
		return
	case e.gaps == 0:
		e.since, e.asked, e.askedAt, seen.began, seen.left = 0, 0, 0, 0, 0
		return
	}
	e.since, e.asked, e.askedAt = slices.Min(e.came[:e.gaps]), 0, 0
	seen.began, seen.left = e.since, p.s.now+1
	if p.m.bug == bugSecondGapFresh {
		e.since = p.s.now
	}
}

// commit writes the ledger, the inbox and the object in one transaction, and acks. SUBSTRATE-DEDUPE-007, SUBSTRATE-ACK-001
func (p *pairRun) commit(x Side, f Frame) {
	e, bug := &p.s.side[x], p.m.bug
	if bug == bugAckFirst && p.variant == 1 {
		p.acknowledge(x, f)
		return
	}
	in := class(f.Kind)
	if bug == bugNoClass {
		e.ledger[0] |= 1 << f.ID
		e.ledger[1] |= 1 << f.ID
	}
	e.ledger[in] |= 1 << f.ID
	p.s.at[x][f.slot()] = p.m.stamp(p.s)
	p.s.seen[x].born[f.slot()] = p.m.stamp(p.s)
	p.s.seen[x].committed |= 1 << f.slot()
	p.o.add(WhatCommitted, x, f)
	switch {
	case f.Kind == KindOpen:
		p.opened(x, f)
	case f.Kind == KindClose:
		// SUBSTRATE-VERB-001
		p.closedBy(x, f)
	case f.Kind.Answer():
		p.answered(x, f)
	default:
		p.arrive(x, f)
	}
	p.acknowledge(x, f)
	if bug == bugGateLast && p.denies(x, f) {
		p.o.add(WhatDenied, x, f)
		p.refuse(x, f, CodeUnauthorized)
	}
}

// acknowledge sends the ack of f, with its receipt as it came. SUBSTRATE-ACK-003
func (p *pairRun) acknowledge(x Side, f Frame) {
	p.send(x, Frame{Kind: KindAck, Op: f.Op, ID: f.ID, Receipt: f.Receipt, OfAnswer: f.Kind.Answer()})
}

// refuse sends the one error that f gets on this connection. SUBSTRATE-BOUNCE-001, SUBSTRATE-TOMBSTONE-003
func (p *pairRun) refuse(x Side, f Frame, code Code) {
	e, bit := &p.s.side[x], uint16(1)<<f.tombSlot()
	// SUBSTRATE-BOUNCE-002
	if f.Kind == KindErr {
		p.o.add(WhatDropped, x, f)
		return
	}
	told := e.here&bit != 0 || p.m.bug == bugTombstoneForEver && e.tombs&bit != 0
	if p.m.bug == bugTombstoneOfName {
		told = e.here != 0
	}
	if told && p.m.bug != bugNoTombstone {
		p.o.add(WhatSwallowed, x, f)
		return
	}
	e.tombs |= bit
	e.here |= bit
	e.codes[f.tombSlot()] = code
	p.s.seen[x].bounced |= 1 << f.slot()
	p.bounce(x, f, code)
}

// busy refuses f for now: nothing is noted. SUBSTRATE-TOMBSTONE-004. An error gets none, whatever keeps it from being taken. SUBSTRATE-BOUNCE-002
func (p *pairRun) busy(x Side, f Frame, code Code) {
	if f.Kind == KindErr {
		p.o.add(WhatDropped, x, f)
		return
	}
	p.bounce(x, f, code)
}

// bounce sends an error about f, which is no operation itself. SUBSTRATE-BOUNCE-003
func (p *pairRun) bounce(x Side, f Frame, code Code) {
	p.send(x, Frame{Kind: KindBounce, Op: f.Op, ID: f.ID, Code: code, OfAnswer: f.Kind.Answer()})
}
