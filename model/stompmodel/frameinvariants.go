package stompmodel

import "fmt"

// frameInvariants returns the laws about the effect of one frame. They compute from the state before what the frame may touch, apart from how
// the machine does it.
func (b *Broker) frameInvariants() []EdgeInvariant {
	taken := func(law, title string, check func(before BrokerState, si int, f inFrame, after BrokerState) error) EdgeInvariant {
		return EdgeInvariant{Law: law, Title: title, Check: func(before BrokerState, a Action, after BrokerState, _ Output) error {
			if a.Kind != ActWork {
				return nil
			}
			return check(before, a.Conn, before.sessions[a.Conn].inbox[0], after)
		}}
	}
	refused := func(law, title string, commands ...string) EdgeInvariant {
		return taken(law, title, func(before BrokerState, si int, f inFrame, _ BrokerState) error {
			for _, c := range commands {
				if f.Command == c && mustFail(b.version(before.sessions[si].conn), f.ClientFrame) {
					return fmt.Errorf("%v was taken although a required header is missing", f.ClientFrame)
				}
			}
			return nil
		})
	}
	return []EdgeInvariant{
		taken("STOMP-SUBSCRIBE-006", "an ACK in client mode covers what came before it on its subscription", b.scope("ACK", "client")),
		taken("STOMP-SUBSCRIBE-007", "an ACK in client-individual mode covers its message", b.scope("ACK", "client-individual")),
		taken("STOMP-NACK-002", "a NACK in client mode covers what came before it on its subscription", b.scope("NACK", "client")),
		taken("STOMP-NACK-002", "a NACK in client-individual mode covers its message", b.scope("NACK", "client-individual")),
		taken("STOMP-ACK-005", "an ACK or NACK that names no unsettled delivery settles nothing", b.namesNothing),
		taken("STOMP-TX-004", "an ACK or NACK in a transaction settles nothing before COMMIT", b.waitsForCommit),
		refused("STOMP-SEND-001", "a SEND without destination is not processed", "SEND"),
		refused("STOMP-SUBSCRIBE-001", "a SUBSCRIBE without destination or id is not processed", "SUBSCRIBE"),
		refused("STOMP-TX-001", "BEGIN, COMMIT and ABORT without transaction are not processed", "BEGIN", "COMMIT", "ABORT"),
	}
}

// named returns the delivery that an ACK or NACK of session si names: the latest one of that message to that session which is neither settled nor dead.
func named(s BrokerState, si int, f inFrame) *hand {
	for i := range s.messages {
		if s.messages[i].body != f.Message {
			continue
		}
		for j := len(s.messages[i].hands) - 1; j >= 0; j-- {
			h := &s.messages[i].hands[j]
			if h.session == si && !h.settled && !h.dead && (f.ID == "" || f.ID == h.id) {
				if h.at != f.n {
					return nil
				}
				return h
			}
		}
	}
	return nil
}

// touched reports that a step changed what a delivery is.
func touched(before, after hand) bool {
	return before.settled != after.settled || before.dead != after.dead || before.loose != after.loose
}

// eachHand calls visit for each delivery, before and after a step that neither adds nor removes any.
func eachHand(before, after BrokerState, visit func(m *message, was, is hand) error) error {
	for i := range before.messages {
		for j, was := range before.messages[i].hands {
			if err := visit(&before.messages[i], was, after.messages[i].hands[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// scope checks that a command which is in no transaction, and names a delivery of mode, touches all that it must and nothing else.
func (b *Broker) scope(command, mode string) func(BrokerState, int, inFrame, BrokerState) error {
	return func(before BrokerState, si int, f inFrame, after BrokerState) error {
		if f.Command != command || f.Transaction != "" || before.sessions[si].over {
			return nil
		}
		n := named(before, si, f)
		if n == nil || n.mode != mode {
			return nil
		}
		cumulative := mode == "client" && b.version(before.sessions[si].conn) != V10
		return eachHand(before, after, func(m *message, was, is hand) error {
			sameSub := was.session == si && was.n == n.n
			covers := sameSub && (was.at == n.at || cumulative && was.at < n.at) && !was.settled && !was.dead
			done := is.settled
			if command == "NACK" {
				done = is.loose || is.dead
			}
			switch {
			case covers && !done:
				return fmt.Errorf("%v leaves message %s as it was", f.ClientFrame, m.body)
			case !covers && touched(was, is):
				return fmt.Errorf("%v touches message %s, delivery %d of session %d for %s", f.ClientFrame, m.body, was.at, was.session, was.id)
			}
			return nil
		})
	}
}

func (b *Broker) namesNothing(before BrokerState, si int, f inFrame, after BrokerState) error {
	if f.Command != "ACK" && f.Command != "NACK" || named(before, si, f) != nil {
		return nil
	}
	return eachHand(before, after, func(m *message, was, is hand) error {
		if touched(was, is) {
			return fmt.Errorf("%v names nothing and touches message %s", f.ClientFrame, m.body)
		}
		return nil
	})
}

func (b *Broker) waitsForCommit(before BrokerState, si int, f inFrame, after BrokerState) error {
	if f.Command != "ACK" && f.Command != "NACK" || f.Transaction == "" || b.cfg.TxAckAtOnce {
		return nil
	}
	return eachHand(before, after, func(m *message, was, is hand) error {
		if touched(was, is) {
			return fmt.Errorf("%v touches message %s before COMMIT", f.ClientFrame, m.body)
		}
		return nil
	})
}
