package stompmodel

import "slices"

// work lets the broker take the next frame of session si. It changes s in place, and returns false if the frame cannot be taken, because the laws
// demand an ERROR for it.
func (b *Broker) work(s *BrokerState, si int) bool {
	ses := &s.sessions[si]
	f := ses.inbox[0]
	if mustFail(b.version(ses.conn), f.ClientFrame) && b.bug != bugSilentFailure {
		return false
	}
	if !b.cfg.Explicit && b.faulty(s, si) {
		ses.suspects = append(slices.Clip(ses.suspects), f.ClientFrame)
	}
	ses.inbox = ses.inbox[1:]
	receipt := owedReceipt{frame: f.ClientFrame, n: f.n}
	if ses.over {
		// Nothing may follow DISCONNECT, so whatever does is lost.
		b.lose(s, f.ClientFrame)
		return true
	}
	switch f.Command {
	case "SEND":
		receipt.about = b.takeSend(s, si, f)
	case "SUBSCRIBE":
		b.takeSubscribe(s, si, f)
	case "UNSUBSCRIBE":
		receipt.n = b.takeUnsubscribe(s, si, f.ClientFrame)
	case "BEGIN":
		if ses.tx(f.Transaction) < 0 {
			ses.begun++
			ses.txs = append(ses.txs, transaction{id: f.Transaction, n: ses.begun})
		}
	case "COMMIT", "ABORT":
		if i := ses.tx(f.Transaction); i >= 0 {
			t := ses.txs[i]
			ses.txs = slices.Delete(ses.txs, i, i+1)
			if f.Command == "COMMIT" {
				receipt.about = b.commit(s, si, t)
			} else {
				b.abort(s, si, t)
			}
		}
	case "ACK", "NACK":
		receipt.about = b.takeAck(s, si, f)
	case "DISCONNECT":
		b.takeDisconnect(s, si)
	default:
		// STOMP-FRAME-026: a command that the version does not have is not treated as another one.
	}
	if f.Receipt != "" {
		ses.owed = append(ses.owed, receipt)
	}
	return true
}

// mustFail reports that the laws demand an ERROR for f, whatever the state.
func mustFail(v Version, f ClientFrame) bool {
	switch f.Command {
	// STOMP-SEND-001
	case "SEND":
		return f.Destination == ""
	// STOMP-SUBSCRIBE-001
	case "SUBSCRIBE":
		return f.Destination == "" || (f.ID == "" && v != V10)
	// STOMP-TX-001
	case "BEGIN", "COMMIT", "ABORT":
		return f.Transaction == ""
	}
	return false
}

// takeSend publishes a message, or stages it in its transaction, and returns what it published.
func (b *Broker) takeSend(s *BrokerState, si int, f inFrame) []string {
	ses := &s.sessions[si]
	m := &s.messages[s.message(f.Body)]
	if f.Transaction == "" {
		b.publish(s, m)
		return []string{f.Body}
	}
	i := ses.tx(f.Transaction)
	if i < 0 {
		// No law says what a broker that tolerates an unknown transaction does with the message.
		b.publish(s, m)
		m.sure = false
		m.tx = ""
		return nil
	}
	// STOMP-TX-003: nothing is visible before COMMIT.
	t := &ses.txs[i]
	t.frames = append(slices.Clip(t.frames), f)
	m.state, m.txn = staged, t.n
	if b.bug == bugEarlyPublish {
		b.publish(s, m)
	}
	return nil
}

func (b *Broker) publish(s *BrokerState, m *message) {
	m.state, m.published = visible, true
	m.sure = !s.leaks(m.dest, -1)
	if b.cfg.Explicit && b.cfg.Topic(m.dest) {
		s.route(m, true)
	}
}

// leaks reports that some session other than except may swallow messages of dest.
func (s *BrokerState) leaks(dest string, except int) bool {
	return slices.ContainsFunc(s.leaky, func(l leak) bool { return l.dest == dest && l.session != except })
}

// route fixes which subscriptions were in time for a topic's message: those whose SUBSCRIBE was sent, or taken, by now.
func (s *BrokerState) route(m *message, taken bool) {
	m.routed = make([]int, len(s.sessions))
	for i := range s.sessions {
		m.routed[i] = s.sessions[i].subscribed
		if taken {
			for _, f := range s.sessions[i].inbox {
				if f.Command == "SUBSCRIBE" {
					m.routed[i]--
				}
			}
		}
	}
}

