package stompmodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustSession(t testing.TB, cfg SessionConfig) *Session {
	t.Helper()
	m, err := NewSession(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSessionScopesHold explores the scopes to their ends.
func TestSessionScopesHold(t *testing.T) {
	for _, tc := range []struct {
		version       Version
		scope         string
		states, edges int64
	}{
		{V12, "small", 4332, 129960},
		{V12, "handshake, 1.2 only", 24, 880},
		{V12, "handshake, any version", 60, 2200},
		{V12, "records", 819, 32760},
		{V12, "settlement", 6041, 199353},
		{V11, "settlement", 6073, 200409},
		{V10, "settlement", 4437, 146421},
		{V12, "time", 127, 3063},
	} {
		t.Run(string(tc.version)+" "+tc.scope, func(t *testing.T) {
			machinetest.Holds(t, mustSession(t, machinetest.Named(t, SessionScopes(tc.version), tc.scope)), tc.states, tc.edges)
		})
	}
}

// A begunSession is a Session that is connected from the beginning, so that walks come to something.
type begunSession struct {
	*Session
	version string
}

func (m begunSession) Init() SessionState {
	s, _, _ := m.Do(m.Session.Init(), Sends(0, "CONNECT", "accept-version", m.version, "host", "h", "heart-beat", "2,2"))
	s, _, _ = m.Do(s, Delivers(0, NewFrame("CONNECTED", "version", m.version, "heart-beat", "2,2")))
	return s
}

// TestSessionWalks takes random walks through every scope, with limits that no walk reaches.
func TestSessionWalks(t *testing.T) {
	var machines []begunSession
	for _, v := range Versions() {
		for _, sc := range SessionScopes(v) {
			sc.Config.Limits = DefaultSessionLimits()
			machines = append(machines, begunSession{mustSession(t, sc.Config), string(v)})
		}
	}
	machinetest.Walks(t, machines, nil)
}

func sessionFaults() []machinetest.Fault[SessionConfig, sessionBug] {
	seed := machinetest.Seed[SessionConfig, sessionBug]
	scope := func(more ...SessionAction) SessionConfig { return SessionConfig{Scope: begin(more...)} }
	in := func(version Version, more ...SessionAction) SessionConfig {
		v := string(version)
		return SessionConfig{MultiVersion: true, Scope: append([]SessionAction{
			Sends(0, "CONNECT", "accept-version", v, "host", "h", "heart-beat", "2,2"), Delivers(0, NewFrame("CONNECTED", "version", v, "heart-beat", "2,2")),
		}, more...)}
	}
	leave := func(kv ...string) SessionAction {
		return Sends(0, "UNSUBSCRIBE", append([]string{"id", "a"}, kv...)...)
	}
	sent := func(kv ...string) SessionAction {
		return Sends(0, "SEND", append([]string{"destination", "/q"}, kv...)...)
	}
	tx := func(command, id string) SessionAction { return Sends(0, command, "transaction", id) }
	bye := Sends(0, "DISCONNECT", "receipt", "s")
	ending := func(a SessionAction) SessionConfig { return scope(a) }
	open := opens("a", "client")
	one, two, three := Delivers(0, arrival("a", "1")), Delivers(0, arrival("a", "2")), Delivers(0, arrival("a", "3"))
	staged := scope(open, one, two, tx("BEGIN", "t"), tx("BEGIN", "u"), settles("ACK", "a", "1", "transaction", "t"), settles("ACK", "a", "2", "transaction", "u"),
		tx("COMMIT", "t"), tx("ABORT", "u"))
	individual := scope(opens("a", "client-individual"), one, two, settles("ACK", "a", "2"), tx("BEGIN", "t"), tx("BEGIN", "u"),
		settles("ACK", "a", "1", "transaction", "t"), settles("ACK", "a", "2", "transaction", "u"), tx("COMMIT", "t"), tx("ABORT", "u"))
	return []machinetest.Fault[SessionConfig, sessionBug]{
		seed(bugSubscriptionsUnbounded, scope(open, opens("b", "auto"), opens("c", "auto")), "STOMP-LIMIT-014", "subscriptions", 5),
		seed(bugTransactionsUnbounded, scope(tx("BEGIN", "t"), tx("BEGIN", "u"), tx("BEGIN", "v")), "STOMP-LIMIT-015", "transactions", 5),
		seed(bugReceiptsUnbounded, scope(sent("receipt", "r"), sent("receipt", "s"), sent("receipt", "t")), "STOMP-LIMIT-016", "receipts", 5),
		seed(bugDeliveriesUnbounded, scope(open, one, two, three, Delivers(0, arrival("a", "4"))), "STOMP-LIMIT-017", "at most 3", 7),
		seed(bugSubscribeTwice, scope(open), "STOMP-SUBSCRIBE-012", "no id twice", 4),
		seed(bugReuseUnsettled, scope(open, opens("a", "client-individual"), one, leave()), "STOMP-SUBSCRIBE-013", "mode", 6),
		seed(bugBeginTwice, scope(tx("BEGIN", "t")), "STOMP-TX-006", "no id twice", 4),
		seed(bugReceiptTwice, scope(sent("receipt", "r")), "STOMP-RECEIPT-003", "no id twice", 4),
		seed(bugDeliveryTwice, scope(open, one), "STOMP-ACK-010", "one key", 5),
		seed(bugDeliveryTwice, in(V11, open, one), "STOMP-ACK-010", "one key", 5),
		seed(bugDeliveryTwice, in(V10, open, one), "STOMP-ACK-010", "one key", 5),
		seed(bugAutoRecorded, scope(opens("a", "auto"), one), "STOMP-SUBSCRIBE-015", "never recorded", 4),
		seed(bugFinishForgets, staged, "STOMP-TX-008", "in an open transaction", 7),
		seed(bugFinishForgets, individual, "STOMP-TX-008", "COMMIT removes", 7),
		seed(bugFinishAll, individual, "STOMP-TX-008", "COMMIT removes", 8),
		seed(bugReceiptKeepsSubscription, scope(open, leave("receipt", "r"), Delivers(0, answer("r"))), "STOMP-UNSUBSCRIBE-006", "pending receipt", 5),
		seed(bugReceiptKeepsSubscription, scope(open, leave("receipt", "r"), Delivers(0, answer("r"))), "STOMP-UNSUBSCRIBE-006", "completes", 5),
		seed(bugAnyReceiptUnsubscribes, scope(open, leave("receipt", "r"), sent("receipt", "s"), Delivers(0, answer("s"))), "STOMP-UNSUBSCRIBE-006", "completes", 6),
		seed(bugAnyReceipt, scope(Delivers(0, answer("r"))), "STOMP-RECEIPT-005", "was pending", 3),
		seed(bugOldestReceipt, scope(sent("receipt", "r"), sent("receipt", "s"), Delivers(0, answer("s"))), "STOMP-RECEIPT-004", "no other", 5),
		seed(bugUnsubscribeAtOnce, scope(open, leave("receipt", "r")), "STOMP-UNSUBSCRIBE-007", "at once", 4),
		seed(bugUnsubscribeTwice, scope(open, leave("receipt", "r"), leave("receipt", "s")), "STOMP-UNSUBSCRIBE-005", "left alone", 5),
		seed(bugUnsubscribeDrops, scope(open, one, leave()), "STOMP-UNSUBSCRIBE-008", "deliveries", 5),
		seed(bugUnsubscribeDrops, scope(open, one, leave()), "STOMP-LIMIT-017", "deliveries come", 5),
		seed(bugLeavingDeaf, scope(open, one, leave("receipt", "r")), "STOMP-UNSUBSCRIBE-004", "is taken", 5),
		seed(bugUnknownMessage, scope(one), "STOMP-SUBSCRIBE-014", "on record", 3),
		seed(bugOverlap, staged, "STOMP-ACK-009", "come first", 9),
		seed(bugStagedTwice, staged, "STOMP-ACK-006", "unstaged", 7),
		seed(bugStagingSettles, staged, "STOMP-ACK-008", "removes nothing", 6),
		seed(bugIndividualCovers, individual, "STOMP-ACK-007", "what it covers", 6),
		seed(bugCrossSettles, scope(open, opens("b", "client"), Delivers(0, arrival("b", "1")), two, settles("ACK", "a", "2")), "STOMP-ACK-007", "what it covers", 7),
		seed(bugUnknownTransaction, scope(sent("transaction", "t")), "STOMP-TX-007", "open one", 3),
		seed(bugNoDestination, scope(Sends(0, "SEND")), "STOMP-SEND-005", "destination", 3),
		seed(bugClosedSends, scope(sent(), finish()[1]), "STOMP-CLIENT-010", "final", 2),
		seed(bugEarlySend, scope(sent()), "STOMP-CONNECT-016", "Connecting", 2),
		seed(bugConnectActive, scope(), "STOMP-CLIENT-001", "forward", 1),
		seed(bugByeForgotten, scope(bye), "STOMP-CLIENT-001", "waits for its receipt", 3),
		seed(bugDisconnectStays, scope(Sends(0, "DISCONNECT")), "STOMP-DISCONNECT-006", "without receipt", 3),
		seed(bugByeStays, scope(bye, Delivers(0, answer("s"))), "STOMP-DISCONNECT-005", "ends with", 4),
		seed(bugAnyReceiptCloses, scope(sent("receipt", "r"), bye, Delivers(0, answer("r"))), "STOMP-DISCONNECT-005", "ends with", 5),
		seed(bugServerErrorGoesOn, ending(Delivers(0, failure())), "STOMP-ERROR-006", "closes", 2),
		seed(bugFramesAfterEnd, ending(Delivers(0, failure(), failure())), "STOMP-ERROR-007", "no frame", 2),
		seed(bugFaultKeepsEvents, ending(Delivers(0, failure(), failure())), "STOMP-CLIENT-006", "returns nothing", 2),
		seed(bugFreshStays, scope(Delivers(0)), "STOMP-CLIENT-007", "Fresh", 1),
		seed(bugFailKeepsReceipts, scope(sent("receipt", "r"), finish()[1]), "STOMP-CLIENT-005", "holds nothing", 4),
		seed(bugEndStays, scope(finish()[0]), "STOMP-CLIENT-009", "end closes", 1),
		seed(bugRefusalRegisters, scope(Sends(0, "SEND", "receipt", "r")), "STOMP-CLIENT-002", "nothing but the time", 3),
		seed(bugRefusalStopsTime, scope(Sends(1, "SEND")), "STOMP-CLOCK-005", "advances", 1),
		seed(bugRegressionCounts, scope(Ticks(1), Sends(-1, "SEND")), "STOMP-CLOCK-002", "before the last time", 2),
		seed(bugRegressionTolerated, scope(Ticks(1), Ticks(-1)), "STOMP-CLOCK-003", "closes", 1),
		seed(bugTickKeepsTime, scope(Ticks(1)), "STOMP-CLOCK-004", "advances", 1),
		seed(bugAnyVersion, scope(Delivers(0, NewFrame("CONNECTED", "version", "1.1"))), "STOMP-NEGOTIATE-007", "offered", 2),
		seed(bugAnyVersion, in(V12, Delivers(0, NewFrame("CONNECTED", "version", "1.1"))), "STOMP-NEGOTIATE-007", "offered", 2),
		seed(bugBeatsIn10, in(V10), "STOMP-HEARTBEAT-016", "1.0", 2),
		seed(bugBeatDisconnecting, in(V12, bye, Ticks(2)), "STOMP-HEARTBEAT-016", "only in Active", 4),
		seed(bugLateBeat, in(V12, Ticks(2)), "STOMP-HEARTBEAT-010", "due", 3),
		seed(bugTwoBeats, in(V12, Ticks(4)), "STOMP-HEARTBEAT-013", "at most one", 3),
		seed(bugTimeoutBeats, in(V12, Ticks(103)), "STOMP-HEARTBEAT-013", "at most one", 3),
		seed(bugDeadAtBound, in(V12, Ticks(102)), "STOMP-HEARTBEAT-011", "dead", 3),
		seed(bugSendKeepsTimer, in(V12, Sends(1, "SEND", "destination", "/q")), "STOMP-HEARTBEAT-014", "restarts", 3),
		seed(bugEmptyRefreshes, in(V12, Delivers(1)), "STOMP-HEARTBEAT-014", "restarts", 3),
	}
}

// TestEverySessionInvariantCanFail: each fault breaks a law, and each invariant is broken by a fault.
func TestEverySessionInvariantCanFail(t *testing.T) {
	machinetest.Faults(t, model.Bounds{}, sessionBugCount, func(cfg SessionConfig, bug sessionBug) *Session {
		m := mustSession(t, cfg)
		m.bug = bug
		return m
	}, sessionFaults())
}
