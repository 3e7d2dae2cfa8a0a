package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// stormy is how many frames are delivered before it is said that they never end: far more than any script of this file leaves under way.
const stormy = 300

// storms delivers frames, oldest first, while no time passes, and reports whether they beget others without end.
func (w *world) storms() bool {
	for range stormy {
		heads := w.heads()
		if len(heads) == 0 {
			return false
		}
		w.deliver(heads[0])
	}
	return true
}

// unserved returns what is wrong with a topic that a tab subscribes after all has healed that can; empty if nothing is.
func (w *world) unserved(topic string) string {
	w.settle()
	assigned, held := w.owners(topic)
	r := w.route(topic)
	if len(assigned) != 1 || !slices.Equal(assigned, held) || !strings.HasPrefix(r, assigned[0]) || !strings.HasSuffix(r, "!") {
		return fmt.Sprintf("%s is assigned to %v, held by %v, and its route is %q", topic, assigned, held, r)
	}
	return ""
}

// bothSlept brings two tabs, of which a owned x and then b, to where each has slept for longer than the TTL and removed the record of the
// other, and a has just taken x over: DATABUS-RACE-018, steps 1 to 3.
func bothSlept(t *testing.T, rules Rules) (w *world, a, b *tab) {
	t.Helper()
	w, a, b = two(t, rules)
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.frozen = true
	w.advance(DefaultTTL+DefaultHeartbeat, true)
	w.routed("x", "b2!")
	b.frozen = true
	w.advance(DefaultTTL+1, false)
	a.frozen = false
	w.drain()            // only to a
	w.routed("x", "a1!") // the route of b was older than the TTL, and nobody in sight subscribed it
	w.owned("x", "a", "b")
	b.frozen = false
	return w, a, b
}

// DATABUS-RACE-018: two workers that took each other for dead elect without end, until the next heartbeat of one of them.
func TestRace018(t *testing.T) {
	for _, rules := range []Rules{V010(), Drifted()} {
		w, a, _ := bothSlept(t, rules)
		before := w.now
		if !w.storms() {
			t.Fatal("the frames come to an end")
		}
		if r := w.route("x"); w.now != before || len(r) < len("a100!") {
			t.Errorf("%d ms later the route is %q, want one generation for each frame and no time", w.now-before, r)
		}
		w.owned("x", "a", "b")
		a.do(a.c.Tick)
		if w.storms() {
			t.Error("a heartbeat does not end it")
		}
		if assigned, _ := w.owners("x"); len(assigned) != 1 {
			t.Errorf("after a heartbeat x is assigned to %v", assigned)
		}
		w.healed("x")
	}
}

// DATABUS-FENCE-003: with the rule, b sees at once that a is there.
func TestRace018Fenced(t *testing.T) {
	for name, rules := range map[string]Rules{"restored": {RestoreRecord: true}, "fenced": Fenced()} {
		w, _, _ := bothSlept(t, rules)
		if w.storms() {
			t.Fatalf("%s: the frames do not come to an end", name)
		}
		w.owned("x", "a")
		w.routed("x", "a1!")
		w.healed("x")
	}
}

// forgetful has an owner lose its assignment to an UNSUBSCRIBE that is late, and forget the topic before it reconciles: two tabs sleep for
// longer than the TTL, b leaves and takes a for dead, a beats and takes x on anew.
func forgetful(t *testing.T, rules Rules) *world {
	t.Helper()
	w, a, b := two(t, rules)
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	a.frozen, b.frozen = true, true
	w.advance(DefaultTTL+1, false)
	a.frozen, b.frozen = false, false
	b.do(b.c.PageHide)
	a.do(a.c.Tick)
	w.routed("x", "a1!")
	w.pass(b, a, "UNSUBSCRIBE x a")
	b.do(b.c.PageShow)
	a.unsubscribe("x")
	return w
}

// DATABUS-FENCE-001, DATABUS-CONFIRM-003: to reclaim is no substitute for the refusal.
func TestReclaimIsNoSubstitute(t *testing.T) {
	forgetful(t, V010()).silent("x", "a1!")
	forgetful(t, Rules{Reclaim: true}).silent("x", "a1!")
	rest := Fenced()
	rest.AuthorizeUnsubscribe, rest.Reclaim = false, true
	forgetful(t, rest).silent("x", "a1!")

	forgetful(t, Fenced()).healed("x")
	forgetful(t, Rules{AuthorizeUnsubscribe: true}).healed("x")
	forgetful(t, Rules{Reclaim: true, AskAgain: true}).healed("x")
}

