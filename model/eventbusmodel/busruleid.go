package eventbusmodel

import (
	"fmt"
	"slices"
)

func ringStateRules() []stateRule {
	return []stateRule{
		{"EVENTBUS-ID-001", "the ids of the ring are positive and consecutive", func(_ *Bus, s BusState) (bool, error) {
			for i, f := range s.ring {
				if f.ID < 1 || i > 0 && f.ID != s.ring[i-1].ID+1 {
					return true, fmt.Errorf("ring %v", s.ring)
				}
			}
			return len(s.ring) > 0, nil
		}},
		{"EVENTBUS-RING-001", "the ring holds the newest events, as many as fit", func(m *Bus, s BusState) (bool, error) {
			want := min(int64(m.cfg.RingSize), s.published-s.seeded)
			newest := len(s.ring) == 0 || s.ring[len(s.ring)-1].ID == s.published
			return unless(int64(len(s.ring)) == want && newest, "after %d, of which %d were seeded, the ring is %v", s.published, s.seeded, s.ring)
		}},
		{"EVENTBUS-RING-003", "no frame that the bus made is in the ring", func(_ *Bus, s BusState) (bool, error) {
			return unless(!slices.ContainsFunc(s.ring, func(f Frame) bool { return f.Synthetic() || f.Control != Control{} }), "ring %v", s.ring)
		}},
		{"EVENTBUS-SUBSCRIBE-007", "the count is that of the subscribers attached", func(_ *Bus, s BusState) (bool, error) {
			n := attached(s)
			return unless(s.count == n, "count %d, attached %d", s.count, n)
		}},
		{"EVENTBUS-LIMIT-001", "no more subscribers than the limit", func(m *Bus, s BusState) (bool, error) {
			n := attached(s)
			return unless(n <= m.cfg.MaxSubscribers, "%d subscribers, limit %d", n, m.cfg.MaxSubscribers)
		}},
		{"EVENTBUS-CLOSE-002", "a closed bus has no subscribers", func(_ *Bus, s BusState) (bool, error) {
			if !s.closed {
				return idle()
			}
			return unless(attached(s) == 0 && s.count == 0, "closed with %d subscribers, count %d", attached(s), s.count)
		}},
	}
}

func attached(s BusState) int {
	n := 0
	for _, sub := range s.subs {
		if sub.attached {
			n++
		}
	}
	return n
}

func identityRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-ID-001", "a publish takes the next id", func(e *busEdge) (bool, error) {
			if !e.accepted() {
				return idle()
			}
			want := e.before.published + 1
			return unless(e.o.Event.ID == want, "id %d, want %d", e.o.Event.ID, want)
		}},
		{"EVENTBUS-ID-002", "lastEventId is the highest id assigned", func(e *busEdge) (bool, error) {
			want := e.before.published
			switch {
			case e.accepted():
				want++
			case e.a.Op == OpSeed:
				want += int64(len(e.o.Events))
			}
			return unless(e.o.Last == want && e.after.published == want, "lastEventId %d, want %d", e.o.Last, want)
		}},
		{"EVENTBUS-ID-003", "every frame has v 1", func(e *busEdge) (bool, error) {
			frames := e.given()
			for _, f := range frames {
				if f.V != 1 {
					return true, fmt.Errorf("%v has v %d", f, f.V)
				}
			}
			return len(frames) > 0, nil
		}},
		{"EVENTBUS-ID-004", "frames that the bus makes have no id, and all others have one", func(e *busEdge) (bool, error) {
			any := false
			for _, f := range e.given() {
				made := f.Control != Control{} || f.Type == TypeReplayComplete && f.Size == 0 && !f.Unserialisable
				any = any || made
				if made != (f.ID == 0) {
					return true, fmt.Errorf("%s has id %d", f.Type, f.ID)
				}
			}
			return any, nil
		}},
		{"EVENTBUS-ID-005", "frames that the bus makes take no number", func(e *busEdge) (bool, error) {
			made := 0
			for slot, sub := range e.after.subs {
				made += countSynthetic(sub) - countSynthetic(e.before.subs[slot])
			}
			if made <= 0 || e.a.Op == OpSeed {
				return idle()
			}
			want := e.before.published
			if e.accepted() {
				want++
			}
			return unless(e.after.published == want, "%d frames made, and the last id went from %d to %d", made, e.before.published, e.after.published)
		}},
		{"EVENTBUS-RING-006", "seeding takes ids, empties the ring and delivers nothing", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSeed {
				return idle()
			}
			if e.before.closed || len(e.a.Inputs) == 0 {
				return unless(len(e.o.Events) == 0 && len(e.after.ring) == len(e.before.ring), "seeding nothing or a closed bus changed it")
			}
			if len(e.o.Events) != len(e.a.Inputs) || len(e.after.ring) != 0 || len(e.o.Handed) != 0 {
				return true, fmt.Errorf("%d of %d seeded, ring %v, %d handed over", len(e.o.Events), len(e.a.Inputs), e.after.ring, len(e.o.Handed))
			}
			for i, f := range e.o.Events {
				if f.ID != e.before.published+1+int64(i) {
					return true, fmt.Errorf("event %d of the history got id %d", i, f.ID)
				}
			}
			for _, t := range e.turns() {
				if len(t.added) != 0 || !t.inOrder {
					return true, fmt.Errorf("#%d got %v", t.slot, t.added)
				}
			}
			return true, nil
		}},
	}
}

func countSynthetic(sub busSub) int {
	n := sub.seen.completes + sub.seen.resyncs + sub.seen.terminals
	for _, e := range sub.queue {
		if e.frame.Synthetic() {
			n++
		}
	}
	return n
}
