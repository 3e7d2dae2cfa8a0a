package substratemodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of a Feed.
type (
	FeedInvariant     = model.Invariant[FeedState]
	FeedEdgeInvariant = model.EdgeInvariant[FeedState, FeedAction, FeedOutcome]
)

// Invariants returns what holds in every state, each named by its law.
func (m *Feed) Invariants() []FeedInvariant {
	return []FeedInvariant{
		{Law: "SUBSTRATE-FEED-004", Title: "what last passes was handed over, or is in the inbox, or reported as gone", Holds: func(s FeedState) error {
			for i, e := range m.cfg.Stream {
				if e.Seq <= s.last[e.Object] && (s.handed|s.silent)&(1<<i) == 0 && !slices.Contains(s.inbox[e.Object][:], e.Seq) {
					return fmt.Errorf("last of object %d is %d, and %d was never handed over", e.Object, s.last[e.Object], e.Seq)
				}
			}
			return nil
		}},
	}
}

// EdgeInvariants returns what holds in every step, each named by its law.
func (m *Feed) EdgeInvariants() []FeedEdgeInvariant {
	return []FeedEdgeInvariant{
		{Law: "SUBSTRATE-FEED-002", Title: "a frame is handed over once, in order, and with what is before it", Check: func(before FeedState, _ FeedAction, _ FeedState, o FeedOutcome) error {
			if o.Handed == 0 {
				return nil
			}
			for i, e := range m.cfg.Stream {
				known := (before.handed|before.silent)&(1<<i) != 0
				if e.Object == o.Object && (e.Seq < o.Handed && !known || e.Seq >= o.Handed && before.handed&(1<<i) != 0) {
					return fmt.Errorf("%d of object %d is handed over, and %d was: %t", o.Handed, o.Object, e.Seq, known)
				}
			}
			return nil
		}},
		{
			Law: "SUBSTRATE-FEED-002", Title: "a frame whose predecessor was taken is no loss",
			Check: func(before FeedState, a FeedAction, _ FeedState, o FeedOutcome) error {
				f := before.frames[0]
				if a.Op == FeedArrive && f.base == 0 && f.seq > before.last[f.object] && f.prev <= before.last[f.object] && o.Asked[f.object] != 0 {
					return fmt.Errorf("%d after %d is a loss, and last is %d", f.seq, f.prev, before.last[f.object])
				}
				return nil
			},
		},
		{Law: "SUBSTRATE-FEED-004", Title: "one resync is outstanding for an object", Check: func(before FeedState, a FeedAction, _ FeedState, o FeedOutcome) error {
			if a.Op == FeedArrive && o.Asked[o.Object] != 0 && before.waits[o.Object] {
				return fmt.Errorf("object %d asks from %d, and waits for what it asked for before", o.Object, o.Asked[o.Object])
			}
			return nil
		}},
		{Law: "SUBSTRATE-FEED-006", Title: "what is trimmed is reported", Check: func(before FeedState, a FeedAction, after FeedState, o FeedOutcome) error {
			f := before.frames[0]
			if a.Op == FeedArrive && f.base > before.last[f.object]+1 && (o.GapTo != f.base-1 || after.last[f.object] != f.base-1) {
				return fmt.Errorf("the stream begins at %d, and %d is reported", f.base, o.GapTo)
			}
			if a.Op == FeedPush && before.cursor[a.Object] != 0 && m.gone(&before, a.Object) != 0 && after.frames[before.n].base == 0 {
				return fmt.Errorf("%d is trimmed, and the edge pushes %d", m.gone(&before, a.Object), o.Pushed)
			}
			return nil
		}},
		{Law: "SUBSTRATE-FEED-007", Title: "nothing is pushed that the gate denies", Check: func(_ FeedState, a FeedAction, _ FeedState, o FeedOutcome) error {
			if a.Op == FeedPush && m.denied(a.Object) {
				return fmt.Errorf("%d of object %d is pushed", o.Pushed, a.Object)
			}
			return nil
		}},
	}
}

var _ model.Lively[FeedState, FeedAction, FeedOutcome] = (*Feed)(nil)
