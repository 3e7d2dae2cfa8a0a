package eventbusmodel

import (
	"fmt"
	"math"
	"slices"
)

func publishRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-RING-002", "one event goes from the ring, and only when it is too long", func(e *busEdge) (bool, error) {
			if !e.accepted() {
				return idle()
			}
			want := append(slices.Clone(e.before.ring), *e.o.Event)
			if len(want) > e.m.cfg.RingSize {
				want = want[1:]
			}
			return unless(slices.Equal(ids(want), ids(e.after.ring)), "ring %v, want %v", e.after.ring, want)
		}},
		{"EVENTBUS-RING-004", "an event that is refused for one is kept, and others get it", func(e *busEdge) (bool, error) {
			if !e.accepted() || len(e.o.Evictions) == 0 {
				return idle()
			}
			id := e.o.Event.ID
			return unless(slices.Contains(ids(e.after.ring), id), "%d is not in the ring %v", id, e.after.ring)
		}},
		{"EVENTBUS-PUBLISH-001", "publish returns what it keeps and delivers", func(e *busEdge) (bool, error) {
			if !e.accepted() || len(e.after.ring) == 0 {
				return idle()
			}
			kept := e.after.ring[len(e.after.ring)-1]
			if kept.ID != e.o.Event.ID || kept.Type != e.o.Event.Type || kept.Data != e.o.Event.Data || kept.Timestamp != e.o.Event.Timestamp {
				return true, fmt.Errorf("returned %+v, kept %+v", *e.o.Event, kept)
			}
			for _, t := range e.turns() {
				for _, entry := range t.added {
					if !entry.forced && entry.frame != *e.o.Event {
						return true, fmt.Errorf("returned %+v, delivered %+v", *e.o.Event, entry.frame)
					}
				}
			}
			return true, nil
		}},
		{"EVENTBUS-PUBLISH-002", "a closed bus takes nothing", func(e *busEdge) (bool, error) {
			if e.a.Op != OpPublish || !e.before.closed {
				return idle()
			}
			quiet := e.after.published == e.before.published && len(e.after.ring) == len(e.before.ring) && len(e.o.Handed) == 0
			return unless(e.o.Refused && quiet, "publish on a closed bus: %+v", e.o)
		}},
		{"EVENTBUS-PUBLISH-004", "the time of an event is the publisher's if finite, else the clock's", func(e *busEdge) (bool, error) {
			if !e.accepted() {
				return idle()
			}
			want := e.a.Now
			if e.a.Input.Stamp.Kind == StampNumber {
				want = e.a.Input.Stamp.Value
			}
			got := e.o.Event.Timestamp
			return unless(got == want && !math.IsNaN(got) && e.o.Event.Meta == e.a.Input.Meta, "_meta %q at %v, want %q at %v", e.o.Event.Meta, got, e.a.Input.Meta, want)
		}},
		{"EVENTBUS-PUBLISH-005", "the envelope passes through", func(e *busEdge) (bool, error) {
			if !e.accepted() {
				return idle()
			}
			f, in := e.o.Event, e.a.Input
			data := f.Data == in.Data || in.Unserialisable
			return unless(f.Type == in.Type && data && f.Originator == in.Originator, "published %+v, became %+v", in, f)
		}},
		{"EVENTBUS-PUBLISH-006", "every subscriber gets the event once, or is evicted by it", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				want := 1
				if t.after.evicted {
					want = 0
				}
				return unless(t.event(e.o.Event.ID) == want, "got event %d %d times, want %d", e.o.Event.ID, t.event(e.o.Event.ID), want)
			})
		}},
		{"EVENTBUS-PUBLISH-007", "seed: an event without size counts as a frame of no octets", func(e *busEdge) (bool, error) {
			if e.m.cfg.Dialect != Seed || !e.a.Input.Unserialisable {
				return idle()
			}
			return e.each(func(t turn) (bool, error) {
				switch {
				case t.before.asks > 0:
					return idle()
				case t.before.live >= t.before.limit:
					return unless(t.after.evicted, "a full subscriber was not evicted")
				}
				return unless(!t.after.evicted && t.after.live == t.before.live+1 && t.after.bytes == t.before.bytes && e.o.Unsized,
					"%v became %v", t.before, t.after)
			})
		}},
		{"EVENTBUS-PUBLISH-008", "later: an event without size is refused and takes no id", func(e *busEdge) (bool, error) {
			if e.m.cfg.Dialect != Later || e.a.Op != OpPublish || !e.a.Input.Unserialisable || e.before.closed {
				return idle()
			}
			quiet := e.after.published == e.before.published && slices.Equal(ids(e.after.ring), ids(e.before.ring)) && len(e.o.Handed) == 0
			return unless(e.o.Refused && e.o.Unsized && quiet, "refused %t, said so %t, last id %d to %d", e.o.Refused, e.o.Unsized, e.before.published, e.after.published)
		}},
		{"EVENTBUS-QUEUE-008", "the size of an event is that of its JSON in UTF-8", func(e *busEdge) (bool, error) {
			if !e.accepted() || e.a.Input.Unserialisable || e.a.Input.Size != 0 {
				return idle()
			}
			want := int64(len(e.o.Event.JSON()))
			return unless(e.o.Event.Size == want, "size %d of %d octets: %s", e.o.Event.Size, want, e.o.Event.JSON())
		}},
		{"EVENTBUS-QUEUE-009", "seed sizes what it buffers, later sizes every event once", func(e *busEdge) (bool, error) {
			if e.a.Op != OpPublish || e.before.closed {
				return idle()
			}
			want := e.m.cfg.Dialect == Later
			for _, t := range e.turns() {
				want = want || t.before.asks == 0 && t.before.live < t.before.limit
			}
			return unless(e.o.Sized == want, "sized %t, want %t", e.o.Sized, want)
		}},
		{"EVENTBUS-CONCURRENCY-003", "publish has an outcome whatever subscribers do", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				return unless(t.after.live <= t.after.limit, "%d live frames, cap %d", t.after.live, t.after.limit)
			})
		}},
	}
}

func ids(frames []Frame) []int64 {
	var out []int64
	for _, f := range frames {
		out = append(out, f.ID)
	}
	return out
}
