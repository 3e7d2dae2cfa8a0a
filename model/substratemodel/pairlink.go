package substratemodel

// connect makes a connection that is ready on both sides. SUBSTRATE-RECONNECT-002
func (p *pairRun) connect() {
	p.s.up = true
	for x := range p.s.side {
		e, peer := &p.s.side[x], &p.s.side[Side(x).Peer()]
		// SUBSTRATE-SEQ-011: seqs of another outbox are not those that the frontier is about.
		if e.built != peer.epoch && p.m.bug != bugNoEpoch {
			e.next = 0
		}
		e.built = peer.epoch
		switch {
		case p.m.bug == bugLedgerOfConnection:
			e.ledger = [2]uint32{}
		case p.m.bug == bugRequeuesAtTail && e.queued > 1 && e.rows[0].sent:
			head := e.rows[0]
			copy(e.rows[:], e.rows[1:e.queued])
			e.rows[e.queued-1] = head
		case p.m.bug == bugConnectionEatsRow && e.queued > 0 && e.rows[0].sent:
			p.remove(Side(x), 0)
		}
	}
}

// hangUp ends the connection with all that is under way. SUBSTRATE-SEQ-013: what is buffered goes with it.
func (p *pairRun) hangUp() {
	p.s.up = false
	for x := range p.s.side {
		p.s.wire[x], p.s.old[x] = channel{}, oldChannel{}
		p.forget(Side(x))
	}
}

// forget drops what a side knows about the connection.
func (p *pairRun) forget(x Side) {
	e := &p.s.side[x]
	e.flight, e.resends, e.here, e.heard = 0, 0, 0, 0
	e.gap, e.came, e.gaps, e.since, e.asked, e.askedAt = [maxGap]Frame{}, [maxGap]uint8{}, 0, 0, 0, 0
	e.owed, e.copies = 0, 0
	p.s.seen[x].bounced, p.s.seen[x].began, p.s.seen[x].left = 0, 0, 0
}

// end is what a side does that gives a connection up.
func (p *pairRun) end(x Side, code Code) {
	p.o.add(WhatEnded, x, Frame{Code: code})
	p.hangUp()
}

// takeover makes a connection while the old one still brings frames: those sent last, if there are many. SUBSTRATE-RECONNECT-004
func (p *pairRun) takeover() {
	for x := range p.s.wire {
		in, old := &p.s.wire[x], oldChannel{}
		for in.n > maxOld {
			in.take(0)
		}
		old.n = uint8(copy(old.frames[:], in.all()))
		p.s.old[x], *in = old, channel{}
		p.forget(Side(x))
	}
	p.connect()
}

// deliverOld brings a frame of a connection that is superseded. SUBSTRATE-RECONNECT-004, SUBSTRATE-ACK-007: it has no effect.
func (p *pairRun) deliverOld(x Side) {
	f := p.s.old[x].take()
	if p.m.bug == bugOldConnectionLives {
		p.receive(x, f)
		return
	}
	p.o.add(WhatDropped, x, f)
}

// crash stops the process of x and starts it again. SUBSTRATE-OUTBOX-007, SUBSTRATE-SEQ-010
func (p *pairRun) crash(x Side) {
	p.hangUp()
	e, seen, bug := &p.s.side[x], &p.s.seen[x], p.m.bug
	// The peer knows nothing of the crash, but that the connection is gone.
	e.calls, e.tombs, e.codes, e.next = 0, 0, [16]Code{}, 0
	e.life++
	if e.busy {
		// SUBSTRATE-DEDUPE-008: the handler is called again.
		seen.excused |= 1 << seen.running
		e.busy, seen.running = false, 0
	}
	switch bug {
	case bugLedgerVolatile:
		e.ledger = [2]uint32{}
	case bugFrontierIsOne:
		e.next = 1
	case bugInboxVolatile:
		e.inbox, e.waiting = [maxInbox]arrival{}, 0
	case bugPredecessorVolatile:
		e.pred = 0
	}
	for i := uint8(0); i < e.queued; {
		r := &e.rows[i]
		if r.saved {
			if bug != bugReceiptSurvives {
				r.receipt = 0
			}
			i++
			continue
		}
		seen.lost |= 1 << r.frame().slot()
		p.remove(x, i)
	}
	if x == A && p.m.cfg.Volatile {
		for _, r := range e.outbox() {
			seen.lost |= 1 << r.frame().slot()
		}
		e.rows, e.queued, e.last, e.pred = [maxRows]row{}, 0, 0, 0
		e.epoch++
	}
}
