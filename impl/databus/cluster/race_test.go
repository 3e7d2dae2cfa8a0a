package cluster

import (
	"slices"
	"testing"
)

// silent checks that the topic keeps a live subscriber and a confirmed or pending route, and yet has no owner for as long as anybody waits.
func (w *world) silent(topic, route string) {
	w.t.Helper()
	w.settle()
	w.advance(60_000, true)
	w.routed(topic, route)
	w.owned(topic)
}

// healed checks that in the end one worker owns the topic, holds it and is named by a confirmed route.
func (w *world) healed(topic string) {
	w.t.Helper()
	w.settle()
	assigned, held := w.owners(topic)
	if len(assigned) != 1 || !slices.Equal(assigned, held) {
		w.t.Errorf("%s is assigned to %v and held by %v", topic, assigned, held)
		return
	}
	if r := w.route(topic); r == "" || r[:1] != assigned[0] || r[len(r)-1] != '!' {
		w.t.Errorf("%s is assigned to %v and its route is %q", topic, assigned, r)
	}
}

// inFlightUnsubscribe is DATABUS-RACE-001: an UNSUBSCRIBE under way ends a route that is newer.
func inFlightUnsubscribe(w *world, a, b *tab) {
	b.subscribe("x")
	b.unsubscribe("x")
	a.subscribe("x")
	w.drain()
}

func TestRace001(t *testing.T) {
	w, a, b := two(t, V010())
	inFlightUnsubscribe(w, a, b)
	w.silent("x", "a1!")
	b.subscribe("x") // a further subscriber does not help
	w.silent("x", "a1!")

	for name, rules := range map[string]Rules{"reclaim": {Reclaim: true}, "authorize": {AuthorizeUnsubscribe: true}, "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			w, a, b := two(t, rules)
			inFlightUnsubscribe(w, a, b)
			w.healed("x")
		})
	}
}

// DATABUS-RACE-001, its variant: the owner does not subscribe.
func TestRace001Variant(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "reclaim": {Reclaim: true}, "fenced": Fenced()} {
		w, _, b, c := three(t, rules)
		b.subscribe("x")
		w.drain()
		b.unsubscribe("x")
		c.subscribe("x")
		w.drain()
		if name == "v010" {
			// a is the owner that the UNSUBSCRIBE of b reaches; c elected b, whose load is less.
			w.owned("x", "b")
		}
		w.healed("x")
	}
}

// DATABUS-RACE-002: leaving and returning quickly overlaps two transports until the UNSUBSCRIBE arrives, which no route refuses.
func TestRace002(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "fenced": Fenced()} {
		w, a, b := two(t, rules)
		b.subscribe("x")
		w.drain()
		b.unsubscribe("x")
		b.subscribe("x")
		w.owned("x", "a", "b")
		w.serve("x")
		w.pass(b, a, "UNSUBSCRIBE x a")
		w.owned("x", "b")
		w.drain()
		if len(b.got) != 2 {
			t.Errorf("%s: b got %v: the overlap does not show", name, b.got)
		}
		w.healed("x")
	}
}

// parallelElection is DATABUS-RACE-003: both elect before either flushes.
func parallelElection(w *world, a, b *tab) {
	a.subscribe("other") // load 1
	w.drain()
	w.manual = true
	a.unsubscribe("other")
	a.flush()
	w.drain()
	a.subscribe("other")
	a.subscribe("x")
	b.subscribe("x")
	b.flush()
	a.flush()
}

func TestRace003(t *testing.T) {
	w, a, b := two(t, V010())
	parallelElection(w, a, b)
	w.pass(a, b, "SUBSCRIBE x b")
	w.pass(b, a, "SUBSCRIBE x a")
	w.owned("x", "a", "b")
	w.serve("x")
	for _, tab := range w.tabs {
		tab.flush()
	}
	w.manual = false
	w.dropType("REGISTRY")
	w.drain()
	if len(a.got) != 2 || len(b.got) != 2 {
		t.Errorf("a got %v, b %v: no duplicate", a.got, b.got)
	}
	w.advance(DefaultHeartbeat, true)
	w.healed("x")

	// DATABUS-FENCE-002: the loser refuses at once.
	w, a, b = two(t, Fenced())
	parallelElection(w, a, b)
	w.pass(a, b, "SUBSCRIBE x b")
	w.pass(b, a, "SUBSCRIBE x a")
	w.owned("x", "b")
	w.healed("x")
}

