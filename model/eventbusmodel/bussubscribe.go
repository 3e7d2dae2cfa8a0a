package eventbusmodel

// subscribe opens a subscription: registration, what a cursor asks for, and what an aborted signal takes back.
func (m *Bus) subscribe(s *BusState, a BusAction, o *BusOutput) {
	// EVENTBUS-CLOSE-003
	if s.closed && m.bug != bugSubscribeClosed {
		if m.bug == bugClosedThrows && s.count == 0 {
			o.Limit = m.cfg.MaxSubscribers
			return
		}
		s.subs[a.Sub] = busSub{opened: true, ended: true}
		return
	}
	room := m.cfg.MaxSubscribers
	if m.bug == bugLimitLate {
		room++
	}
	// EVENTBUS-LIMIT-001, EVENTBUS-LIMIT-002, EVENTBUS-LIMIT-003
	if s.count >= room {
		o.Limit = m.cfg.MaxSubscribers
		if m.bug == bugLimitWrong {
			o.Limit++
		}
		if m.bug == bugLimitTakes {
			s.subs[a.Sub] = busSub{opened: true}
		}
		return
	}
	sub := busSub{opened: true, attached: true, limit: a.MaxQueued, callback: a.Callback}
	// EVENTBUS-SUBSCRIBE-004
	if sub.limit == 0 {
		sub.limit = DefaultMaxQueued
		if m.bug == bugDefaultCap {
			sub.limit = 128
		}
	}
	sub.seen = busSeen{start: s.published + 1}
	s.subs[a.Sub] = sub
	s.count++
	// EVENTBUS-SUBSCRIBE-001
	if m.bug == bugRegistersLate {
		s.subs[a.Sub].attached = false
		s.count--
	}
	// EVENTBUS-SUBSCRIBE-002, EVENTBUS-SUBSCRIBE-003, EVENTBUS-RESYNC-010
	cursor := a.Cursor
	switch m.bug {
	case bugZeroIsNone:
		cursor = a.Cursor && a.After > 0
	case bugEpochIsCursor:
		cursor = a.Cursor || a.Epoch == EpochWrong
	case bugAlwaysReplays:
		cursor = true
	}
	if cursor {
		m.replay(s, a, o)
	}
	if a.Aborted && m.bug != bugAbortedStays {
		// EVENTBUS-ABORT-003
		m.abort(s, a.Sub, o)
	}
	if m.bug == bugReplayWarns && len(s.subs[a.Sub].queue) > 2 {
		s.subs[a.Sub].warned = true
	}
}

// replay queues what a cursor asks for: the resync frame if there is a gap, the events that are retained, and replay_complete.
func (m *Bus) replay(s *BusState, a BusAction, o *BusOutput) {
	force := func(kind string, c Control) { m.force(s, a.Sub, synthetic(kind, c), o) }
	next := s.published + 1
	earliest := next
	if len(s.ring) > 0 {
		earliest = s.ring[0].ID
	}
	resync, reset := m.leading(s, a, next, earliest)
	if resync.Reason != "" {
		if m.bug == bugResyncExtra {
			resync.LastEventID = s.published
		}
		force(TypeResync, resync)
		if m.bug == bugResyncTwice {
			force(TypeResync, resync)
		}
	}
	// EVENTBUS-RESYNC-007
	after := a.After
	if reset && m.bug != bugResetKeepsCursor {
		after = 0
	}
	if m.bug == bugReplayInclusive {
		after--
	}
	if m.bug == bugCompleteFirst {
		force(TypeReplayComplete, Control{})
	}
	count, last, cut := m.retained(s, a.Sub, after, o)
	// EVENTBUS-REPLAY-011, EVENTBUS-RESYNC-011
	if cut != 0 && m.bug != bugCutSilent {
		c := Control{Reason: ReasonBudget, LastDelivered: last, Earliest: cut}
		if m.bug == bugCutCursor {
			c.LastDelivered = a.After
		}
		force(TypeResync, c)
	}
	m.complete(s, a, count, last, force)
	seen := &s.subs[a.Sub].seen
	seen.cursor, seen.after = true, a.After
	if seen.start = max(a.After+1, earliest); reset {
		seen.start = earliest
	}
	if cut != 0 {
		seen.holes = []int64{next}
	}
}

