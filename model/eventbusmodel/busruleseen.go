package eventbusmodel

import (
	"fmt"
	"slices"
)

// seenRules are about what consumers are given, and what becomes of their places, by whatever action.
func seenRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-SUBSCRIBE-007", "the count moves by one for each subscription that comes or goes", func(e *busEdge) (bool, error) {
			want := e.before.count + attached(e.after) - attached(e.before)
			return unless(e.after.count == want && e.o.Count == want, "count %d, said %d, want %d", e.after.count, e.o.Count, want)
		}},
		{"EVENTBUS-REPLAY-008", "the ids that a consumer sees follow each other", func(e *busEdge) (bool, error) {
			any := false
			see := func(slot int, f Frame, seen busSeen) error {
				if f.ID == 0 {
					return nil
				}
				any = true
				want := seen.last + 1
				if seen.last == 0 {
					want = seen.start
				}
				if f.ID == want || slices.Contains(seen.holes, f.ID) {
					return nil
				}
				return fmt.Errorf("#%d sees %d after %d, want %d", slot, f.ID, seen.last, want)
			}
			if e.o.Next == NextItem {
				if err := see(e.a.Sub, *e.o.Item, e.before.subs[e.a.Sub].seen); err != nil {
					return true, err
				}
			}
			for _, h := range e.o.Handed {
				if err := see(h.Sub, h.Frame, e.before.subs[h.Sub].seen); err != nil {
					return true, err
				}
			}
			return any, nil
		}},
		{"EVENTBUS-RESYNC-001", "who sees a gap has seen a resync", func(e *busEdge) (bool, error) {
			var f Frame
			var sub busSub
			switch {
			case e.o.Next == NextItem:
				f, sub = *e.o.Item, e.before.subs[e.a.Sub]
			case len(e.o.Handed) > 0:
				f, sub = e.o.Handed[0].Frame, e.before.subs[e.o.Handed[0].Sub]
			}
			if f.ID == 0 || !sub.seen.cursor || sub.seen.last != 0 || f.ID == sub.seen.after+1 || slices.Contains(sub.seen.holes, f.ID) {
				return idle()
			}
			return unless(sub.seen.resyncs > 0, "sees %d after cursor %d without a resync", f.ID, sub.seen.after)
		}},
		{"EVENTBUS-QUEUE-007", "draining gives back one frame and its octets", func(e *busEdge) (bool, error) {
			if e.a.Op != OpNext || e.o.Next != NextItem {
				return idle()
			}
			before, after := e.before.subs[e.a.Sub], e.after.subs[e.a.Sub]
			live, bytes := before.live, before.bytes
			if head := before.queue[0]; !head.forced {
				live, bytes = live-1, bytes-head.bytes
			}
			return unless(after.live == live && after.bytes == bytes, "took %v: %d live of %d octets, want %d of %d", e.o.Item, after.live, after.bytes, live, bytes)
		}},
		{"EVENTBUS-QUEUE-010", "first in, first out", func(e *busEdge) (bool, error) {
			switch {
			case e.a.Op == OpNext && e.o.Next == NextItem:
				before, after := e.before.subs[e.a.Sub], e.after.subs[e.a.Sub]
				kept := len(after.queue) == len(before.queue)-1 && *e.o.Item == before.queue[0].frame
				for i := 0; kept && i < len(after.queue); i++ {
					kept = after.queue[i] == before.queue[i+1]
				}
				return unless(kept, "took %v of %v, left %v", e.o.Item, before, after)
			case e.accepted():
				return e.each(func(t turn) (bool, error) {
					return unless(t.inOrder, "%v became %v", t.before, t.after)
				})
			}
			return idle()
		}},
		{"EVENTBUS-QUEUE-011", "a queue that is closed takes nothing", func(e *busEdge) (bool, error) {
			any := false
			for slot, before := range e.before.subs {
				if !before.ended || e.a.Op == OpSubscribe && e.a.Sub == slot {
					continue
				}
				any = true
				if after := e.after.subs[slot]; !after.ended || len(after.queue) > len(before.queue) {
					return true, fmt.Errorf("#%d: %v became %v", slot, before, after)
				}
			}
			return any, nil
		}},
		{"EVENTBUS-SUBSCRIBE-006", "what one consumer does is nothing to another", func(e *busEdge) (bool, error) {
			switch e.a.Op {
			case OpPublish, OpSeed, OpClose:
				return idle()
			}
			any := false
			for slot, before := range e.before.subs {
				if slot == e.a.Sub || !before.opened {
					continue
				}
				any = true
				after, t := e.after.subs[slot], e.turn(slot)
				if after.attached != before.attached || after.ended != before.ended || after.asks != before.asks || !t.inOrder || len(t.added) != 0 || len(t.handed) != 0 {
					return true, fmt.Errorf("#%d: %v became %v", slot, before, after)
				}
			}
			return any, nil
		}},
		{"EVENTBUS-WARN-005", "nothing but a publish begins or ends an episode", func(e *busEdge) (bool, error) {
			if e.a.Op == OpPublish {
				return idle()
			}
			any := false
			for slot, before := range e.before.subs {
				if !before.warned || e.a.Op == OpSubscribe && e.a.Sub == slot {
					continue
				}
				any = true
				if !e.after.subs[slot].warned {
					return true, fmt.Errorf("#%d: %s ended the episode", slot, e.a)
				}
			}
			return any, nil
		}},
	}
}
