package stompmodel

import "slices"

// takeAck settles what an ACK or NACK covers, or stages it in its transaction, and returns the bodies that it settled.
func (b *Broker) takeAck(s *BrokerState, si int, f inFrame) []string {
	if f.Transaction == "" {
		return b.settle(s, si, f)
	}
	ses := &s.sessions[si]
	i := ses.tx(f.Transaction)
	if i < 0 {
		return nil
	}
	// STOMP-TX-004
	t := &ses.txs[i]
	t.frames = append(slices.Clip(t.frames), f)
	for _, c := range b.covered(s, si, f) {
		m := s.messages[c.message].own()
		m.hands[c.hand].staged = true
		if b.cfg.TxAckAtOnce {
			m.sure = false
			if f.Command == "NACK" {
				m.hands[c.hand].loose = true
			}
		}
	}
	if b.bug == bugEarlyTxAck {
		return b.settle(s, si, f)
	}
	return nil
}

// A cover is one delivery that an ACK or NACK is about.
type cover struct{ message, hand int }

// covered returns the unsettled deliveries that f covers, those of other transactions included.
func (b *Broker) covered(s *BrokerState, si int, f inFrame) []cover {
	mi := s.message(f.Message)
	if mi < 0 {
		return b.coveredByNothing(s, si)
	}
	hi := s.messages[mi].held(si, f.ID)
	if hi >= 0 && s.messages[mi].hands[hi].at != f.n {
		b.stale(&s.messages[mi], hi)
		hi = -1
	}
	if hi < 0 {
		// STOMP-ACK-005: an identifier that matches nothing settles nothing.
		return b.coveredByNothing(s, si)
	}
	named := s.messages[mi].hands[hi]
	out := []cover{{mi, hi}}
	// STOMP-SUBSCRIBE-007: only client mode is cumulative. No text of 1.0 says that an ACK covers more than its message.
	cumulative := named.mode == "client" && b.version(s.sessions[si].conn) != V10
	if b.bug == bugCumulativeIndividual {
		cumulative = true
	}
	if !cumulative {
		return out
	}
	for i := range s.messages {
		for j, h := range s.messages[i].hands {
			switch {
			case i == mi && j == hi, h.session != si, h.settled, h.dead:
			// STOMP-SUBSCRIBE-006, STOMP-NACK-002: sent before it, on the same subscription.
			case h.n != named.n && b.bug != bugCrossSubscriptions:
			case h.at > named.at && !(b.bug == bugNackTooFar && f.Command == "NACK"):
			default:
				out = append(out, cover{i, j})
			}
		}
	}
	return out
}

// stale notes that an ACK or NACK of an earlier delivery of m may be taken for one of hand i, which no law decides.
func (b *Broker) stale(m *message, i int) {
	if !b.cfg.Explicit {
		m.own().hands[i].loose = true
		m.sure = false
	}
}

// coveredByNothing is empty, but for the bug of settling the oldest delivery instead of an unknown one.
func (b *Broker) coveredByNothing(s *BrokerState, si int) []cover {
	if b.bug != bugUnknownAckSettles {
		return nil
	}
	for i := range s.messages {
		if j := s.messages[i].held(si, ""); j >= 0 {
			return []cover{{i, j}}
		}
	}
	return nil
}

// settle applies an ACK or NACK and returns the bodies of the messages that it settled.
func (b *Broker) settle(s *BrokerState, si int, f inFrame) []string {
	var about []string
	covers := b.covered(s, si, f)
	for _, c := range covers {
		m := s.messages[c.message].own()
		h := &m.hands[c.hand]
		h.staged = false
		about = append(about, m.body)
		if f.Command == "ACK" && h.loose && !b.cfg.Explicit {
			// STOMP-ACK-005: the broker may have taken it back before, so that the ACK names nothing any more.
			m.sure = false
			continue
		}
		if f.Command == "ACK" {
			h.settled, h.loose = true, false
			m.consumed++
			continue
		}
		m.nacked = true
		// STOMP-NACK-003
		switch b.cfg.Nack {
		case NackUnknown:
			h.loose, m.sure = true, false
		case NackRequeue:
			h.loose = true
		default:
			h.dead, h.loose = true, false
			m.sure = m.sure && b.cfg.Nack == NackDeadLetter
		}
	}
	if b.version(s.sessions[si].conn) == V10 && len(covers) > 0 {
		b.doubtEarlier(s, si, covers[0])
	}
	return about
}

// doubtEarlier drops the obligation to redeliver what a 1.0 broker may take an ACK of c to cover: the text leaves open whether client mode is
// cumulative.
func (b *Broker) doubtEarlier(s *BrokerState, si int, c cover) {
	named := s.messages[c.message].hands[c.hand]
	for i := range s.messages {
		for _, h := range s.messages[i].hands {
			if h.session == si && h.n == named.n && h.at < named.at && !h.settled {
				s.messages[i].sure = false
			}
		}
	}
}

// unstage undoes a staged ACK or NACK.
func (b *Broker) unstage(s *BrokerState, si int, f inFrame) {
	for _, c := range b.covered(s, si, f) {
		s.messages[c.message].own().hands[c.hand].staged = false
	}
}