// split leaves two tabs with different routes of x, of which each names the other and none is confirmed, since the storage refuses the
// writes of a: a believes in b, and the storage, which b reads, says a.
func split(t *testing.T, rules Rules) (w *world, a *tab) {
	t.Helper()
	w, a, b := two(t, rules)
	a.subscribe("ballast")
	w.drain()
	a.failWrites = 1 << 30
	a.subscribe("x")
	b.subscribe("ballast of b")
	b.subscribe("x")
	w.routed("x", "a1")
	return w, a
}

// DATABUS-FENCE-002: SUBSCRIBE, REGISTRY and the drop that follows go round without end until the storage takes writes again.
func TestRefusedWritesStorm(t *testing.T) {
	without := Fenced()
	without.AuthorizeSubscribe = false
	for _, rules := range []Rules{V010(), without} {
		w, a := split(t, rules)
		if !w.storms() {
			t.Fatal("the frames come to an end")
		}
		a.failWrites = 0
		w.advance(50, true) // DATABUS-BATCH-003
		w.healed("x")
	}
	for name, rules := range map[string]Rules{"authorized": {AuthorizeSubscribe: true}, "fenced": Fenced()} {
		w, a := split(t, rules)
		if w.storms() {
			t.Fatalf("%s: the frames do not come to an end", name)
		}
		w.owned("x")
		a.failWrites = 0
		w.healed("x")
	}
}

// DATABUS-RACE-014, DATABUS-GC-005: to discard what could not be flushed at a leave loses the removal of the own subscriber record. The tab
// comes back under the same id and does not want the topic any more, and yet it stays with its owner.
func TestDiscardAtTeardownDoesHarm(t *testing.T) {
	discard := Fenced()
	discard.DiscardAtTeardown = true
	for name, c := range map[string]struct {
		rules  Rules
		route  string
		owners []string
	}{
		"v010": {V010(), "", nil}, "fenced": {Fenced(), "", nil},
		"discard": {Rules{DiscardAtTeardown: true}, "a1!", []string{"a"}}, "fenced and discard": {discard, "a1!", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := two(t, c.rules)
			a.subscribe("x")
			b.subscribe("x")
			w.drain()
			b.failWrites = 1
			b.do(b.c.PageHide)
			b.unsubscribe("x")
			b.do(b.c.PageShow)
			a.unsubscribe("x")
			w.settle()
			w.advance(120_000, true)
			w.owned("x", c.owners...)
			w.routed("x", c.route)
		})
	}
}

// DATABUS-LIVE-005: without any one of the rules of Fenced, or of what its base has already, a topic stays silent or frames go round
// without end; and there is no rule besides.
func TestFencedIsLeast(t *testing.T) {
	storm := func(w *world) string {
		if w.storms() {
			return "the frames go round without end"
		}
		return ""
	}
	silenced := func(rules Rules) string {
		w, a, b := two(t, rules)
		inFlightUnsubscribe(w, a, b)
		return w.unserved("x")
	}
	lost := func(rules Rules) string {
		w, a, _, c := three(t, rules)
		lostRelease(w, a, c)
		return w.unserved("x")
	}
	mutual := func(rules Rules) string {
		w, _, _ := bothSlept(t, rules)
		return storm(w)
	}
	refused := func(rules Rules) string {
		w, _ := split(t, rules)
		return storm(w)
	}
	for _, c := range []struct {
		law     string
		without func(*Rules)
		play    func(Rules) string
	}{
		{"DATABUS-FENCE-001", func(r *Rules) { r.AuthorizeUnsubscribe = false }, silenced},
		{"DATABUS-FENCE-002", func(r *Rules) { r.AuthorizeSubscribe = false }, refused},
		{"DATABUS-FENCE-003", func(r *Rules) { r.RestoreRecord = false }, mutual},
		{"DATABUS-HANDOFF-008", func(r *Rules) { r.Gone = GoneNever }, lost},
	} {
		if found := c.play(Fenced()); found != "" {
			t.Errorf("%s: %s", c.law, found)
		}
		rules := Fenced()
		c.without(&rules)
		if c.play(rules) == "" {
			t.Errorf("%s is not needed", c.law)
		}
	}
	base := Fenced()
	base.AuthorizeUnsubscribe, base.AuthorizeSubscribe, base.RestoreRecord = false, false, false
	if base != V010() {
		t.Errorf("%+v are more than the three rules", Fenced())
	}
}
