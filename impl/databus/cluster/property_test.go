package cluster

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

var topics = []string{"x", "y"}

// A script is a random run of some tabs.
type script struct {
	w      *world
	t      *rapid.T
	faults bool // frames are lost, writes fail, tabs freeze and crash
	frames bool // frames overtake those of other senders, and wait
	late   bool // flushes wait
}

func (s *script) step() {
	w, t := s.w, s.t
	tab := rapid.SampledFrom(w.tabs).Draw(t, "tab")
	topic := rapid.SampledFrom(topics).Draw(t, "topic")
	ops := []string{"subscribe", "subscribe", "unsubscribe", "publish", "serve", "hide", "show", "sight", "status", "advance", "tick"}
	if s.frames {
		ops = append(ops, "deliver", "deliver", "deliver", "deliver")
	}
	if s.late {
		ops = append(ops, "flush", "flush", "flush")
	}
	if s.faults {
		ops = append(ops, "drop", "freeze", "thaw", "crash", "full", "mute")
	}
	if tab.dead {
		return
	}
	s.act(rapid.SampledFrom(ops).Draw(t, "op"), tab, topic)
	if !s.frames {
		w.drain()
	}
	s.check()
}

func (s *script) act(op string, tab *tab, topic string) {
	w, t := s.w, s.t
	if tab.frozen && op != "thaw" && op != "flush" && op != "deliver" && op != "drop" && op != "advance" {
		return
	}
	switch op {
	case "subscribe":
		tab.subscribe(topic)
	case "unsubscribe":
		tab.unsubscribe(topic)
	case "publish":
		_ = tab.publish(topic, "1")
	case "serve":
		w.serve(topic)
	case "hide":
		tab.flush()
		tab.do(tab.c.PageHide)
	case "show":
		tab.do(tab.c.PageShow)
	case "sight":
		tab.do(func() {
			tab.c.Visibility(rapid.SampledFrom([]record.Visibility{record.Visible, record.Hidden}).Draw(t, "sight"))
		})
	case "status":
		tab.do(func() {
			tab.c.Status(rapid.SampledFrom([]record.Status{record.Connected, record.Failed}).Draw(t, "status"))
		})
	case "advance":
		w.advance(rapid.Int64Range(1, 4000).Draw(t, "ms"), !s.frames)
	case "tick":
		tab.do(tab.c.Tick)
		s.reconciled(tab)
	case "deliver", "drop":
		if heads := w.heads(); len(heads) > 0 {
			p := rapid.SampledFrom(heads).Draw(t, "packet")
			if op == "drop" {
				w.lose(p)
			} else {
				w.deliver(p)
			}
		}
	case "flush":
		tab.flush()
	case "freeze":
		tab.frozen = true
	case "thaw":
		tab.frozen = false
	case "crash":
		if len(w.tabs) > 1 {
			tab.crash()
		}
	case "full":
		tab.failWrites = rapid.IntRange(1, 4).Draw(t, "writes")
	case "mute":
		tab.failPosts = rapid.IntRange(1, 3).Draw(t, "posts")
	}
}

// reconciled checks what holds right after a reconcile: the own record of each subscribed topic, and a route behind each assignment
// (DATABUS-INV-006, DATABUS-INV-007).
func (s *script) reconciled(tab *tab) {
	if !tab.c.Coordinated() {
		return
	}
	for topic := range tab.wants {
		if _, ok := tab.c.subscriber(clusterKeys.Subscriber(record.Hash(topic), tab.c.self.TabID)); !ok {
			s.t.Fatalf("DATABUS-INV-006: %s sees no record of its own for %s", tab.id, topic)
		}
	}
	for _, topic := range tab.c.Assigned() {
		if r, ok := tab.c.route(record.Hash(topic)); !ok || r.WorkerID != tab.id {
			s.t.Fatalf("DATABUS-INV-007: %s keeps %s under route %+v", tab.id, topic, r)
		}
	}
}

