package stompmodel

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

// seededSession is a fault in the machine of the session, the scope in which it shows, and the invariant that must see it in so many steps.
type seededSession struct {
	bug   sessionBug
	cfg   SessionConfig
	law   string
	title string
	steps int
}

func sessionBugs() []seededSession {
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
	return []seededSession{
		{bugSubscriptionsUnbounded, scope(open, opens("b", "auto"), opens("c", "auto")), "STOMP-LIMIT-014", "subscriptions", 5},
		{bugTransactionsUnbounded, scope(tx("BEGIN", "t"), tx("BEGIN", "u"), tx("BEGIN", "v")), "STOMP-LIMIT-015", "transactions", 5},
		{bugReceiptsUnbounded, scope(sent("receipt", "r"), sent("receipt", "s"), sent("receipt", "t")), "STOMP-LIMIT-016", "receipts", 5},
		{bugDeliveriesUnbounded, scope(open, one, two, three, Delivers(0, arrival("a", "4"))), "STOMP-LIMIT-017", "at most 3", 7},
		{bugSubscribeTwice, scope(open), "STOMP-SUBSCRIBE-012", "no id twice", 4},
		{bugReuseUnsettled, scope(open, opens("a", "client-individual"), one, leave()), "STOMP-SUBSCRIBE-013", "mode", 6},
		{bugBeginTwice, scope(tx("BEGIN", "t")), "STOMP-TX-006", "no id twice", 4},
		{bugReceiptTwice, scope(sent("receipt", "r")), "STOMP-RECEIPT-003", "no id twice", 4},
		{bugDeliveryTwice, scope(open, one), "STOMP-ACK-010", "one key", 5},
		{bugDeliveryTwice, in(V11, open, one), "STOMP-ACK-010", "one key", 5},
		{bugDeliveryTwice, in(V10, open, one), "STOMP-ACK-010", "one key", 5},
		{bugAutoRecorded, scope(opens("a", "auto"), one), "STOMP-SUBSCRIBE-015", "never recorded", 4},
		{bugFinishForgets, staged, "STOMP-TX-008", "in an open transaction", 7},
		{bugFinishForgets, individual, "STOMP-TX-008", "COMMIT removes", 7},
		{bugFinishAll, individual, "STOMP-TX-008", "COMMIT removes", 8},
		{bugReceiptKeepsSubscription, scope(open, leave("receipt", "r"), Delivers(0, answer("r"))), "STOMP-UNSUBSCRIBE-006", "pending receipt", 5},
		{bugReceiptKeepsSubscription, scope(open, leave("receipt", "r"), Delivers(0, answer("r"))), "STOMP-UNSUBSCRIBE-006", "completes", 5},
		{bugAnyReceiptUnsubscribes, scope(open, leave("receipt", "r"), sent("receipt", "s"), Delivers(0, answer("s"))), "STOMP-UNSUBSCRIBE-006", "completes", 6},
		{bugAnyReceipt, scope(Delivers(0, answer("r"))), "STOMP-RECEIPT-005", "was pending", 3},
		{bugOldestReceipt, scope(sent("receipt", "r"), sent("receipt", "s"), Delivers(0, answer("s"))), "STOMP-RECEIPT-004", "no other", 5},
		{bugUnsubscribeAtOnce, scope(open, leave("receipt", "r")), "STOMP-UNSUBSCRIBE-007", "at once", 4},
		{bugUnsubscribeTwice, scope(open, leave("receipt", "r"), leave("receipt", "s")), "STOMP-UNSUBSCRIBE-005", "left alone", 5},
		{bugUnsubscribeDrops, scope(open, one, leave()), "STOMP-UNSUBSCRIBE-008", "deliveries", 5},
		{bugUnsubscribeDrops, scope(open, one, leave()), "STOMP-LIMIT-017", "deliveries come", 5},
		{bugLeavingDeaf, scope(open, one, leave("receipt", "r")), "STOMP-UNSUBSCRIBE-004", "is taken", 5},
		{bugUnknownMessage, scope(one), "STOMP-SUBSCRIBE-014", "on record", 3},
		{bugOverlap, staged, "STOMP-ACK-009", "come first", 9},
		{bugStagedTwice, staged, "STOMP-ACK-006", "unstaged", 7},
		{bugStagingSettles, staged, "STOMP-ACK-008", "removes nothing", 6},
		{bugIndividualCovers, individual, "STOMP-ACK-007", "what it covers", 6},
		{bugCrossSettles, scope(open, opens("b", "client"), Delivers(0, arrival("b", "1")), two, settles("ACK", "a", "2")), "STOMP-ACK-007", "what it covers", 7},
		{bugUnknownTransaction, scope(sent("transaction", "t")), "STOMP-TX-007", "open one", 3},
		{bugNoDestination, scope(Sends(0, "SEND")), "STOMP-SEND-005", "destination", 3},
		{bugClosedSends, scope(sent(), finish[1]), "STOMP-CLIENT-010", "final", 2},
		{bugEarlySend, scope(sent()), "STOMP-CONNECT-016", "Connecting", 2},
		{bugConnectActive, scope(), "STOMP-CLIENT-001", "forward", 1},
		{bugByeForgotten, scope(bye), "STOMP-CLIENT-001", "waits for its receipt", 3},
		{bugDisconnectStays, scope(Sends(0, "DISCONNECT")), "STOMP-DISCONNECT-006", "without receipt", 3},
		{bugByeStays, scope(bye, Delivers(0, answer("s"))), "STOMP-DISCONNECT-005", "ends with", 4},
		{bugAnyReceiptCloses, scope(sent("receipt", "r"), bye, Delivers(0, answer("r"))), "STOMP-DISCONNECT-005", "ends with", 5},
		{bugServerErrorGoesOn, ending(Delivers(0, failure)), "STOMP-ERROR-006", "closes", 2},
		{bugFramesAfterEnd, ending(Delivers(0, failure, failure)), "STOMP-ERROR-007", "no frame", 2},
		{bugFaultKeepsEvents, ending(Delivers(0, failure, failure)), "STOMP-CLIENT-006", "returns nothing", 2},
		{bugFreshStays, scope(Delivers(0)), "STOMP-CLIENT-007", "Fresh", 1},
		{bugFailKeepsReceipts, scope(sent("receipt", "r"), finish[1]), "STOMP-CLIENT-005", "holds nothing", 4},
		{bugEndStays, scope(finish[0]), "STOMP-CLIENT-009", "end closes", 1},
		{bugRefusalRegisters, scope(Sends(0, "SEND", "receipt", "r")), "STOMP-CLIENT-002", "nothing but the time", 3},
		{bugRefusalStopsTime, scope(Sends(1, "SEND")), "STOMP-CLOCK-005", "advances", 1},
		{bugRegressionCounts, scope(Ticks(1), Sends(-1, "SEND")), "STOMP-CLOCK-002", "before the last time", 2},
		{bugRegressionTolerated, scope(Ticks(1), Ticks(-1)), "STOMP-CLOCK-003", "closes", 1},
		{bugTickKeepsTime, scope(Ticks(1)), "STOMP-CLOCK-004", "advances", 1},
		{bugAnyVersion, scope(Delivers(0, NewFrame("CONNECTED", "version", "1.1"))), "STOMP-NEGOTIATE-007", "offered", 2},
		{bugAnyVersion, in(V12, Delivers(0, NewFrame("CONNECTED", "version", "1.1"))), "STOMP-NEGOTIATE-007", "offered", 2},
		{bugBeatsIn10, in(V10), "STOMP-HEARTBEAT-016", "1.0", 2},
		{bugBeatDisconnecting, in(V12, bye, Ticks(2)), "STOMP-HEARTBEAT-016", "only in Active", 4},
		{bugLateBeat, in(V12, Ticks(2)), "STOMP-HEARTBEAT-010", "due", 3},
		{bugTwoBeats, in(V12, Ticks(4)), "STOMP-HEARTBEAT-013", "at most one", 3},
		{bugTimeoutBeats, in(V12, Ticks(103)), "STOMP-HEARTBEAT-013", "at most one", 3},
		{bugDeadAtBound, in(V12, Ticks(102)), "STOMP-HEARTBEAT-011", "dead", 3},
		{bugSendKeepsTimer, in(V12, Sends(1, "SEND", "destination", "/q")), "STOMP-HEARTBEAT-014", "restarts", 3},
		{bugEmptyRefreshes, in(V12, Delivers(1)), "STOMP-HEARTBEAT-014", "restarts", 3},
	}
}

