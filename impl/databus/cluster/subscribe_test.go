package cluster

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-SUBSCRIBE-002, -003: no route, and the elector is elected.
func TestSubscribeSelf(t *testing.T) {
	w, a, _ := two(t, V010())
	a.subscribe("x")
	// What is posted leaves before the flush (DATABUS-RACE-009).
	a.logged("assign x", "post REGISTRY", "post REGISTRY", "set sub x ta", "set route x a1!", "set worker a")
	if w.worker("a").Load != 1 {
		t.Error("the load is not counted")
	}
	w.drain()
	w.owned("x", "a")
}

// DATABUS-SUBSCRIBE-002, DATABUS-CONTROL-003: no route, and another worker is elected.
func TestSubscribeRemote(t *testing.T) {
	w, a, b := two(t, V010())
	b.subscribe("x")
	b.logged("post SUBSCRIBE x a", "post REGISTRY", "set sub x tb", "set route x a1")
	w.pass(b, a, "SUBSCRIBE x a")
	a.logged("assign x", "post REGISTRY", "set route x a1!", "set worker a")
	w.drain()
	w.owned("x", "a")
	w.routed("x", "a1!")
}

// DATABUS-STICKY-003: with a live owner only the own record is written.
func TestSubscribeSecond(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	w.drain()
	b.log = nil
	b.subscribe("x")
	b.logged("set sub x tb")
	b.subscribe("x")
	b.logged()
	w.owned("x", "a")

	rules := V010()
	rules.NudgeSubscriptions = true
	w, a, b = two(t, rules)
	a.subscribe("x")
	w.drain()
	b.log = nil
	b.subscribe("x")
	b.logged("post REGISTRY", "set sub x tb")
}

// DATABUS-SUBSCRIBE-002, DATABUS-OWNER-005, DATABUS-TTL-001: with a dead owner the next generation is elected; at the TTL it is not dead
// yet.
func TestSubscribeDeadOwner(t *testing.T) {
	for _, late := range []int64{0, 1} {
		w, a, b := two(t, V010())
		a.subscribe("x")
		w.drain()
		a.crash()
		beat := w.worker("a").HeartbeatAt
		b.frozen = true // so that no heartbeat of b sees it first
		w.advance(beat+DefaultTTL+late-w.now, true)
		b.log = nil
		b.subscribe("x")
		if late == 0 {
			b.logged("set sub x tb")
			continue
		}
		b.logged("assign x", "post REGISTRY", "post REGISTRY", "set sub x tb", "del worker a", "set route x b2!", "set worker b")
	}
}

// DATABUS-UNSUBSCRIBE-002: the owner leaves as a subscriber and stays the owner.
func TestUnsubscribeOneOfTwo(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.log = nil
	a.unsubscribe("x")
	a.logged("del sub x ta")
	w.drain()
	w.owned("x", "a")
	w.serve("x")
	w.drain()
	if len(a.got) != 0 || !slices.Equal(b.got, []string{"x 1"}) {
		t.Errorf("a got %v, b %v", a.got, b.got)
	}
	a.unsubscribe("x")
	a.unsubscribe("y")
	a.logged("post EVENT")
}

// DATABUS-UNSUBSCRIBE-003: the last one deletes the route and tells the owner.
func TestUnsubscribeLast(t *testing.T) {
	w, a, b := two(t, V010())
	b.subscribe("x")
	w.drain()
	a.log, b.log = nil, nil
	b.unsubscribe("x")
	b.logged("post UNSUBSCRIBE x a", "del sub x tb", "del route x")
	w.pass(b, a, "UNSUBSCRIBE x a")
	a.logged("release x", "post REGISTRY", "set worker a")
	w.drain()
	w.owned("x")
	w.routed("x", "")

	a.subscribe("y")
	a.log = nil
	a.unsubscribe("y")
	a.logged("release y", "post REGISTRY", "del sub y ta", "del route y", "set worker a")
}

// DATABUS-UNSUBSCRIBE-004: records of a tab that is not live do not count, and go.
func TestUnsubscribeDeadTab(t *testing.T) {
	w, a, _ := two(t, V010())
	a.subscribe("x")
	key := record.Hash("x")
	s := record.Subscriber{TopicKey: key, TabID: "tz", UpdatedAt: 1}
	w.plant(clusterKeys.Subscriber(key, "tz"), s.Encode())
	w.plant(clusterKeys.Subscriber(key, "tb"), "{")
	a.log = nil
	a.unsubscribe("x")
	a.logged("release x", "post REGISTRY", "del sub x ta", "del sub x tz", "del sub x tb", "del route x", "set worker a")
}

