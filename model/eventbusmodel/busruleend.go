package eventbusmodel

import "fmt"

// done returns how many calls of next on a slot were told that there is nothing more.
func (e *busEdge) done(slot int) int {
	n := 0
	for _, h := range e.o.Handed {
		if h.Sub == slot && h.Done {
			n++
		}
	}
	return n
}

// exit returns the turn of the subscription that an action is about to end, if it is one of op and the subscription is attached.
func (e *busEdge) exit(op BusOp) (turn, bool) {
	if e.a.Op != op || !e.before.subs[e.a.Sub].attached {
		return turn{}, false
	}
	return e.turn(e.a.Sub), true
}

func endRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-ABORT-001", "abort drops what is buffered and ends what waits", func(e *busEdge) (bool, error) {
			t, ok := e.exit(OpAbort)
			if !ok {
				return idle()
			}
			return unless(len(t.after.queue) == 0 && t.after.ended && t.after.live == 0 && e.done(t.slot) == t.before.asks, "%v became %v", t.before, t.after)
		}},
		{"EVENTBUS-ABORT-002", "abort frees the place at once", func(e *busEdge) (bool, error) {
			if _, ok := e.exit(OpAbort); !ok {
				return idle()
			}
			return unless(e.o.Count == e.before.count-1 && !e.after.subs[e.a.Sub].attached, "count from %d to %d", e.before.count, e.o.Count)
		}},
		{"EVENTBUS-ABORT-003", "a signal that is aborted already gives a subscription that is over", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSubscribe || !e.a.Aborted || e.before.closed || e.o.Limit != 0 {
				return idle()
			}
			sub := e.after.subs[e.a.Sub]
			return unless(sub.ended && !sub.attached && len(sub.queue) == 0 && e.o.Count == e.before.count, "%v, count %d", sub, e.o.Count)
		}},
		{"EVENTBUS-ABORT-004", "what is over does not end again", func(e *busEdge) (bool, error) {
			switch {
			case e.a.Op == OpClose && e.before.closed:
			case (e.a.Op == OpAbort || e.a.Op == OpReturn) && e.before.subs[e.a.Sub].ended:
			default:
				return idle()
			}
			return unless(e.o.Count == e.before.count && len(e.o.Handed) == 0, "%s: count from %d to %d", e.a, e.before.count, e.o.Count)
		}},
		{"EVENTBUS-ABORT-005", "return frees the place and closes the queue", func(e *busEdge) (bool, error) {
			t, ok := e.exit(OpReturn)
			if !ok {
				return idle()
			}
			return unless(t.after.ended && !t.after.attached && e.o.Count == e.before.count-1 && e.done(t.slot) == t.before.asks, "%v became %v", t.before, t.after)
		}},
		{"EVENTBUS-ABORT-006", "return keeps what is buffered", func(e *busEdge) (bool, error) {
			t, ok := e.exit(OpReturn)
			if !ok || len(t.before.queue) == 0 {
				return idle()
			}
			return unless(t.inOrder && len(t.added) == 0, "%v became %v", t.before, t.after)
		}},
		{"EVENTBUS-EVICT-006", "an abort after the eviction changes nothing", func(e *busEdge) (bool, error) {
			if e.a.Op != OpAbort || !e.before.subs[e.a.Sub].evicted {
				return idle()
			}
			t := e.turn(e.a.Sub)
			return unless(t.inOrder && len(t.added) == 0 && e.after.count == e.before.count, "%v became %v", t.before, t.after)
		}},
		{"EVENTBUS-CLOSE-001", "close keeps what is buffered, adds nothing and ends what waits", func(e *busEdge) (bool, error) {
			if e.a.Op != OpClose || e.before.closed {
				return idle()
			}
			any := false
			for _, t := range e.turns() {
				any = true
				if !t.inOrder || len(t.added) != 0 || !t.after.ended || len(t.handed) != t.before.asks || e.done(t.slot) != t.before.asks {
					return true, fmt.Errorf("#%d: %v became %v", t.slot, t.before, t.after)
				}
			}
			return any, nil
		}},
		{"EVENTBUS-CLOSE-002", "close empties the set, and a second one does nothing", func(e *busEdge) (bool, error) {
			if e.a.Op != OpClose {
				return idle()
			}
			return unless(e.o.Count == 0 && e.after.closed && e.after.published == e.before.published, "count %d, last %d", e.o.Count, e.o.Last)
		}},
		{"EVENTBUS-CLOSE-003", "a subscription to a closed bus is over and empty", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSubscribe || !e.before.closed {
				return idle()
			}
			sub := e.after.subs[e.a.Sub]
			return unless(e.o.Limit == 0 && sub.opened && sub.ended && !sub.attached && len(sub.queue) == 0, "limit %d, %v", e.o.Limit, sub)
		}},
		{"EVENTBUS-CLOSE-005", "an abort after close takes nothing back", func(e *busEdge) (bool, error) {
			if e.a.Op != OpAbort || !e.before.closed || len(e.before.subs[e.a.Sub].queue) == 0 {
				return idle()
			}
			t := e.turn(e.a.Sub)
			return unless(t.inOrder && len(t.added) == 0, "%v became %v", t.before, t.after)
		}},
		{"EVENTBUS-EVICT-002", "the end is the end for ever", func(e *busEdge) (bool, error) {
			if e.a.Op != OpNext {
				return idle()
			}
			sub := e.before.subs[e.a.Sub]
			if !sub.ended || len(sub.queue) != 0 {
				return idle()
			}
			return unless(e.o.Next == NextDone && e.o.Count == e.before.count, "next of %v: %s", sub, e.o.Next)
		}},
		{"EVENTBUS-LIMIT-001", "subscribe throws if and only if the limit is reached", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSubscribe || e.before.closed {
				return idle()
			}
			return unless((e.before.count >= e.m.cfg.MaxSubscribers) == (e.o.Limit != 0), "%d subscribers of %d, threw %d", e.before.count, e.m.cfg.MaxSubscribers, e.o.Limit)
		}},
		{"EVENTBUS-LIMIT-002", "the error carries the limit", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSubscribe || e.o.Limit == 0 {
				return idle()
			}
			return unless(e.o.Limit == e.m.cfg.MaxSubscribers, "limit %d, want %d", e.o.Limit, e.m.cfg.MaxSubscribers)
		}},
		{"EVENTBUS-LIMIT-003", "a subscription that is refused changes nothing", func(e *busEdge) (bool, error) {
			if e.a.Op != OpSubscribe || e.o.Limit == 0 {
				return idle()
			}
			before, after := e.m.AppendKey(nil, e.before), e.m.AppendKey(nil, e.after)
			return unless(string(before) == string(after) && len(e.o.Handed) == 0, "%v became %v", e.before, e.after)
		}},
	}
}
