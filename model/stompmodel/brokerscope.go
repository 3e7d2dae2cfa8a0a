package stompmodel

import (
	"iter"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// BrokerScopes returns the scopes of sessions of one version, the one of BrokerConfig's zero value first.
func BrokerScopes(v Version) []model.Scope[BrokerConfig] {
	cumulative := []Action{subscribe(0, "s", "client"), subscribe(0, "v", "client"), sends(1, "a", ""), sends(1, "b", ""), sends(1, "c", ""), acks(0, "ACK", "b", ""), acks(0, "NACK", "c", "")}
	transaction := []Action{
		subscribe(1, "u", ""), transact(0, "BEGIN", ""), sends(0, "a", "t"), sends(0, "b", "t"),
		transact(0, "COMMIT", "commit"), transact(0, "ABORT", ""), drop0(),
	}
	staged := []Action{
		subscribe(0, "s", "client"), sends(1, "a", ""), sends(1, "b", ""), transact(0, "BEGIN", ""), acks(0, "ACK", "b", "t"),
		transact(0, "COMMIT", "commit"), transact(0, "ABORT", ""), drop0(), subscribe(1, "u", ""),
	}
	closing := []Action{subscribe(0, "s", ""), sends(1, "a", ""), act(0, ClientFrame{Command: "DISCONNECT", Receipt: "bye"}), act(1, ClientFrame{Command: "BOGUS", Receipt: "bogus"})}
	refused := []Action{
		subscribe(0, "s", "client"), sends(1, "a", ""), sends(1, "b", ""), acks(0, "NACK", "b", ""), acks(0, "ACK", "a", ""),
		act(1, ClientFrame{Command: "SUBSCRIBE", ID: "d", Destination: "/dlq"}),
	}
	fan := []Action{subscribe(0, "s", "client"), subscribe(1, "u", ""), sends(1, "a", ""), sends(0, "b", ""), acks(0, "ACK", "b", ""), leave0()}
	topic := func(string) bool { return true }
	scopes := []model.Scope[BrokerConfig]{
		{Name: "two sessions, one queue, two messages, one transaction", Config: BrokerConfig{Explicit: true}},
		{Name: "the same, healthy", Config: BrokerConfig{Healthy: true, Explicit: true}},
		{Name: "the same, healthy, judging", Config: BrokerConfig{Healthy: true}},
		{Name: "cumulative", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: cumulative}},
		{Name: "transaction", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: transaction}},
		{Name: "transaction, judging, anything may fail", Config: BrokerConfig{Scope: transaction}},
		{Name: "staged acknowledgement", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: staged}},
		{Name: "NACK of unknown effect", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: refused, DeadLetter: "/dlq"}},
		{Name: "NACK requeues", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackRequeue}},
		{Name: "NACK discards", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackDiscard}},
		{Name: "NACK makes dead letters", Config: BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackDeadLetter, DeadLetter: "/dlq"}},
		{Name: "topic", Config: BrokerConfig{Healthy: true, Explicit: true, Topic: topic, Scope: fan}},
		{Name: "topic, judging", Config: BrokerConfig{Healthy: true, Topic: topic, Scope: fan}},
		{Name: "connect, disconnect, errors", Config: BrokerConfig{Fresh: true, Explicit: true, Scope: append(closing, act(0, ClientFrame{Command: "CONNECT"}), act(1, ClientFrame{Command: "CONNECT"}))}},
		{Name: "errors, judging", Config: BrokerConfig{Scope: closing}},
	}
	for i := range scopes {
		scopes[i].Config.Version = v
	}
	return scopes
}

// smallBrokerScope returns the client actions of the smallest scope that has everything: two sessions, one queue, two messages, one transaction. A
// consumer in client mode subscribes, sends in a transaction, acknowledges cumulatively, refuses, unsubscribes and is cut off; the other session sends
// and consumes in auto mode.
func smallBrokerScope() []Action {
	return []Action{
		subscribe(0, "s", "client"),
		transact(0, "BEGIN", ""),
		sends(0, "a", "t"),
		transact(0, "COMMIT", "commit"),
		transact(0, "ABORT", ""),
		act(0, ClientFrame{Command: "ACK", Message: "b", ID: "s", Receipt: "ack"}),
		act(0, ClientFrame{Command: "NACK", Message: "a", ID: "s"}),
		leave0(),
		drop0(),
		act(1, ClientFrame{Command: "SEND", Destination: "/q", Body: "b", Receipt: "send"}),
		subscribe(1, "u", ""),
	}
}

