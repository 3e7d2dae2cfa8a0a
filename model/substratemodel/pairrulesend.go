package substratemodel

import "fmt"

// senderRules are the laws about outboxes and callers.
func (m *Pair) senderRules() []PairEdgeInvariant {
	return []PairEdgeInvariant{
		{Law: "SUBSTRATE-OUTBOX-003", Title: "the id of a row stays", Check: idStays},
		{Law: "SUBSTRATE-OUTBOX-004", Title: "each transmission of a row in one life is the same", Check: m.sameFrame},
		{Law: "SUBSTRATE-ACK-005", Title: "a receipt is of this life of the process", Check: receiptOfLife},
		{Law: "SUBSTRATE-OUTBOX-006", Title: "a row leaves for a reason", Check: m.leavesForReason},
		{Law: "SUBSTRATE-OUTBOX-008", Title: "no row is sent seven days less an hour after its first transmission", Check: m.notSentLate},
		{Law: "SUBSTRATE-ACK-004", Title: "an ack frees the row that was sent and that it names by id and receipt", Check: fenced},
		{Law: "SUBSTRATE-SEQ-009", Title: "prev names the row freed last", Check: m.namesPredecessor},
		{Law: "SUBSTRATE-SEQ-009", Title: "what was refused is no predecessor", Check: m.predecessorMoves},
		{Law: "SUBSTRATE-ANSWER-001", Title: "a call is settled once", Check: settledOnce},
		{Law: "SUBSTRATE-ANSWER-004", Title: "an answer shows that its operation is committed", Check: answerFrees},
		{Law: "SUBSTRATE-FINALITY-006", Title: "a terminal error ends its row, and is reported once", Check: terminalPurges},
		{Law: "SUBSTRATE-FINALITY-007", Title: "a retryable error ends no row", Check: m.retryableKeeps},
		{Law: "SUBSTRATE-LIMIT-008", Title: "an operation that is refused for now gives way to as many answers as may be unfreed", Check: m.debtsCome},
		{Law: "SUBSTRATE-FINALITY-008", Title: "the death of an object ends what is queued for that incarnation only", Check: deathOfIncarnation},
		{Law: "SUBSTRATE-FINALITY-008", Title: "what is futile was not delivered, unless the outcome is not known", Check: m.futileIsTrue},
		{Law: "SUBSTRATE-ANSWER-002", Title: "what refuses an open stays until it is acked, whatever becomes of the object", Check: refusalStays},
		{Law: "SUBSTRATE-BOUNCE-002", Title: "an error begets none", Check: errBegetsNone},
		{Law: "SUBSTRATE-TOMBSTONE-002", Title: "an open that is allowed is not refused for what was before", Check: m.opensAgain},
		{Law: "SUBSTRATE-OBJ-001", Title: "an object goes from phase to phase as it should", Check: phases},
	}
}

func idStays(before PairState, _ PairAction, after PairState, _ PairOutcome) error {
	for x := range before.side {
		for _, was := range before.side[x].outbox() {
			for _, is := range after.side[x].outbox() {
				if was.seq == is.seq && was.op == is.op && was.id != is.id {
					return fmt.Errorf("%v: the id of seq %d was %d and is %d", Side(x), was.seq, was.id, is.id)
				}
			}
		}
	}
	return nil
}

// sentRow returns the place in the outbox of the operation that the i-th effect put on the wire, or -1.
func (o *PairOutcome) sentRow(i int, s *pairState) int {
	e := &o.effects[i]
	if e.What != WhatSent || !e.Frame.Kind.Operation() {
		return -1
	}
	for at, r := range s.side[e.Side].outbox() {
		if r.seq == e.Frame.Seq {
			return at
		}
	}
	return -1
}

// sameFrame is a law for senders that wait: of one that does not the predecessor may be freed late.
func (m *Pair) sameFrame(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		at := o.sentRow(i, before.pairState)
		if at < 0 || m.cfg.Pipeline {
			continue
		}
		f, r := o.effects[i].Frame, before.side[o.effects[i].Side].rows[at]
		if r.sent && (f.Prev != r.prev || f.Receipt != r.receipt && r.receipt != 0) {
			return fmt.Errorf("seq %d was sent with prev %d and receipt %d, and is now with %d and %d", f.Seq, r.prev, r.receipt, f.Prev, f.Receipt)
		}
	}
	return nil
}

func receiptOfLife(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if o.sentRow(i, before.pairState) >= 0 && e.Frame.Receipt&7 != before.side[e.Side].life {
			return fmt.Errorf("%v: seq %d has receipt %d in life %d", e.Side, e.Frame.Seq, e.Frame.Receipt, before.side[e.Side].life)
		}
	}
	return nil
}

