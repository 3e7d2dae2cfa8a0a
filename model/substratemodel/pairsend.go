package substratemodel

// ask is a call of A's application: it queues the next operation of the script, or is refused without a trace.
func (p *pairRun) ask() {
	e := &p.s.side[A]
	k := p.m.cfg.Script[p.s.script]
	p.s.script++
	op := p.s.script
	if e.refuses(k) {
		p.o.add(WhatFailed, A, Frame{Kind: k, Op: op})
		return
	}
	p.call(A, k, op)
}

// call queues an operation that the application of x may ask for, unless there is no room. SUBSTRATE-LIMIT-002: for a close there is.
func (p *pairRun) call(x Side, k Kind, op uint8) {
	if most := p.m.cfg.Outbox; most > 0 && k != KindClose && p.s.side[x].queued >= most {
		p.o.add(WhatFailed, x, Frame{Kind: k, Op: op})
		return
	}
	p.enqueue(x, k, op)
}

// refuses says that the API refuses an operation because of what the side knows of the object. SUBSTRATE-OBJ-005, SUBSTRATE-OBJ-006. An object that this
// side has not opened and not answered it cannot close: that is what a reject is for. Of one that is not there the peer says what it thinks; of one that was there and is
// gone this side knows as much itself.
func (e *endpoint) refuses(k Kind) bool {
	switch k {
	case KindOpen:
		return e.alive()
	case KindClose:
		return e.obj != phaseLive && !e.glares()
	}
	return e.obj != phaseIdle && e.obj != phaseLive
}

// askInVain is a call whose write fails. SUBSTRATE-OUTBOX-009: it consumes nothing, and the application asks again.
func (p *pairRun) askInVain() {
	if p.m.bug == bugFailureBurns {
		p.s.side[A].last++
	}
	p.o.add(WhatFailed, A, Frame{Kind: p.m.cfg.Script[p.s.script], Op: p.s.script + 1, Code: CodeStoreUnavailable})
}

// enqueue queues an operation of side x and lets its caller wait. SUBSTRATE-OUTBOX-001, SUBSTRATE-SEQ-001
func (p *pairRun) enqueue(x Side, k Kind, op uint8) {
	e := &p.s.side[x]
	switch k {
	case KindOpen:
		// SUBSTRATE-OBJ-007: another open begins another incarnation, and the seqs go on.
		e.begin(true, p.m.idOf(op))
	case KindClose:
		defer p.closeHere(x, e.inc)
	}
	e.calls |= 1 << op
	e.called[op] = e.incarnation()
	p.queue(x, row{kind: k, op: op, id: p.m.idOf(op)})
}

// queue adds a row with the next seq.
func (p *pairRun) queue(x Side, r row) {
	e := &p.s.side[x]
	if e.queued == maxRows {
		panic("substratemodel: an outbox with more rows than there is room for")
	}
	e.last++
	r.seq, r.inc, r.saved = e.last, e.incarnation(), true
	if r.kind == KindReject {
		// It is about an incarnation that never began.
		r.inc = noIncarnation
	}
	// SUBSTRATE-ANSWER-002: answers are as durable as operations.
	if p.m.bug == bugVolatileAnswers && r.kind.Answer() || p.m.bug == bugWireFirst && p.variant == 1 {
		r.saved = false
	}
	e.rows[e.queued] = r
	e.queued++
	p.s.seen[x].enqueued++
}

// transmit sends the first row that is not under way. SUBSTRATE-OUTBOX-002
func (p *pairRun) transmit(x Side) {
	e := &p.s.side[x]
	i := e.flight
	e.flight++
	r := &e.rows[i]
	if r.sent && p.m.bug == bugFreshID {
		r.id = (r.id + 8) & 31
	}
	if !r.sent {
		r.sent, r.first = true, p.m.stamp(p.s)
	}
	p.dress(x, i)
	p.copy(x)
	p.send(x, r.frame())
}

// copy counts a copy of the head that is sent, which a bounce counts off. SUBSTRATE-LIMIT-008
func (p *pairRun) copy(x Side) {
	if p.m.cfg.Outbox > 0 {
		p.s.side[x].copies++
	}
}