// check looks at what holds in every state.
func (s *script) check() {
	w, t := s.w, s.t
	for _, tab := range w.tabs {
		if tab.dead {
			continue
		}
		state := func() string { return fmt.Sprint(w.order, w.disk, len(w.wire), len(tab.micro), tab.log) }
		before := state()
		snap := tab.c.Snapshot()
		if again := tab.c.Snapshot(); !reflect.DeepEqual(snap, again) || before != state() {
			t.Fatalf("the snapshot of %s changes something", tab.id)
		}
		// DATABUS-INV-006
		if got := slices.Sorted(slices.Values(snap.Subscribed)); !slices.Equal(got, sorted(tab.wants)) {
			t.Fatalf("DATABUS-INV-006: %s wants %v and is subscribed to %v", tab.id, sorted(tab.wants), got)
		}
		// DATABUS-LIFECYCLE-008: without a transport that fails, what it holds is what is assigned.
		if got := slices.Sorted(slices.Values(snap.Assigned)); !slices.Equal(got, sorted(tab.held)) {
			t.Fatalf("%s is assigned %v and holds %v", tab.id, got, sorted(tab.held))
		}
		// DATABUS-INV-001
		if snap.Self.Load != len(snap.Assigned) {
			t.Fatalf("DATABUS-INV-001: %s records load %d for %v", tab.id, snap.Self.Load, snap.Assigned)
		}
		// DATABUS-INV-003
		seen := map[string]bool{}
		for _, got := range tab.got {
			if seen[got] {
				t.Fatalf("DATABUS-INV-003: %s dispatched %s twice", tab.id, got)
			}
			seen[got] = true
		}
		if len(snap.Known) > MaxKnown+len(snap.Assigned) {
			t.Fatalf("DATABUS-CACHE-001: %s knows %d topics", tab.id, len(snap.Known))
		}
	}
	for key, value := range w.disk {
		parsed := clusterKeys.Parse(key)
		r, err := record.DecodeRoute(parsed.TopicKey, value)
		if parsed.Family == record.None || parsed.Family == record.RouteFamily && (err != nil || r.Confirmed() && r.ConfirmedAt < r.UpdatedAt) {
			t.Fatalf("DATABUS-INV-001: %s=%s", key, value)
		}
		if parsed.Family == record.WorkerFamily {
			if _, err := record.DecodeWorker(value); err != nil {
				t.Fatalf("DATABUS-INV-001: %s: %v", key, err)
			}
		}
	}
}

func sorted(set map[string]bool) []string {
	var out []string
	for topic := range set {
		out = append(out, topic)
	}
	slices.Sort(out)
	return out
}

// rest ends all faults and waits, then checks what holds at quiescence.
func (s *script) rest() {
	for _, tab := range s.w.tabs {
		tab.frozen, tab.failWrites, tab.failPosts = false, 0, 0
		if !tab.dead {
			tab.do(func() { tab.c.Status(record.Connected) })
		}
	}
	s.w.settle()
	s.check()
	for _, topic := range topics {
		assigned, held := s.w.owners(topic)
		if len(assigned) > 1 || len(held) > 1 {
			s.t.Fatalf("DATABUS-INV-004: %s is assigned to %v and held by %v", topic, assigned, held)
		}
		wanted := slices.ContainsFunc(s.w.tabs, func(tab *tab) bool { return !tab.dead && tab.c.active && tab.wants[topic] })
		r := s.w.route(topic)
		// Garbage is collected by a tab that runs (DATABUS-LIVE-004).
		running := slices.ContainsFunc(s.w.tabs, func(tab *tab) bool { return !tab.dead && tab.c.active })
		if running && !wanted && (len(assigned) > 0 || r != "") {
			s.t.Fatalf("nobody wants %s, and yet %v own it under route %q", topic, assigned, r)
		}
	}
}

