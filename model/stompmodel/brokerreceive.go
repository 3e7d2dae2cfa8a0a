package stompmodel

import "slices"

// receiveSeen yields what may come next on the connection of session si and is seen, or if that is nothing, all that may come next.
func (b *Broker) receiveSeen(s BrokerState, si int, seen Output, yield func(BrokerState, Output) bool) {
	found := false
	if seen != (Output{}) {
		b.receive(s, si, seen, func(t BrokerState, o Output) bool {
			if !Match(o, seen) {
				return true
			}
			found = true
			return yield(t, o)
		})
	}
	if !found {
		b.receive(s, si, Output{}, yield)
	}
}

// receive yields everything that may come next on the connection of session si; it may leave out what is not seen, if seen is not zero.
func (b *Broker) receive(s BrokerState, si int, seen Output, yield func(BrokerState, Output) bool) {
	ses := &s.sessions[si]
	conn := ses.conn
	if ses.phase == gone {
		return
	}
	if ses.phase == connecting && b.bug != bugEarlyFrames {
		// STOMP-CONNECT-007: CONNECTED before anything else.
		t := s.clone()
		t.sessions[si].phase = open
		t.sessions[si].greeted++
		_ = yield(t, Output{Conn: conn, Command: "CONNECTED"}) && b.errors(s, si, yield) && b.close(s, si, yield)
		return
	}
	if ses.phase == doomed && b.bug != bugErrorGoesOn {
		// STOMP-ERROR-001, STOMP-ERROR-002
		b.close(s, si, yield)
		return
	}
	if b.bug == bugTwoConnected && ses.greeted < 2 {
		t := s.clone()
		t.sessions[si].greeted++
		yield(t, Output{Conn: conn, Command: "CONNECTED"})
	}
	every := seen == (Output{})
	if (every || seen.Command == "RECEIPT") && !b.receipts(s, si, seen, yield) {
		return
	}
	if (every || seen.Command == "MESSAGE") && !b.deliveries(s, si, seen, yield) {
		return
	}
	if (every || seen.Command == "ERROR") && !b.errors(s, si, yield) {
		return
	}
	if every || seen.Closed {
		b.close(s, si, yield)
	}
}

// advance returns s with the frames of session si taken, in order, until done holds; it takes none if done holds at once. It returns false if the
// inbox ends first, or a frame cannot be taken, or the machine is Explicit and done does not hold.
func (b *Broker) advance(s BrokerState, si int, done func(*BrokerState) bool) (BrokerState, bool) {
	if done(&s) {
		return s, true
	}
	if b.cfg.Explicit || len(s.sessions[si].inbox) == 0 {
		return s, false
	}
	t := s.clone()
	for len(t.sessions[si].inbox) > 0 {
		if !b.work(&t, si) {
			return s, false
		}
		if done(&t) {
			return t, true
		}
	}
	return s, false
}

// receipts yields each RECEIPT that may come next: of a frame that was taken, or of one that is taken now.
func (b *Broker) receipts(s BrokerState, si int, seen Output, yield func(BrokerState, Output) bool) bool {
	ses := &s.sessions[si]
	for i, o := range ses.owed {
		if (seen.ReceiptID == "" || seen.ReceiptID == o.frame.Receipt) && !b.answer(s, si, i, yield) {
			return false
		}
	}
	left := len(ses.inbox)
	for _, f := range ses.inbox {
		left--
		if f.Receipt == "" || seen.ReceiptID != "" && seen.ReceiptID != f.Receipt {
			continue
		}
		if b.bug == bugEarlyReceipt {
			t := s.clone()
			t.sessions[si].answered = append(t.sessions[si].answered, f.Receipt)
			if !yield(t, Output{Conn: ses.conn, Command: "RECEIPT", ReceiptID: f.Receipt}) {
				return false
			}
		}
		t, ok := b.advance(s, si, func(t *BrokerState) bool { return len(t.sessions[si].inbox) == left })
		if !ok {
			// What stops this frame stops those behind it.
			return true
		}
		// A frame after DISCONNECT is lost, and owes nothing.
		owed := t.sessions[si].owed
		if n := len(owed); n > 0 && owed[n-1].frame == f.ClientFrame && !b.answer(t, si, n-1, yield) {
			return false
		}
	}
	return true
}

// answer yields the RECEIPT that session si owes as number i, with what its arrival proves.
func (b *Broker) answer(s BrokerState, si, i int, yield func(BrokerState, Output) bool) bool {
	t := s.clone()
	ses := &t.sessions[si]
	o := ses.owed[i]
	// STOMP-RECEIPT-001: one RECEIPT for each request; no order among them is promised (STOMP-RECEIPT-004).
	if b.bug != bugTwoReceipts {
		ses.owed = slices.Delete(ses.owed, i, i+1)
	}
	ses.answered = append(ses.answered, o.frame.Receipt)
	// STOMP-RECEIPT-001: what is answered by RECEIPT is not answered by ERROR.
	ses.trust(o.frame)
	switch o.frame.Command {
	case "SUBSCRIBE":
		for j := range ses.subs {
			if ses.subs[j].n == o.n {
				ses.subs[j].sure = true
			}
		}
	case "UNSUBSCRIBE":
		// STOMP-UNSUBSCRIBE-003: from here on, none for it.
		gone := func(sub subscription) bool { return sub.n == o.n }
		if j := slices.IndexFunc(ses.subs, gone); j >= 0 {
			id := ses.subs[j].id
			// A client that gave one id to two subscriptions may still hear from the other.
			twin := func(sub subscription) bool { return sub.id == id && sub.n != o.n }
			if id != "" && !slices.ContainsFunc(ses.subs, twin) {
				ses.removed = append(ses.removed, id)
			}
			if b.bug != bugDeliverAfterUnsubscribe {
				ses.subs = slices.Delete(ses.subs, j, j+1)
			}
		}
	}
	for _, body := range o.about {
		m := &t.messages[t.message(body)]
		if o.frame.Command == "SEND" || o.frame.Command == "COMMIT" {
			m.vouched = true
			t.routeOnce(b, m)
		}
		for j, h := range m.hands {
			if h.session == si && h.settled {
				m.own().hands[j].confirmed = true
			}
		}
	}
	text := o.frame.Receipt
	if b.bug == bugWrongReceipt {
		text += "?"
		ses.answered[len(ses.answered)-1] = text
	}
	return yield(t, Output{Conn: ses.conn, Command: "RECEIPT", ReceiptID: text})
}

// routeOnce fixes who was in time for a topic's message once it is certain that it was published.
func (s *BrokerState) routeOnce(b *Broker, m *message) {
	if b.cfg.RoutesAtOnce && m.routed == nil && b.cfg.Topic(m.dest) {
		s.route(m, false)
	}
}
