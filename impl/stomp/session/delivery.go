package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// deliveryKey is what names a delivery in an ACK: the ack value in 1.2, the subscription and the message-id in 1.1, the
// message-id in 1.0 (STOMP-ACK-010). What a version does not use is empty.
type deliveryKey struct{ subscription, id string }

// delivery is a message that awaits an ACK or NACK.
type delivery struct {
	key        deliveryKey
	sub        *subscription
	prev, next *delivery // of the subscription, in the order of arrival
	staged     *transaction
	after      *delivery // the one staged before it in the same transaction; of a spare one, the next spare one
}

// onMessage checks a MESSAGE and records its delivery unless the subscription is automatic.
func (s *Session) onMessage(f *frame.Frame) *Error {
	sub, err := s.addressee(f)
	if err != nil {
		return err
	}
	// STOMP-SUBSCRIBE-015
	if sub.mode == auto {
		return nil
	}
	// STOMP-ACK-010
	var key deliveryKey
	switch s.version {
	case frame.V12:
		key.id, _ = f.Get("ack")
		// STOMP-SUBSCRIBE-015
		if key.id == "" {
			return problem(OpReceive, ReasonMessageAck, "MESSAGE for subscription %.40q without an ack value", sub.id)
		}
	case frame.V11:
		key.subscription = sub.id
		fallthrough
	default:
		key.id, _ = s.value(f, "message-id")
	}
	// STOMP-LIMIT-017
	if n := len(s.deliveries); n >= s.limits.Deliveries {
		return exceed(OpReceive, ReasonDeliveryCapacity, int64(s.limits.Deliveries), int64(n)+1, "too many unsettled deliveries")
	}
	if _, ok := s.deliveries[key]; ok {
		err := problem(OpReceive, ReasonDeliveryDuplicate, "an unsettled delivery is called %.40q already", key.id)
		if s.version < frame.V12 {
			// STOMP-ACK-010
			err.Law = "STOMP-ACK-010"
		}
		return err
	}
	s.record(key, sub)
	return nil
}

// addressee returns the subscription that a MESSAGE is for: STOMP-SUBSCRIBE-014.
func (s *Session) addressee(f *frame.Frame) (*subscription, *Error) {
	dest, _ := s.value(f, "destination")
	if dest == "" {
		return nil, problem(OpReceive, ReasonMessage, "MESSAGE without a destination")
	}
	if id, _ := s.value(f, "message-id"); id == "" {
		return nil, problem(OpReceive, ReasonMessage, "MESSAGE without a message-id")
	}
	id, ok := s.value(f, "subscription")
	if !ok && s.version == frame.V10 {
		sub := s.byDestination[dest]
		if sub == nil || sub.next != nil {
			return nil, problem(OpReceive, ReasonMessage, "not exactly one subscription to %.40q for a MESSAGE without subscription", dest)
		}
		return sub, nil
	}
	sub := s.subs[id]
	if sub == nil || sub.phase == gone {
		return nil, problem(OpReceive, ReasonMessage, "MESSAGE for subscription %.40q, which is not open", id)
	}
	return sub, nil
}

// record adds a delivery as the last of its subscription.
func (s *Session) record(key deliveryKey, sub *subscription) {
	d := s.spare
	if d != nil {
		s.spare = d.after
		d.after = nil
	} else {
		d = new(delivery)
	}
	d.key, d.sub, d.prev = key, sub, sub.last
	if sub.last != nil {
		sub.last.next = d
	} else {
		sub.first = d
	}
	sub.last = d
	s.deliveries[key] = d
}

// forget removes a delivery, and with the last one a subscription that is gone.
func (s *Session) forget(d *delivery) {
	delete(s.deliveries, d.key)
	sub := d.sub
	if d.prev != nil {
		d.prev.next = d.next
	} else {
		sub.first = d.next
	}
	if d.next != nil {
		d.next.prev = d.prev
	} else {
		sub.last = d.prev
	}
	if sub.first == nil && sub.phase == gone {
		// STOMP-SUBSCRIBE-013
		delete(s.subs, sub.id)
	}
	*d = delivery{after: s.spare}
	s.spare = d
}
