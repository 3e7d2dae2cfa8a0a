package stompmodel

import "slices"

// settle enters ACK and NACK, which have the same rules (STOMP-NACK-005).
func (m *Session) settle(s SessionState, f Frame) (SessionState, *breach) {
	// STOMP-ACK-006: an unknown transaction is checked first.
	tx, err := m.inTransaction(s, f)
	if err != nil {
		return s, err
	}
	at := s.named(f)
	if at < 0 {
		return s, because(AckID, "STOMP-ACK-006")
	}
	covered := m.covers(s, at)
	if s.deliveries[at].tx != "" && m.bug != bugStagedTwice {
		return s, because(Staged, "STOMP-ACK-008")
	}
	for _, i := range covered {
		if i != at && s.deliveries[i].tx != "" && m.bug != bugOverlap {
			return s, because(Overlap, "STOMP-ACK-009")
		}
	}
	if tx != "" && m.bug != bugStagingSettles {
		// STOMP-ACK-008: they stay pending.
		for _, i := range covered {
			if m.bug == bugOverlap && s.deliveries[i].tx != "" {
				continue
			}
			s.deliveries[i].tx = tx
		}
		return s, nil
	}
	// STOMP-ACK-007
	var left []clientDelivery
	for i, d := range s.deliveries {
		if !slices.Contains(covered, i) {
			left = append(left, d)
		}
	}
	s.deliveries = left
	return s, nil
}

// named returns the index of the pending delivery that an ACK or NACK names, or -1.
func (s SessionState) named(f Frame) int {
	id, _ := s.value(f, "id")
	messageID, _ := s.value(f, "message-id")
	sub, _ := s.value(f, "subscription")
	return slices.IndexFunc(s.deliveries, func(d clientDelivery) bool {
		switch s.version {
		// STOMP-ACK-001, STOMP-ACK-002, STOMP-ACK-003, STOMP-ACK-010. What is recorded is never empty, but for ack outside 1.2.
		case V12:
			return d.ack == id
		case V11:
			return d.sub == sub && d.messageID == messageID
		}
		return d.messageID == messageID
	})
}

// covers returns the indices of the deliveries that an acknowledgement of the one at index at is about, in order.
func (m *Session) covers(s SessionState, at int) []int {
	// STOMP-ACK-007
	cumulative := s.deliveries[at].mode == modeClient || m.bug == bugIndividualCovers
	var out []int
	for i, d := range s.deliveries[:at] {
		if cumulative && (d.sub == s.deliveries[at].sub || m.bug == bugCrossSettles) {
			out = append(out, i)
		}
	}
	return append(out, at)
}

// finish enters COMMIT and ABORT.
func (m *Session) finish(s SessionState, f Frame) (SessionState, *breach) {
	tx, _ := s.value(f, "transaction")
	at := slices.Index(s.txs, tx)
	// No transaction has an empty id.
	if at < 0 {
		return s, because(TransactionUnknown, "STOMP-TX-007")
	}
	s.txs = slices.Delete(s.txs, at, at+1)
	// STOMP-TX-008
	var left []clientDelivery
	for _, d := range s.deliveries {
		mine := d.tx == tx || m.bug == bugFinishAll && d.tx != ""
		switch {
		case !mine, m.bug == bugFinishForgets:
			left = append(left, d)
		case f.Command == "ABORT":
			d.tx = ""
			left = append(left, d)
		}
	}
	s.deliveries = left
	return s, nil
}