// DATABUS-UNSUBSCRIBE-005, DATABUS-LIVE-003: a lost UNSUBSCRIBE heals within a heartbeat.
func TestUnsubscribeLost(t *testing.T) {
	w, _, b := two(t, V010())
	b.subscribe("x")
	w.drain()
	b.unsubscribe("x")
	w.drop("UNSUBSCRIBE x a")
	w.owned("x", "a")
	w.advance(DefaultHeartbeat, false)
	w.owned("x")
}

// DATABUS-CONFIRM-002, DATABUS-LIVE-003: a SUBSCRIBE lost n times is confirmed within n+1 heartbeats.
func TestSubscribeLost(t *testing.T) {
	w, _, b := two(t, V010())
	b.subscribe("x")
	w.drop("SUBSCRIBE x a")
	for range 3 {
		w.advance(DefaultHeartbeat, false)
		w.dropType("REGISTRY")
		w.owned("x")
		w.drop("SUBSCRIBE x a")
	}
	w.advance(DefaultHeartbeat, true)
	w.owned("x", "a")
	w.routed("x", "a1!")
}

// DATABUS-SUBSCRIBE-006, DATABUS-INV-006: before the start and while hidden away the intention is kept.
func TestIntentBeforeStart(t *testing.T) {
	w := newWorld(t, V010())
	a := w.add("a", "ta", nil)
	a.subscribe("x")
	a.subscribe("y")
	a.unsubscribe("y")
	a.logged()
	a.do(a.c.Start)
	w.owned("x", "a")
	a.do(a.c.PageHide)
	w.owned("x")
	a.subscribe("y")
	a.log = nil
	a.do(a.c.PageShow)
	w.owned("x", "a")
	w.owned("y", "a")
	if got := a.c.Snapshot().Subscribed; !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("subscribed %v", got)
	}
}

// DATABUS-PUBLISH-001, -003, -004: no route, the own one, a live remote owner, an expired one.
func TestPublish(t *testing.T) {
	w, a, b := two(t, V010())
	for _, data := range []string{"1"} {
		if err := b.publish("x", data); err != nil {
			t.Error(err)
		}
	}
	b.logged("publish x 1")
	a.subscribe("x")
	w.drain()
	a.log, b.log = nil, nil
	if err := a.publish("x", "2"); err != nil {
		t.Error(err)
	}
	a.logged("publish x 2")
	if err := b.publish("x", "3"); err != nil {
		t.Error(err)
	}
	b.logged("post PUBLISH x a 3")
	w.drain()
	a.logged("publish x 3")
	b.failPosts = 1
	if err := b.publish("x", "4"); err == nil {
		t.Error("a publication that was not sent is not reported")
	}
	b.logged()
	a.crash()
	b.frozen = true
	w.advance(DefaultTTL, false)
	if err := b.publish("x", "5"); err != nil {
		t.Error(err)
	}
	b.logged("post PUBLISH x a 5")
	w.advance(DefaultHeartbeat, false)
	if err := b.publish("x", "6"); err != nil {
		t.Error(err)
	}
	// DATABUS-TTL-004
	b.logged("publish x 6", "del worker a")
	w.routed("x", "a1!")
}

// DATABUS-PUBLISH-005
func TestPublishSuspended(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	w.drain()
	b.do(b.c.PageHide)
	b.log = nil
	if err := b.publish("x", "1"); err == nil {
		t.Error("a page that is hidden away sends")
	}
	b.logged()
	if err := b.publish("y", "1"); err != nil {
		t.Error(err)
	}
	b.logged("publish y 1")
}

// DATABUS-OWNER-007, DATABUS-PUBLISH-002: an owner that does not subscribe publishes, and fans out without dispatching.
func TestOwnerWithoutSubscription(t *testing.T) {
	w, a, b := two(t, V010())
	b.subscribe("x")
	w.drain()
	w.owned("x", "a")
	w.serve("x")
	w.drain()
	if len(a.got) != 0 || !slices.Equal(b.got, []string{"x 1"}) {
		t.Errorf("a got %v, b %v", a.got, b.got)
	}
	a.log = nil
	for range 2 {
		a.do(func() { a.c.Receive(control(signal.Publish, "x", record.Hash("x"), "b", "a")) })
	}
	a.logged("publish x ", "publish x ")
}
