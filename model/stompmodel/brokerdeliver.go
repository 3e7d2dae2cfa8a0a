package stompmodel

import "slices"

// deliveries yields each MESSAGE that may come next on the connection of session si.
func (b *Broker) deliveries(s BrokerState, si int, seen Output, yield func(BrokerState, Output) bool) bool {
	ses := &s.sessions[si]
	current := make(map[int]bool)
	for _, sub := range ses.subs {
		current[sub.n] = true
		if !b.deliverTo(s, si, sub.n, seen, yield) {
			return false
		}
	}
	if b.cfg.Explicit {
		return true
	}
	for _, f := range ses.inbox {
		if f.Command != "SUBSCRIBE" || current[f.n] {
			continue
		}
		t, ok := b.advance(s, si, func(t *BrokerState) bool { return t.sessions[si].hasSub(f.n) })
		if !ok {
			return true
		}
		if !b.deliverTo(t, si, f.n, seen, yield) {
			return false
		}
	}
	return true
}

func (ses *session) hasSub(n int) bool {
	return slices.ContainsFunc(ses.subs, func(sub subscription) bool { return sub.n == n })
}

// deliverTo yields each MESSAGE that may come next for subscription n of session si, which is open in s.
func (b *Broker) deliverTo(s BrokerState, si, n int, seen Output, yield func(BrokerState, Output) bool) bool {
	sub := s.sessions[si].subs[slices.IndexFunc(s.sessions[si].subs, func(sub subscription) bool { return sub.n == n })]
	if b.cfg.Explicit && sub.closing && b.bug != bugDeliverAfterUnsubscribe {
		return true
	}
	for mi := range s.messages {
		m := &s.messages[mi]
		if seen.Command != "" && seen.Body != m.body {
			continue
		}
		letter := b.cfg.DeadLetter != "" && sub.dest == b.cfg.DeadLetter
		if m.dest != sub.dest && !letter && b.bug != bugWrongSubscription {
			continue
		}
		t, ok := b.obtain(s, si, n, mi, letter && m.dest != sub.dest)
		// The hand that was emptied may have been of this very subscription, and it may be closing.
		if !ok || slices.Contains(t.messages[mi].left, due{si, n}) {
			if !b.late(s, si, sub, mi, yield) {
				return false
			}
			continue
		}
		if !b.emit(t, si, sub, mi, yield) {
			return false
		}
	}
	return true
}

// obtain returns s with the work done after which message mi may go to subscription n of session si, and with the hand that it comes from, if any,
// emptied. letter means that it may go there as a dead letter only.
func (b *Broker) obtain(s BrokerState, si, n, mi int, letter bool) (BrokerState, bool) {
	// STOMP-TX-003: first it must be visible.
	if s.messages[mi].state != visible {
		if s.messages[mi].state == void {
			return s, false
		}
		var ok bool
		s, ok = b.advance(s, s.messages[mi].from, func(t *BrokerState) bool { return t.messages[mi].state == visible })
		if !ok {
			return s, false
		}
	}
	m := &s.messages[mi]
	if slices.Contains(m.left, due{si, n}) {
		return s, false
	}
	if b.cfg.Topic(m.dest) && !letter {
		if i := slices.IndexFunc(m.hands, func(h hand) bool { return h.session == si && h.n == n }); i >= 0 {
			return b.take(s, mi, i, false)
		}
		if m.routed == nil || si < len(m.routed) && n <= m.routed[si] {
			return s, true
		}
	} else if len(m.hands) == 0 {
		return s, !letter
	}
	for i := range m.hands {
		if t, ok := b.take(s, mi, i, letter); ok {
			return t, true
		}
	}
	return s, false
}

