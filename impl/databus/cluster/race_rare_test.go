package cluster

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// DATABUS-RACE-008: the inverted test accepts the acknowledgement of an older round.
func TestRace008(t *testing.T) {
	for name, rules := range map[string]Rules{"drifted": Drifted(), "v010": V010()} {
		w, a, b := two(t, rules)
		a.subscribe("x")
		b.subscribe("x")
		w.drain()
		b.frozen = true
		last := w.worker("b").HeartbeatAt
		w.advance(1000, false) // so that the route outlives b
		a.do(a.c.PageHide)
		w.advance(last+DefaultTTL+1-w.now, false)
		a.do(a.c.PageShow)
		w.routed("x", "a3!")
		b.frozen = false
		b.do(b.c.Tick)
		a.do(a.c.PageHide)
		w.routed("x", "b4<a")
		b.log = nil
		w.pass(a, b, "ROUTE_RELEASED x b 2")
		if got := slices.Contains(b.log, "assign x"); got != (name == "drifted") {
			t.Errorf("%s: accepted %t", name, got)
		}
		w.healed("x")
	}
}

// DATABUS-RACE-010: an owner that was stalled passes the first gate once more.
func TestRace010(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.frozen = true
	w.advance(DefaultTTL+2*DefaultHeartbeat, true)
	w.owned("x", "a", "b")
	a.frozen = false
	w.serve("x")
	a.do(a.c.Tick)
	w.owned("x", "b")
	w.drain()
	if len(a.got) != 2 || len(b.got) != 2 {
		t.Errorf("a got %v, b %v", a.got, b.got)
	}
}

// DATABUS-RACE-012: two tabs with one id; DATABUS-IDENTITY-003.
func TestRace012(t *testing.T) {
	w := newWorld(t, V010())
	a, b := w.add("a", "t1", nil), w.add("b", "t1", nil)
	a.do(a.c.Start)
	b.do(b.c.Start)
	w.drain()
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	w.owned("x", "a")
	b.unsubscribe("x")
	w.pass(b, a, "UNSUBSCRIBE x a")
	w.owned("x")
	w.advance(DefaultHeartbeat, true)
	w.owned("x", "a")
	w.routed("x", "a1!")
}

// DATABUS-RACE-013, DATABUS-GC-005: a tab that crashes and reloads keeps its orphans alive.
func TestRace013(t *testing.T) {
	w, a, _ := two(t, V010())
	a.subscribe("ballast") // so that a elects b
	a.subscribe("x")
	w.drain()
	w.owned("x", "b")
	a.crash()
	again := w.add("again", "ta", nil)
	again.do(again.c.Start)
	w.advance(120_000, true)
	w.owned("x", "b")
	again.do(again.c.Stop)
	w.advance(60_000, true)
	w.owned("x")
}

// DATABUS-RACE-014: a leave whose last flush is rejected leaves a phantom.
func TestRace014(t *testing.T) {
	play := func(rules Rules) *world {
		w, a, _, c := three(t, rules)
		a.subscribe("x")
		c.subscribe("x")
		w.drain()
		a.failWrites = 3 // both flushes of the leave and the one after it
		a.do(a.c.PageHide)
		w.drain()
		w.routed("x", "a1!")
		if got, want := len(a.c.Snapshot().Pending) > 0, !rules.DiscardAtTeardown; got != want {
			t.Errorf("what waits to be written shows while the page is hidden: %t, want %t", got, want)
		}
		a.do(a.c.PageShow)
		return w
	}
	w := play(Drifted())
	w.silent("x", "b2<a")
	play(V010()).healed("x")
	play(Fenced()).healed("x")
	// What is discarded is the handoff too: the owner comes back to a route that names it, and without an assignment.
	play(Rules{DiscardAtTeardown: true}).silent("x", "a1!")
	play(Rules{DiscardAtTeardown: true, Reclaim: true}).healed("x")
}

// DATABUS-RACE-015: a retry lands over what others have agreed on since.
func TestRace015(t *testing.T) {
	for name, c := range map[string]struct {
		rules Rules
		route string
	}{"v010": {V010(), "c1!"}, "fenced": {Fenced(), "c1!"}, "guarded": {Rules{Guard: writer.Retries}, "b2<a!"}} {
		w, a, b, third := three(t, c.rules)
		sight := func(v record.Visibility) {
			a.do(func() { a.c.Visibility(v) })
			b.do(func() { b.c.Visibility(v) })
			w.drain()
		}
		sight(record.Hidden)
		third.failWrites = 1
		third.subscribe("x")
		third.frozen = true
		sight(record.Visible)
		a.subscribe("x")
		b.subscribe("x")
		w.drain()
		a.do(a.c.PageHide)
		w.drain()
		w.routed("x", "b2<a!")
		third.frozen = false
		w.advance(50, false)
		w.routed("x", c.route)
		w.owned("x", "b", "c")
		if w.healed("x"); t.Failed() {
			t.Fatal(name)
		}
	}
}

// DATABUS-RACE-016: a handoff to a worker that is dead but not known to be; bounded by its TTL and a heartbeat.
func TestRace016(t *testing.T) {
	w, a, b, c := three(t, V010())
	a.subscribe("x")
	c.subscribe("x")
	w.drain()
	b.crash()
	last := w.worker("b").HeartbeatAt
	w.advance(1000, true)
	a.do(a.c.PageHide)
	w.drain()
	w.routed("x", "b2<a")
	w.advance(last+DefaultTTL-w.now, true)
	w.owned("x")
	w.advance(DefaultHeartbeat, true)
	w.owned("x", "c")
	w.routed("x", "c3!")
}

// DATABUS-RACE-017: a collection that has not landed yet removes the route of a new subscriber; it is back after a heartbeat.
func TestRace017(t *testing.T) {
	w, a, b, c := three(t, V010())
	w.names[record.Hash("x")] = "x"
	b.do(func() { b.c.Receive(control(signal.Subscribe, "x", record.Hash("x"), "z", "b")) })
	r := record.Route{TopicKey: record.Hash("x"), WorkerID: "b", TabID: "tb", UpdatedAt: 1, Generation: 5, ConfirmedAt: 1}
	w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
	w.manual = true
	a.do(a.c.Tick)
	c.subscribe("x")
	c.flush()
	a.flush()
	w.manual = false
	w.routed("x", "")
	w.advance(DefaultHeartbeat, true)
	w.healed("x")
}

// DATABUS-RACE-011, DATABUS-LIMIT-002, DATABUS-LIVE-001: what an owner got and did not hand on before it crashed is lost; after the
// takeover topics are served again.
func TestRace011(t *testing.T) {
	w, a, b := two(t, V010())
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	w.routed("x", "a1!")
	a.crash() // with the publication in its hands
	w.serve("x")
	w.advance(DefaultTTL+DefaultHeartbeat, true)
	if len(b.got) != 0 {
		t.Errorf("b got %v", b.got)
	}
	w.owned("x", "b")
	w.serve("x")
	if len(b.got) != 1 {
		t.Errorf("b got %v", b.got)
	}
}

// DATABUS-ROUTE-001: of two writers the last one wins, and both keep what they believed until they look.
func TestLastWriteWins(t *testing.T) {
	w, a, b := two(t, V010())
	w.manual = true
	a.subscribe("x")
	b.subscribe("ballast") // it elects itself
	b.subscribe("x")
	a.flush()
	first := w.route("x")
	b.flush()
	if second := w.route("x"); first == "" || second == "" || len(w.disk) != 2+3+2 {
		t.Errorf("%q then %q in %d keys", first, second, len(w.disk))
	}
	w.healed("x")
}
