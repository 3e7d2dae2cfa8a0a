package fuzz

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// A busRun is a bus and its machine in the same state, and how they came there.
type busRun struct {
	cfg     eventbusmodel.BusConfig
	rig     *busRig
	machine *eventbusmodel.Bus
	state   eventbusmodel.BusState
	taken   []eventbusmodel.BusAction
	// order holds the slots whose subscriptions are attached, in the order in which they came.
	order []int
}

func newBusRun(cfg eventbusmodel.BusConfig) (*busRun, error) {
	rig, machine, err := newBusRig(cfg)
	if err != nil {
		return nil, err
	}
	return &busRun{cfg: cfg, rig: rig, machine: machine, state: machine.Init()}, nil
}

// take makes both take an action that the machine can, and returns how they differ, in what callers see and in what a snapshot tells. It returns the
// state before and the output as well.
func (r *busRun) take(a eventbusmodel.BusAction) (eventbusmodel.BusState, eventbusmodel.BusOutput, error) {
	before := r.state
	next, want, ok := r.machine.Do(before, a)
	if !ok {
		return before, want, fmt.Errorf("the machine cannot %v in %v", a, before)
	}
	r.taken = append(r.taken, a)
	got := r.rig.Do(a)
	r.state = next
	if a.Op == eventbusmodel.OpSubscribe && next.Sub(a.Sub).Attached {
		r.order = append(r.order, a.Sub)
	}
	r.order = slices.DeleteFunc(r.order, func(slot int) bool { return !next.Sub(slot).Attached })
	differs := ""
	if !r.rig.same(want, got) {
		differs = "what callers see (-machine +bus)\n" + cmp.Diff(want, got) + "\nIt"
	} else if err := r.views(); err != nil {
		differs = err.Error()
	}
	if differs == "" {
		return before, want, nil
	}
	return before, want, r.report(differs, before, want, got)
}

func (r *busRun) report(differs string, before eventbusmodel.BusState, want, got eventbusmodel.BusOutput) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s differs\n  bus:     %+v\n  machine: %+v\n  before:  %v\n  after:   %v\n  %s\n", differs, got, want, before, r.state, describe(r.cfg))
	for i, a := range r.taken {
		fmt.Fprintf(&b, "  %d. %v\n", i+1, a)
	}
	return errors.New(b.String())
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
func (r *busRun) views() error {
	got := r.rig.real.Snapshot()
	want := eventbus.Snapshot{LastEventID: r.state.LastEventID(), Closed: r.state.Closed()}
	// Of a closed bus nothing can be replayed.
	if ring := r.state.Ring(); len(ring) > 0 && !want.Closed {
		want.RingLen, want.RingFirst, want.RingLast = len(ring), ring[0].ID, ring[len(ring)-1].ID
	}
	for _, slot := range r.order {
		sub := r.state.Sub(slot)
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
		return fmt.Errorf("the snapshot %+v, want %+v, which", got, want)
	}
	for slot := range r.state.Slots() {
		sub := r.state.Sub(slot)
		if real := r.rig.subs[slot].real; real != nil && real.Ended() != (sub.Ended && sub.Buffered == 0) {
			return fmt.Errorf("the end of #%d, %t,", slot, real.Ended())
		}
	}
	return nil
}
