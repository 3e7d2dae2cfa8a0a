package substratemodel

import "fmt"

// refusalRules are the laws about what comes in and is refused.
func (m *Pair) refusalRules() []PairEdgeInvariant {
	return []PairEdgeInvariant{
		{Law: "SUBSTRATE-AUTHZ-002", Title: "the gate comes before the commit", Check: m.gateFirst},
		{Law: "SUBSTRATE-AUTHZ-003", Title: "what is denied leaves no trace", Check: deniedLeavesNothing},
		{Law: "SUBSTRATE-AUTHZ-012", Title: "a denial beats dedupe", Check: m.denialBeatsDedupe},
		{Law: "SUBSTRATE-DEDUPE-004", Title: "what is known draws no error", Check: m.knownDrawsNone},
		{Law: "SUBSTRATE-BOUNCE-001", Title: "one error for an id on a connection", Check: oneError},
		{Law: "SUBSTRATE-TOMBSTONE-001", Title: "what is swallowed was refused itself", Check: swallowedWasRefused},
		{Law: "SUBSTRATE-TOMBSTONE-003", Title: "what was refused is not taken", Check: refusedIsNotTaken},
		{Law: "SUBSTRATE-TOMBSTONE-003", Title: "on a later connection the error is sent again", Check: m.servedAgain},
		{Law: "SUBSTRATE-FINALITY-009", Title: "a close of what is closed is taken", Check: m.closeIsTaken},
		{Law: "SUBSTRATE-LIMIT-002", Title: "what a full queue refuses leaves no trace", Check: fullLeavesNothing},
		{Law: "SUBSTRATE-LIMIT-008", Title: "what unacked answers keep out leaves no trace", Check: debtsLeaveNothing},
		{Law: "SUBSTRATE-LIMIT-008", Title: "nothing is taken that leads to more answers than may be unfreed", Check: m.debtsKeepOut},
	}
}

func (m *Pair) gateFirst(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if ok && m.gate(before.pairState, a.Side, f) && (o.about(WhatDenied, a.Side, f) != 1 || o.effects[0].What != WhatDenied) {
		return fmt.Errorf("%v: the policy refuses (%v), and is not asked first", a.Side, f)
	}
	return nil
}

func deniedLeavesNothing(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if o.n > 0 && o.effects[0].What == WhatDenied && (!kept(&before.side[a.Side], &after.side[a.Side]) || o.sent(KindAck, a.Side) > 0) {
		return fmt.Errorf("%v: (%v) is denied, and leaves a trace", a.Side, o.effects[0].Frame)
	}
	return nil
}

func (m *Pair) denialBeatsDedupe(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if ok && m.gate(before.pairState, a.Side, f) && before.side[a.Side].knows(f) && o.replies(KindAck, a.Side, f) > 0 {
		return fmt.Errorf("%v acks a copy of %d, which the policy refuses", a.Side, f.ID)
	}
	return nil
}

func (m *Pair) knownDrawsNone(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if ok && before.side[a.Side].knows(f) && !m.gate(before.pairState, a.Side, f) && o.replies(KindBounce, a.Side, f) > 0 {
		return fmt.Errorf("%v answers a copy of %d with an error", a.Side, f.ID)
	}
	return nil
}

func oneError(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if !ok {
		return nil
	}
	n := 0
	for i := range o.Effects() {
		e := &o.effects[i]
		if e.What == WhatSent && e.Side == a.Side && e.Frame.Kind == KindBounce && !e.Frame.Code.Retryable() && e.Frame.slot() == f.slot() {
			n++
		}
	}
	if before.seen[a.Side].bounced&(1<<f.slot()) != 0 {
		n++
	}
	if n > 1 {
		return fmt.Errorf("%v answers %d with more than one error on this connection", a.Side, f.ID)
	}
	return nil
}

func swallowedWasRefused(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatSwallowed && before.side[e.Side].tombs&(1<<e.Frame.tombSlot()) == 0 {
			return fmt.Errorf("%v swallows (%v), which it never refused", e.Side, e.Frame)
		}
	}
	return nil
}

func refusedIsNotTaken(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatCommitted && before.side[e.Side].tombs&(1<<e.Frame.tombSlot()) != 0 {
			return fmt.Errorf("%v takes (%v), which it refused before", e.Side, e.Frame)
		}
	}
	return nil
}

func (m *Pair) servedAgain(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := gotOperation(before.pairState, a)
	if !ok || f.Kind == KindErr {
		return nil
	}
	e, bit := &before.side[a.Side], uint16(1)<<f.tombSlot()
	if e.tombs&bit != 0 && e.here&bit == 0 && !e.knows(f) && o.replies(KindBounce, a.Side, f) != 1 {
		return fmt.Errorf("%v refused %d on an earlier connection, and does not say so on this one", a.Side, f.ID)
	}
	return nil
}

func (m *Pair) closeIsTaken(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	if ok && f.Kind == KindClose && before.side[a.Side].obj == phaseClosed && !m.gate(before.pairState, a.Side, f) && o.replies(KindBounce, a.Side, f) > 0 {
		return fmt.Errorf("%v refuses a close of an object that is closed", a.Side)
	}
	return nil
}

func fullLeavesNothing(before PairState, _ PairAction, after PairState, o PairOutcome) error {
	return refusalLeavesNothing(CodeQueueFull, before, after, &o)
}

func debtsLeaveNothing(before PairState, _ PairAction, after PairState, o PairOutcome) error {
	return refusalLeavesNothing(CodeBusy, before, after, &o)
}

// refusalLeavesNothing is about bounces with that code, which are forgotten.
func refusalLeavesNothing(code Code, before, after PairState, o *PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		said := e.What == WhatSent && e.Frame.Kind == KindBounce && e.Frame.Code == code
		if said && (!kept(&before.side[e.Side], &after.side[e.Side]) || o.sent(KindAck, e.Side) > 0 || before.side[e.Side].tombs != after.side[e.Side].tombs) {
			return fmt.Errorf("%v says %v, and %d leaves a trace", e.Side, code, e.Frame.ID)
		}
	}
	return nil
}

func (m *Pair) debtsKeepOut(before PairState, _ PairAction, _ PairState, o PairOutcome) error {
	for i := range o.Effects() {
		e := &o.effects[i]
		leads := e.Frame.Kind == KindOpen || e.Frame.Kind == KindSend || e.Frame.Kind == KindReq
		if e.What == WhatCommitted && leads && m.cfg.Outbox > 0 && answersOf(&before.side[e.Side]) >= int(m.cfg.Outbox) {
			return fmt.Errorf("%v takes (%v) with %d answers unfreed", e.Side, e.Frame, answersOf(&before.side[e.Side]))
		}
	}
	return nil
}

func answersOf(e *endpoint) (n int) {
	for _, r := range e.outbox() {
		if r.kind >= KindAccept {
			n++
		}
	}
	return n
}