// take empties hand i of message mi, if the broker may have the message back from there.
func (b *Broker) take(s BrokerState, mi, i int, letter bool) (BrokerState, bool) {
	h := s.messages[mi].hands[i]
	holder := &s.sessions[h.session]
	free := func(t *BrokerState) bool {
		h := t.messages[mi].hands[i]
		if letter {
			return h.dead || h.loose && t.messages[mi].nacked
		}
		return h.loose
	}
	stop := func(t *BrokerState) bool { return free(t) || t.messages[mi].hands[i].settled }
	switch {
	case b.bug == bugRedeliverSettled && h.settled, b.bug == bugTwoHands && !h.settled:
		return s, true
	case h.settled:
		// STOMP-SUBSCRIBE-008: what was settled is consumed, unless the connection ended before the ACK was sure to be received.
		if b.cfg.Explicit || h.confirmed || !holder.mayEnd() || letter {
			return s, false
		}
	case free(&s):
	case b.cfg.Explicit:
		return s, false
	case holder.mayEnd() && !letter:
		// STOMP-SUBSCRIBE-008: the session ended before it took what would settle the message.
		s = b.cutBeforeSettle(s, h.session, mi, i)
	default:
		t, ok := b.advance(s, h.session, stop)
		switch {
		case ok && free(&t):
			s = t
		case b.mayFade(s, h.session) && !letter:
			// STOMP-SUBSCRIBE-008: its connection ended, and nobody has read so far as to see it.
			s = s.clone()
			s.sessions[h.session].fading = true
			s = b.cutBeforeSettle(s, h.session, mi, i)
		default:
			return s, false
		}
	}
	t := s.clone()
	m := t.messages[mi].own()
	closing := func(sub subscription) bool { return sub.n == h.n && (sub.closing || t.sessions[h.session].fading) }
	if !m.nacked && slices.ContainsFunc(t.sessions[h.session].subs, closing) {
		m.left = append(slices.Clip(m.left), due{h.session, h.n})
	}
	if m.hands[i].settled {
		// Now it is known that the ACK came to nothing.
		m.consumed--
	}
	m.hands = slices.Delete(m.hands, i, i+1)
	return t, true
}

// mayFade reports that the broker may have ended session si without the client having seen it.
func (b *Broker) mayFade(s BrokerState, si int) bool {
	ses := &s.sessions[si]
	return !b.cfg.Explicit && ses.phase == open && !ses.mayEnd() && (!b.cfg.Healthy || b.mayClose(s, si))
}

// late yields a MESSAGE that was under way to sub of session si when the broker ended the session, and that another session got, and showed, since.
func (b *Broker) late(s BrokerState, si int, sub subscription, mi int, yield func(BrokerState, Output) bool) bool {
	m := &s.messages[mi]
	elsewhere := func(h hand) bool { return h.session != si }
	if sub.mode == "auto" || m.dest != sub.dest || b.cfg.Topic(m.dest) || len(m.hands) != 1 || !elsewhere(m.hands[0]) ||
		slices.Contains(m.left, due{si, sub.n}) || !s.sessions[si].fading && !b.mayFade(s, si) {
		return true
	}
	t := s.clone()
	ses := &t.sessions[si]
	ses.fading = true
	ses.delivered++
	t.messages[mi].left = append(slices.Clip(t.messages[mi].left), due{si, sub.n})
	return yield(t, Output{Conn: ses.conn, Command: "MESSAGE", Subscription: sub.id, Destination: sub.dest, Body: m.body})
}

// cutBeforeSettle loses the frames of session si from the one on that would settle hand i of message mi.
func (b *Broker) cutBeforeSettle(s BrokerState, si, mi, i int) BrokerState {
	t := s.clone()
	trial := s.clone()
	for k := 0; len(trial.sessions[si].inbox) > 0; k++ {
		if b.work(&trial, si) && !trial.messages[mi].hands[i].settled {
			continue
		}
		inbox := t.sessions[si].inbox
		for _, f := range inbox[k:] {
			b.lose(&t, f.ClientFrame)
		}
		t.sessions[si].inbox = slices.Clip(inbox[:k])
		if t.sessions[si].fading {
			t.sessions[si].cut = append(slices.Clip(inbox[k:]), t.sessions[si].cut...)
		}
		break
	}
	return t
}

// emit yields the MESSAGE with message mi for sub of session si.
func (b *Broker) emit(s BrokerState, si int, sub subscription, mi int, yield func(BrokerState, Output) bool) bool {
	t := s.clone()
	ses := &t.sessions[si]
	ses.delivered++
	// The work done for this message may have closed the subscription in the meantime.
	sub = ses.subs[slices.IndexFunc(ses.subs, func(now subscription) bool { return now.n == sub.n })]
	h := hand{session: si, n: sub.n, id: sub.id, mode: sub.mode, at: ses.delivered}
	m := t.messages[mi].own()
	if sub.mode == "auto" {
		// STOMP-SUBSCRIBE-008: received once sent.
		h.settled, h.confirmed = true, true
		m.consumed++
	}
	// A subscription that is closing has no claim on what still arrives for it.
	h.loose = sub.closing && !h.settled
	m.hands = append(m.hands, h)
	m.nacked = false
	t.routeOnce(b, m)
	out := Output{Conn: ses.conn, Command: "MESSAGE", Subscription: sub.id, Destination: sub.dest, Body: m.body}
	if b.bug == bugBody {
		out.Body += "?"
	}
	if !yield(t, out) {
		return false
	}
	// STOMP-SUBSCRIBE-002: before 1.1 the subscription header is a SHOULD.
	if b.version(ses.conn) == V10 && sub.id != "" {
		out.Subscription = ""
		return yield(t, out)
	}
	return true
}