// unserved returns, at rest, what is wrong with a topic that a running tab subscribes; empty if it is served (DATABUS-LIVE-005).
func (s *script) unserved() string {
	for _, topic := range topics {
		if !slices.ContainsFunc(s.w.tabs, func(tab *tab) bool { return !tab.dead && tab.c.active && tab.wants[topic] }) {
			continue
		}
		assigned, _ := s.w.owners(topic)
		r := s.w.route(topic)
		if len(assigned) != 1 || !strings.HasPrefix(r, assigned[0]) || !strings.HasSuffix(r, "!") {
			return fmt.Sprintf("DATABUS-LIVE-005: %s is assigned to %v under route %q", topic, assigned, r)
		}
	}
	return ""
}

// run plays one script and returns what is not served at its end.
func run(t *rapid.T, rules Rules, s script) string {
	s.t, s.w = t, newWorld(t, rules)
	s.w.open([]string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "tabs")]...)
	s.w.manual = s.late
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		s.step()
	}
	s.rest()
	return s.unserved()
}

// runs plays many scripts, and fails if a topic is not served in the end although it is to be.
func runs(t *testing.T, rules Rules, s script, served bool) {
	rapid.Check(t, func(t *rapid.T) {
		if found := run(t, rules, s); found != "" && served {
			t.Fatal(found)
		}
	})
}

// DATABUS-INV-001, -002, -003, -004, -006, -007 with frames that arrive at once: every topic is served in the end.
func TestCalm(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			runs(t, rules, script{}, true)
		})
	}
}

// The same with frames that wait and flushes that come late; the document does not promise service then (DATABUS-RACE-001).
func TestLate(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "drifted": Drifted(), "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			runs(t, rules, script{frames: true, late: true}, name == "fenced")
		})
	}
}

// The same with loss, full storages, frozen and crashing tabs.
func TestFaults(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "drifted": Drifted(), "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			runs(t, rules, script{faults: true, frames: true, late: true}, name == "fenced")
		})
	}
}

// DATABUS-LIVE-005, DATABUS-RACE-001: without a fault, random scripts leave topics silent under the rules of 0.1.0, so that those that
// find none under other rules have looked.
func TestScriptsFindSilence(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "drifted": Drifted()} {
		scripts := rapid.Custom(func(t *rapid.T) string { return run(t, rules, script{frames: true}) })
		found := ""
		for seed := 0; seed < 600 && found == ""; seed++ {
			found = scripts.Example(seed)
		}
		if found == "" {
			t.Errorf("%s: every topic was served", name)
		}
	}
}

// DATABUS-INV-005: while owners leave and return gracefully, and one tab subscribes all the time, no two transports hold the topic in any
// state.
func TestGracefulHandoff(t *testing.T) {
	for name, rules := range map[string]Rules{"v010": V010(), "drifted": Drifted(), "fenced": Fenced()} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { graceful(t, rules) })
		})
	}
}

func graceful(t *rapid.T, rules Rules) {
	w := newWorld(t, rules)
	tabs := w.open("a", "b", "c")
	for _, tab := range tabs {
		tab.subscribe("x")
	}
	w.drain()
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		tab := rapid.SampledFrom(tabs[:2]).Draw(t, "tab")
		switch rapid.SampledFrom([]string{"hide", "show", "tick", "deliver", "deliver", "deliver", "later"}).Draw(t, "op") {
		case "hide":
			tab.do(tab.c.PageHide)
		case "show":
			tab.do(tab.c.PageShow)
		case "tick":
			tabs[2].do(tabs[2].c.Tick)
		case "deliver":
			if heads := w.heads(); len(heads) > 0 {
				w.deliver(rapid.SampledFrom(heads).Draw(t, "packet"))
			}
		case "later":
			w.now++
		}
		if _, held := w.owners("x"); len(held) > 1 {
			t.Fatalf("DATABUS-INV-005: %v hold the topic", held)
		}
	}
}
