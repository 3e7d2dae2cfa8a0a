package stompmodel

import (
	"fmt"

	"github.com/seed-6f28358b/assay/model"
)

// Invariants returns what holds in every state of the machine, each named by its law.
func (b *Broker) Invariants() []model.Invariant[BrokerState] {
	perMessage := func(law, title string, check func(BrokerState, *message) error) model.Invariant[BrokerState] {
		return model.Invariant[BrokerState]{Law: law, Title: title, Holds: func(s BrokerState) error {
			for i := range s.messages {
				if err := check(s, &s.messages[i]); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	return []model.Invariant[BrokerState]{
		perMessage("STOMP-TX-005", "an aborted message never becomes visible", neverAfterAbort),
		perMessage("STOMP-TX-003", "a transaction's messages are visible if, and only if, it was committed", atomic),
		perMessage("STOMP-SUBSCRIBE-008", "a queue's message is consumed at most once", b.consumedOnce),
		perMessage("STOMP-SUBSCRIBE-008", "no message is in two hands", b.oneHand),
		perMessage("STOMP-SUBSCRIBE-008", "no message is lost without being settled", neverLost),
		{
			Law: "STOMP-RECEIPT-001", Title: "each receipt requested is sent once, and after its frame was taken",
			Holds: b.receiptsAddUp,
		},
		{
			Law: "STOMP-CONNECT-007", Title: "a session has at most one CONNECTED",
			Holds: func(s BrokerState) error {
				for i := range s.sessions {
					if n := s.sessions[i].greeted; n > 1 {
						return fmt.Errorf("session %d has %d CONNECTED frames", i, n)
					}
				}
				return nil
			},
		},
	}
}

func neverAfterAbort(_ BrokerState, m *message) error {
	if m.aborted && m.published {
		return fmt.Errorf("message %s is visible although its transaction was aborted", m.body)
	}
	return nil
}

func atomic(_ BrokerState, m *message) error {
	if m.txn > 0 && m.published != m.committed {
		return fmt.Errorf("message %s: committed is %t, visible is %t", m.body, m.committed, m.published)
	}
	return nil
}

func (b *Broker) consumedOnce(_ BrokerState, m *message) error {
	if !b.cfg.Topic(m.dest) && m.consumed > 1 {
		return fmt.Errorf("message %s was consumed %d times", m.body, m.consumed)
	}
	return nil
}

func (b *Broker) oneHand(_ BrokerState, m *message) error {
	for i, h := range m.hands {
		for _, o := range m.hands[:i] {
			same := o.session == h.session && o.n == h.n
			live := !h.settled && !h.loose && !h.dead && !o.settled && !o.loose && !o.dead
			if same || live && !b.cfg.Topic(m.dest) {
				return fmt.Errorf("message %s is with session %d and session %d", m.body, o.session, h.session)
			}
		}
	}
	return nil
}

func neverLost(_ BrokerState, m *message) error {
	if m.published && m.state == void && m.consumed == 0 && !m.aborted {
		return fmt.Errorf("message %s is gone and nobody settled it", m.body)
	}
	return nil
}

// receiptsAddUp checks that no receipt is on its way, owed and sent more often than it was requested.
func (b *Broker) receiptsAddUp(s BrokerState) error {
	for i := range s.sessions {
		ses := &s.sessions[i]
		left := make(map[string]int)
		for _, id := range ses.asked {
			left[id]++
		}
		for _, id := range ses.answered {
			left[id]--
		}
		for _, o := range ses.owed {
			left[o.frame.Receipt]--
		}
		for _, f := range ses.inbox {
			if f.Receipt != "" && !mustFail(b.version(ses.conn), f.ClientFrame) {
				left[f.Receipt]--
			}
		}
		for _, id := range append(ses.asked[:len(ses.asked):len(ses.asked)], ses.answered...) {
			if n := left[id]; n < 0 {
				return fmt.Errorf("session %d: receipt %q is sent or to be sent %d times more than it was requested", i, id, -n)
			}
		}
	}
	return nil
}