// lateConfirmation is DATABUS-RACE-004: a confirmation that was read before the route was deleted and lands after.
func lateConfirmation(w *world, a, b *tab) {
	w.manual = true
	a.subscribe("x")
	a.flush()
	w.pass(a, b, "SUBSCRIBE x b")
	a.unsubscribe("x")
	a.flush()
	b.flush()
	for _, p := range slices.Clone(w.wire) {
		if p.to == b && p.from == a {
			w.deliver(p)
			b.flush()
		}
	}
	w.drain()
	for _, tab := range w.tabs {
		tab.flush()
	}
}

func TestRace004(t *testing.T) {
	start := func(rules Rules) (*world, *tab, *tab, *tab) {
		w, a, b, c := three(t, rules)
		a.subscribe("ballast") // so that a elects b
		w.drain()
		return w, a, b, c
	}
	w, a, b, c := start(V010())
	lateConfirmation(w, a, b)
	w.routed("x", "b1!")
	w.owned("x")
	w.manual = false
	c.subscribe("x")
	w.silent("x", "b1!")

	for name, rules := range map[string]Rules{"reclaim": {Reclaim: true}, "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := start(rules)
			lateConfirmation(w, a, b)
			w.manual = false
			c.subscribe("x")
			w.healed("x")
		})
	}
}

// lostRelease is DATABUS-RACE-005: one ROUTE_RELEASED is lost.
func lostRelease(w *world, a, c *tab) {
	a.subscribe("x")
	c.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	w.drop("ROUTE_RELEASED x b 2")
	w.drain()
}

func TestRace005(t *testing.T) {
	w, a, b, c := three(t, Drifted())
	lostRelease(w, a, c)
	w.silent("x", "b2<a")
	b.subscribe("x") // neither a further subscriber
	w.silent("x", "b2<a")
	a.do(a.c.PageShow) // nor the return of the old owner helps
	w.silent("x", "b2<a")

	for name, rules := range map[string]Rules{"v010": V010(), "after ttl": {Gone: GoneAfterTTL}, "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			w, a, _, c := three(t, rules)
			lostRelease(w, a, c)
			w.healed("x")
		})
	}
}

// bounce is DATABUS-RACE-006: the target of a handoff is away when the acknowledgement comes.
func bounce(w *world, a, b, c *tab) {
	a.subscribe("x")
	c.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	b.do(b.c.PageHide)
	b.do(b.c.PageShow)
	w.drain()
}

func TestRace006(t *testing.T) {
	w, a, b, c := three(t, Drifted())
	bounce(w, a, b, c)
	w.silent("x", "b2<a")
	a.do(a.c.PageShow)
	w.silent("x", "b2<a")

	for name, rules := range map[string]Rules{"v010": V010(), "after ttl": {Gone: GoneAfterTTL}, "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := three(t, rules)
			bounce(w, a, b, c)
			w.healed("x")
		})
	}

	// If c reconciles while b is away it takes over and all is well.
	w, a, b, c = three(t, Drifted())
	a.subscribe("x")
	c.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	b.do(b.c.PageHide)
	c.do(c.c.Tick)
	b.do(b.c.PageShow)
	w.healed("x")
}

// DATABUS-RACE-009: control and nudge overtake the data; the retry heals it. With DATABUS-FENCE-002 nothing is taken on too early, and the
// retry is needed all the same.
func TestRace009(t *testing.T) {
	for name, c := range map[string]struct {
		rules Rules
		seen  []string
	}{"v010": {V010(), []string{"assign x", "release x"}}, "fenced": {Fenced(), nil}} {
		w, a, b := two(t, c.rules)
		a.subscribe("ballast") // so that a elects b
		w.drain()
		b.log = nil
		w.manual = true
		a.subscribe("x")
		w.pass(a, b, "SUBSCRIBE x b")
		w.pass(a, b, "REGISTRY")
		b.flush()
		var seen []string
		for _, line := range b.log {
			if line == "assign x" || line == "release x" {
				seen = append(seen, line)
			}
		}
		if !slices.Equal(seen, c.seen) {
			t.Errorf("%s: b did %v", name, b.log)
		}
		a.flush()
		w.manual = false
		w.drain()
		w.advance(DefaultHeartbeat, true)
		w.owned("x", "b")
		w.healed("x")
	}
}