// act is a client frame of a scope.
func act(conn int, f ClientFrame) Action { return Action{Kind: ActSend, Conn: conn, Frame: f} }

// Frames that scopes share. The ids of receipts are the lower-case names.
func subscribe(conn int, id, mode string) Action {
	return act(conn, ClientFrame{Command: "SUBSCRIBE", ID: id, Destination: "/q", Ack: mode})
}

func sends(conn int, body, tx string) Action {
	return act(conn, ClientFrame{Command: "SEND", Destination: "/q", Body: body, Transaction: tx})
}

func acks(conn int, command, message, tx string) Action {
	return act(conn, ClientFrame{Command: command, Message: message, Transaction: tx})
}

func transact(conn int, command, receipt string) Action {
	return act(conn, ClientFrame{Command: command, Transaction: "t", Receipt: receipt})
}

func drop0() Action { return Action{Kind: ActDrop, Conn: 0} }
func leave0() Action {
	return act(0, ClientFrame{Command: "UNSUBSCRIBE", ID: "s", Receipt: "unsubscribe"})
}

// Actions yields the actions worth trying in s: what is left of the scope and makes sense, a receive on each open connection, and in an Explicit
// machine the broker's own steps.
func (b *Broker) Actions(s BrokerState) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for i, a := range b.cfg.Scope {
			if s.used&(1<<i) == 0 && b.worth(s, a) && !yield(a) {
				return
			}
		}
		for c := range b.cfg.Conns {
			if si := s.current(c); si >= 0 && s.sessions[si].phase != gone && !yield(Action{Kind: ActReceive, Conn: c}) {
				return
			}
		}
		if !b.cfg.Explicit {
			return
		}
		for si := range s.sessions {
			if !yield(Action{Kind: ActWork, Conn: si}) || !yield(Action{Kind: ActEnd, Conn: si}) {
				return
			}
		}
	}
}

// markUsed takes a out of what is left of the scope.
func (b *Broker) markUsed(s *BrokerState, a Action) {
	for i, have := range b.cfg.Scope {
		if have == a && s.used&(1<<i) == 0 {
			s.used |= 1 << i
			return
		}
	}
}

// worth leaves out what a client would not do because something else of the scope comes first. What the scope itself makes
// impossible to do right, such as an ACK of a message that nobody sends, is offered as it is.
func (b *Broker) worth(s BrokerState, a Action) bool {
	si := s.current(a.Conn)
	f := a.Frame
	if a.Kind == ActSend && (f.Command == "CONNECT" || f.Command == "STOMP") {
		return si < 0 || s.sessions[si].phase == gone
	}
	if si < 0 || s.sessions[si].phase == gone || s.sessions[si].phase == doomed {
		return false
	}
	ses := &s.sessions[si]
	waiting := func(match func(ClientFrame) bool) bool {
		return slices.ContainsFunc(ses.inbox, func(in inFrame) bool { return match(in.ClientFrame) })
	}
	inScope := func(match func(ClientFrame) bool) bool {
		return slices.ContainsFunc(b.cfg.Scope, func(o Action) bool { return o.Conn == a.Conn && match(o.Frame) })
	}
	if waiting(func(o ClientFrame) bool { return o.Command == "DISCONNECT" }) || ses.over {
		return a.Kind == ActDrop
	}
	if f.Transaction != "" && f.Command != "BEGIN" {
		begins := func(o ClientFrame) bool { return o.Command == "BEGIN" && o.Transaction == f.Transaction }
		ends := func(o ClientFrame) bool {
			return (o.Command == "COMMIT" || o.Command == "ABORT") && o.Transaction == f.Transaction
		}
		live := (ses.tx(f.Transaction) >= 0 || waiting(begins)) && !waiting(ends)
		if inScope(begins) && !live {
			return false
		}
	}
	switch f.Command {
	case "UNSUBSCRIBE":
		makes := func(o ClientFrame) bool { return o.Command == "SUBSCRIBE" && o.ID == f.ID }
		return ses.sub(f) >= 0 || waiting(makes) || !inScope(makes)
	case "ACK", "NACK":
		i := s.message(f.Message)
		known := slices.ContainsFunc(b.cfg.Scope, func(o Action) bool { return o.Frame.Command == "SEND" && o.Frame.Body == f.Message })
		return !known || i >= 0 && s.messages[i].held(si, f.ID) >= 0
	}
	return true
}
