package eventbusmodel

import (
	"iter"
	"slices"
)

// Init returns a fresh bus without subscriptions.
func (m *Bus) Init() BusState { return BusState{subs: make([]busSub, m.cfg.Slots)} }

// Actions yields the scope of the configuration.
func (m *Bus) Actions(BusState) iter.Seq[BusAction] { return slices.Values(m.cfg.Scope) }

// Step yields what a comes to, or nothing if it is impossible.
func (m *Bus) Step(s BusState, a BusAction) iter.Seq2[BusState, BusOutput] {
	return func(yield func(BusState, BusOutput) bool) {
		if next, o, ok := m.Do(s, a); ok {
			yield(next, o)
		}
	}
}

// Do is Step for one who wants the one outcome. It returns false if a is impossible in s: a slot that does not exist or was never opened, a subscription
// opened in a slot that is attached, more asks or events than the configuration allows, nothing to withdraw, seeding in the seed dialect.
func (m *Bus) Do(s BusState, a BusAction) (BusState, BusOutput, bool) {
	if !m.possible(s, a) {
		return s, BusOutput{}, false
	}
	s.subs = slices.Clone(s.subs)
	var o BusOutput
	switch a.Op {
	case OpPublish:
		m.publish(&s, a, &o)
	case OpSeed:
		m.seed(&s, a, &o)
	case OpSubscribe:
		m.subscribe(&s, a, &o)
	case OpNext:
		m.next(&s, a.Sub, &o)
	case OpWithdraw:
		s.subs[a.Sub].asks--
	case OpAbort:
		m.abort(&s, a.Sub, &o)
	case OpReturn:
		m.giveUp(&s, a.Sub, &o)
	case OpClose:
		m.close(&s, &o)
	}
	o.Last, o.Count = s.published, s.count
	if m.bug == bugStaleLast && a.Op == OpPublish {
		o.Last--
	}
	return s, o, true
}

func (m *Bus) possible(s BusState, a BusAction) bool {
	bounded := func(more int64) bool { return m.cfg.Events == 0 || s.published+more <= m.cfg.Events }
	switch a.Op {
	case OpPublish:
		return bounded(1)
	case OpSeed:
		return m.cfg.Dialect == Later && bounded(int64(len(a.Inputs)))
	case OpClose:
		return true
	}
	if a.Sub < 0 || a.Sub >= len(s.subs) {
		return false
	}
	switch sub := s.subs[a.Sub]; a.Op {
	case OpSubscribe:
		return !sub.attached && a.MaxQueued >= 0 && a.After >= 0
	case OpNext:
		return sub.opened && sub.asks < m.cfg.Asks
	case OpWithdraw:
		return sub.asks > 0
	case OpAbort, OpReturn:
		return sub.opened
	}
	return false
}

// next gives the head of the queue, says that there is nothing more, or waits.
func (m *Bus) next(s *BusState, slot int, o *BusOutput) {
	sub := &s.subs[slot]
	switch {
	case len(sub.queue) > 0:
		at := 0
		if m.bug == bugLastFirst {
			at = len(sub.queue) - 1
		}
		head := sub.queue[at]
		sub.queue = slices.Delete(slices.Clone(sub.queue), at, at+1)
		// EVENTBUS-QUEUE-002, EVENTBUS-QUEUE-007
		if !head.forced || m.bug == bugForcedGivesBack {
			sub.live--
			sub.bytes -= head.bytes
			if m.bug == bugBytesKept {
				sub.bytes += head.bytes
			}
		}
		// EVENTBUS-WARN-005: draining alone re-arms nothing.
		if m.bug == bugDrainRearms && sub.live == 0 {
			sub.warned = false
		}
		o.Next, o.Item = NextItem, &head.frame
		sub.sees(head.frame)
	case sub.ended:
		// EVENTBUS-SUBSCRIBE-007
		o.Next = NextDone
		m.detach(s, slot)
		if m.bug == bugEndCountsTwice && s.count > 0 {
			s.count--
		}
	default:
		sub.asks++
		o.Next = NextParked
	}
}

// sees notes what a consumer is given.
func (sub *busSub) sees(f Frame) {
	if f.ID != 0 {
		sub.seen.last = f.ID
		return
	}
	switch f.Type {
	case TypeResync:
		sub.seen.resyncs++
	case TypeReplayComplete:
		sub.seen.completes++
	case TypeEvicted:
		sub.seen.terminals++
	}
}

