package eventbusmodel

// leads checks one law for a subscription with a cursor, with the resync frame that it opens with, if any.
func (e *busEdge) leads(when func() bool, check func(st stream, first Control) (bool, error)) (bool, error) {
	st, ok := e.stream()
	if !ok || !when() {
		return idle()
	}
	var first Control
	if st.leads {
		first = st.frames[0].Control
	}
	return check(st, first)
}

func resyncRules() []edgeRule {
	ringed := func(e *busEdge) bool { return len(e.before.ring) > 0 }
	gap := func(e *busEdge) bool { return ringed(e) && e.before.ring[0].ID > e.a.After+1 }
	earliest := func(e *busEdge) int64 {
		if ringed(e) {
			return e.before.ring[0].ID
		}
		return e.before.published + 1
	}
	return []edgeRule{
		{"EVENTBUS-RESYNC-001", "ring_evicted if and only if the ring begins behind the event after the cursor", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return !e.beyond() && ringed(e) }, func(_ stream, first Control) (bool, error) {
				return unless(gap(e) == (first.Reason == ReasonRingEvicted), "cursor %d, ring %v: %q", e.a.After, e.before.ring, first.Reason)
			})
		}},
		{"EVENTBUS-RESYNC-002", "ring_evicted names the cursor and the first id of the ring", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return !e.beyond() && gap(e) }, func(_ stream, first Control) (bool, error) {
				want := Control{Reason: ReasonRingEvicted, LastDelivered: e.a.After, Earliest: earliest(e)}
				return unless(first == want || first == Control{}, "%+v, want %+v", first, want)
			})
		}},
		{"EVENTBUS-RESYNC-003", "at most one resync leads, as the first item", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return true }, func(st stream, _ Control) (bool, error) {
				leading := 0
				for i, f := range st.frames {
					if f.Type == TypeResync && f.Control.Reason != ReasonBudget {
						if leading++; i != 0 {
							return unless(false, "%v", st.frames)
						}
					}
				}
				return leading == 1, nil
			})
		}},
		{"EVENTBUS-RESYNC-004", "a resync ends nothing", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return true }, func(st stream, _ Control) (bool, error) {
				if len(st.resyncs) == 0 {
					return idle()
				}
				return unless(st.sub.attached && !st.sub.ended && len(st.complete) == 1, "%v", st.sub)
			})
		}},
		{"EVENTBUS-RESYNC-005", "epoch_reset if and only if the cursor is beyond the last id", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return !e.mismatch() }, func(_ stream, first Control) (bool, error) {
				return unless((e.a.After >= e.before.published+1) == (first.Reason == ReasonEpochReset), "cursor %d, last %d: %q", e.a.After, e.before.published, first.Reason)
			})
		}},
		{"EVENTBUS-RESYNC-006", "epoch_reset names the cursor and the first id of the ring, or the next id", func(e *busEdge) (bool, error) {
			return e.leads(e.beyond, func(_ stream, first Control) (bool, error) {
				first.Detail = ""
				want := Control{Reason: ReasonEpochReset, LastDelivered: e.a.After, Earliest: earliest(e)}
				return unless(first == want || first.Reason != ReasonEpochReset, "%+v, want %+v", first, want)
			})
		}},
		{"EVENTBUS-RESYNC-007", "epoch_reset replays the whole ring", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return e.beyond() && ringed(e) }, func(st stream, _ Control) (bool, error) {
				_, allowed := e.wanted()
				return unless(len(st.replayed) == allowed && st.replayed[0].ID == earliest(e), "ring %v, replayed %v", e.before.ring, st.replayed)
			})
		}},
		{"EVENTBUS-RESYNC-008", "later: another epoch resets whatever the cursor", func(e *busEdge) (bool, error) {
			return e.leads(e.mismatch, func(_ stream, first Control) (bool, error) {
				return unless(first.Reason == ReasonEpochReset && first.Detail == DetailMismatch, "%+v", first)
			})
		}},
		{"EVENTBUS-RESYNC-009", "later: the right epoch leaves the rule of numbers", func(e *busEdge) (bool, error) {
			return e.leads(func() bool {
				return e.m.cfg.Dialect == Later && e.a.Epoch == EpochRight && e.a.After > e.before.published
			}, func(_ stream, first Control) (bool, error) {
				return unless(first.Reason == ReasonEpochReset && first.Detail == "", "%+v", first)
			})
		}},
		{"EVENTBUS-RESYNC-010", "later: an epoch without a cursor is nothing", func(e *busEdge) (bool, error) {
			if !e.opened() || e.a.Cursor || e.a.Epoch == EpochAbsent || e.m.cfg.Dialect != Later {
				return idle()
			}
			return unless(len(e.after.subs[e.a.Sub].queue) == 0, "%v", e.after.subs[e.a.Sub])
		}},
		{"EVENTBUS-RESYNC-011", "later: replay_budget_exceeded names the last event replayed and the first one not", func(e *busEdge) (bool, error) {
			all, allowed := e.wanted()
			return e.leads(func() bool { return allowed < len(all) }, func(st stream, _ Control) (bool, error) {
				want := Control{Reason: ReasonBudget, LastDelivered: all[allowed-1].ID, Earliest: all[allowed].ID}
				got := st.resyncs
				return unless(len(got) > 0 && got[len(got)-1] == want, "%+v, want %+v", got, want)
			})
		}},
		{"EVENTBUS-RESYNC-012", "later: an empty ring behind the cursor is said", func(e *busEdge) (bool, error) {
			return e.leads(func() bool { return e.m.cfg.Dialect == Later && !e.beyond() && !ringed(e) }, func(_ stream, first Control) (bool, error) {
				var want Control
				if e.a.After < e.before.published {
					want = Control{Reason: ReasonNotInRing, LastDelivered: e.a.After, Earliest: e.before.published + 1}
				}
				return unless(first == want, "%+v, want %+v", first, want)
			})
		}},
	}
}