func (m *Pair) leavesForReason(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if m.cfg.Volatile && a.Op == OpCrash && a.Side == A {
		return nil
	}
	for x := range before.side {
		for _, was := range before.side[x].outbox() {
			there := false
			for _, is := range after.side[x].outbox() {
				there = there || is.seq == was.seq
			}
			for i := range o.Effects() {
				e := &o.effects[i]
				ends := e.What == WhatAcked || e.What == WhatAnswered || e.What == WhatPurged
				there = there || ends && e.Side == Side(x) && e.Frame.Seq == was.seq
			}
			if !there {
				return fmt.Errorf("%v: seq %d is gone after %v", Side(x), was.seq, a)
			}
		}
	}
	return nil
}

func (m *Pair) notSentLate(before PairState, _ PairAction, after PairState, o PairOutcome) error {
	for i := range o.Effects() {
		at := o.sentRow(i, before.pairState)
		if at < 0 {
			continue
		}
		r := before.side[o.effects[i].Side].rows[at]
		if age := m.age(after.pairState, r.first); r.sent && age >= horizon && m.stamp(after.pairState) > 0 {
			return fmt.Errorf("seq %d is sent again after %d ms", r.seq, age)
		}
	}
	return nil
}

func fenced(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What != WhatAcked {
			continue
		}
		side := &before.side[e.Side]
		fits := ok && f.Kind == KindAck && e.Side == a.Side
		at := side.find(e.Frame.ID, e.Frame.Kind.Answer())
		if !fits || at < 0 || side.rows[at].receipt == 0 || side.rows[at].id != f.ID || side.rows[at].receipt != f.Receipt {
			return fmt.Errorf("%v: (%v) freed %d by (%v)", e.Side, a, e.Frame.ID, f)
		}
	}
	return nil
}

// namesPredecessor is a law for senders that wait.
func (m *Pair) namesPredecessor(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	if m.cfg.Pipeline {
		return nil
	}
	for i := range o.Effects() {
		f := o.effects[i].Frame
		if e := &before.side[o.effects[i].Side]; o.sentRow(i, before.pairState) == 0 && f.Prev != e.pred {
			return fmt.Errorf("seq %d has prev %d, and the row freed last had %d", f.Seq, f.Prev, e.pred)
		}
	}
	return nil
}

func (m *Pair) predecessorMoves(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if a.Op == OpCrash {
		return nil
	}
	for x := range before.side {
		pred := after.side[x].pred
		freed := pred == before.side[x].pred
		for i := range o.Effects() {
			e := &o.effects[i]
			freed = freed || (e.What == WhatAcked || e.What == WhatAnswered) && e.Side == Side(x) && e.Frame.Seq == pred
		}
		if !freed {
			return fmt.Errorf("%v: seq %d was not freed, and is the predecessor", Side(x), pred)
		}
	}
	return nil
}

func settledOnce(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What == WhatSettled && before.seen[e.Side].settled&(1<<e.Frame.Op) != 0 {
			return fmt.Errorf("%v: the call of %d is settled again", e.Side, e.Frame.ID)
		}
	}
	return nil
}

func answerFrees(before PairState, a PairAction, after PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatAnswered && after.side[e.Side].pred < e.Frame.Seq {
			return fmt.Errorf("%v: seq %d was answered, and %d is the predecessor", e.Side, e.Frame.Seq, after.side[e.Side].pred)
		}
	}
	return nil
}

func terminalPurges(before PairState, a PairAction, after PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if !ok || f.Kind != KindBounce || f.Code.Retryable() {
		return nil
	}
	at := before.side[a.Side].named(f.ID)
	if at < 0 || before.side[a.Side].owed&(1<<f.ID) != 0 {
		if o.n != 1 || o.effects[0].What != WhatDropped {
			return fmt.Errorf("%v: (%v) names no row, and has effects", a.Side, f)
		}
		return nil
	}
	r := before.side[a.Side].rows[at]
	if after.side[a.Side].find(r.id, r.kind.Answer()) >= 0 {
		return fmt.Errorf("%v: (%v) left its row", a.Side, f)
	}
	if n := o.about(WhatFutile, a.Side, Frame{Op: r.op, OfAnswer: r.kind.Answer()}); n != 1 {
		return fmt.Errorf("%v: (%v) was reported %d times", a.Side, f, n)
	}
	return nil
}

