package eventbusmodel

import (
	"fmt"
	"slices"
	"sync"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of the machine.
type (
	BusInvariant     = model.Invariant[BusState]
	BusEdgeInvariant = model.EdgeInvariant[BusState, BusAction, BusOutput]
)

// A stateRule is a law about states. check says whether the state puts the law to the test, and how it breaks it.
type stateRule struct {
	law, title string
	check      func(m *Bus, s BusState) (bool, error)
}

// An edgeRule is a law about steps.
type edgeRule struct {
	law, title string
	check      func(e *busEdge) (bool, error)
}

// A timedRule is an edgeRule with the one operation that it is about; empty: any.
type timedRule struct {
	edgeRule
	only BusOp
}

// A busEdge is one step of the machine.
type busEdge struct {
	m             *Bus
	before, after BusState
	a             BusAction
	o             BusOutput
}

func stateRules() []stateRule { return slices.Concat(ringStateRules(), queueStateRules()) }

func edgeRules() []timedRule {
	return slices.Concat(only("", identityRules(), seenRules(), endRules()),
		only(OpPublish, publishRules(), queueRules(), warnRules(), evictRules()), only(OpSubscribe, subscribeRules(), resyncRules()))
}

func only(op BusOp, groups ...[]edgeRule) []timedRule {
	var out []timedRule
	for _, r := range slices.Concat(groups...) {
		out = append(out, timedRule{r, op})
	}
	return out
}

// Invariants returns what holds in every state of the machine, each named by its law.
func (m *Bus) Invariants() []BusInvariant {
	var out []BusInvariant
	for _, r := range stateRules() {
		out = append(out, BusInvariant{Law: r.law, Title: r.title, Holds: func(s BusState) error {
			_, err := r.check(m, s)
			return err
		}})
	}
	return out
}

// EdgeInvariants returns what holds in every step of the machine, each named by its law.
func (m *Bus) EdgeInvariants() []BusEdgeInvariant {
	var out []BusEdgeInvariant
	// An edge is large, and there are many rules for each: the same few are used over and over.
	edges := &sync.Pool{New: func() any { return new(busEdge) }}
	for _, r := range edgeRules() {
		out = append(out, BusEdgeInvariant{Law: r.law, Title: r.title, Check: func(before BusState, a BusAction, after BusState, o BusOutput) error {
			if r.only != "" && r.only != a.Op {
				return nil
			}
			e := edges.Get().(*busEdge)
			defer edges.Put(e)
			e.m, e.before, e.a, e.after, e.o = m, before, a, after, o
			_, err := r.check(e)
			return err
		}})
	}
	return out
}

// Reached returns the laws, in the order of the invariants and with repeats, that the step from before to after puts to the test: those whose breach would
// show in it.
func (m *Bus) Reached(before BusState, a BusAction, after BusState, o BusOutput) []string {
	var out []string
	for _, r := range stateRules() {
		if applies, _ := r.check(m, after); applies {
			out = append(out, r.law)
		}
	}
	e := &busEdge{m: m, before: before, after: after, a: a, o: o}
	for _, r := range edgeRules() {
		if r.only != "" && r.only != a.Op {
			continue
		}
		if applies, _ := r.check(e); applies {
			out = append(out, r.law)
		}
	}
	return out
}

// unless is the outcome of a law that is put to the test: broken unless ok.
func unless(ok bool, format string, args ...any) (bool, error) {
	if ok {
		return true, nil
	}
	return true, fmt.Errorf(format, args...)
}

// idle is the outcome of a law that is not put to the test.
func idle() (bool, error) { return false, nil }

// accepted says that the step published an event.
func (e *busEdge) accepted() bool { return e.a.Op == OpPublish && !e.o.Refused }

// opened says that the step opened a subscription on an open bus, and it stayed.
func (e *busEdge) opened() bool {
	return e.a.Op == OpSubscribe && !e.before.closed && e.o.Limit == 0 && !e.a.Aborted
}

// A turn is what one publish meant to one subscriber that was attached.
type turn struct {
	slot          int
	before, after busSub
	handed        []BusHanded
	added         []busEntry // what came to the queue behind what was there
	inOrder       bool       // what was there is still there, in the same order and in front
}

// event returns the entry or the frame of the published event that this subscriber got, and how often it did.
func (t turn) event(id int64) (got int) {
	for _, entry := range t.added {
		if entry.frame.ID == id {
			got++
		}
	}
	for _, h := range t.handed {
		if h.Frame.ID == id {
			got++
		}
	}
	return got
}

// added returns the frames of a type that came to the queue or were handed over.
func (t turn) gained(kind string) []Frame {
	var out []Frame
	for _, entry := range t.added {
		if entry.frame.Type == kind && entry.frame.Synthetic() {
			out = append(out, entry.frame)
		}
	}
	for _, h := range t.handed {
		if h.Frame.Type == kind && h.Frame.Synthetic() {
			out = append(out, h.Frame)
		}
	}
	return out
}

// turns returns a turn for each slot whose subscription was attached before the step.
func (e *busEdge) turns() []turn {
	var out []turn
	for slot, before := range e.before.subs {
		if before.attached {
			out = append(out, e.turn(slot))
		}
	}
	return out
}

func (e *busEdge) turn(slot int) turn {
	before, after := e.before.subs[slot], e.after.subs[slot]
	t := turn{slot: slot, before: before, after: after, inOrder: len(after.queue) >= len(before.queue)}
	for i := 0; t.inOrder && i < len(before.queue); i++ {
		t.inOrder = before.queue[i] == after.queue[i]
	}
	if t.inOrder {
		t.added = after.queue[len(before.queue):]
	}
	for _, h := range e.o.Handed {
		if h.Sub == slot {
			t.handed = append(t.handed, h)
		}
	}
	return t
}

// each checks one law for every subscriber that was attached before a publish that was accepted.
func (e *busEdge) each(check func(t turn) (bool, error)) (bool, error) {
	if !e.accepted() {
		return idle()
	}
	any := false
	for _, t := range e.turns() {
		applies, err := check(t)
		any = any || applies
		if err != nil {
			return true, fmt.Errorf("#%d: %w", t.slot, err)
		}
	}
	return any, nil
}

// size is the size of the published event, and unsized that it has none.
func (e *busEdge) size() (n int64, unsized bool) { return e.o.Event.Size, e.a.Input.Unserialisable }

// evictions returns the eviction of a slot in this step, if there is one.
func (e *busEdge) eviction(slot int) (BusEviction, bool) {
	for _, ev := range e.o.Evictions {
		if ev.Sub == slot {
			return ev, true
		}
	}
	return BusEviction{}, false
}

// given returns every frame that the step gave to a consumer or to a publisher.
func (e *busEdge) given() []Frame {
	var out []Frame
	if e.o.Next == NextItem {
		out = append(out, *e.o.Item)
	}
	for _, h := range e.o.Handed {
		if !h.Done {
			out = append(out, h.Frame)
		}
	}
	return out
}
