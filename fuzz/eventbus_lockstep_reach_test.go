package fuzz

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// busWays are the things that must happen besides laws: each reason and each form of a frame, a call and its outcomes.
const busWays = `
evicted queue_overflow
evicted queue_bytes_overflow
evicted silently
evicted two at once
warning
warning frames
warning bytes
warning frames_and_bytes
resync ring_evicted
resync epoch_reset
resync epoch_reset epoch_mismatch
resync seeded_replay_not_in_ring
resync replay_budget_exceeded
complete
complete empty
publish refused closed
publish refused unserialisable
publish unserialisable
publish stamped
seed
seed closed
subscribe limit
subscribe closed
subscribe aborted
next item
next parked
next done
handed event
handed done
handed two calls
withdraw
abort attached
abort buffered after the end
return attached
close attached
close again
`

// TestEventbusReachesEveryLaw takes the bus and its machine through many random lives in step, sees no difference, sees every invariant of the machine
// hold, and sees every law of the machine put to the test and every reason on the way. The source of chance is fixed: a failure comes again.
func TestEventbusReachesEveryLaw(t *testing.T) {
	laws, reached := ways{}, ways{}
	rng := rand.New(rand.NewPCG(3, 4))
	for taken := 0; taken < *steps && !t.Failed(); {
		synctest.Test(t, func(t *testing.T) {
			d := &busDrafter{draws: draws{rng.IntN}}
			r, err := newBusRun(d.config())
			if err != nil {
				t.Fatal(err)
			}
			defer r.rig.end()
			edges := r.machine.EdgeInvariants()
			for range 50 + d.draw(400) {
				taken++
				a := d.next(r.State(), r.machine.Config())
				before, o, err := r.take(a)
				if err != nil {
					t.Fatal(err)
				}
				for _, inv := range edges {
					if err := inv.Check(before, a, r.State(), o); err != nil {
						t.Fatalf("the machine itself breaks %s: %v", inv.Law, err)
					}
				}
				for _, law := range r.machine.Reached(before, a, r.State(), o) {
					laws[law]++
				}
				for _, way := range waysOfBus(before, a, o) {
					reached[way]++
				}
			}
		})
	}
	m, err := eventbusmodel.NewBus(eventbusmodel.BusConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for _, inv := range m.EdgeInvariants() {
		if laws[inv.Law] == 0 {
			t.Errorf("%d steps did not put %s to the test", *steps, inv.Law)
		}
	}
	reached.check(t, lines(busWays), *steps)
}

// waysOfBus names what a step reached.
func waysOfBus(before eventbusmodel.BusState, a eventbusmodel.BusAction, o eventbusmodel.BusOutput) []string {
	var out []string
	add := func(ok bool, way string) {
		if ok {
			out = append(out, way)
		}
	}
	for _, ev := range o.Evictions {
		add(true, "evicted "+ev.Data.Reason)
		add(!ev.Line, "evicted silently")
	}
	add(len(o.Evictions) > 1, "evicted two at once")
	handed := map[int]int{}
	var items []eventbusmodel.Frame
	if o.Item != nil {
		items = append(items, *o.Item)
	}
	for _, h := range o.Handed {
		handed[h.Sub]++
		add(h.Done, "handed done")
		add(!h.Done, "handed event")
		items = append(items, h.Frame)
	}
	add(slices.Contains(slices.Collect(maps.Values(handed)), 2), "handed two calls")
	for _, f := range items {
		c := f.Control
		switch {
		case f.ID != 0:
		case f.Type == eventbusmodel.TypeWarning && c.Threshold == "":
			add(true, "warning")
		case f.Type == eventbusmodel.TypeWarning:
			add(true, "warning "+c.Threshold)
		case f.Type == eventbusmodel.TypeResync && c.Detail != "":
			add(true, "resync "+c.Reason+" "+c.Detail)
		case f.Type == eventbusmodel.TypeResync:
			add(true, "resync "+c.Reason)
		case f.Type == eventbusmodel.TypeReplayComplete && c.ReplayedCount == 0:
			add(true, "complete empty")
		case f.Type == eventbusmodel.TypeReplayComplete:
			add(true, "complete")
		}
	}
	add(o.Next != "", "next "+string(o.Next))
	switch a.Op {
	case eventbusmodel.OpPublish:
		add(o.Refused && before.Closed(), "publish refused closed")
		add(o.Refused && !before.Closed(), "publish refused unserialisable")
		add(!o.Refused && a.Input.Unserialisable, "publish unserialisable")
		add(!o.Refused && a.Input.Stamp.Kind == eventbusmodel.StampNumber, "publish stamped")
	case eventbusmodel.OpSeed:
		add(len(o.Events) > 0, "seed")
		add(before.Closed(), "seed closed")
	case eventbusmodel.OpSubscribe:
		add(o.Limit != 0, "subscribe limit")
		add(before.Closed(), "subscribe closed")
		add(!before.Closed() && a.Aborted && o.Limit == 0, "subscribe aborted")
	case eventbusmodel.OpWithdraw:
		add(true, "withdraw")
	case eventbusmodel.OpAbort:
		sub := before.Sub(a.Sub)
		add(sub.Attached, "abort attached")
		add(!sub.Attached && sub.Buffered > 0, "abort buffered after the end")
	case eventbusmodel.OpReturn:
		add(before.Sub(a.Sub).Attached, "return attached")
	case eventbusmodel.OpClose:
		add(before.Count() > 0, "close attached")
		add(before.Closed(), "close again")
	}
	return out
}
