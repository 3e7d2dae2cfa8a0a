package cluster

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-HANDOFF-001, -002, -003, DATABUS-REGISTRY-004, DATABUS-BATCH-006: the order of a leave.
func TestLeaveOrder(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.log, b.log = nil, nil
	a.c.PageHide() // and no microtask
	a.logged("del sub x ta", "set route x b2<a", "release x", "post ROUTE_RELEASED x b 2", "del worker a", "post REGISTRY", "close")
	if got := a.c.Snapshot(); len(got.Pending) != 0 || got.Active || !slices.Equal(got.Subscribed, []string{"x"}) || len(got.Assigned) != 0 {
		t.Errorf("after the page hid: %+v", got)
	}
	w.owned("x")
	w.pass(a, b, "ROUTE_RELEASED x b 2")
	b.logged("assign x", "post REGISTRY", "set route x b2<a!", "set worker b")
	w.drain()
	w.owned("x", "b")
}

// DATABUS-LIVE-002, DATABUS-STICKY-004, DATABUS-LIFECYCLE-004: without a clock the topic is served by the target, and who comes back does
// not reclaim.
func TestLeaveAndReturn(t *testing.T) {
	w, a, b, c := three(t, V010())
	for _, tab := range []*tab{a, b, c} {
		tab.subscribe("x")
	}
	w.drain()
	w.owned("x", "a")
	a.do(a.c.PageHide)
	w.drain()
	w.owned("x", "b")
	before := w.route("x")
	w.now += 5
	a.log = nil
	a.do(a.c.PageShow)
	if got := w.worker("a"); got.RegisteredAt != w.now {
		// DATABUS-RECORD-004
		t.Errorf("registered at %d, want %d", got.RegisteredAt, w.now)
	}
	w.settle()
	w.owned("x", "b")
	w.routed("x", before)
	w.serve("x")
	w.drain()
	for _, tab := range []*tab{a, b, c} {
		if len(tab.got) != 1 {
			t.Errorf("%s got %v", tab.id, tab.got)
		}
	}
}

// DATABUS-HANDOFF-006: a topic without another subscriber is dropped.
func TestLeaveSoleSubscriber(t *testing.T) {
	w, a, _ := two(t, V010())
	a.subscribe("x")
	w.drain()
	a.log = nil
	a.c.PageHide()
	a.logged("release x", "del sub x ta", "del route x", "del worker a", "post REGISTRY", "close")
	w.routed("x", "")
}

// DATABUS-HANDOFF-001: a leaver that is the last subscriber of a topic of another tells its owner.
func TestLeaveOwnerElsewhere(t *testing.T) {
	w, a, b := two(t, V010())
	b.subscribe("x")
	w.drain()
	b.log = nil
	b.c.PageHide()
	b.logged("post UNSUBSCRIBE x a", "del sub x tb", "del route x", "del worker b", "post REGISTRY", "close")
	w.drain()
	w.owned("x")
	_ = a
}

// DATABUS-HANDOFF-007: four topics go to two idle workers evenly.
func TestLeaveSpreads(t *testing.T) {
	w, a, b, c := three(t, V010())
	sight := func(v record.Visibility) {
		for _, tab := range []*tab{b, c} {
			tab.do(func() { tab.c.Visibility(v) })
		}
		w.drain()
	}
	sight(record.Hidden)
	for _, topic := range []string{"p", "q", "r", "s"} {
		a.subscribe(topic)
		c.subscribe(topic)
	}
	sight(record.Visible)
	w.settle()
	for _, topic := range []string{"p", "q", "r", "s"} {
		w.owned(topic, "a")
	}
	loads := map[string]int{}
	a.do(a.c.PageHide)
	w.drain()
	for _, topic := range []string{"p", "q", "r", "s"} {
		assigned, _ := w.owners(topic)
		if len(assigned) != 1 {
			t.Fatalf("%s is owned by %v", topic, assigned)
		}
		loads[assigned[0]]++
	}
	if loads["b"] != 2 || loads["c"] != 2 {
		t.Errorf("loads %v", loads)
	}
}