func (b *Broker) takeSubscribe(s *BrokerState, si int, f inFrame) {
	ses := &s.sessions[si]
	mode := f.Ack
	// STOMP-SUBSCRIBE-004, STOMP-SUBSCRIBE-005: auto is the default.
	if mode == "" {
		mode = "auto"
	}
	if i := ses.sub(f.ClientFrame); i >= 0 && f.ID != "" {
		// No law says which of two subscriptions of one id lives on, so both may be seen.
		ses.subs[i].closing = true
	}
	ses.subs = append(ses.subs, subscription{n: f.n, id: f.ID, dest: f.Destination, mode: mode})
	ses.removed = slices.DeleteFunc(slices.Clone(ses.removed), func(id string) bool { return id == f.ID })
}

// closes returns the index of the subscription that UNSUBSCRIBE f ends, or -1.
func (b *Broker) closes(ses *session, f ClientFrame) int {
	// STOMP-UNSUBSCRIBE-002: only a 1.0 frame may name the destination alone.
	if f.ID == "" && b.version(ses.conn) != V10 {
		return -1
	}
	return ses.sub(f)
}

// takeUnsubscribe returns the number of the subscription that it closes, or 0. What was under way may still arrive, until the RECEIPT is sent.
func (b *Broker) takeUnsubscribe(s *BrokerState, si int, f ClientFrame) int {
	ses := &s.sessions[si]
	i := b.closes(ses, f)
	if i < 0 {
		return 0
	}
	ses.subs[i].closing = true
	n := ses.subs[i].n
	for mi := range s.messages {
		b.loosen(s, mi, func(h hand) bool { return h.session == si && h.n == n })
	}
	return n
}

// loosen allows the unsettled hands of a message that match to pass to somebody else.
func (b *Broker) loosen(s *BrokerState, mi int, match func(hand) bool) {
	m := &s.messages[mi]
	for i, h := range m.hands {
		if !h.settled && !h.dead && !h.loose && match(h) {
			m.own().hands[i].loose = true
			// STOMP-SUBSCRIBE-008: it may be delivered again, and need not.
			m.sure = b.cfg.Redelivers && m.sure
			if b.bug == bugLoseUnsettled {
				m.state = void
			}
		}
	}
}

func (b *Broker) commit(s *BrokerState, si int, t transaction) []string {
	var about []string
	for i, f := range t.frames {
		if f.Command != "SEND" {
			about = append(about, b.settle(s, si, f)...)
			continue
		}
		m := &s.messages[s.message(f.Body)]
		m.committed = true
		if b.bug == bugHalfCommit && i > 0 {
			continue
		}
		b.publish(s, m)
		about = append(about, f.Body)
	}
	return about
}

// abort undoes a transaction, as the end of its session does (STOMP-TX-005).
func (b *Broker) abort(s *BrokerState, si int, t transaction) {
	owed := s.sessions[si].owed
	for i := range owed {
		// STOMP-RECEIPT-001: a RECEIPT follows once its frame is processed, which a frame that was undone may never be.
		staged := owed[i].frame.Command == "SEND" || owed[i].frame.Command == "ACK" || owed[i].frame.Command == "NACK"
		owed[i].waived = owed[i].waived || staged && owed[i].frame.Transaction == t.id
	}
	for _, f := range t.frames {
		if f.Command != "SEND" {
			b.unstage(s, si, f)
			continue
		}
		m := &s.messages[s.message(f.Body)]
		m.state, m.aborted = void, true
		if b.bug == bugAbortPublishes {
			b.publish(s, m)
		}
	}
}

func (b *Broker) takeDisconnect(s *BrokerState, si int) {
	ses := &s.sessions[si]
	ses.over = true
	for i := range ses.subs {
		ses.subs[i].closing = true
	}
	b.release(s, si)
}

// release gives up everything that session si holds.
func (b *Broker) release(s *BrokerState, si int) {
	ses := &s.sessions[si]
	for _, t := range ses.txs {
		// STOMP-TX-005
		b.abort(s, si, t)
	}
	ses.txs = nil
	for mi := range s.messages {
		b.loosen(s, mi, func(h hand) bool { return h.session == si })
	}
}

// lose makes a frame never take effect.
func (b *Broker) lose(s *BrokerState, f ClientFrame) {
	if f.Command == "SEND" {
		if i := s.message(f.Body); i >= 0 && s.messages[i].state == onItsWay {
			s.messages[i].state = void
		}
	}
}

// end lets the broker end a session whose connection is closed: what it did not take is lost. It changes s in place.
func (b *Broker) end(s *BrokerState, si int) {
	ses := &s.sessions[si]
	for _, f := range ses.inbox {
		b.lose(s, f.ClientFrame)
	}
	ses.inbox, ses.owed, ses.ended = nil, nil, true
	b.release(s, si)
}
