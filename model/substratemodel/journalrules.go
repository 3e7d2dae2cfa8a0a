package substratemodel

import (
	"fmt"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of a Journal.
type (
	JournalInvariant     = model.Invariant[JournalState]
	JournalEdgeInvariant = model.EdgeInvariant[JournalState, JournalAction, JournalOutcome]
)

// Invariants returns what holds in every state, each named by its law.
func (m *Journal) Invariants() []JournalInvariant {
	return []JournalInvariant{
		{Law: "SUBSTRATE-JOURNAL-004", Title: "seqs follow each other without a gap", Holds: func(s JournalState) error {
			if n := ones(uint16(s.complete)); n != int(s.last) {
				return fmt.Errorf("%d writes are complete, and the last seq is %d", n, s.last)
			}
			return nil
		}},
		{Law: "SUBSTRATE-JOURNAL-005", Title: "what is complete is in the journal until it is taken or given up", Holds: func(s JournalState) error {
			kept := s.expired
			for _, b := range []*journalRows{&s.disk, &s.taken} {
				for _, r := range b.all() {
					kept |= 1 << r.op
				}
			}
			if gone := s.complete &^ kept; gone != 0 {
				return fmt.Errorf("operations %b are neither in the journal nor taken nor given up", gone)
			}
			return nil
		}},
		{Law: "SUBSTRATE-JOURNAL-006", Title: "operations are taken in order", Holds: func(s JournalState) error {
			for i, r := range s.taken.all() {
				if i > 0 && r.op <= s.taken.rows[i-1].op {
					return fmt.Errorf("operation %d is taken after %d", r.op, s.taken.rows[i-1].op)
				}
			}
			return nil
		}},
		{Law: "SUBSTRATE-JOURNAL-003", Title: "every call has an outcome, unless its page is gone", Holds: func(s JournalState) error {
			for op := uint8(1); op <= s.asked; op++ {
				if op != s.writing && (s.complete|s.rejected|s.lost)&(1<<op) == 0 {
					return fmt.Errorf("the call of operation %d has no outcome", op)
				}
			}
			return nil
		}},
	}
}

// EdgeInvariants returns what holds in every step, each named by its law.
func (m *Journal) EdgeInvariants() []JournalEdgeInvariant {
	return []JournalEdgeInvariant{
		{Law: "SUBSTRATE-JOURNAL-001", Title: "what is sent was written", Check: func(before JournalState, _ JournalAction, _ JournalState, o JournalOutcome) error {
			if o.Sent && before.complete&(1<<o.Op) == 0 {
				return fmt.Errorf("operation %d is sent, and its transaction is not complete", o.Op)
			}
			return nil
		}},
		{Law: "SUBSTRATE-OUTBOX-008", Title: "what is old is not sent", Check: func(before JournalState, _ JournalAction, after JournalState, o JournalOutcome) error {
			first := before.sent[o.Op]
			if o.Sent && first != 0 && (before.halves >= first+1 || after.sent[o.Op] != first) {
				return fmt.Errorf("operation %d is sent after %d halves, and was first after %d", o.Op, before.halves, first-1)
			}
			return nil
		}},
		{Law: "SUBSTRATE-JOURNAL-002", Title: "a row is one of a transaction that is complete", Check: func(_ JournalState, _ JournalAction, after JournalState, _ JournalOutcome) error {
			for _, r := range after.rows.all() {
				if after.complete&(1<<r.op) == 0 {
					return fmt.Errorf("operation %d is a row, and its transaction is not complete", r.op)
				}
			}
			return nil
		}},
	}
}

var _ model.Lively[JournalState, JournalAction, JournalOutcome] = (*Journal)(nil)