// DATABUS-HANDOFF-005, DATABUS-GENERATION-003: each field of a release in turn.
func TestAccept(t *testing.T) {
	good := signal.RouteReleased{Topic: "x", TopicKey: record.Hash("x"), SourceWorkerID: "c", TargetWorkerID: "a", Generation: 4}
	for name, c := range map[string]struct {
		rules  Rules
		change func(*signal.RouteReleased)
		want   bool
	}{
		"good":               {V010(), func(*signal.RouteReleased) {}, true},
		"other target":       {V010(), func(f *signal.RouteReleased) { f.TargetWorkerID = "b" }, false},
		"other sender":       {V010(), func(f *signal.RouteReleased) { f.SourceWorkerID = "b" }, false},
		"other topic":        {V010(), func(f *signal.RouteReleased) { f.Topic, f.TopicKey = "y", record.Hash("y") }, false},
		"older":              {V010(), func(f *signal.RouteReleased) { f.Generation = 3 }, false},
		"newer":              {V010(), func(f *signal.RouteReleased) { f.Generation = 5 }, false},
		"older, not older":   {Rules{Release: ReleaseNotOlder}, func(f *signal.RouteReleased) { f.Generation = 3 }, false},
		"newer, not older":   {Rules{Release: ReleaseNotOlder}, func(f *signal.RouteReleased) { f.Generation = 5 }, true},
		"older, inverted":    {Drifted(), func(f *signal.RouteReleased) { f.Generation = 3 }, true},
		"newer, inverted":    {Drifted(), func(f *signal.RouteReleased) { f.Generation = 5 }, false},
		"same, inverted":     {Drifted(), func(*signal.RouteReleased) {}, true},
		"from itself":        {V010(), func(f *signal.RouteReleased) { f.SourceWorkerID = "a" }, false},
		"key of other topic": {Rules{IgnoreUnknown: true}, func(f *signal.RouteReleased) { f.TopicKey = record.Hash("y") }, false},
	} {
		w, a, _ := two(t, c.rules)
		w.names[record.Hash("x")] = "x"
		r := record.Route{TopicKey: record.Hash("x"), WorkerID: "a", TabID: "ta", UpdatedAt: w.now, Generation: 4, HandoffFrom: "c"}
		w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
		f := good
		c.change(&f)
		a.do(func() { a.c.Receive(f) })
		if got := slices.Contains(a.log, "assign x"); got != c.want || got != (w.route("x") == "a4<c!") {
			t.Errorf("%s: accepted %t, route %s", name, got, w.route("x"))
		}
		if _, cached := a.c.Snapshot().Known[r.TopicKey]; cached {
			t.Errorf("%s: cached", name) // DATABUS-CACHE-004
		}
	}
}

// DATABUS-HANDOFF-004: while the old owner lives, nobody asks again for a topic that is handed over; DATABUS-HANDOFF-009: the old owner
// lets go late.
func TestPendingHandoff(t *testing.T) {
	w, a, b, c := three(t, V010())
	c.subscribe("x")
	w.drain()
	w.owned("x", "a")
	r := record.Route{TopicKey: record.Hash("x"), WorkerID: "b", TabID: "tb", UpdatedAt: w.now, Generation: 2, HandoffFrom: "a"}
	w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
	a.frozen = true
	for range 3 {
		w.advance(DefaultHeartbeat, true)
	}
	w.routed("x", "b2<a")
	a.frozen, a.log, b.log = false, nil, nil
	a.do(func() { a.c.Receive(signal.Registry{SourceWorkerID: "c"}) })
	a.logged("release x", "post ROUTE_RELEASED x b 2", "post REGISTRY", "set worker a")
	w.pass(a, b, "ROUTE_RELEASED x b 2")
	w.drain()
	w.owned("x", "b")
}

