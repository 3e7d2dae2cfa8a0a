package eventbusmodel

import "slices"

// finish makes the event of an input: the id, the version and the time of publishing. EVENTBUS-PUBLISH-004, EVENTBUS-PUBLISH-005
func (m *Bus) finish(in Input, id int64, now float64) Frame {
	f := Frame{
		V: SchemaVersion, ID: id, Type: in.Type, Data: in.Data, Originator: in.Originator, Meta: in.Meta, Timestamp: now,
		Unserialisable: in.Unserialisable,
	}
	if in.Stamp.Kind == StampNumber && m.bug != bugStampsAlways {
		f.Timestamp = in.Stamp.Value
	}
	if in.Unserialisable {
		f.Data = ""
	}
	switch {
	case in.Unserialisable:
	case in.Size != 0:
		f.Size = in.Size
	default:
		f.Size = sizeOf(f)
	}
	switch m.bug {
	case bugSizeOfData:
		f.Size = int64(len(in.Data))
	case bugForgetsOriginator:
		f.Originator = ""
	case bugOldVersion:
		f.V = 0
	}
	return f
}

func (m *Bus) publish(s *BusState, a BusAction, o *BusOutput) {
	// EVENTBUS-PUBLISH-002
	if s.closed && m.bug != bugPublishClosed {
		o.Refused = true
		return
	}
	id := s.published + 1
	if m.bug == bugSameID && id > 1 {
		id--
	}
	f := m.finish(a.Input, id, a.Now)
	if m.cfg.Dialect == Later {
		o.Sized = m.bug != bugSizesLazily
		// EVENTBUS-PUBLISH-008
		if f.Unserialisable && m.bug != bugDeliversUnsized {
			o.Refused, o.Unsized = true, true
			if m.bug == bugRefusalBurns {
				s.published++
			}
			return
		}
	}
	s.published++
	// EVENTBUS-RING-001, EVENTBUS-RING-002, EVENTBUS-RING-004: the ring comes first.
	m.retain(s, f)
	for slot := range s.subs {
		if s.subs[slot].attached {
			m.deliver(s, slot, f, o)
		}
	}
	o.Event = &f
	if m.bug == bugReturnsNothing {
		o.Event = &Frame{}
	}
}

func (m *Bus) retain(s *BusState, f Frame) {
	s.ring = append(slices.Clone(s.ring), f)
	room := m.cfg.RingSize
	switch m.bug {
	case bugRingTrimsEarly:
		room--
	case bugRingTrimsLate:
		room++
	}
	if len(s.ring) > room {
		if m.bug == bugRingDropsNewest {
			s.ring = slices.Delete(s.ring, len(s.ring)-2, len(s.ring)-1)
			return
		}
		s.ring = s.ring[1:]
	}
}

// deliver offers an event to one subscriber, evicts it if its queue refuses, and else sees whether to warn it.
func (m *Bus) deliver(s *BusState, slot int, f Frame, o *BusOutput) {
	reason := m.push(s, slot, f, o)
	if reason != "" {
		m.evict(s, slot, f, reason, o)
		if m.bug == bugEvictWarns {
			sub := &s.subs[slot]
			sub.queue = append(slices.Clone(sub.queue), busEntry{frame: m.warning(sub, f), forced: true})
		}
		return
	}
	m.warn(s, slot, f, o)
	if m.bug == bugTwice {
		m.push(s, slot, f, o)
	}
}

