package eventbusmodel

import (
	"fmt"
	"slices"
)

func queueStateRules() []stateRule {
	perSub := func(law, title string, check func(m *Bus, sub busSub) (bool, error)) stateRule {
		return stateRule{law, title, func(m *Bus, s BusState) (bool, error) {
			any := false
			for slot, sub := range s.subs {
				if !sub.opened {
					continue
				}
				applies, err := check(m, sub)
				any = any || applies
				if err != nil {
					return true, fmt.Errorf("#%d: %w", slot, err)
				}
			}
			return any, nil
		}}
	}
	return []stateRule{
		perSub("EVENTBUS-QUEUE-002", "forced frames count for nothing, live ones for all that they are", func(_ *Bus, sub busSub) (bool, error) {
			live, bytes := 0, int64(0)
			for _, e := range sub.queue {
				if !e.forced {
					live++
					bytes += e.frame.Size
				}
			}
			return unless(sub.live == live && sub.bytes == bytes, "counted %d of %d octets, are %d of %d", sub.live, sub.bytes, live, bytes)
		}),
		perSub("EVENTBUS-QUEUE-001", "no more live frames than the cap", func(_ *Bus, sub busSub) (bool, error) {
			return unless(sub.live <= sub.limit, "%d live, cap %d", sub.live, sub.limit)
		}),
		perSub("EVENTBUS-QUEUE-004", "no more live octets than the cap, but for one event alone", func(m *Bus, sub busSub) (bool, error) {
			sized, bytes := 0, int64(0)
			for _, e := range sub.queue {
				if !e.forced && !e.frame.Unserialisable {
					sized++
					bytes += e.frame.Size
				}
			}
			return unless(sized <= 1 || bytes <= m.cfg.MaxQueuedBytes, "%d octets in %d frames, cap %d", bytes, sized, m.cfg.MaxQueuedBytes)
		}),
		perSub("EVENTBUS-QUEUE-003", "who waits has an empty, open queue", func(_ *Bus, sub busSub) (bool, error) {
			if sub.asks == 0 {
				return idle()
			}
			return unless(len(sub.queue) == 0 && !sub.ended, "waits with %v", sub)
		}),
		perSub("EVENTBUS-EVICT-002", "an evicted consumer gets one client_evicted, and it is the last item", func(_ *Bus, sub busSub) (bool, error) {
			n := sub.seen.terminals
			for i, e := range sub.queue {
				if e.frame.Type == TypeEvicted && e.forced {
					n++
					if i != len(sub.queue)-1 {
						return true, fmt.Errorf("client_evicted is followed by %v", sub.queue[i+1].frame)
					}
				}
			}
			want := 0
			if sub.evicted {
				want = 1
			}
			return unless(n == want && (!sub.evicted || sub.ended), "evicted %t, ended %t, %d client_evicted", sub.evicted, sub.ended, n)
		}),
		perSub("EVENTBUS-REPLAY-002", "one replay_complete for a cursor, after what is replayed and before what is live", func(_ *Bus, sub busSub) (bool, error) {
			n, place := sub.seen.completes, sub.seen.completes
			for _, e := range sub.queue {
				switch {
				case e.frame.Type == TypeReplayComplete && e.frame.Synthetic():
					n, place = n+1, 1
				case e.forced && e.frame.ID != 0 && place > 0:
					return true, fmt.Errorf("%v is replayed after replay_complete", e.frame)
				case !e.forced && sub.seen.cursor && place == 0:
					return true, fmt.Errorf("%v is live before replay_complete", e.frame)
				}
			}
			switch {
			case !sub.seen.cursor:
				return unless(n == 0, "%d replay_complete without a cursor", n)
			case !sub.attached && !sub.evicted:
				return unless(n <= 1, "%d replay_complete", n)
			}
			return unless(n == 1, "%d replay_complete", n)
		}),
		perSub("EVENTBUS-REPLAY-008", "the ids that are buffered follow each other", func(_ *Bus, sub busSub) (bool, error) {
			last, any := sub.seen.last, false
			for _, e := range sub.queue {
				if e.frame.ID == 0 {
					continue
				}
				want := last + 1
				if last == 0 {
					want = sub.seen.start
				}
				if e.frame.ID != want && !slices.Contains(sub.seen.holes, e.frame.ID) {
					return true, fmt.Errorf("%d follows %d, want %d", e.frame.ID, last, want)
				}
				any, last = true, e.frame.ID
			}
			return any, nil
		}),
	}
}

func queueRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-QUEUE-001", "a full queue refuses, and only a full one for its frames", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				if t.before.asks > 0 {
					return idle()
				}
				ev, evicted := e.eviction(t.slot)
				full := t.before.live >= t.before.limit
				return unless(full == (evicted && ev.Data.Reason == ReasonOverflow), "live %d, cap %d, evicted %t %s", t.before.live, t.before.limit, evicted, ev.Data.Reason)
			})
		}},
		{"EVENTBUS-QUEUE-003", "an event for one who waits is handed over and changes no count", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				if t.before.asks == 0 {
					return idle()
				}
				one := len(t.handed) == 1 && t.handed[0].Frame == *e.o.Event && t.after.asks == t.before.asks-1
				return unless(one && t.after.live == t.before.live && t.after.bytes == t.before.bytes && len(t.after.queue) == 0, "%v became %v, handed %v", t.before, t.after, t.handed)
			})
		}},
		{"EVENTBUS-QUEUE-004", "octets refuse only beyond the cap and behind a live frame", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				size, unsized := e.size()
				if t.before.asks > 0 || t.before.live >= t.before.limit || unsized {
					return idle()
				}
				ev, evicted := e.eviction(t.slot)
				heavy := t.before.live > 0 && t.before.bytes+size > e.m.cfg.MaxQueuedBytes
				return unless(heavy == (evicted && ev.Data.Reason == ReasonBytesOverflow), "%d live octets and %d more, cap %d, evicted %t",
					t.before.bytes, size, e.m.cfg.MaxQueuedBytes, evicted)
			})
		}},
		{"EVENTBUS-QUEUE-005", "one event of any size is admitted when no live frame is buffered, and the next is not", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				size, unsized := e.size()
				switch {
				case t.before.asks > 0 || unsized:
					return idle()
				case t.before.live == 0 && size > e.m.cfg.MaxQueuedBytes:
					return unless(!t.after.evicted && t.after.live == 1, "an event of %d octets was refused by %v", size, t.before)
				case t.before.bytes > e.m.cfg.MaxQueuedBytes:
					return unless(t.after.evicted, "an event was admitted behind %d octets", t.before.bytes)
				}
				return idle()
			})
		}},
		{"EVENTBUS-QUEUE-006", "the frame cap goes first", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				size, _ := e.size()
				if t.before.asks > 0 || t.before.live < t.before.limit || t.before.bytes+size <= e.m.cfg.MaxQueuedBytes {
					return idle()
				}
				ev, _ := e.eviction(t.slot)
				return unless(ev.Data.Reason == ReasonOverflow && ev.Data.EventBytes == 0, "both caps refuse: %+v", ev.Data)
			})
		}},
		{"EVENTBUS-CONCURRENCY-001", "each of several calls that wait gets an event of its own, in call order", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				if t.before.asks < 2 {
					return idle()
				}
				return unless(len(t.handed) == 1 && t.after.asks == t.before.asks-1, "%d calls wait, %d got event %d", t.before.asks, len(t.handed), e.o.Event.ID)
			})
		}},
		{"EVENTBUS-REPLAY-007", "frames that do not count leave the whole allowance", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				size, _ := e.size()
				forced := len(t.before.queue) - t.before.live
				if t.before.asks > 0 || forced == 0 || t.before.live >= t.before.limit || t.before.bytes+size > e.m.cfg.MaxQueuedBytes {
					return idle()
				}
				return unless(!t.after.evicted, "evicted with %d live of %d and %d that do not count", t.before.live, t.before.limit, forced)
			})
		}},
	}
}