// retained queues the events behind a cursor that are retained and within the budget. It returns how many they are, the last
// of them, and the first that the budget cut off, or zero.
func (m *Bus) retained(s *BusState, to int, after int64, o *BusOutput) (count, last, cut int64) {
	var sum int64
	for _, f := range s.ring {
		if f.ID <= after || cut != 0 {
			continue
		}
		if m.bug == bugReplaySkips && f.ID == after+2 {
			continue
		}
		sum += f.Size
		// EVENTBUS-REPLAY-010
		over := m.cfg.Dialect == Later && sum > m.cfg.ReplayBudgetBytes && count > 0
		switch m.bug {
		case bugBudgetInclusive:
			over = m.cfg.Dialect == Later && sum >= m.cfg.ReplayBudgetBytes && count > 0
		case bugBudgetRefusesFirst:
			over = m.cfg.Dialect == Later && sum > m.cfg.ReplayBudgetBytes
		case bugBudgetNone:
			over = false
		}
		if over {
			cut = f.ID
			continue
		}
		m.force(s, to, f, o)
		if m.bug == bugReplayIsLive {
			sub := &s.subs[to]
			sub.queue[len(sub.queue)-1] = busEntry{frame: f, bytes: f.Size}
			sub.live++
			sub.bytes += f.Size
		}
		count, last = count+1, f.ID
	}
	return count, last, cut
}

// complete tells that the replay is over.
func (m *Bus) complete(s *BusState, a BusAction, count, last int64, force func(string, Control)) {
	// EVENTBUS-REPLAY-002, EVENTBUS-REPLAY-003, EVENTBUS-REPLAY-004
	c := Control{ReplayedCount: count, LastReplayedEvent: last}
	switch m.bug {
	case bugCompleteDifference:
		c.ReplayedCount = max(0, s.published-a.After)
	case bugCompleteAlwaysLast:
		c.LastReplayedEvent = s.published
	}
	if m.bug != bugCompleteNever && m.bug != bugCompleteFirst && (m.bug != bugCompleteUnlessEmpty || count > 0) {
		force(TypeReplayComplete, c)
	}
}

// leading returns the resync frame that opens the stream, if one does, and whether the cursor is of another bus.
// EVENTBUS-RESYNC-001 to 009, EVENTBUS-RESYNC-012
func (m *Bus) leading(s *BusState, a BusAction, next, earliest int64) (Control, bool) {
	mismatch := m.cfg.Dialect == Later && a.Epoch == EpochWrong && m.bug != bugEpochIgnored
	beyond := a.After >= next
	switch m.bug {
	case bugBeyondLate:
		beyond = a.After > next
	case bugEpochTrusted:
		beyond = beyond && a.Epoch != EpochRight
	}
	c := Control{LastDelivered: a.After, Earliest: earliest}
	switch {
	case mismatch || beyond:
		c.Reason = ReasonEpochReset
		if mismatch && m.bug != bugNoDetail {
			c.Detail = DetailMismatch
		}
		if m.bug == bugEarliestZero && len(s.ring) == 0 {
			c.Earliest = 0
		}
		return c, true
	case len(s.ring) == 0 && a.After < s.published:
		if m.bug == bugSeededSilent {
			return Control{}, false
		}
		c.Reason = ReasonNotInRing
		return c, false
	case len(s.ring) > 0 && earliest > a.After+1 && m.bug != bugGapSilent:
		if m.bug == bugGapLate && earliest == a.After+2 {
			return Control{}, false
		}
		c.Reason = ReasonRingEvicted
		if m.bug == bugGapNext {
			c.Earliest = next
		}
		return c, false
	case m.bug == bugGapEarly && len(s.ring) > 0 && earliest == a.After+1:
		c.Reason = ReasonRingEvicted
		return c, false
	}
	return Control{}, false
}
