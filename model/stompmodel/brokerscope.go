package stompmodel

import (
	"iter"
	"slices"
)

// SmallScope returns the client actions of the smallest scope that has everything: two sessions, one queue, two messages, one transaction. A
// consumer in client mode subscribes, sends in a transaction, acknowledges cumulatively, refuses, unsubscribes and is cut off; the other session sends
// and consumes in auto mode.
func SmallScope() []Action {
	send := func(conn int, f ClientFrame) Action { return Action{Kind: ActSend, Conn: conn, Frame: f} }
	return []Action{
		send(0, ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/q", Ack: "client"}),
		send(0, ClientFrame{Command: "BEGIN", Transaction: "t"}),
		send(0, ClientFrame{Command: "SEND", Destination: "/q", Transaction: "t", Body: "a"}),
		send(0, ClientFrame{Command: "COMMIT", Transaction: "t", Receipt: "commit"}),
		send(0, ClientFrame{Command: "ABORT", Transaction: "t"}),
		send(0, ClientFrame{Command: "ACK", Message: "b", ID: "s", Receipt: "ack"}),
		send(0, ClientFrame{Command: "NACK", Message: "a", ID: "s"}),
		send(0, ClientFrame{Command: "UNSUBSCRIBE", ID: "s", Receipt: "unsubscribe"}),
		{Kind: ActDrop, Conn: 0},
		send(1, ClientFrame{Command: "SEND", Destination: "/q", Body: "b", Receipt: "send"}),
		send(1, ClientFrame{Command: "SUBSCRIBE", ID: "u", Destination: "/q"}),
	}
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
