package stompmodel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// Invariants returns what holds in every state of the machine, each named by its law.
func (m *Session) Invariants() []model.Invariant[SessionState] {
	limits := m.cfg.Limits
	return []model.Invariant[SessionState]{
		within("STOMP-LIMIT-014", "subscriptions", limits.Subscriptions, func(c SessionCounts) int { return c.Subscriptions }),
		within("STOMP-LIMIT-015", "transactions", limits.Transactions, func(c SessionCounts) int { return c.Transactions }),
		within("STOMP-LIMIT-016", "receipts", limits.Receipts, func(c SessionCounts) int { return c.Receipts }),
		within("STOMP-LIMIT-017", "deliveries", limits.Deliveries, func(c SessionCounts) int { return c.Deliveries }),
		{Law: "STOMP-CLIENT-005", Title: "a closed session holds nothing", Holds: closedHoldsNothing},
		{Law: "STOMP-CLIENT-001", Title: "records begin with CONNECTED, and Disconnecting waits for its receipt", Holds: recordsFitPhase},
		{Law: "STOMP-SUBSCRIBE-012", Title: "subscriptions have ids and destinations, and no id twice", Holds: func(s SessionState) error {
			var ids []string
			for _, sub := range s.subs {
				if sub.dest == "" {
					return fmt.Errorf("subscription %q has no destination", sub.id)
				}
				ids = append(ids, sub.id)
			}
			return eachOnce("subscription", ids)
		}},
		{Law: "STOMP-TX-006", Title: "transactions have ids, and no id twice", Holds: func(s SessionState) error { return eachOnce("transaction", s.txs) }},
		{Law: "STOMP-RECEIPT-003", Title: "pending receipts have ids, and no id twice", Holds: func(s SessionState) error {
			var ids []string
			for _, r := range s.receipts {
				ids = append(ids, r.id)
			}
			return eachOnce("receipt", ids)
		}},
		{Law: "STOMP-ACK-010", Title: "no two pending deliveries have one key", Holds: func(s SessionState) error {
			var keys []string
			for _, d := range s.deliveries {
				keys = append(keys, s.key(d))
			}
			return eachOnce("delivery", keys)
		}},
		{Law: "STOMP-SUBSCRIBE-015", Title: "deliveries in auto mode are never recorded", Holds: neverAuto},
		{Law: "STOMP-SUBSCRIBE-013", Title: "an open subscription has the mode of its unsettled deliveries", Holds: sameMode},
		{Law: "STOMP-UNSUBSCRIBE-006", Title: "a subscription that is being removed waits for a pending receipt", Holds: removalIsPending},
		{Law: "STOMP-TX-008", Title: "a staged delivery is staged in an open transaction", Holds: stagedInOpen},
		{Law: "STOMP-ACK-009", Title: "of a cumulative subscription the staged deliveries come first, in one transaction", Holds: stagedFirst},
		{Law: "STOMP-HEARTBEAT-016", Title: "a 1.0 session has no intervals", Holds: func(s SessionState) error {
			if s.connected && s.version == V10 && s.sendEvery+s.expectEvery != 0 {
				return fmt.Errorf("intervals %d and %d in 1.0", s.sendEvery, s.expectEvery)
			}
			return nil
		}},
	}
}

func within(law, what string, limit int, count func(SessionCounts) int) model.Invariant[SessionState] {
	return model.Invariant[SessionState]{Law: law, Title: fmt.Sprintf("at most %d %s", limit, what), Holds: func(s SessionState) error {
		if n := count(s.counts()); n > limit {
			return fmt.Errorf("%d %s, limit %d", n, what, limit)
		}
		return nil
	}}
}

// eachOnce checks that no id is empty or there twice.
func eachOnce(what string, ids []string) error {
	for i, id := range ids {
		if id == "" {
			return fmt.Errorf("a %s has no id", what)
		}
		if slices.Contains(ids[:i], id) {
			return fmt.Errorf("two %ss are called %q", what, id)
		}
	}
	return nil
}

func closedHoldsNothing(s SessionState) error {
	if s.phase != SessionClosed {
		return nil
	}
	line, headers, body := s.decoder.Retained()
	if c := s.counts(); c != (SessionCounts{}) || s.sendEvery+s.expectEvery != 0 || line+headers+body != 0 || s.begun {
		return fmt.Errorf("closed with %+v, intervals %d and %d, and %d octets", c, s.sendEvery, s.expectEvery, line+headers+body)
	}
	return nil
}

func recordsFitPhase(s SessionState) error {
	bye := slices.ContainsFunc(s.receipts, func(r clientReceipt) bool { return r.bye })
	switch {
	case bye != (s.phase == SessionDisconnecting):
		return fmt.Errorf("%s with the receipt of DISCONNECT pending: %t", s.phase, bye)
	case (s.phase == SessionFresh || s.phase == SessionConnecting) && s.counts() != (SessionCounts{}):
		return fmt.Errorf("%s with %+v", s.phase, s.counts())
	case !s.connected && (s.phase == SessionActive || s.phase == SessionDisconnecting):
		return fmt.Errorf("%s without a version", s.phase)
	}
	return nil
}

func neverAuto(s SessionState) error {
	for _, d := range s.deliveries {
		if d.mode != modeClient && d.mode != modeIndividual {
			return fmt.Errorf("delivery %q of mode %s is pending", s.key(d), d.mode)
		}
	}
	return nil
}

func sameMode(s SessionState) error {
	for _, d := range s.deliveries {
		if at := s.sub(d.sub); at >= 0 && s.subs[at].mode != d.mode {
			return fmt.Errorf("delivery %q came in mode %s, and %q is open in mode %s", s.key(d), d.mode, d.sub, s.subs[at].mode)
		}
	}
	return nil
}

func removalIsPending(s SessionState) error {
	for _, sub := range s.subs {
		if sub.leaving != "" && s.receipt(sub.leaving) < 0 {
			return fmt.Errorf("subscription %q waits for receipt %q, which is not pending", sub.id, sub.leaving)
		}
	}
	return nil
}

func stagedInOpen(s SessionState) error {
	for _, d := range s.deliveries {
		if d.tx != "" && !slices.Contains(s.txs, d.tx) {
			return fmt.Errorf("delivery %q is staged in %q, which is not open", s.key(d), d.tx)
		}
	}
	return nil
}

func stagedFirst(s SessionState) error {
	for i, d := range s.deliveries {
		if d.mode != modeClient || d.tx == "" {
			continue
		}
		for _, earlier := range s.deliveries[:i] {
			if earlier.sub == d.sub && earlier.tx != d.tx {
				return errors.New("deliveries of " + d.sub + " are staged apart: " + s.String())
			}
		}
	}
	return nil
}