// TestEverySessionInvariantCanFail seeds one fault for each invariant: alone, the invariant finds a shortest counterexample, and without the fault the
// same scope holds.
func TestEverySessionInvariantCanFail(t *testing.T) {
	caught := make(map[string]bool)
	seeded := make(map[sessionBug]bool)
	for _, tc := range sessionBugs() {
		t.Run(tc.law+" "+tc.title, func(t *testing.T) {
			m := mustSession(t, tc.cfg)
			if r := exploreSession(t, m, m.Invariants(), m.EdgeInvariants()); !r.Complete {
				t.Fatalf("without the fault: %v", r)
			}
			m.bug = tc.bug
			seeded[tc.bug] = true
			var states []model.Invariant[SessionState]
			var edges []SessionEdgeInvariant
			for _, inv := range m.Invariants() {
				if inv.Law == tc.law && strings.Contains(inv.Title, tc.title) {
					states = append(states, inv)
					caught[inv.Law+inv.Title] = true
				}
			}
			for _, inv := range m.EdgeInvariants() {
				if inv.Law == tc.law && strings.Contains(inv.Title, tc.title) {
					edges = append(edges, inv)
					caught[inv.Law+inv.Title] = true
				}
			}
			if len(states)+len(edges) != 1 {
				t.Fatalf("%d invariants match, want one", len(states)+len(edges))
			}
			r := exploreSession(t, m, states, edges)
			if r.Counterexample == nil {
				t.Fatalf("the fault was not found: %v", r)
			}
			if n := len(r.Counterexample.Trace); r.Counterexample.Law != tc.law || n != tc.steps {
				t.Errorf("want %d steps, found %d:\n%v", tc.steps, n, r.Counterexample)
			}
			if r := exploreSession(t, m, m.Invariants(), m.EdgeInvariants()); r.Counterexample == nil {
				t.Error("all invariants together do not find it")
			}
		})
	}
	m := mustSession(t, SessionConfig{})
	for _, inv := range m.Invariants() {
		if !caught[inv.Law+inv.Title] {
			t.Errorf("no fault is seeded for %s: %s", inv.Law, inv.Title)
		}
	}
	for _, inv := range m.EdgeInvariants() {
		if !caught[inv.Law+inv.Title] {
			t.Errorf("no fault is seeded for %s: %s", inv.Law, inv.Title)
		}
	}
	for b := noSessionBug + 1; b < sessionBugCount; b++ {
		if !seeded[b] {
			t.Errorf("the fault %d is seeded nowhere", b)
		}
	}
}
