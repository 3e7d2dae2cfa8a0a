package eventbus_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// The shortcuts change nothing that is delivered. That they are taken at all is what is checked here.

func TestRunsAreTakenInOneStep(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	publish(t, b, 5)
	dst := make([]*eventbus.Event, 10)
	same(t, "before the run is known", s.TakeRun(dst), 0)
	same(t, "first", take(t, s, 1), "1")
	same(t, "run", s.TakeRun(dst), 4)
	same(t, "id of the last", dst[3].ID, 5)
	same(t, "after the run", s.TakeRun(dst), 0)
}

func TestConsumersLookAgain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	same(t, "on one processor", newBus(t, eventbus.Config{}).Parallel(), false)
	runtime.GOMAXPROCS(2)
	b := newBus(t, eventbus.Config{})
	same(t, "on two", b.Parallel(), true)
	s := subscribe(t, b, eventbus.Options{})
	same(t, "nothing there", s.Linger(), nil)
	publish(t, b, 2)
	take(t, s, 1)
	if e := s.Linger(); e == nil || e.ID != 2 {
		t.Errorf("found %v, want the second event", e)
	}
}

func TestOnlyParkedSubscriptionsWait(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	first, second := subscribe(t, b, eventbus.Options{}), subscribe(t, b, eventbus.Options{})
	same(t, "attached", first.WaitIndex(), -1)
	ctx, cancel := context.WithCancel(t.Context())
	a, c := askIn(t, ctx, first), ask(t, second)
	same(t, "first", first.WaitIndex(), 0)
	same(t, "second", second.WaitIndex(), 1)
	cancel()
	a.wait(t)
	same(t, "first, cancelled", first.WaitIndex(), -1)
	same(t, "second, moved up", second.WaitIndex(), 0)
	publish(t, b, 1)
	c.wait(t)
	same(t, "second, served", second.WaitIndex(), -1)
	b.Close()
	same(t, "never attached", subscribe(t, b, eventbus.Options{}).WaitIndex(), -1)
}

func TestSubscribersAreLookedAtInTime(t *testing.T) { // EVENTBUS-WARN-001 EVENTBUS-WARN-002
	for limit := int64(1); limit < 200; limit++ {
		n := eventbus.ThreeQuarters(limit)
		if !eventbus.ReachesWarning(n, limit) || eventbus.ReachesWarning(n-1, limit) {
			t.Errorf("%d is not the least that reaches a warning of %d", n, limit)
		}
	}
	b := newBus(t, eventbus.Config{MaxQueuedBytes: 4000})
	publish(t, b, 10)
	octets := 9*sizeOf1 + sizeOf1 + 1 // the tenth id has two digits
	s := subscribe(t, b, eventbus.Options{MaxQueued: 8})
	place, size := b.Watched()
	same(t, "place", place, 16)
	same(t, "octets", size, octets+3000)
	publish(t, b, 6)
	same(t, "warned", b.InWarning(), 1)
	drain(t, s)
	publish(t, b, 1)
	same(t, "armed again", b.InWarning(), 0)
}
