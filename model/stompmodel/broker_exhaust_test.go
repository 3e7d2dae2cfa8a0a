package stompmodel

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

func explore(t *testing.T, b *Broker, states []model.Invariant[BrokerState], edges []EdgeInvariant) model.Result[BrokerState, Action, Output] {
	t.Helper()
	r, err := model.Exhaust(t.Context(), b, model.ExhaustConfig[BrokerState, Action, Output]{
		Bounds:         model.Bounds{States: 1_000_000, Workers: 2},
		Invariants:     states,
		EdgeInvariants: edges,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustBroker(t testing.TB, cfg BrokerConfig) *Broker {
	t.Helper()
	b, err := NewBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// act is a client frame of a scope.
func act(conn int, f ClientFrame) Action { return Action{Kind: ActSend, Conn: conn, Frame: f} }

// Frames that the scopes of this file share. The ids of receipts are the lower-case names.
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

var (
	drop0  = Action{Kind: ActDrop, Conn: 0}
	leave0 = act(0, ClientFrame{Command: "UNSUBSCRIBE", ID: "s", Receipt: "unsubscribe"})
)

// TestSmallScopesHold explores each scope to its end, and records how large it is: a count that moves means that the machine allows more or less.
func TestSmallScopesHold(t *testing.T) {
	cumulative := []Action{subscribe(0, "s", "client"), subscribe(0, "v", "client"), sends(1, "a", ""), sends(1, "b", ""), sends(1, "c", ""), acks(0, "ACK", "b", ""), acks(0, "NACK", "c", "")}
	transaction := []Action{
		subscribe(1, "u", ""), transact(0, "BEGIN", ""), sends(0, "a", "t"), sends(0, "b", "t"),
		transact(0, "COMMIT", "commit"), transact(0, "ABORT", ""), drop0,
	}
	staged := []Action{
		subscribe(0, "s", "client"), sends(1, "a", ""), sends(1, "b", ""), transact(0, "BEGIN", ""), acks(0, "ACK", "b", "t"),
		transact(0, "COMMIT", "commit"), transact(0, "ABORT", ""), drop0, subscribe(1, "u", ""),
	}
	closing := []Action{subscribe(0, "s", ""), sends(1, "a", ""), act(0, ClientFrame{Command: "DISCONNECT", Receipt: "bye"}), act(1, ClientFrame{Command: "BOGUS", Receipt: "bogus"})}
	refused := []Action{
		subscribe(0, "s", "client"), sends(1, "a", ""), sends(1, "b", ""), acks(0, "NACK", "b", ""), acks(0, "ACK", "a", ""),
		act(1, ClientFrame{Command: "SUBSCRIBE", ID: "d", Destination: "/dlq"}),
	}
	fan := []Action{subscribe(0, "s", "client"), subscribe(1, "u", ""), sends(1, "a", ""), sends(0, "b", ""), acks(0, "ACK", "b", ""), leave0}
	topic := func(string) bool { return true }
	for _, tc := range []struct {
		name   string
		cfg    BrokerConfig
		states int64
	}{
		{"two sessions, one queue, two messages, one transaction", BrokerConfig{Healthy: true, Explicit: true}, 196900},
		{"the same, judging", BrokerConfig{Healthy: true}, 168444},
		{"staged acknowledgement in 1.0", BrokerConfig{Healthy: true, Explicit: true, Version: V10, Scope: staged}, 9423},
		{"cumulative", BrokerConfig{Healthy: true, Explicit: true, Scope: cumulative}, 88031},
		{"transaction", BrokerConfig{Healthy: true, Explicit: true, Scope: transaction}, 643},
		{"transaction, judging, anything may fail", BrokerConfig{Scope: transaction}, 2798},
		{"staged acknowledgement", BrokerConfig{Healthy: true, Explicit: true, Scope: staged}, 9419},
		{"NACK of unknown effect", BrokerConfig{Healthy: true, Explicit: true, Scope: refused, DeadLetter: "/dlq"}, 898},
		{"NACK requeues", BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackRequeue}, 760},
		{"NACK discards", BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackDiscard}, 417},
		{"NACK makes dead letters", BrokerConfig{Healthy: true, Explicit: true, Scope: refused, Nack: NackDeadLetter, DeadLetter: "/dlq"}, 509},
		{"topic", BrokerConfig{Healthy: true, Explicit: true, Topic: topic, Scope: fan}, 8776},
		{"topic, judging", BrokerConfig{Healthy: true, Topic: topic, Scope: fan}, 2414},
		{"connect, disconnect, errors", BrokerConfig{Fresh: true, Explicit: true, Scope: append(closing, act(0, ClientFrame{Command: "CONNECT"}), act(1, ClientFrame{Command: "CONNECT"}))}, 42756},
		{"errors in 1.1", BrokerConfig{Version: V11, Scope: closing}, 4676},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := mustBroker(t, tc.cfg)
			r := explore(t, b, b.Invariants(), b.EdgeInvariants())
			if r.Counterexample != nil || !r.Complete {
				t.Fatal(r)
			}
			t.Log(r)
			if r.States != tc.states {
				t.Errorf("%d states, want %d", r.States, tc.states)
			}
		})
	}
}

