package substratemodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of a Pair.
type (
	PairInvariant     = model.Invariant[PairState]
	PairEdgeInvariant = model.EdgeInvariant[PairState, PairAction, PairOutcome]
)

// Invariants returns what holds in every state, each named by its law.
func (m *Pair) Invariants() []PairInvariant {
	return []PairInvariant{
		{Law: "SUBSTRATE-SEQ-001", Title: "seqs follow each other without a gap", Holds: m.seqsFollow},
		{Law: "SUBSTRATE-SEQ-003", Title: "an outbox is in the order of its seqs", Holds: inOrder},
		{Law: "SUBSTRATE-OUTBOX-001", Title: "what was sent survives a crash", Holds: savedFirst},
		{Law: "SUBSTRATE-OUTBOX-002", Title: "one row in flight", Holds: m.oneInFlight},
		{Law: "SUBSTRATE-ACK-002", Title: "what is acked is committed", Holds: m.ackedIsCommitted},
		{Law: "SUBSTRATE-SEQ-013", Title: "what is buffered is neither committed nor acked", Holds: bufferedIsNothing},
		{Law: "SUBSTRATE-DEDUPE-007", Title: "what is committed is in the inbox, or was handed over", Holds: m.committedIsThere},
		{Law: "SUBSTRATE-DEDUPE-008", Title: "what a crash cut short is handed over again", Holds: cutShortIsThere},
		{Law: "SUBSTRATE-OBSERVE-011", Title: "rows queued are rows freed, purged or there", Holds: conserved},
		{Law: "SUBSTRATE-SEQ-007", Title: "resyncs sent are those that the age of the gap asks for", Holds: m.asksByAge},
		{Law: "SUBSTRATE-DEDUPE-003", Title: "a commit is forgotten after seven days", Holds: m.forgotten},
	}
}

// EdgeInvariants returns what holds in every step, each named by its law.
func (m *Pair) EdgeInvariants() []PairEdgeInvariant {
	return slices.Concat(m.senderRules(), m.receiverRules(), m.refusalRules(), m.faultRules())
}

// SUBSTRATE-SEQ-001, SUBSTRATE-OUTBOX-009
func (m *Pair) seqsFollow(s PairState) error {
	for x := range s.side {
		if volatile := m.cfg.Volatile && Side(x) == A; !volatile && s.side[x].last != s.seen[x].enqueued {
			return fmt.Errorf("%v queued %d rows, and the last seq is %d", Side(x), s.seen[x].enqueued, s.side[x].last)
		}
	}
	return nil
}

func inOrder(s PairState) error {
	for x := range s.side {
		e := &s.side[x]
		for i := 1; i < int(e.queued); i++ {
			if e.rows[i].seq <= e.rows[i-1].seq {
				return fmt.Errorf("%v has seq %d behind seq %d", Side(x), e.rows[i].seq, e.rows[i-1].seq)
			}
		}
	}
	return nil
}

func savedFirst(s PairState) error {
	for x := range s.side {
		for _, r := range s.side[x].outbox() {
			if r.sent && !r.saved {
				return fmt.Errorf("%v sent seq %d, which is not durable", Side(x), r.seq)
			}
		}
	}
	return nil
}

func (m *Pair) oneInFlight(s PairState) error {
	for x := range s.side {
		if n := s.side[x].flight; n > 1 && !m.cfg.Pipeline {
			return fmt.Errorf("%v has %d rows in flight", Side(x), n)
		}
	}
	return nil
}

// ackedIsCommitted looks at acks under way. The exceptions are an error about an object that is gone (SUBSTRATE-BOUNCE-004), and what is below the frontier because its
// sender did not wait: there the seq of an operation is its number. In scopes with acks that nobody sent it looks at none.
func (m *Pair) ackedIsCommitted(s PairState) error {
	if m.cfg.Budgets.StaleAck > 0 {
		return nil
	}
	for x := range s.wire {
		for _, f := range s.wire[x].all() {
			by := Side(x).Peer()
			if f.Kind == KindAck && s.seen[by].committed&(1<<f.slot()) == 0 && !(f.OfAnswer && m.cfg.Fails) && !(m.cfg.Pipeline && f.Op < s.side[by].next) {
				return fmt.Errorf("%v acked %d, which it has not committed", by, f.ID)
			}
		}
	}
	return nil
}

func bufferedIsNothing(s PairState) error {
	for x := range s.side {
		e := &s.side[x]
		for _, f := range e.gap[:e.gaps] {
			if e.knows(f) {
				return fmt.Errorf("%v buffers %d, which is committed", Side(x), f.ID)
			}
			for _, back := range s.wire[Side(x).Peer()].all() {
				if back.Kind == KindAck && back.slot() == f.slot() {
					return fmt.Errorf("%v buffers %d, which it acked", Side(x), f.ID)
				}
			}
		}
	}
	return nil
}

