package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-HEARTBEAT-001, DATABUS-REGISTRY-001: at rest a heartbeat writes the own records and posts nothing.
func TestHeartbeat(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.settle()
	a.log, b.log = nil, nil
	w.advance(DefaultHeartbeat, true)
	a.logged("set worker a", "set sub x ta")
	b.logged("set worker b", "set sub x tb")
	if w.worker("a").HeartbeatAt <= w.now-DefaultHeartbeat {
		t.Error("the heartbeat is old")
	}
}

// DATABUS-REGISTRY-001, DATABUS-RECORD-004: what is broadcast, and what refreshes the heartbeat.
func TestOwnRecord(t *testing.T) {
	w := newWorld(t, V010())
	a := w.add("a", "ta", nil)
	a.do(a.c.Start)
	a.logged("set cross-tab-worker-databus:"+record.Hash("k")+":probe", "del cross-tab-worker-databus:"+record.Hash("k")+":probe",
		"post REGISTRY", "set worker a")
	want := record.Worker{
		WorkerID: "a", TabID: "ta", Role: record.Active, Status: record.Connecting, Visibility: record.Visible,
		HeartbeatAt: w.now, RegisteredAt: w.now,
	}
	if got := w.worker("a"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	started := w.now
	for _, step := range []func(){
		func() { a.c.Status(record.Connected) }, func() { a.c.Visibility(record.Hidden) },
	} {
		w.now += 7
		a.do(step)
		a.logged("post REGISTRY", "set worker a")
		a.do(step)
		a.logged()
		if got := w.worker("a"); got.HeartbeatAt != w.now || got.RegisteredAt != started {
			t.Errorf("got %+v", got)
		}
	}
	a.do(a.c.Start)
	a.logged()
}

// DATABUS-REGISTRY-002, DATABUS-LIVE-002: a nudge is enough to take over from an owner that has left.
func TestNudgeTakesOver(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	delete(w.disk, clusterKeys.Worker("a"))
	w.order = slices.DeleteFunc(w.order, func(k string) bool { return k == clusterKeys.Worker("a") })
	a.crash()
	b.do(func() { b.c.Receive(signal.Registry{SourceWorkerID: "a"}) })
	w.owned("x", "b")
	w.routed("x", "b2!")
}

// DATABUS-TTL-001, -002, DATABUS-LIVE-001, DATABUS-LIVE-004: whatever the phase, a crash is healed at 13000 ms at the latest and not
// before the TTL.
func TestTakeoverBound(t *testing.T) {
	latest := int64(0)
	for phase := int64(0); phase < DefaultHeartbeat; phase += 500 {
		w, a, b := two(t, V010())
		b.frozen = true
		w.advance(phase, false)
		b.frozen = false
		a.subscribe("x")
		b.subscribe("x")
		w.drain()
		a.crash()
		last := w.worker("a").HeartbeatAt
		for w.now < last+20_000 && w.route("x") != "b2!" {
			w.advance(500, true)
		}
		took := w.now - last
		latest = max(latest, took)
		if took <= DefaultTTL || took > DefaultTTL+DefaultHeartbeat+500 {
			t.Errorf("phase %d: taken over after %d ms", phase, took)
		}
		w.owned("x", "b")
		if len(w.worker("a").WorkerID) != 0 || w.disk[clusterKeys.Subscriber(record.Hash("x"), "ta")] != "" {
			t.Error("records of the dead tab are left")
		}
	}
	if latest <= DefaultTTL+DefaultHeartbeat/2 {
		t.Errorf("the worst case was %d ms: the sweep shows nothing", latest)
	}
}

// DATABUS-STICKY-001, -002, -005, DATABUS-VISIBILITY-001, -002: nothing but the end of the owner moves a route.
func TestSticky(t *testing.T) {
	w, a, b := two(t, V010())
	for i := range 5 {
		a.subscribe(fmt.Sprint("x", i))
	}
	w.drain()
	owners := func() string {
		var out []string
		for i := range 5 {
			out = append(out, w.route(fmt.Sprint("x", i)))
		}
		return strings.Join(out, " ")
	}
	before := owners()
	c := w.open("c")[0]
	for range 10 {
		a.do(func() { a.c.Visibility(record.Hidden) })
		w.drain()
		b.do(func() { b.c.Visibility(record.Hidden) })
		a.do(func() { a.c.Status(record.Failed) })
		w.advance(DefaultHeartbeat, true)
		a.do(func() { a.c.Visibility(record.Visible) })
		b.do(func() { b.c.Visibility(record.Visible) })
		w.drain()
	}
	w.advance(60_000, true)
	if after := owners(); after != before {
		t.Errorf("%s became %s", before, after)
	}
	_ = c
}

// DATABUS-OWNER-009, DATABUS-OWNER-008: a hidden owner is standby and keeps its topics; under the glossary it is active.
func TestRoleOfHiddenOwner(t *testing.T) {
	for _, glossary := range []bool{false, true} {
		w, a, b := two(t, Rules{ActiveOwners: glossary})
		a.subscribe("x")
		w.drain()
		a.do(func() { a.c.Visibility(record.Hidden) })
		w.drain()
		want := record.Standby
		if glossary {
			want = record.Active
		}
		if got := w.worker("a").Role; got != want {
			t.Errorf("glossary %t: the owner is %s", glossary, got)
		}
		w.owned("x", "a")
		b.subscribe("y")
		w.drain()
		w.owned("y", "b")
	}
}

// DATABUS-GC-002: a route without subscriber goes after the TTL and not at it; DATABUS-GC-004: its owner lets go.
func TestCollectRoute(t *testing.T) {
	w, a, b := two(t, V010())
	w.names[record.Hash("x")] = "x"
	a.do(func() { a.c.Receive(control(signal.Subscribe, "x", record.Hash("x"), "b", "a")) })
	r := record.Route{TopicKey: record.Hash("x"), WorkerID: "a", TabID: "ta", UpdatedAt: w.now, Generation: 1, ConfirmedAt: w.now}
	w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
	nudge := func() { b.do(func() { b.c.Receive(signal.Registry{SourceWorkerID: "z"}) }) }
	w.now += DefaultTTL
	for _, tab := range w.tabs { // they live on, but have not looked
		tab.do(tab.c.writeSelf)
	}
	nudge()
	w.routed("x", "a1!")
	w.now++
	nudge()
	w.routed("x", "")
	if assigned, _ := w.owners("x"); len(assigned) != 1 {
		t.Error("the collection told the owner")
	}
	w.advance(DefaultHeartbeat, false)
	w.owned("x")
}

// DATABUS-GC-003: a route with a subscriber stays however old it is; DATABUS-ROUTE-004: confirmation does not move updatedAt.
func TestCollectKeeps(t *testing.T) {
	w, _, b := two(t, V010())
	b.subscribe("x")
	created := w.now
	w.now += 5
	w.drain()
	r, _ := record.DecodeRoute(record.Hash("x"), w.disk[clusterKeys.Route(record.Hash("x"))])
	if r.UpdatedAt != created || r.ConfirmedAt != created+5 {
		t.Errorf("%+v", r)
	}
	w.advance(120_000, true)
	w.routed("x", "a1!")
	w.owned("x", "a")
}

// DATABUS-RECORD-005: corrupt records of each family behave as absence.
func TestCorruptRecords(t *testing.T) {
	w, a, b := two(t, V010())
	key := record.Hash("x")
	w.names[key] = "x"
	for _, k := range []string{
		clusterKeys.Worker("z"), clusterKeys.Route(key), clusterKeys.Route(record.Hash("y")), clusterKeys.Subscriber(key, "tb"),
	} {
		w.plant(k, `{"topicKey":`)
	}
	a.subscribe("x")
	w.owned("x", "a")
	if err := b.publish("y", "1"); err != nil {
		t.Error(err)
	}
	w.advance(DefaultHeartbeat, true)
	if w.disk[clusterKeys.Subscriber(key, "tb")] != "" {
		t.Error("a corrupt subscriber stays")
	}
	w.routed("x", "a1!")
}

// DATABUS-OWNER-006: the elector counts itself though its record is gone.
func TestElectorCountsItself(t *testing.T) {
	w := newWorld(t, V010())
	a := w.open("a")[0]
	w.disk, w.order = map[string]string{}, nil
	a.subscribe("x")
	w.owned("x", "a")
}

// DATABUS-VISIBILITY-003, DATABUS-OWNER-001: a new topic goes to a visible tab, and to a hidden one if there is no other.
func TestVisibilityPlaces(t *testing.T) {
	w, a, b := two(t, V010())
	a.do(func() { a.c.Visibility(record.Hidden) })
	w.drain()
	a.subscribe("x")
	w.drain()
	w.owned("x", "b")
	b.do(func() { b.c.Visibility(record.Hidden) })
	w.drain()
	a.subscribe("y")
	w.drain()
	w.owned("y", "a")
}

// DATABUS-KEY-001, -003, -006, DATABUS-RECORD-003: what is stored at rest, and nothing that shows a topic.
func TestStorageAtRest(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("SECRETX")
	b.subscribe("SECRETX")
	b.subscribe("SECRETY")
	_ = a.publish("SECRETX", `"SECRETZ"`)
	w.settle()
	if len(w.disk) != 2+2+3 {
		t.Errorf("%d keys: %v", len(w.disk), w.order)
	}
	for key, value := range w.disk {
		if strings.Contains(key+value, "SECRET") {
			t.Errorf("%s=%s", key, value)
		}
		parsed := clusterKeys.Parse(key)
		if parsed.Family == record.None {
			t.Errorf("%s is of no family", key)
		}
		if r, err := record.DecodeRoute(parsed.TopicKey, value); err == nil && "t"+r.WorkerID != r.TabID {
			t.Errorf("%+v", r)
		}
	}
	a.unsubscribe("SECRETX")
	b.unsubscribe("SECRETX")
	b.unsubscribe("SECRETY")
	w.settle()
	if len(w.disk) != 2 {
		t.Errorf("%d keys: %v", len(w.disk), w.order)
	}
}

// DATABUS-GENERATION-001, -002: it grows by one with each owner, and begins anew with each route.
func TestGeneration(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	w.routed("x", "a1!")
	a.do(a.c.PageHide)
	w.drain()
	w.routed("x", "b2<a!")
	a.do(a.c.PageShow)
	w.drain()
	b.do(b.c.PageHide)
	w.drain()
	w.routed("x", "a3<b!")
	a.unsubscribe("x")
	w.drain()
	w.routed("x", "")
	a.subscribe("x")
	w.routed("x", "a1!")
}

// DATABUS-HEARTBEAT-002, DATABUS-GC-004: a reconcile updates the load once for all assignments that it drops, and tells the others once.
func TestLoadFollowsOnce(t *testing.T) {
	w, a, b := two(t, V010())
	for _, topic := range []string{"x", "y"} {
		a.subscribe(topic)
		w.drain()
		a.unsubscribe(topic)
		b.subscribe(topic)
		w.drain()
	}
	for _, topic := range []string{"x", "y"} {
		key := record.Hash(topic)
		r := record.Route{TopicKey: key, WorkerID: "b", TabID: "tb", UpdatedAt: w.now, Generation: 1, ConfirmedAt: w.now}
		w.plant(clusterKeys.Route(key), r.Encode())
		a.do(func() { a.c.Receive(control(signal.Subscribe, topic, key, "b", "a")) })
	}
	a.log = nil
	a.do(func() { a.c.Receive(signal.Registry{SourceWorkerID: "b"}) })
	a.logged("release x", "release y", "post REGISTRY", "set worker a")
	if got := w.worker("a").Load; got != 0 {
		t.Errorf("load %d", got)
	}
}
