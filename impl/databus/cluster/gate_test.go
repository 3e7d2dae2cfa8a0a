package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-GATE-001, -002: a publication is broadcast once, and only by a worker that is assigned.
func TestFirstGate(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.log = nil
	a.emit("x")
	a.logged("post EVENT")
	w.drain()
	a.unsubscribe("x")
	b.unsubscribe("x")
	w.drain()
	a.log = nil
	a.emit("x")
	a.logged()
	if !slices.Equal(a.got, []string{"x 1"}) || !slices.Equal(b.got, []string{"x 1"}) {
		t.Errorf("a got %v, b %v", a.got, b.got)
	}
}

// DATABUS-GATE-003: who unsubscribes while the event is under way gets nothing. DATABUS-GATE-006: memory decides, not the record.
func TestThirdGate(t *testing.T) {
	for _, stored := range []bool{false, true} {
		w, a, b := two(t, Rules{StoredInterest: stored})
		a.subscribe("x")
		b.subscribe("x")
		w.drain()
		a.emit("x")
		b.unsubscribe("x")
		w.drain()
		if len(b.got) != 0 {
			t.Errorf("b got %v", b.got)
		}
		b.subscribe("x")
		w.drain()
		delete(w.disk, clusterKeys.Subscriber(record.Hash("x"), "tb"))
		a.emit("x")
		w.drain()
		if got := len(b.got) == 1; got == stored {
			t.Errorf("stored %t: b got %v", stored, b.got)
		}
	}
}

// DATABUS-GATE-005: the question changes nothing; memory comes first, then the stored route.
func TestIsAssigned(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	w.drain()
	before := a.c.Snapshot()
	for i := range 1000 {
		if a.c.IsAssigned(fmt.Sprint("y", i)) {
			t.Fatal("assigned a topic that nobody subscribes")
		}
	}
	if got := a.c.Snapshot(); !reflect.DeepEqual(got, before) {
		t.Errorf("got %+v, want %+v", got, before)
	}
	w.manual = true
	b.subscribe("z") // it has less load
	if b.c.IsAssigned("x") || !b.c.IsAssigned("z") {
		t.Error("an assignment that is not flushed does not count")
	}
	w.manual = false
	b.flush()
	r := record.Route{TopicKey: record.Hash("s"), WorkerID: "b", TabID: "tb", UpdatedAt: 1, Generation: 1}
	w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
	if a.c.IsAssigned("s") || !b.c.IsAssigned("s") {
		t.Error("a stored route does not count")
	}
	b.do(b.c.PageHide)
	if b.c.IsAssigned("s") {
		t.Error("a hidden page owns a topic")
	}
}

// DATABUS-CONTROL-002, DATABUS-GATE-004: what is addressed to another and what comes from oneself changes nothing.
func TestForeignFrames(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	before := a.c.Snapshot()
	a.log = nil
	key := record.Hash("y")
	for _, f := range []signal.Frame{
		control(signal.Subscribe, "y", key, "b", "c"), control(signal.Unsubscribe, "x", record.Hash("x"), "b", "c"),
		control(signal.Publish, "y", key, "b", "c"),
		signal.RouteReleased{Topic: "y", TopicKey: key, SourceWorkerID: "b", TargetWorkerID: "c", Generation: 1},
		control(signal.Unsubscribe, "x", record.Hash("x"), "a", "a"),
		signal.Registry{SourceWorkerID: "a"},
		signal.Event{SourceWorkerID: "a", EventType: signal.PublicationType, Payload: json.RawMessage(`{"Topic":"x"}`)},
		signal.Unknown{SourceWorkerID: "a", Named: "NEWS"},
	} {
		a.do(func() { a.c.Receive(f) })
		if got := a.c.Snapshot(); !reflect.DeepEqual(got, before) || len(a.log) != 0 || len(a.got) != 0 {
			t.Errorf("%+v: did %v, got %v", f, a.log, a.got)
		}
	}
}

// DATABUS-CONTROL-003, DATABUS-FENCE-002: a SUBSCRIBE whose route is there, absent, or names another; DATABUS-SUBSCRIBE-005: it asks the
// transport each time.
func TestObeySubscribe(t *testing.T) {
	key := record.Hash("x")
	route := func(worker string) string {
		r := record.Route{TopicKey: key, WorkerID: worker, TabID: "t" + worker, UpdatedAt: 1, Generation: 3}
		return r.Encode()
	}
	for _, c := range []struct {
		rules  Rules
		stored string
		want   []string
	}{
		{V010(), route("a"), []string{"assign x", "post REGISTRY", "set route x a3!", "set worker a"}},
		{V010(), "", []string{"assign x", "post REGISTRY", "set worker a"}},
		{V010(), route("b"), []string{"assign x", "post REGISTRY", "set worker a"}}, // DATABUS-CONTROL-004
		{Rules{AuthorizeSubscribe: true}, route("a"), []string{"assign x", "post REGISTRY", "set route x a3!", "set worker a"}},
		{Rules{AuthorizeSubscribe: true}, "", nil},
		{Rules{AuthorizeSubscribe: true}, route("b"), nil},
	} {
		w, a, _ := two(t, c.rules)
		w.names[key] = "x"
		if c.stored != "" {
			w.plant(clusterKeys.Route(key), c.stored)
		}
		a.do(func() { a.c.Receive(control(signal.Subscribe, "x", key, "b", "a")) })
		a.logged(c.want...)
		if a.c.Snapshot().Known[key] != "x" {
			t.Error("the topic is not cached") // DATABUS-CACHE-004
		}
		if c.want != nil {
			a.do(func() { a.c.Receive(control(signal.Subscribe, "x", key, "b", "a")) })
			a.logged("assign x")
		}
	}
}

