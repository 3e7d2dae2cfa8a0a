package substratemodel

// foreign is a frame from a third peer, on a connection of its own, that knows the name of the object. It is no participant, and what it says goes by its own
// scope: there the name is unknown, unless the peer has an object of that name of its own. SUBSTRATE-FINALITY-003, SUBSTRATE-FINALITY-004
func (p *pairRun) foreign(n uint8) {
	e := &p.s.side[B]
	f := Frame{Kind: KindClose, Op: 1, ID: 1, Seq: e.next, Receipt: 1}
	switch n {
	case ForeignAhead:
		f.Seq += 3
	case ForeignErr:
		f.Kind, f.Code = KindErr, CodeClosed
	case ForeignSame:
		p.foreignOperation()
		return
	}
	if e.live() {
		switch p.m.bug {
		case bugForeignCloses:
			e.obj = phaseClosed
		case bugForeignMoves:
			e.next = max(e.next, f.Seq) + 1
		case bugForeignKept:
			e.ledger[0] |= 1 << f.ID
		}
	}
	// SUBSTRATE-FINALITY-005: a close gets one error on this connection, an error none. What the peer knows is a name that nobody has told it of, so that its error is one
	// about an unknown object: it is acked, or its sender would never be rid of it (SUBSTRATE-BOUNCE-004).
	if f.Kind == KindErr {
		p.o.add(WhatSent, B, Frame{Kind: KindAck, ID: f.ID})
		return
	}
	if p.s.foreignTold && p.m.bug != bugForeignToldTwice {
		return
	}
	p.s.foreignTold = true
	p.o.add(WhatSent, B, Frame{Kind: KindBounce, ID: f.ID, Code: CodeNoSuchObject})
}

// foreignOperation is an operation of the third peer for an object of its own, which has the same name, under an id that A uses as well.
// SUBSTRATE-STORE-005, SUBSTRATE-DEDUPE-005
func (p *pairRun) foreignOperation() {
	if !p.s.foreignKept {
		p.s.foreignKept = true
		p.o.add(WhatHanded, B, Frame{Kind: KindSend, ID: 1})
		if p.m.bug == bugKeyWithoutPeer {
			p.s.side[B].ledger[0] |= 1 << 1
		}
	}
	p.o.add(WhatSent, B, Frame{Kind: KindAck, ID: 1})
}