// push queues a live event and returns nothing, or returns why it does not.
func (m *Bus) push(s *BusState, slot int, f Frame, o *BusOutput) string {
	sub := &s.subs[slot]
	// EVENTBUS-QUEUE-003
	if sub.asks > 0 && m.bug != bugNoDirect {
		m.hand(s, slot, f, o)
		if m.bug == bugDirectCounts {
			sub.live++
		}
		return ""
	}
	limit := sub.limit
	switch m.bug {
	case bugCapLate:
		limit++
	case bugCapEarly:
		limit--
	}
	backlog := sub.live
	if m.bug == bugReplayCounts {
		backlog = len(sub.queue)
	}
	full := backlog >= limit
	// EVENTBUS-QUEUE-004, EVENTBUS-QUEUE-005. EVENTBUS-PUBLISH-007: what has no size is not measured.
	heavy := sub.live > 0 && !f.Unserialisable && sub.bytes+f.Size > m.cfg.MaxQueuedBytes
	switch m.bug {
	case bugBytesInclusive:
		heavy = sub.live > 0 && sub.bytes+f.Size >= m.cfg.MaxQueuedBytes
	case bugBytesLoose:
		heavy = sub.live > 0 && sub.bytes > m.cfg.MaxQueuedBytes
	case bugOversizedRefused:
		heavy = sub.bytes+f.Size > m.cfg.MaxQueuedBytes
	case bugUnsizedHeavy:
		heavy = heavy || sub.live > 0 && f.Unserialisable
	}
	if m.bug == bugBytesFirst && heavy {
		o.Sized = true
		return ReasonBytesOverflow
	}
	// EVENTBUS-QUEUE-001, EVENTBUS-QUEUE-006
	if full {
		return ReasonOverflow
	}
	// EVENTBUS-QUEUE-009
	if m.cfg.Dialect == Seed && m.bug != bugSizesNever {
		o.Sized = true
	}
	if f.Unserialisable {
		o.Unsized = true
	}
	if heavy {
		return ReasonBytesOverflow
	}
	sub.queue = append(slices.Clone(sub.queue), busEntry{frame: f, bytes: f.Size})
	sub.live++
	sub.bytes += f.Size
	if m.bug == bugUnsizedFree && f.Unserialisable {
		sub.live--
	}
	return ""
}

// evict says goodbye to a subscriber. EVENTBUS-EVICT-001 to 008
func (m *Bus) evict(s *BusState, slot int, f Frame, reason string, o *BusOutput) {
	sub := &s.subs[slot]
	sub.evicted = true
	c := Control{
		Reason: reason, DroppedAfter: f.ID, QueueSize: int64(sub.live), MaxQueued: int64(sub.limit),
		QueuedBytes: sub.bytes, MaxQueuedBytes: m.cfg.MaxQueuedBytes,
	}
	if reason == ReasonBytesOverflow || m.bug == bugAlwaysEventBytes {
		c.EventBytes = f.Size
	}
	switch m.bug {
	case bugDroppedBefore:
		c.DroppedAfter--
	case bugEvictMeasuresAfter:
		c.QueueSize++
	case bugEvictExtra:
		c.LastEventID = f.ID
	}
	goodbye := synthetic(TypeEvicted, c)
	if m.bug == bugEvictHasID {
		goodbye.ID = f.ID
	}
	if m.bug == bugEvictDrops {
		sub.queue, sub.live, sub.bytes = nil, 0, 0
	}
	if m.bug != bugEvictSilent {
		m.force(s, slot, goodbye, o)
	}
	if m.bug == bugEvictTwice {
		m.force(s, slot, goodbye, o)
	}
	if m.bug == bugEvictTakesNumber {
		s.published++
	}
	if m.bug == bugRingHoldsSynthetic {
		s.ring = append(slices.Clone(s.ring), goodbye)
	}
	if m.bug == bugRingLosesRefused {
		s.ring = s.ring[:len(s.ring)-1]
	}
	if m.bug != bugEvictStaysOpen {
		m.end(s, slot, o)
	}
	if m.bug != bugEvictKeepsSlot {
		m.detach(s, slot)
	}
	if m.bug == bugEvictAll {
		for i := range s.subs {
			m.end(s, i, o)
			m.detach(s, i)
		}
	}
	note := BusEviction{Sub: slot, Data: c, Line: true}
	if m.cfg.Dialect == Later && sub.callback != CallbackAbsent {
		note.Callback, note.TriggerType, note.TriggerBytes = true, f.Type, f.Size
		note.Line = sub.callback != CallbackTakes || m.bug == bugLineAlways
	}
	o.Evictions = append(o.Evictions, note)
}