// abort drops what is buffered. EVENTBUS-EVICT-006, EVENTBUS-CLOSE-005: of a subscription that is over the signal is not heard any more.
func (m *Bus) abort(s *BusState, slot int, o *BusOutput) {
	sub := &s.subs[slot]
	if sub.ended && m.bug != bugAbortAlways {
		return
	}
	if m.bug != bugAbortDrains {
		// EVENTBUS-ABORT-001
		sub.queue, sub.live, sub.bytes = nil, 0, 0
	}
	m.end(s, slot, o)
	// EVENTBUS-ABORT-002
	if m.bug != bugAbortKeepsSlot {
		m.detach(s, slot)
	}
	if m.bug == bugTeardownTwice && s.count > 0 {
		s.count--
	}
	if m.bug == bugAbortAll {
		for i := range s.subs {
			if s.subs[i].attached {
				m.end(s, i, o)
				m.detach(s, i)
			}
		}
	}
}

// giveUp is the return of an iterator: what is buffered can still be drained. EVENTBUS-ABORT-005, EVENTBUS-ABORT-006
func (m *Bus) giveUp(s *BusState, slot int, o *BusOutput) {
	if m.bug == bugReturnKeepsSlot {
		return
	}
	m.end(s, slot, o)
	m.detach(s, slot)
	if sub := &s.subs[slot]; m.bug == bugReturnDrops {
		sub.queue, sub.live, sub.bytes = nil, 0, 0
	}
}

// close ends every subscription. EVENTBUS-CLOSE-001, EVENTBUS-CLOSE-002
func (m *Bus) close(s *BusState, o *BusOutput) {
	if s.closed && m.bug != bugCloseTwice {
		return
	}
	if s.closed {
		s.published++
	}
	s.closed = true
	for slot := range s.subs {
		if !s.subs[slot].attached {
			continue
		}
		if m.bug == bugCloseSays {
			m.force(s, slot, synthetic(TypeEvicted, Control{Reason: "closed"}), o)
		}
		if m.bug == bugCloseDrops {
			sub := &s.subs[slot]
			sub.queue, sub.live, sub.bytes = nil, 0, 0
		}
		m.end(s, slot, o)
		if m.bug != bugCloseKeeps {
			m.detach(s, slot)
		}
	}
}

// end closes the queue of a subscription: it takes nothing more, and calls of next that wait are told that there is nothing more.
func (m *Bus) end(s *BusState, slot int, o *BusOutput) {
	sub := &s.subs[slot]
	if sub.ended {
		return
	}
	sub.ended = true
	if m.bug == bugPendingStays {
		return
	}
	for ; sub.asks > 0; sub.asks-- {
		o.Handed = append(o.Handed, BusHanded{Sub: slot, Done: true})
	}
}

// detach frees the place of a subscription, once. EVENTBUS-SUBSCRIBE-007, EVENTBUS-ABORT-004
func (m *Bus) detach(s *BusState, slot int) {
	if !s.subs[slot].attached {
		return
	}
	s.subs[slot].attached = false
	s.count--
}

// force queues a frame that counts for nothing, at the back, or hands it to a call of next that waits.
// EVENTBUS-QUEUE-002, EVENTBUS-QUEUE-010, EVENTBUS-QUEUE-011
func (m *Bus) force(s *BusState, slot int, f Frame, o *BusOutput) {
	sub := &s.subs[slot]
	if sub.ended {
		return
	}
	if sub.asks > 0 {
		m.hand(s, slot, f, o)
		return
	}
	e := busEntry{frame: f, forced: true}
	if m.bug == bugForcedCounts {
		sub.live++
	}
	if m.bug == bugForcedInFront {
		sub.queue = slices.Insert(slices.Clone(sub.queue), 0, e)
		return
	}
	sub.queue = append(slices.Clone(sub.queue), e)
}

func (m *Bus) hand(s *BusState, slot int, f Frame, o *BusOutput) {
	sub := &s.subs[slot]
	sub.asks--
	sub.sees(f)
	o.Handed = append(o.Handed, BusHanded{Sub: slot, Frame: f})
}