func (m *Pair) committedIsThere(s PairState) error {
	for x := range s.side {
		there := s.seen[x].handed
		for _, in := range s.side[x].inbox[:s.side[x].waiting] {
			there |= 1 << in.op
		}
		for op := uint8(1); op < 8; op++ {
			// An open may be answered at once, and a close change nothing.
			if committed := s.seen[x].committed&(1<<op) != 0; committed != (there&(1<<op) != 0) && m.kind(op) != KindOpen && m.kind(op) != KindClose {
				return fmt.Errorf("%v: operation %d is committed: %t, in the inbox or handed over: %t", Side(x), op, committed, !committed)
			}
		}
	}
	return nil
}

func cutShortIsThere(s PairState) error {
	for x := range s.side {
		there := uint16(0)
		for _, in := range s.side[x].inbox[:s.side[x].waiting] {
			there |= 1 << in.op
		}
		if lost := s.seen[x].excused &^ there; lost != 0 {
			return fmt.Errorf("%v: the inbox lacks operations %b, whose handlers never returned", Side(x), lost)
		}
	}
	return nil
}

func conserved(s PairState) error {
	for x := range s.side {
		seen := &s.seen[x]
		ended := ones(seen.freed) + ones(seen.purged) + ones(seen.lost)
		if n := ended + int(s.side[x].queued); n != int(seen.enqueued) {
			return fmt.Errorf("%v queued %d rows, of which %d are accounted for", Side(x), seen.enqueued, n)
		}
	}
	return nil
}

func ones(set uint16) (n int) {
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}

func (m *Pair) asksByAge(s PairState) error {
	for x := range s.side {
		e := &s.side[x]
		if e.gaps == 0 {
			continue
		}
		age := m.age(s.pairState, s.seen[x].began)
		want := uint8(0)
		for want < maxAsked && age > int64(want+1)*gapStep {
			want++
		}
		if s.seen[x].left != 0 {
			// What was left when a gap was filled may be old by then, and asks one step after the other all the same.
			took := m.age(s.pairState, s.seen[x].left-1)
			want = min(want, uint8(min(maxAsked, took/gapStep+min(took, 1))))
			if e.asked > want || want > 0 && e.asked == 0 {
				return fmt.Errorf("%v: %d ms after it was left, a gap of %d ms and %d resyncs, want %d", Side(x), took, age, e.asked, want)
			}
			continue
		}
		if e.asked != want || age > (maxAsked+1)*gapStep {
			return fmt.Errorf("%v: a gap of %d ms and %d resyncs, want %d", Side(x), age, e.asked, want)
		}
	}
	return nil
}

func (m *Pair) forgotten(s PairState) error {
	for x := range s.side {
		for c, ids := range s.side[x].ledger {
			for id := range uint8(8) {
				age := m.age(s.pairState, s.seen[x].born[slotOf(id, c == 1)])
				if ids&(1<<id) != 0 && age > retention && m.stamp(s.pairState) > 0 {
					return fmt.Errorf("%v still knows %d after %d ms", Side(x), id, age)
				}
			}
		}
	}
	return nil
}

// got returns the frame that a side processed in the step.
func got(before *pairState, a PairAction) (Frame, bool) {
	in := &before.wire[a.Side]
	switch a.Op {
	case OpDeliver, OpDuplicate, OpDeliverFails:
		return in.frames[0], true
	case OpReorder:
		return in.frames[1], true
	}
	return Frame{}, false
}

// gotOperation returns the operation or answer that a side processed in the step.
func gotOperation(before *pairState, a PairAction) (Frame, bool) {
	f, ok := got(before, a)
	return f, ok && f.Kind.Operation()
}

// about returns how many effects of that kind there are at the side about the operation or answer of f.
func (o *PairOutcome) about(w What, x Side, f Frame) (n int) {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == w && e.Side == x && e.Frame.slot() == f.slot() {
			n++
		}
	}
	return n
}

// replies returns how many frames of that kind about f the side sent.
func (o *PairOutcome) replies(k Kind, x Side, f Frame) (n int) {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatSent && e.Side == x && e.Frame.Kind == k && e.Frame.slot() == f.slot() {
			n++
		}
	}
	return n
}

// kept says that nothing durable and no frontier of a side moved: only what it remembers of refusals may have.
func kept(before, after *endpoint) bool {
	return before.ledger == after.ledger && before.inbox == after.inbox && before.waiting == after.waiting && before.obj == after.obj && before.next == after.next &&
		before.gap == after.gap && before.gaps == after.gaps && before.since == after.since && before.asked == after.asked && sameOutbox(before, after)
}

func sameOutbox(before, after *endpoint) bool {
	return before.rows == after.rows && before.queued == after.queued && before.last == after.last && before.pred == after.pred
}
