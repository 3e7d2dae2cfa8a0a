package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// settle checks and records an ACK or a NACK, which count the same here: STOMP-NACK-005. A NACK in 1.0 does not come so
// far: the encoder knows no such command there (STOMP-NACK-001).
func (s *Session) settle(f *frame.Frame) *Error {
	tx, err := s.transactionOf(f)
	if err != nil {
		return err
	}
	d := s.named(f)
	switch {
	case d == nil:
		// STOMP-ACK-006
		return refuse(ReasonAckID, "%s names no unsettled delivery", f.Command)
	case d.staged != nil:
		// STOMP-ACK-008
		return refuse(ReasonStaged, "the delivery that %s names is staged in a transaction", f.Command)
	case d.sub.mode == cumulative && d.sub.first.staged != nil:
		// STOMP-ACK-009: what is staged of a cumulative subscription is always a beginning of its list, because this
		// line lets nothing be staged behind it. So the first delivery tells.
		return refuse(ReasonOverlap, "%s covers an earlier delivery that is staged in a transaction", f.Command)
	}
	// STOMP-ACK-007
	at := d
	if d.sub.mode == cumulative {
		at = d.sub.first
	}
	for {
		next, last := at.next, at == d
		if tx != nil {
			// STOMP-ACK-008
			tx.stage(at)
		} else {
			s.forget(at)
		}
		if last {
			return nil
		}
		at = next
	}
}

// named finds the delivery that an ACK or NACK names, or nil. Nothing is recorded under an empty name.
func (s *Session) named(f *frame.Frame) *delivery {
	var key deliveryKey
	switch s.version {
	case frame.V12:
		// STOMP-ACK-003
		key.id, _ = f.Get("id")
	case frame.V11:
		// STOMP-ACK-002
		key.subscription, _ = f.Get("subscription")
		fallthrough
	default:
		// STOMP-ACK-001
		key.id, _ = s.value(f, "message-id")
	}
	return s.deliveries[key]
}