// DATABUS-HANDOFF-008: if the old owner is gone nothing waits, under the rule of the document; under the others later or never.
func TestOldOwnerGone(t *testing.T) {
	for _, subscribes := range []bool{false, true} {
		for gone, want := range map[Gone]struct {
			after int64
			route string
		}{
			GoneAtOnce:   {DefaultHeartbeat, "b2<a!"},
			GoneAfterTTL: {DefaultTTL + DefaultHeartbeat, "b3!"},
			GoneNever:    {120_000, "b2<a"},
		} {
			rules := V010()
			rules.Gone = gone
			w, a, b, c := three(t, rules)
			a.subscribe("x")
			c.subscribe("x")
			if subscribes {
				b.subscribe("x")
			}
			w.drain()
			a.do(a.c.PageHide)
			w.drop("ROUTE_RELEASED x b 2")
			if gone == GoneAfterTTL {
				w.advance(DefaultTTL, true)
				w.routed("x", "b2<a")
			}
			w.advance(want.after, true)
			w.routed("x", want.route)
			if gone == GoneNever {
				w.owned("x")
				continue
			}
			w.owned("x", "b")
		}
	}
}

// DATABUS-HANDOFF-008: an old owner that has come back without the topic is gone as well.
func TestOldOwnerReturned(t *testing.T) {
	w, a, b, c := three(t, V010())
	a.subscribe("x")
	c.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	w.wire = nil
	a.do(a.c.PageShow)
	w.settle()
	w.owned("x", "b")
	_ = b
}

// DATABUS-HANDOFF-001: what is assigned without a route that says so is let go of and not handed on.
func TestLeaveWithoutRoute(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	r := record.Route{TopicKey: record.Hash("x"), WorkerID: "b", TabID: "tb", UpdatedAt: w.now, Generation: 9}
	w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
	a.log = nil
	a.c.PageHide()
	a.logged("release x", "del sub x ta", "del worker a", "post REGISTRY", "close")
	w.routed("x", "b9")
	w.drain()
	w.owned("x", "b")
}

// DATABUS-LIFECYCLE-005, DATABUS-HEARTBEAT-003: a hidden page hears and writes nothing.
func TestSuspended(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	w.drain()
	a.log = nil
	w.serve("x")
	w.advance(60_000, true)
	a.do(func() {
		a.c.Receive(signal.Registry{SourceWorkerID: "b"})
		a.c.Tick()
		a.c.PageHide()
		a.c.Visibility(record.Hidden)
		a.c.Status(record.Disconnected)
	})
	a.logged()
	if len(a.got) != 0 || len(b.got) != 1 {
		t.Errorf("a got %v, b %v", a.got, b.got)
	}
	a.do(a.c.PageShow)
	w.drain()
	a.log = nil
	w.advance(DefaultHeartbeat, true)
	a.logged("set worker a", "set sub x ta") // one heartbeat, from the return on
}

// DATABUS-LIFECYCLE-006: the end forgets everything, and nothing follows a second one.
func TestStop(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.log = nil
	a.do(a.c.Stop)
	a.logged("del sub x ta", "set route x b2<a", "release x", "post ROUTE_RELEASED x b 2", "del worker a", "post REGISTRY", "close")
	a.do(a.c.Stop)
	a.do(a.c.PageShow)
	a.logged()
	if got := a.c.Snapshot(); len(got.Subscribed)+len(got.Assigned)+len(got.Known)+len(got.Workers)+len(got.Routes) != 0 || got.Active {
		t.Errorf("%+v", got)
	}
	a.do(a.c.Start)
	w.drain()
	w.owned("x", "b")
	if len(w.worker("a").WorkerID) == 0 {
		t.Error("a second start does not register")
	}
}

// DATABUS-RACE-007: a channel that is closed one task later.
func TestDeferClose(t *testing.T) {
	rules := V010()
	rules.DeferClose = true
	w, a, _ := two(t, rules)
	a.c.PageHide()
	a.logged("del worker a", "post REGISTRY")
	w.advance(0, false)
	a.logged("close")
}
