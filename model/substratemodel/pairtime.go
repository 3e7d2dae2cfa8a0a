package substratemodel

// Spans in milliseconds.
const (
	horizon   = 601_200_000 // after its first transmission a row is not sent again (SUBSTRATE-OUTBOX-008)
	retention = 604_800_000 // that long a commit is remembered at least (SUBSTRATE-DEDUPE-003)
	gapStep   = 30_000      // a gap that is older asks for a resync (SUBSTRATE-SEQ-007)
	maxAsked  = 3
	resyncGap = 10_000 // one resync in that time is honoured (SUBSTRATE-SEQ-008)
)

// time returns the time of a mark, in ms from the beginning.
func (m *Pair) time(mark uint8) int64 {
	if mark == 0 {
		return 0
	}
	return m.cfg.Marks[mark-1]
}

// age returns how long before now a mark was.
func (m *Pair) age(s *pairState, mark uint8) int64 { return m.time(s.now) - m.time(mark) }

// stamp returns the mark to note for something that is forgotten after days; where the clock does not come so far, all of them are the same.
func (m *Pair) stamp(s *pairState) uint8 {
	if n := len(m.cfg.Marks); n == 0 || m.cfg.Marks[n-1] < horizon {
		return 0
	}
	return s.now
}

// tick moves the clock to the next mark and lets the timers run.
func (p *pairRun) tick() {
	p.s.now++
	for x := range p.s.side {
		p.expireRows(Side(x))
		p.expireLedger(Side(x))
		p.expireRecord(Side(x))
	}
	for x := range p.s.side {
		p.askForGap(Side(x))
	}
}

// expireRows ends rows that were first sent too long ago: their outcome is not known. SUBSTRATE-OUTBOX-008
func (p *pairRun) expireRows(x Side) {
	e := &p.s.side[x]
	for i := uint8(0); i < e.queued; {
		r := e.rows[i]
		age := p.m.age(p.s, r.first)
		if !r.sent || age < horizon || p.m.bug == bugResendsAtHorizon && age == horizon {
			i++
			continue
		}
		p.expireRow(x, i)
	}
}

// expireRow ends a row whose outcome nobody can learn any more.
func (p *pairRun) expireRow(x Side, i uint8) {
	r := p.s.side[x].rows[i]
	if !r.kind.Answer() {
		p.s.seen[x].unknown |= 1 << r.op
	}
	p.purge(x, i, CodeExpired)
	p.openFailed(x, r)
}

// expireRecord forgets an object that has been over for longer than the retention. SUBSTRATE-BOUNCE-005
func (p *pairRun) expireRecord(x Side) {
	e := &p.s.side[x]
	if over := e.obj == phaseClosed || e.obj == phaseRejected; over && p.m.age(p.s, e.over) > retention && p.m.stamp(p.s) > 0 {
		e.obj, e.over = phaseIdle, 0
	}
}

// expireLedger forgets commits that are older than the retention. SUBSTRATE-DEDUPE-003
func (p *pairRun) expireLedger(x Side) {
	e := &p.s.side[x]
	for c := range e.ledger {
		for id := range uint8(8) {
			slot := slotOf(id, c == 1)
			age := p.m.age(p.s, p.s.at[x][slot])
			if e.ledger[c]&(1<<id) != 0 && (age > retention || p.m.bug == bugExpiresEarly && age == retention) {
				e.ledger[c] &^= 1 << id
				p.s.at[x][slot], p.s.seen[x].born[slot] = 0, 0
			}
		}
	}
}

// askForGap asks for what is missing when the gap is old, and gives up the connection in the end. SUBSTRATE-SEQ-006, SUBSTRATE-SEQ-007
func (p *pairRun) askForGap(x Side) {
	e := &p.s.side[x]
	if e.gaps == 0 {
		return
	}
	age := p.m.age(p.s, e.since)
	due := int64(e.asked+1) * gapStep
	// A gap that is old when it comes to be the first asks once, and no sooner again than any other.
	soon := e.asked > 0 && p.m.age(p.s, e.askedAt) < gapStep && p.m.bug != bugGapHastens
	switch {
	case soon, age < due || age == due && p.m.bug != bugGapAtEdge:
	case e.asked < maxAsked:
		e.asked++
		e.askedAt = p.s.now
		p.send(x, Frame{Kind: KindResync, Seq: e.next})
	default:
		p.end(x, CodeGapTimeout)
	}
}

// resynced answers a resync with the head as it is, and moves the peer on where nothing is left to send. SUBSTRATE-SEQ-008
func (p *pairRun) resynced(x Side, f Frame) {
	e := &p.s.side[x]
	if f.Prev != 0 {
		if f.Prev > e.next || p.m.bug == bugBaseLowers {
			e.next = f.Prev
		}
		p.drain(x)
		return
	}
	soon := e.heard != 0 && p.m.age(p.s, e.heard-1) < resyncGap
	if f.Seq < 1 || f.Seq > e.last+1 || soon && p.m.bug != bugResyncStorm {
		p.o.add(WhatDropped, x, f)
		return
	}
	e.heard = p.s.now + 1
	base := e.last + 1
	if e.queued > 0 {
		base = e.rows[0].seq
	}
	if base > f.Seq {
		p.send(x, Frame{Kind: KindResync, Prev: base})
	}
	if e.flight > 0 {
		p.retransmit(x)
	}
}

// expireAll lets more than seven days pass at once: what was sent has expired, and so has what was committed. SUBSTRATE-OUTBOX-008, SUBSTRATE-TOMBSTONE-004
func (p *pairRun) expireAll() {
	p.s.foreignTold = false
	for x := range p.s.side {
		e := &p.s.side[x]
		if e.obj == phaseClosed || e.obj == phaseRejected {
			// SUBSTRATE-BOUNCE-005
			e.obj, e.over = phaseIdle, 0
		}
		for i := uint8(0); i < e.queued; {
			if !e.rows[i].sent {
				i++
				continue
			}
			p.expireRow(Side(x), i)
		}
		e.ledger = [2]uint32{}
		e.tombs, e.here, e.codes = 0, 0, [16]Code{}
	}
}
