package fuzz

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// snapshot returns what the engine of a side holds for the object.
func (s *pairSide) snapshot() engine.ObjectSnapshot {
	for _, o := range s.eng.Snapshot().Objects {
		if o.Obj == pairObject {
			return o
		}
	}
	return engine.ObjectSnapshot{}
}

// view returns what the engine of a side holds, in the terms of the machine.
func (s *pairSide) view() substratemodel.SideView {
	snap := s.eng.Snapshot()
	v := substratemodel.SideView{Object: "idle"}
	for _, o := range snap.Objects {
		if o.Obj != pairObject {
			s.fault("there is an object %q", o.Obj)
			continue
		}
		if o.Record != nil {
			v.Object, v.Opener = o.Record.State, o.Record.Opener == s.cfg.Local
		}
		for _, r := range o.Rows {
			v.Rows = append(v.Rows, substratemodel.RowView{
				Kind: kindNamed(r.Kind), ID: numberOf(r.ID), Seq: uint8(r.Seq), Code: codeNamed(r.Code), Sent: !r.FirstSent.IsZero(),
			})
		}
		if o.Head.InFlight {
			v.InFlight, v.Resends = 1, uint8(o.Head.Resends)
		}
		v.Last, v.Pred = uint8(o.Counter.LastAssigned), uint8(o.Counter.LastPred)
		for _, in := range o.Inbox {
			v.Inbox = append(v.Inbox, substratemodel.Frame{Kind: kindNamed(in.Kind), ID: numberOf(in.ID)})
		}
		if v.Next = uint8(o.Next); len(o.Gap) > 0 {
			v.Asked = uint8(o.Resyncs)
		}
		for _, seq := range o.Gap {
			v.Gap = append(v.Gap, uint8(seq))
		}
	}
	v.Ledger = s.ledger()
	for _, c := range snap.Calls {
		v.Calls |= 1 << s.opOf(c)
	}
	return v
}

// opOf returns the operation of a call, which may share its id with one of the other side.
func (s *pairSide) opOf(c engine.Call) uint8 {
	switch {
	case s.x == substratemodel.A:
		return numberOf(c.ID) & 15
	case s.rig.cfg.Budgets.AskB > 0:
		return numberOf(c.ID) & 15
	case c.Kind == wire.Open:
		return substratemodel.OpOpenB
	}
	return substratemodel.OpCloseB
}

// ledger returns the bits of the ids that are known. SUBSTRATE-DEDUPE-003
func (s *pairSide) ledger() (bits [2]uint32) {
	for id := range uint8(8) {
		for i, class := range [2]store.Class{store.Op, store.Answer} {
			x, ok, err := s.store.Committed(s.cfg.Remote, store.Key{Class: class, ID: pairIDs[id]})
			if err != nil {
				s.fault("%v", err)
			}
			if ok && s.now.UnixMilli()-x.At.UnixMilli() <= store.Horizon.Milliseconds() {
				bits[i] |= 1 << id
			}
		}
	}
	return bits
}

func samePairView(a, b *substratemodel.SideView) bool {
	return a.Object == b.Object && a.Opener == b.Opener && slices.Equal(a.Rows, b.Rows) && a.InFlight == b.InFlight && a.Last == b.Last && a.Pred == b.Pred &&
		slices.Equal(a.Inbox, b.Inbox) && a.Ledger == b.Ledger && a.Calls == b.Calls && a.Next == b.Next && slices.Equal(a.Gap, b.Gap) && a.Asked == b.Asked &&
		a.Resends == b.Resends
}

// look compares what the engines hold, and what is under way, with the state of the machine.
func (r *pairRig) look(_ substratemodel.PairAction, state substratemodel.PairState) error {
	for x, s := range r.side {
		if n := len(state.Coming(s.x)); n != len(r.wire[x]) {
			return fmt.Errorf("%d frames are under way to %v, want %d", len(r.wire[x]), s.x, n)
		}
		if s.eng == nil {
			continue
		}
		want, got := state.View(s.x), s.view()
		want.Unknown = 0
		if !samePairView(&want, &got) {
			return fmt.Errorf("%v holds something else (-machine +engine):\n%s", s.x, cmp.Diff(want, got))
		}
	}
	return nil
}
