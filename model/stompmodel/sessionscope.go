package stompmodel

import (
	"iter"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/model"
)

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

// SessionScopes returns the scopes of sessions of one version. In 1.2 the one of SessionConfig's zero value is first.
func SessionScopes(v Version) []model.Scope[SessionConfig] {
	scopes := []model.Scope[SessionConfig]{
		{Name: "handshake, any version", Config: handshakeScope(true)},
		{Name: "settlement", Config: settleScope(v)},
		{Name: "time", Config: timeScope()},
	}
	if v != V12 {
		return scopes
	}
	return append([]model.Scope[SessionConfig]{{Name: "small", Config: SessionConfig{}}, {Name: "handshake, 1.2 only", Config: handshakeScope(false)}, {Name: "records", Config: recordScope()}}, scopes...)
}

// smallSessionScope returns the actions of a small scope in the 1.2 profile: two subscriptions, one of them cumulative, a transaction, two receipts,
// three messages, and every way for a session to end.
func smallSessionScope() []SessionAction {
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

// The words of these scopes.
func finish() []SessionAction { return []SessionAction{{Op: SessionEnd}, {Op: SessionFail}} }

func connect12() SessionAction  { return Sends(0, "CONNECT", "accept-version", "1.2", "host", "h") }
func accepted12() SessionAction { return Delivers(0, NewFrame("CONNECTED", "version", "1.2")) }
func failure() Frame            { return NewFrame("ERROR", "message", "m") }
func answer(id string) Frame    { return NewFrame("RECEIPT", "receipt-id", id) }

func begin(more ...SessionAction) []SessionAction {
	return append([]SessionAction{connect12(), accepted12()}, more...)
}

func opens(id, mode string, more ...string) SessionAction {
	return Sends(0, "SUBSCRIBE", append([]string{"id", id, "destination", "/q", "ack", mode}, more...)...)
}

func arrival(sub, n string) Frame {
	return NewFrame("MESSAGE", "subscription", sub, "destination", "/q", "message-id", n, "ack", n)
}

// settles is an ACK or NACK in all three forms at once.
func settles(command, sub, n string, more ...string) SessionAction {
	return Sends(0, command, append([]string{"id", n, "message-id", n, "subscription", sub}, more...)...)
}

// handshakeScope holds every way not to connect, in and out.
func handshakeScope(multi bool) SessionConfig {
	scope := []SessionAction{
		connect12(), Sends(0, "STOMP", "accept-version", "1.2", "host", "h", "heart-beat", "5,5"), accepted12(),
		Sends(0, "CONNECT", "accept-version", "1.0,1.1", "host", "h"), Sends(0, "CONNECT", "accept-version", "1.1,1.2", "host", "h"),
		Sends(0, "CONNECT", "accept-version", "1.2"), Sends(0, "CONNECT", "host", "h"), Sends(0, "CONNECT", "accept-version", "1.2,1.1", "host", "h"),
		Sends(0, "CONNECT", "accept-version", "1.2", "host", "h", "receipt", ""), Sends(0, "CONNECT", "accept-version", "1.2", "host", "h", "heart-beat", "1"),
		Sends(0, "SEND", "destination", "/q"), Sends(0, "MESSAGE"), Sends(0, "BOGUS"), Sends(0, "NACK", "id", "1"),
		Delivers(0, NewFrame("CONNECTED")), Delivers(0, NewFrame("CONNECTED", "version", "1.0")), Delivers(0, NewFrame("CONNECTED", "version", "1.1")),
		Delivers(0, NewFrame("CONNECTED", "version", "1.2", "heart-beat", "1")), Delivers(0, NewFrame("CONNECTED", "version", "1.1", "heart-beat", "5,5")),
		Delivers(0, NewFrame("CONNECTED", "heart-beat", "5,5")),
		Delivers(0, Frame{}, NewFrame("CONNECTED", "version", "1.2"), Frame{}), Delivers(0, arrival("a", "1")), Delivers(0, answer("r")),
		Delivers(0, failure()), Delivers(0, NewFrame("SEND")), Delivers(0), Ticks(0), Ticks(5), Ticks(-1), Ticks(106),
		{Op: SessionDeliver, Rest: RestBegun},
		{Op: SessionDeliver, Rest: RestBroken},
		{Op: SessionSend, Frame: Frame{Command: "SEND", Headers: slices.Repeat([]Header{{"n", "v"}}, 128), Body: []byte("b")}},
		{Op: SessionSend, Frame: Frame{Command: "SEND", Body: make([]byte, maxSentBody+1)}},
		Sends(0, "SEND", "x", strings.Repeat("x", maxSentPair)),
	}
	return SessionConfig{MultiVersion: multi, Scope: append(scope, finish()...)}
}

// recordScope holds two ids in all modes, with receipts that meet.
func recordScope() SessionConfig {
	scope := begin(
		opens("a", "auto"), opens("a", "client", "receipt", "s"), opens("b", "client-individual"), opens("c", "auto"), opens("b", "Auto"), opens("", "auto"),
		Sends(0, "SUBSCRIBE", "id", "a", "destination", ""),
		Sends(0, "UNSUBSCRIBE", "id", "a"), Sends(0, "UNSUBSCRIBE", "id", "a", "receipt", "r"), Sends(0, "UNSUBSCRIBE", "id", "b", "receipt", "s"), Sends(0, "UNSUBSCRIBE"),
		Delivers(0, arrival("a", "1")), Delivers(0, arrival("a", "2")), Delivers(0, arrival("b", "2")), Delivers(0, arrival("", "2")),
		Delivers(0, NewFrame("MESSAGE", "subscription", "b", "destination", "/q", "message-id", "3")),
		settles("ACK", "a", "2"), settles("NACK", "b", "2"),
		Sends(0, "SEND", "destination", "/q", "receipt", "r"), Sends(0, "SEND", "destination", "/q", "receipt", ""), Sends(0, "SEND", "receipt", "s"),
		Sends(0, "SEND", "destination", "/q", "receipt", "t"),
		Delivers(0, answer("r")), Delivers(0, answer("s")), Delivers(0, answer("t")), Delivers(0, answer("s"), answer("r")), Delivers(0, NewFrame("RECEIPT")),
		Delivers(0, answer("r"), arrival("a", "1")), Delivers(0, arrival("a", "1"), answer("r")),
		Sends(0, "DISCONNECT", "receipt", "s"), Sends(0, "DISCONNECT"), Delivers(0, failure()), Delivers(0, failure(), answer("r")), Delivers(0, failure(), Frame{}),
		SessionAction{Op: SessionDeliver, Frames: []Frame{failure()}, Rest: RestBegun}, SessionAction{Op: SessionDeliver, Frames: []Frame{failure()}, Rest: RestBroken},
	)
	return SessionConfig{Scope: append(scope, finish()...)}
}

// settleScope holds three deliveries of two subscriptions and two transactions.
func settleScope(version Version) SessionConfig {
	mode := "client-individual"
	if version == V10 {
		mode = "client"
	}
	scope := []SessionAction{
		Sends(0, "CONNECT", "accept-version", string(version), "host", "h"), Delivers(0, NewFrame("CONNECTED", "version", string(version))),
		opens("a", "client"), opens("b", mode), Sends(0, "UNSUBSCRIBE", "id", "a"), Sends(0, "UNSUBSCRIBE", "id", "b"),
		Delivers(0, arrival("a", "1")), Delivers(0, arrival("a", "2")), Delivers(0, arrival("b", "3")), Delivers(0, arrival("b", "4")), Delivers(0, arrival("b", "1")),
	}
	for _, tx := range []string{"t", "u"} {
		scope = append(scope,
			Sends(0, "BEGIN", "transaction", tx), Sends(0, "COMMIT", "transaction", tx), Sends(0, "ABORT", "transaction", tx),
			settles("ACK", "a", "1", "transaction", tx), settles("ACK", "b", "4", "transaction", tx), Sends(0, "SEND", "destination", "/q", "transaction", tx))
	}
	scope = append(scope,
		Sends(0, "BEGIN", "transaction", "v"), Sends(0, "BEGIN", "transaction", ""), Sends(0, "COMMIT"),
		settles("NACK", "a", "2", "transaction", "t"), settles("ACK", "a", "2"), settles("NACK", "b", "4"), settles("ACK", "b", "3"), settles("ACK", "b", "5"))
	return SessionConfig{MultiVersion: true, Scope: append(scope, finish()...)}
}

// timeScope holds a session with beats of 2 ms each way and 1 ms of tolerance.
func timeScope() SessionConfig {
	scope := []SessionAction{
		Sends(0, "CONNECT", "accept-version", "1.0,1.1,1.2", "host", "h", "heart-beat", "2,2"), Sends(3, "CONNECT", "accept-version", "1.2", "host", "h", "heart-beat", "0,2"),
		Delivers(0, NewFrame("CONNECTED", "version", "1.2", "heart-beat", "1,1")), Delivers(1, NewFrame("CONNECTED", "version", "1.1", "heart-beat", "3,0")),
		Delivers(1, NewFrame("CONNECTED", "heart-beat", "2,2")),
		Sends(0, "SEND", "destination", "/q"), Sends(1, "SEND", "destination", "/q"), Sends(1, "SEND"), Sends(-1, "SEND", "destination", "/q"), Sends(-5, "SEND"),
		Ticks(0), Ticks(1), Ticks(2), Ticks(3), Ticks(4), Ticks(9), Ticks(-1),
		Delivers(1), Delivers(1, Frame{}), Delivers(-1, Frame{}),
		{Op: SessionDeliver, Now: 1, Rest: RestBegun},
		Delivers(0, answer("r")),
		Sends(0, "DISCONNECT", "receipt", "r"),
	}
	return SessionConfig{MultiVersion: true, Tolerance: 1, Scope: append(scope, finish()...)}
}