// warn looks at the backlog of a subscriber right after an accepted event, as EVENTBUS-WARN-001 to 005 say.
func (m *Bus) warn(s *BusState, slot int, f Frame, o *BusOutput) {
	sub := &s.subs[slot]
	frames, bytes := float64(sub.live), float64(sub.bytes)
	frameCap, byteCap := float64(sub.limit), float64(m.cfg.MaxQueuedBytes)
	calm := frames <= 0.375*frameCap && bytes <= 0.375*byteCap
	switch m.bug {
	case bugRearmEither:
		calm = frames <= 0.375*frameCap || bytes <= 0.375*byteCap
	case bugRearmStrict:
		calm = frames < 0.375*frameCap && bytes < 0.375*byteCap
	case bugRearmNever:
		calm = false
	case bugRearmSmall:
		calm = calm || frames <= 1
	}
	if sub.warned && calm {
		sub.warned = false
	}
	manyFrames, manyBytes := frames >= 0.75*frameCap, bytes >= 0.75*byteCap
	switch m.bug {
	case bugWarnStrict:
		manyFrames = frames > 0.75*frameCap
	case bugWarnBytesStrict:
		manyBytes = bytes > 0.75*byteCap
	case bugWarnFramesOnly:
		manyBytes = false
	}
	if sub.warned && m.bug != bugWarnAgain || !manyFrames && !manyBytes {
		return
	}
	sub.warned = true
	w := m.warning(sub, f)
	if m.cfg.Dialect == Later {
		w.Control.Threshold = threshold(manyFrames, manyBytes)
	}
	if m.bug == bugWarnThreshold && w.Control.Threshold == "bytes" {
		w.Control.Threshold = "frames"
	}
	if m.bug == bugWarnEnds {
		defer m.end(s, slot, o)
	}
	if m.bug == bugWarnBefore && len(sub.queue) > 0 {
		sub.queue = slices.Insert(slices.Clone(sub.queue), len(sub.queue)-1, busEntry{frame: w, forced: true})
		return
	}
	m.force(s, slot, w, o)
	if m.bug == bugWarnAll {
		for i := range s.subs {
			if i != slot && s.subs[i].attached {
				m.force(s, i, w, o)
			}
		}
	}
}

// warning is the frame that a lagging subscriber gets. EVENTBUS-WARN-008, EVENTBUS-WARN-009
func (m *Bus) warning(sub *busSub, f Frame) Frame {
	c := Control{QueueSize: int64(sub.live), MaxQueued: int64(sub.limit), LastEventID: f.ID}
	if m.cfg.Dialect == Later {
		c.QueuedBytes, c.MaxQueuedBytes = sub.bytes, m.cfg.MaxQueuedBytes
	}
	if m.bug == bugWarnMeasuresBefore {
		c.QueueSize--
	}
	return synthetic(TypeWarning, c)
}

func threshold(frames, bytes bool) string {
	switch {
	case frames && bytes:
		return "frames_and_bytes"
	case bytes:
		return "bytes"
	}
	return "frames"
}

// seed gives ids to history. EVENTBUS-RING-006
func (m *Bus) seed(s *BusState, a BusAction, o *BusOutput) {
	if s.closed || len(a.Inputs) == 0 {
		return
	}
	for _, in := range a.Inputs {
		s.published++
		f := m.finish(in, s.published, a.Now)
		o.Events = append(o.Events, f)
		if m.bug == bugSeedDelivers {
			for slot := range s.subs {
				if s.subs[slot].attached {
					m.deliver(s, slot, f, o)
				}
			}
		}
	}
	s.seeded = s.published
	for slot := range s.subs {
		if seen := &s.subs[slot].seen; s.subs[slot].attached {
			seen.holes = append(slices.Clone(seen.holes), s.published+1)
		}
	}
	if m.bug != bugSeedKeepsRing {
		s.ring = nil
	}
}
