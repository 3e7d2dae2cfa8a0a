package substratemodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of a Relay.
type (
	RelayInvariant     = model.Invariant[RelayState]
	RelayEdgeInvariant = model.EdgeInvariant[RelayState, RelayAction, RelayOutcome]
)

// Invariants returns what holds in every state, each named by its law.
func (m *Relay) Invariants() []RelayInvariant {
	return []RelayInvariant{
		{Law: "SUBSTRATE-RELAY-002", Title: "the sink has the operations in their order", Holds: func(s RelayState) error {
			for i, seq := range s.sink.all() {
				if i > 0 && seq < s.sink.seqs[i-1] || i == 0 && seq != 1 || i > 0 && seq > s.sink.seqs[i-1]+1 {
					return fmt.Errorf("the sink has %d", s.sink.all())
				}
			}
			return nil
		}},
		{Law: "SUBSTRATE-RELAY-006", Title: "the sink has each operation once", Holds: func(s RelayState) error {
			for i, seq := range s.sink.all() {
				if slices.Contains(s.sink.all()[:i], seq) {
					return fmt.Errorf("the sink has %d", s.sink.all())
				}
			}
			return nil
		}},
		{Law: "SUBSTRATE-RELAY-003", Title: "what is acked is stored", Holds: func(s RelayState) error {
			for _, seq := range s.acks.all() {
				if !slices.Contains(s.sink.all(), seq) {
					return fmt.Errorf("%d is acked, and the sink has %d", seq, s.sink.all())
				}
			}
			return nil
		}},
		{Law: "SUBSTRATE-RECONNECT-001", Title: "what is freed is stored", Holds: func(s RelayState) error {
			if s.sink.n+1 < s.head {
				return fmt.Errorf("%d operations are freed, and the sink has %d", s.head-1, s.sink.n)
			}
			return nil
		}},
	}
}

// EdgeInvariants returns what holds in every step, each named by its law.
func (m *Relay) EdgeInvariants() []RelayEdgeInvariant {
	failed := func(a RelayAction) bool { return a.Op == RelayFails || a.Op == RelayLate }
	return []RelayEdgeInvariant{
		{Law: "SUBSTRATE-RELAY-004", Title: "a failure is not acked, and what is behind it is dropped", Check: func(_ RelayState, a RelayAction, after RelayState, o RelayOutcome) error {
			if failed(a) && (o.Acked != 0 || after.chain.n > 0 || after.gap.n > 0 || o.Called != 0) {
				return fmt.Errorf("acked %d, called %d, %d are left in the chain and %d aside", o.Acked, o.Called, after.chain.n, after.gap.n)
			}
			return nil
		}},
		{
			Law: "SUBSTRATE-RELAY-005", Title: "a failure restarts at the first that is not stored",
			Check: func(before RelayState, a RelayAction, after RelayState, _ RelayOutcome) error {
				want := before.chain.seqs[0]
				if before.stored > 0 {
					want = before.stored + 1
				}
				if failed(a) && after.next != want {
					return fmt.Errorf("%d failed after %d, and the frontier is %d, want %d", before.chain.seqs[0], before.stored, after.next, want)
				}
				return nil
			},
		},
		{
			Law: "SUBSTRATE-RELAY-006", Title: "what is below the frontier is not acked by memory",
			Check: func(_ RelayState, a RelayAction, _ RelayState, o RelayOutcome) error {
				if a.Op == RelayArrive && o.Acked != 0 {
					return fmt.Errorf("%d is acked before a store call", o.Acked)
				}
				return nil
			},
		},
		{
			Law: "SUBSTRATE-RELAY-008", Title: "a result that comes late is not acked",
			Check: func(before RelayState, a RelayAction, after RelayState, o RelayOutcome) error {
				late := a.Op == RelayLate || a.Op == RelayDropLate
				if late && (o.Acked != 0 || after.acks.n > before.acks.n) {
					return fmt.Errorf("the late result of %d is acked", o.Stored)
				}
				return nil
			},
		},
	}
}

var _ model.Lively[RelayState, RelayAction, RelayOutcome] = (*Relay)(nil)
