package substratemodel

import "fmt"

// faultRules are the laws about crashes, connections, stores, third peers and time.
func (m *Pair) faultRules() []PairEdgeInvariant {
	return []PairEdgeInvariant{
		{Law: "SUBSTRATE-OUTBOX-007", Title: "a restart has the rows and counters of before", Check: m.restartKeeps},
		{Law: "SUBSTRATE-ANSWER-002", Title: "answers survive a restart", Check: answersSurvive},
		{Law: "SUBSTRATE-SEQ-010", Title: "a restart leaves the receiver unsynced", Check: restartIsUnsynced},
		{Law: "SUBSTRATE-SEQ-011", Title: "another epoch leaves the receiver unsynced", Check: epochUnsyncs},
		{Law: "SUBSTRATE-RECONNECT-004", Title: "a connection that is superseded has no effect", Check: oldHasNoEffect},
		{Law: "SUBSTRATE-STORE-008", Title: "a commit that fails is not acked, and leaves no trace", Check: failedCommit},
		{Law: "SUBSTRATE-OUTBOX-009", Title: "an enqueue that fails consumes nothing", Check: failedEnqueue},
		{Law: "SUBSTRATE-FINALITY-003", Title: "a third peer cannot close the object", Check: foreignCloses},
		{Law: "SUBSTRATE-FINALITY-004", Title: "finality without authority has no effect at all", Check: foreignHasNoEffect},
		{Law: "SUBSTRATE-FINALITY-005", Title: "a third peer hears of its close once, and of its error never", Check: foreignHears},
		{Law: "SUBSTRATE-STORE-005", Title: "what a peer commits is its own", Check: foreignKeepsOwn},
		{Law: "SUBSTRATE-SEQ-008", Title: "a base never lowers a frontier", Check: baseNeverLowers},
		{Law: "SUBSTRATE-SEQ-008", Title: "one resync in ten seconds is honoured", Check: m.oneResync},
	}
}

func (m *Pair) restartKeeps(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op != OpCrash || m.cfg.Volatile && a.Side == A {
		return nil
	}
	was, is := &before.side[a.Side], &after.side[a.Side]
	same := was.queued == is.queued && was.last == is.last && was.pred == is.pred
	for i := range was.outbox() {
		same = same && was.rows[i].seq == is.rows[i].seq && was.rows[i].id == is.rows[i].id && was.rows[i].sent == is.rows[i].sent
	}
	if !same {
		return fmt.Errorf("%v had %d rows, last %d and predecessor %d, and has %d, %d and %d", a.Side, was.queued, was.last, was.pred, is.queued, is.last, is.pred)
	}
	return nil
}

func answersSurvive(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op != OpCrash {
		return nil
	}
	for _, r := range before.side[a.Side].outbox() {
		if r.kind.Answer() && after.side[a.Side].find(r.id, true) < 0 {
			return fmt.Errorf("%v forgets its answer to %d", a.Side, r.id)
		}
	}
	return nil
}

func restartIsUnsynced(_ PairState, a PairAction, after PairState, _ PairOutcome) error {
	if e := &after.side[a.Side]; a.Op == OpCrash && (e.next != 0 || e.gaps != 0) {
		return fmt.Errorf("%v expects %d after a restart, and buffers %d frames", a.Side, e.next, e.gaps)
	}
	return nil
}

func epochUnsyncs(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op != OpConnect && a.Op != OpTakeover {
		return nil
	}
	for x := range before.side {
		epoch := before.side[Side(x).Peer()].epoch
		if before.side[x].built != epoch && (after.side[x].next != 0 || after.side[x].built != epoch) {
			return fmt.Errorf("%v expects %d of an outbox that is another", Side(x), after.side[x].next)
		}
	}
	return nil
}

func oldHasNoEffect(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if a.Op == OpDeliverOld && (before.side != after.side || before.wire != after.wire || o.n != 1 || o.effects[0].What != WhatDropped) {
		return fmt.Errorf("%v heeds a connection that is superseded", a.Side)
	}
	return nil
}

func failedCommit(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if a.Op != OpDeliverFails {
		return nil
	}
	want := 1
	if f, _ := got(before.pairState, a); f.Kind == KindErr || f.Kind == KindResync {
		want = 0
	}
	if !kept(&before.side[a.Side], &after.side[a.Side]) || o.sent(KindAck, a.Side) > 0 || o.sent(KindBounce, a.Side) != want {
		return fmt.Errorf("%v did not commit, and says or does something else", a.Side)
	}
	return nil
}

func failedEnqueue(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if a.Op == OpEnqueueFails && (before.side != after.side || o.n != 1 || o.effects[0].What != WhatFailed) {
		return fmt.Errorf("a call that failed left a trace")
	}
	return nil
}

func foreignCloses(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op == OpForeign && before.side[B].obj != after.side[B].obj {
		return fmt.Errorf("the object goes from %v to %v, because of a peer that is no participant", before.side[B].obj, after.side[B].obj)
	}
	return nil
}

func foreignHasNoEffect(before PairState, a PairAction, after PairState, o PairOutcome) error {
	if a.Op == OpForeign && a.N < ForeignSame && (!kept(&before.side[B], &after.side[B]) || before.side[A] != after.side[A] || a.N != ForeignErr && o.sent(KindAck, B) > 0) {
		return fmt.Errorf("a frame of a peer that is no participant leaves a trace")
	}
	return nil
}

func foreignHears(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	if a.Op != OpForeign || a.N == ForeignSame {
		return nil
	}
	want := 1
	if before.foreignTold || a.N == ForeignErr {
		want = 0
	}
	if n := o.sent(KindBounce, B); n != want {
		return fmt.Errorf("%d errors for a peer that is no participant, want %d", n, want)
	}
	return nil
}

func foreignKeepsOwn(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	if a.Op == OpForeign && a.N == ForeignSame && before.side != after.side {
		return fmt.Errorf("what a third peer does shows in the scope of another")
	}
	return nil
}

func baseNeverLowers(before PairState, a PairAction, after PairState, _ PairOutcome) error {
	f, ok := got(before.pairState, a)
	if ok && f.Kind == KindResync && after.side[a.Side].next < before.side[a.Side].next {
		return fmt.Errorf("%v: (%v) lowers the frontier from %d to %d", a.Side, f, before.side[a.Side].next, after.side[a.Side].next)
	}
	return nil
}

func (m *Pair) oneResync(before PairState, a PairAction, _ PairState, o PairOutcome) error {
	f, ok := got(before.pairState, a)
	e := &before.side[a.Side]
	if ok && f.Kind == KindResync && f.Prev == 0 && e.heard != 0 && m.age(before.pairState, e.heard-1) < resyncGap && o.count(WhatSent, a.Side) > 0 {
		return fmt.Errorf("%v honours a second resync after %d ms", a.Side, m.age(before.pairState, e.heard-1))
	}
	return nil
}