// givesWay says that the bounce that a side gets ends the operation at its head, so that the answers behind it come.
func (m *Pair) givesWay(e *endpoint, f Frame) bool {
	head := e.rows[0]
	mayGo := head.kind == KindOpen || head.kind == KindSend || head.kind == KindReq
	return m.cfg.Outbox > 0 && answersOf(e) >= int(m.cfg.Outbox) && mayGo && head.sent && head.id == f.ID
}

func (m *Pair) debtsCome(before PairState, a PairAction, after PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if !ok || f.Kind != KindBounce || !f.Code.Retryable() || !m.givesWay(&before.side[a.Side], f) {
		return nil
	}
	head := before.side[a.Side].rows[0]
	if after.side[a.Side].rows[0].seq == head.seq || o.about(WhatFutile, a.Side, Frame{Op: head.op}) != 1 {
		return fmt.Errorf("%v: (%v) keeps its row before answers that wait", a.Side, f)
	}
	return nil
}

func (m *Pair) retryableKeeps(before PairState, a PairAction, after PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if m.givesWay(&before.side[a.Side], f) {
		return nil
	}
	if ok && f.Kind == KindBounce && f.Code.Retryable() && (before.side[a.Side].rows != after.side[a.Side].rows || o.count(WhatFutile, a.Side) > 0) {
		return fmt.Errorf("%v: (%v) ended a row", a.Side, f)
	}
	return nil
}

func deathOfIncarnation(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if !ok {
		return nil
	}
	e := &before.side[a.Side]
	inc := e.inc
	if at := e.named(f.ID); f.Kind == KindBounce && at >= 0 {
		inc = e.rows[at].inc
	}
	for i := range o.Effects() {
		gone := &o.effects[i]
		if gone.What != WhatPurged {
			continue
		}
		if at := e.find(gone.Frame.ID, gone.Frame.Kind.Answer()); at >= 0 && e.rows[at].inc != inc {
			return fmt.Errorf("%v: (%v) purged seq %d of incarnation %d, and is about %d", a.Side, f, gone.Frame.Seq, e.rows[at].inc, inc)
		}
	}
	return nil
}

func refusalStays(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, _ := got(before.pairState, a)
	for i := range o.Effects() {
		gone := &o.effects[i]
		named := f.Kind == KindBounce && f.ID == gone.Frame.ID
		if gone.What == WhatPurged && gone.Frame.Kind == KindReject && gone.Frame.Code != CodeExpired && !named {
			return fmt.Errorf("%v: the refusal (%v) is gone", gone.Side, gone.Frame)
		}
	}
	return nil
}

// futileIsTrue lets pass what was delivered and then denied (SUBSTRATE-AUTHZ-012), and what was delivered and answered by an error.
func (m *Pair) futileIsTrue(_ PairState, _ PairAction, after PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What != WhatFutile || e.Frame.OfAnswer || e.Frame.Code == CodeUnauthorized || e.Frame.Code == CodeAppError {
			continue
		}
		if bit := uint16(1) << e.Frame.Op; after.seen[e.Side.Peer()].committed&bit != 0 && after.seen[e.Side].unknown&bit == 0 {
			return fmt.Errorf("%v: %d is futile as %v, and was delivered", e.Side, e.Frame.ID, e.Frame.Code)
		}
	}
	return nil
}

func errBegetsNone(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if ok && (f.Kind == KindBounce || f.Kind == KindErr) && o.sent(KindBounce, a.Side) > 0 {
		return fmt.Errorf("%v answers (%v) with an error", a.Side, f)
	}
	return nil
}

func (m *Pair) opensAgain(_ PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What == WhatPurged && e.Frame.Kind == KindOpen && (e.Frame.Code == CodeNoSuchObject || e.Frame.Code == CodeClosed || e.Frame.Code == CodeNotAccepted) {
			return fmt.Errorf("%v: an open is refused as %v", e.Side, e.Frame.Code)
		}
	}
	return nil
}

func phases(before PairState, a PairAction, after PairState, o PairOutcome) error {
	for x := range before.side {
		from, to := before.side[x].obj, after.side[x].obj
		ok := from == to
		switch to {
		case phaseOpening:
			// An open that gave way is taken up again at once.
			ok = ok || from != phaseLive || o.count(WhatDied, Side(x)) > 0
		case phaseLive, phaseRejected:
			ok = ok || from == phaseOpening
		case phaseClosed:
			ok = ok || from == phaseOpening || from == phaseLive
		}
		if !ok {
			return fmt.Errorf("%v: the object goes from %v to %v in %v", Side(x), from, to, a)
		}
	}
	return nil
}
