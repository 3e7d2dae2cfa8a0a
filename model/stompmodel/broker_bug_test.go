package stompmodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustBroker(t testing.TB, cfg BrokerConfig) *Broker {
	t.Helper()
	b, err := NewBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBrokerScopesHold explores the scopes to their ends, but the first, of which the second is what a healthy broker does.
func TestBrokerScopesHold(t *testing.T) {
	for _, tc := range []struct {
		version       Version
		scope         string
		states, edges int64
	}{
		{V12, "the same, healthy", 196900, 515487},
		{V12, "the same, healthy, judging", 168444, 395147},
		{V10, "staged acknowledgement", 9423, 28350},
		{V12, "cumulative", 88031, 144690},
		{V12, "transaction", 643, 1313},
		{V12, "transaction, judging, anything may fail", 2798, 5139},
		{V12, "staged acknowledgement", 9419, 25652},
		{V12, "NACK of unknown effect", 898, 1765},
		{V12, "NACK requeues", 760, 1499},
		{V12, "NACK discards", 417, 850},
		{V12, "NACK makes dead letters", 509, 1030},
		{V12, "topic", 8776, 16098},
		{V12, "topic, judging", 2414, 4602},
		{V12, "connect, disconnect, errors", 42756, 117599},
		{V11, "errors, judging", 4676, 19110},
	} {
		t.Run(string(tc.version)+" "+tc.scope, func(t *testing.T) {
			machinetest.Holds(t, mustBroker(t, machinetest.Named(t, BrokerScopes(tc.version), tc.scope)), tc.states, tc.edges)
		})
	}
}

func brokerFaults() []machinetest.Fault[BrokerConfig, brokerBug] {
	seed := machinetest.Seed[BrokerConfig, brokerBug]
	healthy := func(scope ...Action) BrokerConfig {
		return BrokerConfig{Healthy: true, Explicit: true, Scope: scope}
	}
	in11 := func(cfg BrokerConfig) BrokerConfig { cfg.Version = V11; return cfg }
	noDestination := act(0, ClientFrame{Command: "SEND", Body: "a", Receipt: "send"})
	noID := act(0, ClientFrame{Command: "SUBSCRIBE", Destination: "/q"})
	noTx := act(0, ClientFrame{Command: "BEGIN"})
	asked := act(0, ClientFrame{Command: "SEND", Destination: "/q", Body: "a", Receipt: "send"})
	bye := act(0, ClientFrame{Command: "DISCONNECT", Receipt: "bye"})
	consumers := []Action{subscribe(0, "s", ""), subscribe(1, "u", ""), sends(1, "a", "")}
	tx := []Action{transact(0, "BEGIN", ""), sends(0, "a", "t"), sends(0, "b", "t"), transact(0, "COMMIT", ""), transact(0, "ABORT", ""), subscribe(0, "s", "")}
	twoSubs := []Action{subscribe(0, "s", "client"), subscribe(0, "v", "client"), sends(1, "a", ""), sends(1, "b", ""), acks(0, "ACK", "b", "")}
	individual := []Action{subscribe(0, "s", "client-individual"), sends(1, "a", ""), sends(1, "b", ""), acks(0, "ACK", "b", ""), acks(0, "NACK", "b", "")}
	nack := []Action{subscribe(0, "s", "client"), sends(1, "a", ""), sends(1, "b", ""), acks(0, "NACK", "a", ""), acks(0, "NACK", "b", "")}
	unknown := []Action{subscribe(0, "s", "client"), sends(1, "a", ""), acks(0, "ACK", "nobody", "")}
	txAck := []Action{subscribe(0, "s", "client"), sends(1, "a", ""), transact(0, "BEGIN", ""), acks(0, "ACK", "a", "t"), transact(0, "ABORT", "")}
	return []machinetest.Fault[BrokerConfig, brokerBug]{
		seed(bugRedeliverSettled, healthy(consumers...), "STOMP-SUBSCRIBE-008", "consumed at most once", 6),
		seed(bugTwoHands, healthy(subscribe(0, "s", "client"), subscribe(1, "u", "client"), sends(1, "a", "")), "STOMP-SUBSCRIBE-008", "two hands", 6),
		seed(bugLoseUnsettled, healthy(subscribe(0, "s", "client"), sends(1, "a", ""), drop0()), "STOMP-SUBSCRIBE-008", "lost", 7),
		seed(bugDeliverAfterUnsubscribe, healthy(subscribe(0, "s", ""), leave0(), sends(1, "a", "")), "STOMP-UNSUBSCRIBE-003", "no MESSAGE", 8),
		seed(bugEarlyPublish, healthy(tx...), "STOMP-TX-003", "no MESSAGE before COMMIT", 7),
		seed(bugEarlyPublish, healthy(tx...), "STOMP-TX-003", "if, and only if", 4),
		seed(bugHalfCommit, healthy(tx...), "STOMP-TX-003", "if, and only if", 8),
		seed(bugAbortPublishes, healthy(tx...), "STOMP-TX-005", "aborted", 6),
		seed(bugAbortPublishes, healthy(append(tx[:3:3], drop0())...), "STOMP-TX-005", "aborted", 6),
		seed(bugEarlyTxAck, healthy(txAck...), "STOMP-TX-004", "before COMMIT", 9),
		seed(bugCrossSubscriptions, healthy(twoSubs...), "STOMP-SUBSCRIBE-006", "covers", 12),
		seed(bugCumulativeIndividual, healthy(individual...), "STOMP-SUBSCRIBE-007", "covers its message", 10),
		seed(bugCumulativeIndividual, healthy(individual...), "STOMP-NACK-002", "individual", 10),
		seed(bugNackTooFar, healthy(nack...), "STOMP-NACK-002", "in client mode", 10),
		seed(bugUnknownAckSettles, healthy(unknown...), "STOMP-ACK-005", "settles nothing", 7),
		seed(bugEarlyReceipt, healthy(asked), "STOMP-RECEIPT-001", "sent once", 2),
		seed(bugTwoReceipts, healthy(asked), "STOMP-RECEIPT-001", "sent once", 3),
		seed(bugWrongReceipt, healthy(asked), "STOMP-RECEIPT-001", "an id that was requested", 3),
		seed(bugEarlyReceipt, healthy(asked, bye), "STOMP-DISCONNECT-003", "earlier frames", 2),
		seed(bugSilentFailure, healthy(noDestination), "STOMP-SEND-001", "not processed", 2),
		seed(bugSilentFailure, healthy(noID), "STOMP-SUBSCRIBE-001", "not processed", 2),
		seed(bugSilentFailure, healthy(noTx), "STOMP-TX-001", "not processed", 2),
		seed(bugErrorGoesOn, healthy(asked, noDestinationOf("b")), "STOMP-ERROR-001", "nothing but the close", 5),
		seed(bugErrorGoesOn, in11(healthy(asked, noDestinationOf("b"))), "STOMP-ERROR-002", "nothing but the close", 5),
		seed(bugWrongErrorID, healthy(noDestination), "STOMP-ERROR-004", "names no receipt", 2),
		seed(bugEarlyFrames, fresh(asked), "STOMP-CONNECT-007", "precedes", 4),
		seed(bugTwoConnected, fresh(), "STOMP-CONNECT-007", "at most one", 3),
		seed(bugWrongSubscription, healthy(sends(1, "a", ""), act(0, ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/other"})), "STOMP-SUBSCRIBE-010", "open subscription", 5),
		seed(bugBody, healthy(consumers...), "STOMP-SEND-004", "body", 5),
	}
}

func noDestinationOf(body string) Action { return act(0, ClientFrame{Command: "SEND", Body: body}) }

func fresh(scope ...Action) BrokerConfig {
	return BrokerConfig{Healthy: true, Explicit: true, Fresh: true, Scope: append(scope, act(0, ClientFrame{Command: "CONNECT"}))}
}

// TestEveryBrokerInvariantCanFail: each fault breaks a law, and each invariant is broken by a fault.
func TestEveryBrokerInvariantCanFail(t *testing.T) {
	machinetest.Faults(t, model.Bounds{}, brokerBugCount, func(cfg BrokerConfig, bug brokerBug) *Broker {
		b := mustBroker(t, cfg)
		b.bug = bug
		return b
	}, brokerFaults())
}
