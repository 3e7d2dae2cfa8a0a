package stompmodel

import "iter"

// Actions yields the scope of the configuration, each action at its time after the last accepted one.
func (m *Session) Actions(s SessionState) iter.Seq[SessionAction] {
	return func(yield func(SessionAction) bool) {
		for _, a := range m.cfg.Scope {
			a.Now = later(s.now, a.Now)
			if !yield(a) {
				return
			}
		}
	}
}

// NewFrame returns a frame with the headers given as name, value, name, value.
func NewFrame(command string, kv ...string) Frame {
	f := Frame{Command: command}
	for i := 0; i+1 < len(kv); i += 2 {
		f.Headers = append(f.Headers, Header{kv[i], kv[i+1]})
	}
	return f
}

// Sends is a call of send, Delivers one of receive that brings whole frames, and Ticks one of tick.
func Sends(now int64, command string, kv ...string) SessionAction {
	return SessionAction{Op: SessionSend, Now: now, Frame: NewFrame(command, kv...)}
}

// Delivers is a call of receive that brings whole frames: see Sends.
func Delivers(now int64, frames ...Frame) SessionAction {
	return SessionAction{Op: SessionDeliver, Now: now, Frames: frames}
}

// Ticks is a call of tick.
func Ticks(now int64) SessionAction { return SessionAction{Op: SessionTick, Now: now} }

// SmallSessionScope returns the actions of a small scope in the 1.2 profile: two subscriptions, one of them cumulative, a transaction, two receipts,
// three messages, and every way for a session to end.
func SmallSessionScope() []SessionAction {
	return []SessionAction{
		Sends(0, "CONNECT", "accept-version", "1.2", "host", "h"),
		Sends(0, "CONNECT", "accept-version", "1.2"),
		Delivers(0, NewFrame("CONNECTED", "version", "1.2")),
		Sends(0, "SUBSCRIBE", "id", "a", "destination", "/q", "ack", "client"),
		Sends(0, "SUBSCRIBE", "id", "b", "destination", "/q", "ack", "client-individual"),
		Sends(0, "UNSUBSCRIBE", "id", "a", "receipt", "r"),
		Sends(0, "UNSUBSCRIBE", "id", "b"),
		Delivers(0, NewFrame("MESSAGE", "subscription", "a", "destination", "/q", "message-id", "1", "ack", "1")),
		Delivers(0, NewFrame("MESSAGE", "subscription", "a", "destination", "/q", "message-id", "2", "ack", "2")),
		Delivers(0, NewFrame("MESSAGE", "subscription", "b", "destination", "/q", "message-id", "3", "ack", "3")),
		Sends(0, "BEGIN", "transaction", "t"),
		Sends(0, "ACK", "id", "1", "transaction", "t"),
		Sends(0, "ACK", "id", "2"),
		Sends(0, "NACK", "id", "2", "transaction", "t"),
		Sends(0, "NACK", "id", "3"),
		Sends(0, "COMMIT", "transaction", "t"),
		Sends(0, "ABORT", "transaction", "t"),
		Sends(0, "SEND", "destination", "/q", "receipt", "s"),
		Delivers(0, NewFrame("RECEIPT", "receipt-id", "r")),
		Delivers(0, NewFrame("RECEIPT", "receipt-id", "s")),
		Sends(0, "DISCONNECT", "receipt", "r"),
		Sends(0, "DISCONNECT"),
		Delivers(0, NewFrame("ERROR", "message", "m")),
		Delivers(0, NewFrame("ERROR", "message", "m"), NewFrame("RECEIPT", "receipt-id", "s")),
		{Op: SessionDeliver, Rest: RestBegun},
		{Op: SessionDeliver, Rest: RestBroken},
		Ticks(1),
		Ticks(-1),
		{Op: SessionEnd},
		{Op: SessionFail},
	}
}
