package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// ackMode says what an ACK of a subscription settles.
type ackMode uint8

const (
	auto       ackMode = iota // deliveries are not recorded
	cumulative                // "client": the named delivery and those before it
	individual                // "client-individual": the named delivery
)

// phase is how far a subscription is on its way out.
type phase uint8

const (
	open    phase = iota
	leaving       // the receipt of its UNSUBSCRIBE is pending
	gone          // only its deliveries are left
)

type subscription struct {
	id, destination string
	mode            ackMode
	phase           phase
	first, last     *delivery     // in the order of arrival
	prev, next      *subscription // to the same destination, in 1.0
}

// subscribe checks and records a SUBSCRIBE.
func (s *Session) subscribe(f *frame.Frame) *Error {
	id, _ := s.value(f, "id")
	dest, _ := s.value(f, "destination")
	sub := s.subs[id]
	// STOMP-SUBSCRIBE-003, STOMP-SUBSCRIBE-012
	switch {
	case id == "":
		return refuse(ReasonSubscriptionID, "SUBSCRIBE without an id")
	case dest == "":
		return refuse(ReasonSubscriptionDestination, "SUBSCRIBE without a destination")
	case sub != nil && sub.phase == leaving:
		// STOMP-UNSUBSCRIBE-005
		return refuse(ReasonUnsubscribing, "the receipt of UNSUBSCRIBE %.40q has not arrived yet", id)
	case sub != nil && sub.phase == open:
		return refuse(ReasonSubscriptionDuplicate, "subscription %.40q is open", id)
	}
	mode, err := s.mode(f)
	if err != nil {
		return err
	}
	// STOMP-SUBSCRIBE-013
	if sub != nil {
		return refuse(ReasonUnsettled, "subscription %.40q has unsettled deliveries", id)
	}
	// STOMP-LIMIT-014
	if s.open >= s.limits.Subscriptions {
		return exceed(OpSend, ReasonSubscriptionCapacity, int64(s.limits.Subscriptions), int64(s.open)+1, "too many subscriptions")
	}
	sub = &subscription{id: id, destination: dest, mode: mode}
	s.subs[id] = sub
	s.open++
	if s.version == frame.V10 {
		s.list(sub)
	}
	return nil
}

// mode reads the ack header of a SUBSCRIBE: STOMP-SUBSCRIBE-012.
func (s *Session) mode(f *frame.Frame) (ackMode, *Error) {
	v, ok := s.value(f, "ack")
	switch {
	case !ok || v == "auto":
		return auto, nil
	case v == "client":
		return cumulative, nil
	case v == "client-individual" && s.version > frame.V10:
		return individual, nil
	}
	return auto, refuse(ReasonAckMode, "ack mode %.40q in STOMP %s", v, s.version)
}

// unsubscribe checks and records an UNSUBSCRIBE, with or without a receipt. With one it returns the subscription, which
// stays until the receipt.
func (s *Session) unsubscribe(f *frame.Frame, receipt bool) (*subscription, *Error) {
	id, _ := s.value(f, "id")
	sub := s.subs[id]
	// STOMP-UNSUBSCRIBE-001, STOMP-UNSUBSCRIBE-009: an empty id is never recorded.
	if sub == nil || sub.phase == gone {
		return nil, refuse(ReasonUnsubscribeID, "no subscription %.40q is open", id)
	}
	// STOMP-UNSUBSCRIBE-005
	if sub.phase == leaving {
		return nil, refuse(ReasonUnsubscribing, "the receipt of UNSUBSCRIBE %.40q has not arrived yet", id)
	}
	if !receipt {
		// STOMP-UNSUBSCRIBE-007
		s.drop(sub)
		return nil, nil
	}
	// STOMP-UNSUBSCRIBE-004
	sub.phase = leaving
	s.leaving++
	return sub, nil
}

// drop removes a subscription. Its deliveries stay: STOMP-UNSUBSCRIBE-008.
func (s *Session) drop(sub *subscription) {
	if sub.phase == leaving {
		s.leaving--
	}
	s.open--
	sub.phase = gone
	if s.version == frame.V10 {
		s.unlist(sub)
	}
	if sub.first == nil {
		delete(s.subs, sub.id)
	}
}

// list adds a subscription to those of its destination.
func (s *Session) list(sub *subscription) {
	head := s.byDestination[sub.destination]
	if head != nil {
		head.prev = sub
	}
	sub.next = head
	s.byDestination[sub.destination] = sub
}

// unlist takes a subscription from those of its destination.
func (s *Session) unlist(sub *subscription) {
	if sub.next != nil {
		sub.next.prev = sub.prev
	}
	switch {
	case sub.prev != nil:
		sub.prev.next = sub.next
	case sub.next != nil:
		s.byDestination[sub.destination] = sub.next
	default:
		delete(s.byDestination, sub.destination)
	}
	sub.prev, sub.next = nil, nil
}
