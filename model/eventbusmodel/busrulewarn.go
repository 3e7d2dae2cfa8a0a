package eventbusmodel

import "fmt"

// A lag is how a subscriber stood after a publish that it accepted, in whole numbers: 8 times the backlog against 3 times the cap, and 4 times against 3.
type lag struct {
	calm, manyFrames, manyBytes bool
	warnings                    []Frame
}

// armed says that a warning may come: none was given, or the backlog has fallen far enough.
func (l lag) armed(t turn) bool { return !t.before.warned || l.calm }

func (e *busEdge) lag(t turn) lag {
	live, bytes := int64(t.before.live), t.before.bytes
	if t.before.asks == 0 {
		live, bytes = live+1, bytes+e.o.Event.Size
	}
	frameCap, byteCap := int64(t.before.limit), e.m.cfg.MaxQueuedBytes
	return lag{
		calm:       8*live <= 3*frameCap && 8*bytes <= 3*byteCap,
		manyFrames: 4*live >= 3*frameCap, manyBytes: 4*bytes >= 3*byteCap,
		warnings: t.gained(TypeWarning),
	}
}

// lagging checks one law for every subscriber that accepted the event.
func (e *busEdge) lagging(check func(t turn, l lag) (bool, error)) (bool, error) {
	return e.each(func(t turn) (bool, error) {
		if t.after.evicted {
			return idle()
		}
		return check(t, e.lag(t))
	})
}

func warnRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-WARN-001", "a warning comes with the frame that reaches three quarters of the cap", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if l.manyBytes || !l.armed(t) {
					return idle()
				}
				return unless(l.manyFrames == (len(l.warnings) == 1), "%d live of %d, %d warnings", t.after.live, t.after.limit, len(l.warnings))
			})
		}},
		{"EVENTBUS-WARN-002", "a warning comes with the octets that reach three quarters of the cap", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if l.manyFrames || !l.armed(t) {
					return idle()
				}
				return unless(l.manyBytes == (len(l.warnings) == 1), "%d octets of %d, %d warnings", t.after.bytes, e.m.cfg.MaxQueuedBytes, len(l.warnings))
			})
		}},
		{"EVENTBUS-WARN-003", "one warning an episode", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if !t.before.warned || l.calm || !l.manyFrames && !l.manyBytes {
					return idle()
				}
				return unless(len(l.warnings) == 0, "warned again at %d live of %d octets", t.after.live, t.after.bytes)
			})
		}},
		{"EVENTBUS-WARN-004", "an episode ends when both backlogs are at three eighths or below after a push", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if !t.before.warned {
					return idle()
				}
				return unless(t.after.warned == (!l.calm || l.manyFrames || l.manyBytes), "%d live of %d, %d octets of %d: warned %t",
					t.after.live, t.after.limit, t.after.bytes, e.m.cfg.MaxQueuedBytes, t.after.warned)
			})
		}},
		{"EVENTBUS-WARN-006", "caps of 1 and 2 are re-armed only by a direct delivery", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, _ lag) (bool, error) {
				if !t.before.warned || t.before.limit > 2 {
					return idle()
				}
				return unless(t.after.warned == (t.before.asks == 0), "cap %d, %d calls waited: warned %t", t.before.limit, t.before.asks, t.after.warned)
			})
		}},
		{"EVENTBUS-WARN-007", "the warning is right behind its trigger", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if len(l.warnings) == 0 {
					return idle()
				}
				behind := t.inOrder && len(t.added) >= 2 && t.added[0].frame == *e.o.Event && t.added[1].frame.Type == TypeWarning && t.added[1].forced
				return unless(behind, "queue %v became %v", t.before, t.after)
			})
		}},
		{"EVENTBUS-WARN-008", "queueSize, maxQueued and lastEventId of a warning", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				for _, w := range l.warnings {
					c := w.Control
					if c.QueueSize != int64(t.before.live+1) || c.MaxQueued != int64(t.before.limit) || c.LastEventID != e.o.Event.ID || w.ID != 0 {
						return true, fmt.Errorf("%+v for %v and event %d", c, t.before, e.o.Event.ID)
					}
				}
				return len(l.warnings) > 0, nil
			})
		}},
		{"EVENTBUS-WARN-009", "later: octets and threshold of a warning", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if e.m.cfg.Dialect != Later {
					return idle()
				}
				want := "frames_and_bytes"
				switch {
				case !l.manyBytes:
					want = "frames"
				case !l.manyFrames:
					want = "bytes"
				}
				for _, w := range l.warnings {
					c := w.Control
					if c.Threshold != want || c.QueuedBytes != t.before.bytes+e.o.Event.Size || c.MaxQueuedBytes != e.m.cfg.MaxQueuedBytes {
						return true, fmt.Errorf("%+v for %v, want threshold %s", c, t.before, want)
					}
				}
				return len(l.warnings) > 0, nil
			})
		}},
		{"EVENTBUS-WARN-010", "a warning is private and ends nothing", func(e *busEdge) (bool, error) {
			return e.lagging(func(t turn, l lag) (bool, error) {
				if len(l.warnings) == 0 {
					return idle()
				}
				due := l.armed(t) && (l.manyFrames || l.manyBytes)
				return unless(due && t.after.attached && !t.after.ended, "warned %v, which became %v", t.before, t.after)
			})
		}},
		{"EVENTBUS-WARN-011", "the event that evicts does not warn", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				if !t.after.evicted {
					return idle()
				}
				return unless(len(t.gained(TypeWarning)) == 0, "evicted and warned: %v", t.after)
			})
		}},
		{"EVENTBUS-WARN-012", "octets can evict with no warning before", func(e *busEdge) (bool, error) {
			return e.each(func(t turn) (bool, error) {
				ev, evicted := e.eviction(t.slot)
				if !evicted || ev.Data.Reason != ReasonBytesOverflow || t.before.warned {
					return idle()
				}
				return unless(len(t.gained(TypeWarning)) == 0 && len(t.gained(TypeEvicted)) == 1, "%v", t.after)
			})
		}},
	}
}