// dress sets what of a row is fixed only when it is about to be sent: the predecessor (SUBSTRATE-SEQ-009) and the receipt, which is the same for one life of the
// process (SUBSTRATE-ACK-005).
func (p *pairRun) dress(x Side, i uint8) {
	e := &p.s.side[x]
	r := &e.rows[i]
	if e.pred < r.seq {
		// A sender that does not wait may have had an ack of what comes after it.
		r.prev = e.pred
	}
	if r.receipt == 0 || p.m.bug != bugReceiptSurvives {
		r.receipt = ReceiptOf(e.life, r.seq)
	}
	if i > 0 {
		r.prev = e.rows[i-1].seq
	}
	switch p.m.bug {
	case bugNoPredecessor:
		r.prev = r.seq - 1
	case bugReceiptPerConnection:
		r.receipt = ReceiptOf(e.life, r.seq) | p.s.left.Disconnect<<6
	}
}

// retransmit sends the head again, as it is. SUBSTRATE-OUTBOX-003, SUBSTRATE-OUTBOX-004
func (p *pairRun) retransmit(x Side) {
	r := &p.s.side[x].rows[0]
	if p.m.bug == bugFreshID {
		r.id = (r.id + 8) & 31
	}
	p.copy(x)
	p.send(x, r.frame())
}

func (r *row) frame() Frame {
	return Frame{Kind: r.kind, Op: r.op, ID: r.id, Seq: r.seq, Prev: r.prev, Receipt: r.receipt, Code: r.code}
}

func (p *pairRun) send(x Side, f Frame) {
	p.o.add(WhatSent, x, f)
	p.s.wire[x.Peer()].put(f)
}

// acked frees the row that an ack names by id and receipt. SUBSTRATE-ACK-004: any other ack has no effect.
func (p *pairRun) acked(x Side, f Frame) {
	e := &p.s.side[x]
	for i := range e.queued {
		r := e.rows[i]
		// A row that was refused for now is no less under way than before: another copy of it may have been taken.
		if i >= e.flight && r.receipt == 0 {
			break
		}
		fits := r.id == f.ID && (r.receipt == f.Receipt || p.m.bug == bugAnyReceipt)
		if !fits && p.m.bug != bugAckFreesHead {
			continue
		}
		p.o.add(WhatAcked, x, r.frame())
		p.remove(x, i)
		p.s.seen[x].freed |= 1 << r.frame().slot()
		p.precede(x, r.seq)
		// SUBSTRATE-VERB-002: the ack is the outcome of a send; an open or a req has it from its answer.
		if r.kind == KindSend || r.kind == KindClose {
			p.settle(x, r.op, CodeNone)
		}
		return
	}
	p.o.add(WhatDropped, x, f)
	e.repaid(f.ID)
}

// repaid takes a reply for that to a row that was purged, if there is one of that id. SUBSTRATE-BOUNCE-003: replies come in the order of the frames.
func (e *endpoint) repaid(id uint8) bool {
	was := e.owed
	e.owed &^= 1 << id
	return e.owed != was
}

// precede notes a row that was freed: the nearest one is what the next row names. SUBSTRATE-SEQ-009
func (p *pairRun) precede(x Side, seq uint8) {
	e := &p.s.side[x]
	e.pred = max(e.pred, seq)
}

// remove takes a row out of the outbox.
func (p *pairRun) remove(x Side, i uint8) {
	e := &p.s.side[x]
	copy(e.rows[i:], e.rows[i+1:])
	e.queued--
	e.rows[e.queued] = row{}
	if i < e.flight {
		e.flight--
	}
	if i == 0 {
		e.resends, e.copies = 0, 0
	}
}

// bounced is an error that refuses an operation or an answer of this side. SUBSTRATE-FINALITY-008: it acts through the row alone that its id names.
func (p *pairRun) bounced(x Side, f Frame) {
	e := &p.s.side[x]
	i := e.named(f.ID)
	if e.repaid(f.ID) && p.m.bug != bugOwesNothing || i < 0 {
		p.o.add(WhatDropped, x, f)
		// SUBSTRATE-BOUNCE-002
		if p.m.bug == bugErrAnswersErr {
			p.send(x, Frame{Kind: KindBounce, Op: f.Op, ID: f.ID, Code: CodeNoSuchObject})
		}
		return
	}
	r := e.rows[i]
	switch {
	case f.Code.Retryable() && i == 0 && p.yields(x, f.Code):
	case f.Code.Retryable() && p.m.bug != bugRetryablePurges:
		// SUBSTRATE-FINALITY-007: it stays where it is, and what is behind it waits as well.
		if i < int(e.flight) {
			e.flight = uint8(i)
			e.resends = 0
		}
	case p.m.bug == bugNoPurge:
	default:
		// SUBSTRATE-FINALITY-006
		p.purge(x, uint8(i), f.Code)
		e.repaid(f.ID)
		if f.Code.Object() && r.inc != noIncarnation {
			p.die(x, r.inc, f.Code)
			p.reopen(x)
		}
		p.openFailed(x, r)
	}
}