// DATABUS-CONTROL-004, DATABUS-FENCE-001: 0.1.0 obeys an UNSUBSCRIBE though the route names it, and an authorised one does not.
func TestObeyUnsubscribe(t *testing.T) {
	for name, c := range map[string]struct {
		rules Rules
		want  bool
	}{
		"v010":       {V010(), true},
		"authorized": {Rules{AuthorizeUnsubscribe: true}, false},
	} {
		w, a, _ := two(t, c.rules)
		a.subscribe("x")
		w.drain()
		a.do(func() { a.c.Receive(control(signal.Unsubscribe, "x", record.Hash("x"), "b", "a")) })
		if got := !a.held["x"]; got != c.want {
			t.Errorf("%s: obeyed %t", name, got)
		}
		// DATABUS-CACHE-004: the control alone does not make it forget the topic.
		if a.c.Snapshot().Known[record.Hash("x")] != "x" {
			t.Errorf("%s: forgot the topic", name)
		}
	}
}

// DATABUS-CONTROL-005: an unknown frame is a nudge, or counted and ignored.
func TestUnknownFrame(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		w, a, _ := two(t, Rules{IgnoreUnknown: ignore})
		a.subscribe("x")
		w.drain()
		a.log = nil
		a.do(func() { a.c.Receive(signal.Unknown{SourceWorkerID: "b", Named: "NEWS"}) })
		bad := control(signal.Subscribe, "y", record.Hash("z"), "b", "a")
		if ignore {
			a.do(func() { a.c.Receive(bad) })
			a.logged()
			if a.c.Ignored() != 2 {
				t.Errorf("ignored %d", a.c.Ignored())
			}
			continue
		}
		a.logged("set sub x ta")
		a.do(func() { a.c.Receive(bad) })
		if !slices.Equal(a.c.Assigned(), []string{"x", "y"}) {
			t.Errorf("assigned %v", a.c.Assigned())
		}
	}
}

// DATABUS-CACHE-001, -002, -003: the cap, what is kept beyond it, and how 0.1.0 lets it slip.
func TestCacheCap(t *testing.T) {
	for _, slips := range []bool{false, true} {
		w := newWorld(t, Rules{CapSlips: slips})
		a := w.open("a")[0]
		for i := range 700 {
			_ = a.publish(fmt.Sprint("p", i), "1")
		}
		if got := len(a.c.Snapshot().Known); got != MaxKnown {
			t.Errorf("slips %t: %d known", slips, got)
		}
		a.do(a.c.Stop)
		a.do(a.c.Start)
		a.subscribe("mine")
		for i := range 2000 {
			_ = a.publish(fmt.Sprint("p", i), "1")
		}
		known := a.c.Snapshot().Known
		want := MaxKnown
		if slips {
			want = 2001
		}
		if len(known) != want || known[record.Hash("mine")] != "mine" || known[record.Hash("p1999")] != "p1999" {
			t.Errorf("slips %t: %d known", slips, len(known))
		}
	}
}

// DATABUS-CACHE-002: neither a second insertion nor a read moves an entry.
func TestCacheOrder(t *testing.T) {
	w := newWorld(t, V010())
	a := w.open("a")[0]
	for i := range MaxKnown {
		_ = a.publish(fmt.Sprint("p", i), "1")
	}
	_ = a.publish("p0", "1")
	a.c.IsAssigned("p0")
	_ = a.publish("new", "1")
	known := a.c.Snapshot().Known
	if known[record.Hash("p0")] != "" || known[record.Hash("p1")] == "" || len(known) != MaxKnown {
		t.Error("the oldest entry was not the one to go")
	}
}

// DATABUS-CACHE-004: what inserts and what removes.
func TestCacheWriters(t *testing.T) {
	w, a, b := two(t, V010())
	key := record.Hash("x")
	knows := func(t2 *tab) bool { _, ok := t2.c.Snapshot().Known[key]; return ok }
	b.subscribe("x")
	w.drain()
	if !knows(a) || !knows(b) {
		t.Error("subscribe or the control does not insert")
	}
	b.unsubscribe("x")
	if knows(b) {
		t.Error("unsubscribe does not remove")
	}
	w.drain()
	if !knows(a) {
		t.Error("the control removes")
	}
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.unsubscribe("x")
	if !knows(a) {
		t.Error("unsubscribe removes what is owned")
	}
	b.unsubscribe("x")
	w.drop("UNSUBSCRIBE x a")
	a.do(a.c.Tick)
	if knows(a) {
		t.Error("a reconcile that drops the topic does not remove")
	}
	_ = a.publish("x", "1")
	if !knows(a) {
		t.Error("publish does not insert")
	}
	a.do(a.c.Stop)
	if knows(a) {
		t.Error("the end does not clear")
	}
}