// seeded is a fault in the machine, the scope in which it shows, and the invariant that must see it in so many steps.
type seeded struct {
	bug   bug
	cfg   BrokerConfig
	law   string
	title string
	steps int
}

func seededBugs() []seeded {
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
	return []seeded{
		{bugRedeliverSettled, healthy(consumers...), "STOMP-SUBSCRIBE-008", "consumed at most once", 6},
		{bugTwoHands, healthy(subscribe(0, "s", "client"), subscribe(1, "u", "client"), sends(1, "a", "")), "STOMP-SUBSCRIBE-008", "two hands", 6},
		{bugLoseUnsettled, healthy(subscribe(0, "s", "client"), sends(1, "a", ""), drop0), "STOMP-SUBSCRIBE-008", "lost", 7},
		{bugDeliverAfterUnsubscribe, healthy(subscribe(0, "s", ""), leave0, sends(1, "a", "")), "STOMP-UNSUBSCRIBE-003", "no MESSAGE", 8},
		{bugEarlyPublish, healthy(tx...), "STOMP-TX-003", "no MESSAGE before COMMIT", 7},
		{bugEarlyPublish, healthy(tx...), "STOMP-TX-003", "if, and only if", 4},
		{bugHalfCommit, healthy(tx...), "STOMP-TX-003", "if, and only if", 8},
		{bugAbortPublishes, healthy(tx...), "STOMP-TX-005", "aborted", 6},
		{bugAbortPublishes, healthy(append(tx[:3:3], drop0)...), "STOMP-TX-005", "aborted", 6},
		{bugEarlyTxAck, healthy(txAck...), "STOMP-TX-004", "before COMMIT", 9},
		{bugCrossSubscriptions, healthy(twoSubs...), "STOMP-SUBSCRIBE-006", "covers", 12},
		{bugCumulativeIndividual, healthy(individual...), "STOMP-SUBSCRIBE-007", "covers its message", 10},
		{bugCumulativeIndividual, healthy(individual...), "STOMP-NACK-002", "individual", 10},
		{bugNackTooFar, healthy(nack...), "STOMP-NACK-002", "in client mode", 10},
		{bugUnknownAckSettles, healthy(unknown...), "STOMP-ACK-005", "settles nothing", 7},
		{bugEarlyReceipt, healthy(asked), "STOMP-RECEIPT-001", "sent once", 2},
		{bugTwoReceipts, healthy(asked), "STOMP-RECEIPT-001", "sent once", 3},
		{bugWrongReceipt, healthy(asked), "STOMP-RECEIPT-001", "an id that was requested", 3},
		{bugEarlyReceipt, healthy(asked, bye), "STOMP-DISCONNECT-003", "earlier frames", 2},
		{bugSilentFailure, healthy(noDestination), "STOMP-SEND-001", "not processed", 2},
		{bugSilentFailure, healthy(noID), "STOMP-SUBSCRIBE-001", "not processed", 2},
		{bugSilentFailure, healthy(noTx), "STOMP-TX-001", "not processed", 2},
		{bugErrorGoesOn, healthy(asked, noDestinationOf("b")), "STOMP-ERROR-001", "nothing but the close", 5},
		{bugErrorGoesOn, in11(healthy(asked, noDestinationOf("b"))), "STOMP-ERROR-002", "nothing but the close", 5},
		{bugWrongErrorID, healthy(noDestination), "STOMP-ERROR-004", "names no receipt", 2},
		{bugEarlyFrames, fresh(asked), "STOMP-CONNECT-007", "precedes", 4},
		{bugTwoConnected, fresh(), "STOMP-CONNECT-007", "at most one", 3},
		{bugWrongSubscription, healthy(sends(1, "a", ""), act(0, ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/other"})), "STOMP-SUBSCRIBE-010", "open subscription", 5},
		{bugBody, healthy(consumers...), "STOMP-SEND-004", "body", 5},
	}
}

func noDestinationOf(body string) Action { return act(0, ClientFrame{Command: "SEND", Body: body}) }

func fresh(scope ...Action) BrokerConfig {
	return BrokerConfig{Healthy: true, Explicit: true, Fresh: true, Scope: append(scope, act(0, ClientFrame{Command: "CONNECT"}))}
}

// TestEveryInvariantCanFail seeds one fault for each invariant: alone, the invariant finds a shortest counterexample, and without the fault the
// same scope holds.
func TestEveryInvariantCanFail(t *testing.T) {
	caught := make(map[string]bool)
	for _, tc := range seededBugs() {
		t.Run(tc.law+" "+tc.title, func(t *testing.T) {
			b := mustBroker(t, tc.cfg)
			if r := explore(t, b, b.Invariants(), b.EdgeInvariants()); !r.Complete {
				t.Fatalf("without the fault: %v", r)
			}
			b.bug = tc.bug
			var states []model.Invariant[BrokerState]
			var edges []EdgeInvariant
			for _, inv := range b.Invariants() {
				if inv.Law == tc.law && strings.Contains(inv.Title, tc.title) {
					states = append(states, inv)
					caught[inv.Law+inv.Title] = true
				}
			}
			for _, inv := range b.EdgeInvariants() {
				if inv.Law == tc.law && strings.Contains(inv.Title, tc.title) {
					edges = append(edges, inv)
					caught[inv.Law+inv.Title] = true
				}
			}
			if len(states)+len(edges) != 1 {
				t.Fatalf("%d invariants match, want one", len(states)+len(edges))
			}
			r := explore(t, b, states, edges)
			if r.Counterexample == nil {
				t.Fatalf("the fault was not found: %v", r)
			}
			if n := len(r.Counterexample.Trace); r.Counterexample.Law != tc.law || n != tc.steps {
				t.Errorf("want %d steps, found %d:\n%v", tc.steps, n, r.Counterexample)
			}
			if r := explore(t, b, b.Invariants(), b.EdgeInvariants()); r.Counterexample == nil {
				t.Error("all invariants together do not find it")
			}
		})
	}
	b := mustBroker(t, BrokerConfig{})
	for _, inv := range b.Invariants() {
		if !caught[inv.Law+inv.Title] {
			t.Errorf("no fault is seeded for %s: %s", inv.Law, inv.Title)
		}
	}
	for _, inv := range b.EdgeInvariants() {
		if !caught[inv.Law+inv.Title] {
			t.Errorf("no fault is seeded for %s: %s", inv.Law, inv.Title)
		}
	}
}
