package stompmodel

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

func exploreSession(t *testing.T, m *Session, states []model.Invariant[SessionState], edges []SessionEdgeInvariant) model.Result[SessionState, SessionAction, SessionOutput] {
	t.Helper()
	r, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[SessionState, SessionAction, SessionOutput]{
		Bounds: model.Bounds{States: 1_000_000, Workers: 2}, Invariants: states, EdgeInvariants: edges,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustSession(t testing.TB, cfg SessionConfig) *Session {
	t.Helper()
	m, err := NewSession(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The words of the scopes below.
var (
	finish     = []SessionAction{{Op: SessionEnd}, {Op: SessionFail}}
	connect12  = Sends(0, "CONNECT", "accept-version", "1.2", "host", "h")
	accepted12 = Delivers(0, NewFrame("CONNECTED", "version", "1.2"))
	begins     = []SessionAction{connect12, accepted12}
)

func begin(more ...SessionAction) []SessionAction { return slices.Concat(begins, more) }

func opens(id, mode string, more ...string) SessionAction {
	return Sends(0, "SUBSCRIBE", append([]string{"id", id, "destination", "/q", "ack", mode}, more...)...)
}

func arrival(sub, n string) Frame {
	return NewFrame("MESSAGE", "subscription", sub, "destination", "/q", "message-id", n, "ack", n)
}

func answer(id string) Frame { return NewFrame("RECEIPT", "receipt-id", id) }

var failure = NewFrame("ERROR", "message", "m")

// settles is an ACK or NACK in all three forms at once.
func settles(command, sub, n string, more ...string) SessionAction {
	return Sends(0, command, append([]string{"id", n, "message-id", n, "subscription", sub}, more...)...)
}

// sessionScope is a scope that is explored to its end, and how large it is.
type sessionScope struct {
	name   string
	cfg    SessionConfig
	states int64
	edges  int64
}

// handshakeScope holds every way not to connect, in and out.
func handshakeScope(multi bool) SessionConfig {
	scope := []SessionAction{
		connect12, Sends(0, "STOMP", "accept-version", "1.2", "host", "h", "heart-beat", "5,5"), accepted12,
		Sends(0, "CONNECT", "accept-version", "1.0,1.1", "host", "h"), Sends(0, "CONNECT", "accept-version", "1.1,1.2", "host", "h"),
		Sends(0, "CONNECT", "accept-version", "1.2"), Sends(0, "CONNECT", "host", "h"), Sends(0, "CONNECT", "accept-version", "1.2,1.1", "host", "h"),
		Sends(0, "CONNECT", "accept-version", "1.2", "host", "h", "receipt", ""), Sends(0, "CONNECT", "accept-version", "1.2", "host", "h", "heart-beat", "1"),
		Sends(0, "SEND", "destination", "/q"), Sends(0, "MESSAGE"), Sends(0, "BOGUS"), Sends(0, "NACK", "id", "1"),
		Delivers(0, NewFrame("CONNECTED")), Delivers(0, NewFrame("CONNECTED", "version", "1.0")), Delivers(0, NewFrame("CONNECTED", "version", "1.1")),
		Delivers(0, NewFrame("CONNECTED", "version", "1.2", "heart-beat", "1")), Delivers(0, NewFrame("CONNECTED", "version", "1.1", "heart-beat", "5,5")),
		Delivers(0, NewFrame("CONNECTED", "heart-beat", "5,5")),
		Delivers(0, Frame{}, NewFrame("CONNECTED", "version", "1.2"), Frame{}), Delivers(0, arrival("a", "1")), Delivers(0, answer("r")),
		Delivers(0, failure), Delivers(0, NewFrame("SEND")), Delivers(0), Ticks(0), Ticks(5), Ticks(-1), Ticks(106),
		{Op: SessionDeliver, Rest: RestBegun},
		{Op: SessionDeliver, Rest: RestBroken},
		{Op: SessionSend, Frame: Frame{Command: "SEND", Headers: slices.Repeat([]Header{{"n", "v"}}, 128), Body: []byte("b")}},
		{Op: SessionSend, Frame: Frame{Command: "SEND", Body: make([]byte, maxSentBody+1)}},
		Sends(0, "SEND", "x", strings.Repeat("x", maxSentPair)),
	}
	return SessionConfig{MultiVersion: multi, Scope: append(scope, finish...)}
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
		Sends(0, "DISCONNECT", "receipt", "s"), Sends(0, "DISCONNECT"), Delivers(0, failure), Delivers(0, failure, answer("r")), Delivers(0, failure, Frame{}),
		SessionAction{Op: SessionDeliver, Frames: []Frame{failure}, Rest: RestBegun}, SessionAction{Op: SessionDeliver, Frames: []Frame{failure}, Rest: RestBroken},
	)
	return SessionConfig{Scope: append(scope, finish...)}
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
	return SessionConfig{MultiVersion: true, Scope: append(scope, finish...)}
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
	return SessionConfig{MultiVersion: true, Tolerance: 1, Scope: append(scope, finish...)}
}

func sessionScopes() []sessionScope {
	return []sessionScope{
		{"small", SessionConfig{}, 4332, 129960},
		{"handshake, 1.2 only", handshakeScope(false), 24, 880},
		{"handshake, any version", handshakeScope(true), 60, 2200},
		{"records", recordScope(), 819, 32760},
		{"settlement in 1.2", settleScope(V12), 6041, 199353},
		{"settlement in 1.1", settleScope(V11), 6073, 200409},
		{"settlement in 1.0", settleScope(V10), 4437, 146421},
		{"time", timeScope(), 127, 3063},
	}
}

// TestSessionScopesHold explores each scope to its end and records how large it is: a count that moves means that the machine allows more or less.
func TestSessionScopesHold(t *testing.T) {
	for _, tc := range sessionScopes() {
		t.Run(tc.name, func(t *testing.T) {
			m := mustSession(t, tc.cfg)
			r := exploreSession(t, m, m.Invariants(), m.EdgeInvariants())
			if r.Counterexample != nil || !r.Complete {
				t.Fatal(r)
			}
			t.Log(r)
			if r.States != tc.states || r.Edges != tc.edges {
				t.Errorf("%d states and %d edges, want %d and %d", r.States, r.Edges, tc.states, tc.edges)
			}
		})
	}
}