// yields has the operation at the head of an outbox give way, which is refused for now while as many answers wait behind it as may. SUBSTRATE-LIMIT-008: of a copy that is
// under way nobody knows what becomes of it. It says whether the operation did.
func (p *pairRun) yields(x Side, code Code) bool {
	e := &p.s.side[x]
	e.copies -= min(e.copies, 1)
	r := e.rows[0]
	if !p.m.indebted(e) && p.m.bug != bugYieldsSoon || r.kind.Answer() || r.kind == KindClose || p.m.bug == bugNeverYields {
		return false
	}
	if e.copies > 0 && p.m.bug != bugYieldsSure {
		p.s.seen[x].unknown |= 1 << r.op
	}
	p.purge(x, 0, code)
	p.openFailed(x, r)
	return true
}

// indebted says that as many answers of a side are unfreed as may be. SUBSTRATE-LIMIT-008
func (m *Pair) indebted(e *endpoint) bool {
	n := uint8(0)
	for i := range e.outbox() {
		if e.rows[i].kind.Answer() {
			n++
		}
	}
	return m.cfg.Outbox > 0 && n >= m.cfg.Outbox
}

// purge ends a row without an ack or an answer. SUBSTRATE-FINALITY-006: its caller hears of it, and so does who listens for futile operations.
func (p *pairRun) purge(x Side, i uint8, code Code) {
	r := p.s.side[x].rows[i]
	f := r.frame()
	f.Code = code
	p.o.add(WhatPurged, x, f)
	// SUBSTRATE-BOUNCE-003: an id may come again if both sides use it, or if an open that is forgotten is taken once more.
	if i < p.s.side[x].flight && (p.m.cfg.SameID || p.m.cfg.Budgets.Expire > 0) {
		p.s.side[x].owed |= 1 << r.id
	}
	p.remove(x, i)
	p.s.seen[x].purged |= 1 << f.slot()
	if p.m.bug == bugBounceIsPredecessor {
		p.precede(x, r.seq)
	}
	if r.kind.Answer() {
		p.o.add(WhatFutile, x, Frame{Kind: r.kind, Op: r.op, ID: r.id, Code: code, OfAnswer: true})
		return
	}
	p.futile(x, r.op, code)
	p.settle(x, r.op, code)
}

func (p *pairRun) futile(x Side, op uint8, code Code) {
	p.o.add(WhatFutile, x, Frame{Kind: p.m.kind(op), Op: op, ID: p.m.idOf(op), Code: code})
	p.s.seen[x].futile |= 1 << op
}

// openFailed ends an object whose open came to nothing. SUBSTRATE-OBJ-001
func (p *pairRun) openFailed(x Side, r row) {
	if e := &p.s.side[x]; r.kind == KindOpen && e.glares() && e.opening == r.id {
		p.ended(x, phaseRejected)
	}
}

// settle gives a caller its outcome, once. SUBSTRATE-ANSWER-001
func (p *pairRun) settle(x Side, op uint8, code Code) bool {
	e := &p.s.side[x]
	if e.calls&(1<<op) == 0 && p.m.bug != bugAnswersTwice {
		return false
	}
	e.calls &^= 1 << op
	p.s.seen[x].settled |= 1 << op
	p.o.add(WhatSettled, x, Frame{Kind: p.m.kind(op), Op: op, ID: p.m.idOf(op), Code: code})
	return true
}

// forge puts an ack under way to A that nobody sent: with a receipt of no row.
func (p *pairRun) forge(i uint8) {
	e := &p.s.side[A]
	r := e.rows[i]
	p.s.wire[A].put(Frame{Kind: KindAck, Op: r.op, ID: r.id, Receipt: e.life | nobodysReceipt, OfAnswer: r.kind.Answer()})
}
