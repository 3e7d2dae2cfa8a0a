package fuzz

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// A busRun is a bus and its machine in the same state, and how they came there.
type busRun struct {
	*model.Tandem[eventbusmodel.BusState, eventbusmodel.BusAction, eventbusmodel.BusOutput]
	cfg     eventbusmodel.BusConfig
	rig     *busRig
	machine *eventbusmodel.Bus
	// order holds the slots whose subscriptions are attached, in the order in which they came.
	order []int
}

func newBusRun(cfg eventbusmodel.BusConfig) (*busRun, error) {
	rig, machine, err := newBusRig(cfg)
	if err != nil {
		return nil, err
	}
	r := &busRun{Tandem: model.NewTandem(machine, rig, rig.same), cfg: cfg, rig: rig, machine: machine}
	r.Look = r.views
	return r, nil
}

// take makes both take an action, and returns the state before, the output, and how they differ in what callers see and in what
// a snapshot tells.
func (r *busRun) take(a eventbusmodel.BusAction) (eventbusmodel.BusState, eventbusmodel.BusOutput, error) {
	before, o, err := r.Take(a)
	if err != nil {
		err = fmt.Errorf("%s: %w", describe(r.cfg), err)
	}
	return before, o, err
}

func describe(cfg eventbusmodel.BusConfig) string {
	return fmt.Sprintf("dialect %s, ring %d, subscribers %d, octets %d, budget %d, asks %d", cfg.Dialect, cfg.RingSize, cfg.MaxSubscribers, cfg.MaxQueuedBytes,
		cfg.ReplayBudgetBytes, cfg.Asks)
}

// same says whether the bus did what the machine says. The line of a diagnostic does not name the subscription.
func (r *busRig) same(want, got eventbusmodel.BusOutput) bool {
	if !r.sizedKnown {
		want.Sized, got.Sized = false, false
	}
	var evictions []eventbusmodel.BusEviction
	for _, ev := range want.Evictions {
		if ev.Line {
			evictions = append(evictions, eventbusmodel.BusEviction{Sub: -1, Data: ev.Data, Line: true})
		}
		if ev.Callback {
			ev.Line = false
			evictions = append(evictions, ev)
		}
	}
	want.Evictions, got.Evictions = sortedEvictions(evictions), sortedEvictions(got.Evictions)
	return reflect.DeepEqual(want, got)
}

func sortedEvictions(evictions []eventbusmodel.BusEviction) []eventbusmodel.BusEviction {
	out := slices.Clone(evictions)
	slices.SortFunc(out, func(a, b eventbusmodel.BusEviction) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

// views compares what a snapshot tells with the state of the machine.
func (r *busRun) views(a eventbusmodel.BusAction, state eventbusmodel.BusState) error {
	if a.Op == eventbusmodel.OpSubscribe && state.Sub(a.Sub).Attached {
		r.order = append(r.order, a.Sub)
	}
	r.order = slices.DeleteFunc(r.order, func(slot int) bool { return !state.Sub(slot).Attached })
	got := r.rig.real.Snapshot()
	want := eventbus.Snapshot{LastEventID: state.LastEventID(), Closed: state.Closed()}
	// Of a closed bus nothing can be replayed.
	if ring := state.Ring(); len(ring) > 0 && !want.Closed {
		want.RingLen, want.RingFirst, want.RingLast = len(ring), ring[0].ID, ring[len(ring)-1].ID
	}
	for _, slot := range r.order {
		sub := state.Sub(slot)
		want.Subscribers = append(want.Subscribers, eventbus.SubscriberSnapshot{
			Live: sub.Live, LiveBytes: sub.Bytes, Buffered: sub.Buffered, Waiting: sub.Asks > 0, Warned: sub.Warned, MaxQueued: sub.MaxQueued,
		})
	}
	for i := range got.Subscribers {
		// Its number is the bus's own.
		got.Subscribers[i].ID = 0
	}
	if len(want.Subscribers)+len(got.Subscribers) == 0 {
		want.Subscribers, got.Subscribers = nil, nil
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("the snapshot is %+v, want %+v", got, want)
	}
	for slot := range state.Slots() {
		sub := state.Sub(slot)
		if real := r.rig.subs[slot].real; real != nil && real.Ended() != (sub.Ended && sub.Buffered == 0) {
			return fmt.Errorf("#%d has ended: %t", slot, real.Ended())
		}
	}
	return nil
}
