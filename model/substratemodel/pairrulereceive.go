package substratemodel

import "fmt"

// receiverRules are the laws about what comes in and is taken.
func (m *Pair) receiverRules() []PairEdgeInvariant {
	return []PairEdgeInvariant{
		{Law: "SUBSTRATE-DEDUPE-001", Title: "an operation is handed over once", Check: handedOnce},
		{Law: "SUBSTRATE-SEQ-003", Title: "operations are handed over in the order of their enqueueing", Check: handedInOrder},
		{Law: "SUBSTRATE-SEQ-002", Title: "what is taken is next", Check: takenIsNext},
		{Law: "SUBSTRATE-SEQ-005", Title: "what is below the frontier is not taken", Check: belowIsNotTaken},
		{Law: "SUBSTRATE-ACK-006", Title: "each copy of what is known is acked once, with its own receipt", Check: m.copyIsAcked},
		{Law: "SUBSTRATE-ANSWER-003", Title: "what passes for known was committed in its class", Check: knownInClass},
		{Law: "SUBSTRATE-DEDUPE-002", Title: "the ledger forgets only with time", Check: ledgerStays},
		{Law: "SUBSTRATE-DEDUPE-003", Title: "the ledger forgets nothing before seven days are over", Check: m.notForgottenEarly},
		{Law: "SUBSTRATE-DEDUPE-005", Title: "the ledger is that of the peer, not of the connection", Check: ledgerOfPeer},
		{Law: "SUBSTRATE-OBJ-005", Title: "an object takes sends and reqs only while it lives", Check: takesWhileLive},
		{Law: "SUBSTRATE-OBJ-006", Title: "an open of a name that is taken is rejected, and no other", Check: takenIsRejected},
		{Law: "SUBSTRATE-BOUNCE-004", Title: "an error about an object that is gone is acked and not committed", Check: deadErrIsAcked},
	}
}

func handedOnce(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatHanded && e.Frame.Op != 0 && before.seen[e.Side].handed&(1<<e.Frame.Op) != 0 {
			return fmt.Errorf("%v gives operation %d to its application again", e.Side, e.Frame.Op)
		}
	}
	return nil
}

func handedInOrder(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatHanded && e.Frame.Op != 0 && before.seen[e.Side].handed>>(e.Frame.Op+1) != 0 {
			return fmt.Errorf("%v gives operation %d to its application after a later one", e.Side, e.Frame.Op)
		}
	}
	return nil
}

func takenIsNext(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	return eachTaken(before.pairState, &o, func(f Frame, next uint8) error {
		if next != 0 && f.Prev >= next {
			return fmt.Errorf("seq %d, prev %d is taken at frontier %d", f.Seq, f.Prev, next)
		}
		return nil
	})
}

func belowIsNotTaken(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	return eachTaken(before.pairState, &o, func(f Frame, next uint8) error {
		if f.Seq < next {
			return fmt.Errorf("seq %d is taken at frontier %d", f.Seq, next)
		}
		return nil
	})
}

// eachTaken calls check for each frame committed, with the frontier that it met.
func eachTaken(before *pairState, o *PairOutcome, check func(f Frame, next uint8) error) error {
	next := [2]uint8{before.side[A].next, before.side[B].next}
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What != WhatCommitted {
			continue
		}
		if err := check(e.Frame, next[e.Side]); err != nil {
			return fmt.Errorf("%v: %w", e.Side, err)
		}
		next[e.Side] = e.Frame.Seq + 1
	}
	return nil
}

// copyIsAcked is about what is known and not denied. SUBSTRATE-DEDUPE-001, SUBSTRATE-ACK-003
func (m *Pair) copyIsAcked(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if !ok || !before.side[a.Side].knows(f) || m.gate(before.pairState, a.Side, f) {
		return nil
	}
	acks := 0
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What == WhatSent && e.Side == a.Side && e.Frame.Kind == KindAck && e.Frame.ID == f.ID && e.Frame.Receipt == f.Receipt {
			acks++
		}
	}
	if acks != 1 {
		return fmt.Errorf("%v acks a copy of %d %d times", a.Side, f.ID, acks)
	}
	return nil
}

// gate says that the policy refuses f.
func (m *Pair) gate(s *pairState, x Side, f Frame) bool {
	return x == B && f.Kind.Operation() && !f.Kind.Answer() && s.denied&(1<<f.Op) != 0
}

func knownInClass(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatDuplicate && before.seen[e.Side].committed&(1<<e.Frame.slot()) == 0 {
			return fmt.Errorf("%v takes (%v) for a copy, which it is not", e.Side, e.Frame)
		}
	}
	return nil
}

func ledgerStays(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op == OpExpire || a.Op == OpTick || overConnection(a.Op) {
		return nil
	}
	for x := range before.side {
		for c := range before.side[x].ledger {
			if lost := before.side[x].ledger[c] &^ after.side[x].ledger[c]; lost != 0 {
				return fmt.Errorf("%v forgets %b in %v", Side(x), lost, a)
			}
		}
	}
	return nil
}

func overConnection(op PairOp) bool {
	return op == OpConnect || op == OpTakeover || op == OpDisconnect || op == OpEscalate
}

func ledgerOfPeer(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	for x := range before.side {
		if overConnection(a.Op) && before.side[x].ledger != after.side[x].ledger {
			return fmt.Errorf("%v has another ledger on another connection", Side(x))
		}
	}
	return nil
}

func (m *Pair) notForgottenEarly(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	for x := range before.side {
		for c := range before.side[x].ledger {
			for id := range uint8(8) {
				lost := before.side[x].ledger[c]&^after.side[x].ledger[c]&(1<<id) != 0
				if age := m.age(after.pairState, before.seen[x].born[slotOf(id, c == 1)]); lost && a.Op == OpTick && age <= retention {
					return fmt.Errorf("%v forgets %d after %d ms", Side(x), id, age)
				}
			}
		}
	}
	return nil
}

func takesWhileLive(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What == WhatCommitted && (e.Frame.Kind == KindSend || e.Frame.Kind == KindReq) && !before.side[e.Side].live() {
			return fmt.Errorf("%v takes (%v) while the object is %v", e.Side, e.Frame, before.side[e.Side].obj)
		}
	}
	return nil
}

// takenIsRejected is about names that live or wait for this side, and about opens that cross: that of A survives.
func takenIsRejected(before PairState, _ PairAction, after PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What != WhatCommitted || e.Frame.Kind != KindOpen {
			continue
		}
		was := &before.side[e.Side]
		taken := was.live() || was.obj == phaseOpening && (!was.opener || e.Side == A)
		is := &after.side[e.Side]
		at := is.find(e.Frame.ID, true)
		if rejected := at >= 0 && is.rows[at].kind == KindReject; rejected != taken {
			return fmt.Errorf("%v: the name is taken: %t, and the open is rejected: %t", e.Side, taken, rejected)
		}
	}
	return nil
}

func deadErrIsAcked(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	e := &before.side[a.Side]
	if !ok || f.Kind != KindErr || e.obj == phaseLive || e.obj == phaseOpening {
		return nil
	}
	if n := o.replies(KindAck, a.Side, f); n != 1 || o.about(WhatCommitted, a.Side, f) > 0 {
		return fmt.Errorf("%v acks (%v) %d times, about an object that is gone", a.Side, f, n)
	}
	return nil
}
