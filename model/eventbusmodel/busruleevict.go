package eventbusmodel

import "fmt"

// evicting checks one law for every subscriber that the publish evicted.
func (e *busEdge) evicting(check func(t turn, goodbye Frame) (bool, error)) (bool, error) {
	return e.each(func(t turn) (bool, error) {
		if !t.after.evicted {
			return idle()
		}
		frames := t.gained(TypeEvicted)
		if len(frames) == 0 {
			frames = append(frames, Frame{})
		}
		return check(t, frames[0])
	})
}

func evictRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-EVICT-001", "a refused push evicts at once", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				if t.event(e.o.Event.ID) > 0 {
					return idle()
				}
				return unless(t.after.evicted && !t.after.attached && e.o.Count < e.before.count, "refused: %v, count %d", t.after, e.o.Count)
			})
		}},
		{"EVENTBUS-EVICT-002", "what was buffered stays, client_evicted comes behind it, and the queue ends", func(e *busEdge) (bool, error) {
			return e.evicting(func(t turn, goodbye Frame) (bool, error) {
				return unless(t.inOrder && len(t.added) == 1 && t.added[0].frame == goodbye && t.added[0].forced && t.after.ended, "%v became %v", t.before, t.after)
			})
		}},
		{"EVENTBUS-EVICT-003", "reason and measures are those before the refused event", func(e *busEdge) (bool, error) {
			return e.evicting(func(t turn, goodbye Frame) (bool, error) {
				size, _ := e.size()
				c := goodbye.Control
				want := Control{
					QueueSize: int64(t.before.live), MaxQueued: int64(t.before.limit), QueuedBytes: t.before.bytes, MaxQueuedBytes: e.m.cfg.MaxQueuedBytes,
					Reason: ReasonOverflow, DroppedAfter: c.DroppedAfter,
				}
				if t.before.live < t.before.limit {
					want.Reason, want.EventBytes = ReasonBytesOverflow, size
				}
				want.LastEventID = c.LastEventID
				return unless(c == want, "%+v, want %+v", c, want)
			})
		}},
		{"EVENTBUS-EVICT-004", "droppedAfter is the id of the refused event", func(e *busEdge) (bool, error) {
			return e.evicting(func(_ turn, goodbye Frame) (bool, error) {
				return unless(goodbye.Control.DroppedAfter == e.o.Event.ID, "droppedAfter %d of event %d", goodbye.Control.DroppedAfter, e.o.Event.ID)
			})
		}},
		{"EVENTBUS-EVICT-005", "client_evicted has no id and no other members", func(e *busEdge) (bool, error) {
			return e.evicting(func(_ turn, goodbye Frame) (bool, error) {
				c := goodbye.Control
				c.Reason, c.DroppedAfter, c.QueueSize, c.MaxQueued, c.QueuedBytes, c.MaxQueuedBytes, c.EventBytes = "", 0, 0, 0, 0, 0, 0
				return unless(goodbye == Frame{V: 1, Type: TypeEvicted, Control: goodbye.Control} && c == Control{}, "%+v", goodbye)
			})
		}},
		{"EVENTBUS-EVICT-007", "an eviction is one subscriber's, and frees one place", func(e *busEdge) (bool, error) {
			if !e.accepted() || len(e.o.Evictions) == 0 {
				return idle()
			}
			if e.o.Count != e.before.count-len(e.o.Evictions) {
				return true, fmt.Errorf("%d evicted, count from %d to %d", len(e.o.Evictions), e.before.count, e.o.Count)
			}
			return e.each(func(t turn) (bool, error) {
				_, evicted := e.eviction(t.slot)
				return unless(evicted == t.after.evicted && evicted == !t.after.attached, "%v became %v, evicted %t", t.before, t.after, evicted)
			})
		}},
		{"EVENTBUS-EVICT-008", "one diagnostic an eviction, unless a callback took it", func(e *busEdge) (bool, error) {
			return e.evicting(func(t turn, goodbye Frame) (bool, error) {
				ev, ok := e.eviction(t.slot)
				called := e.m.cfg.Dialect == Later && t.before.callback != CallbackAbsent
				line := !called || t.before.callback != CallbackTakes
				told := !called || ev.TriggerType == e.o.Event.Type && ev.TriggerBytes == e.o.Event.Size
				same := goodbye.Control == ev.Data || goodbye == Frame{}
				return unless(ok && ev.Callback == called && ev.Line == line && told && same, "%+v", ev)
			})
		}},
	}
}
