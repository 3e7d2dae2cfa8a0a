package substratemodel

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustRelay(t testing.TB, cfg RelayConfig, bug relayBug) *Relay {
	t.Helper()
	m, err := newRelay(cfg, bug)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRelayScopesHold: the estimates were 1 104 states and 2 304 edges, and 10 770 and 30 862. Here a call that fails or is cut off may have its effect late, which makes R1 larger, and
// a connection that ends takes its edge with it, which makes R2 smaller.
func TestRelayScopesHold(t *testing.T) {
	for i, n := range [][2]int64{{1734, 4532}, {6549, 20689}} {
		sc := RelayScopes()[i]
		t.Run(sc.Name, func(t *testing.T) { machinetest.Holds(t, mustRelay(t, sc.Config, 0), n[0], n[1]) })
	}
}

func TestEveryRelayInvariantCanFail(t *testing.T) {
	in := func(scope string) RelayConfig { return machinetest.Named(t, RelayScopes(), scope) }
	seed, stuck := machinetest.Seed[RelayConfig, relayBug], machinetest.Stuck[RelayConfig, relayBug]
	machinetest.Faults(t, model.Bounds{}, relayBugCount, func(cfg RelayConfig, bug relayBug) *Relay { return mustRelay(t, cfg, bug) },
		[]machinetest.Fault[RelayConfig, relayBug]{
			seed(bugAcksOnCall, in("R1"), "SUBSTRATE-RELAY-003", "", 3),
			seed(bugAcksOnCall, in("R1"), "SUBSTRATE-RECONNECT-001", "", 4),
			stuck(bugAcksOnCall, in("R1"), 4),
			seed(bugGoesOn, in("R2"), "SUBSTRATE-RELAY-004", "", 6),
			seed(bugGoesOn, in("R2"), "SUBSTRATE-RELAY-002", "", 7),
			seed(bugNoRollback, in("R2"), "SUBSTRATE-RELAY-005", "", 4),
			seed(bugNoRollback, in("R2"), "SUBSTRATE-RELAY-002", "", 7),
			seed(bugAcksByMemory, in("R1"), "SUBSTRATE-RELAY-006", "by memory", 5),
			seed(bugAcksByMemory, in("R1"), "SUBSTRATE-RELAY-003", "", 5),
			seed(bugRollsToReplay, in("R1"), "SUBSTRATE-RELAY-005", "", 7),
			seed(bugStoresTwice, in("R1"), "SUBSTRATE-RELAY-006", "once", 7),
			seed(bugTwoCalls, in("R2"), "SUBSTRATE-RELAY-002", "", 6),
			seed(bugAcksFailure, in("R1"), "SUBSTRATE-RELAY-008", "", 4),
		})
}

func TestRelayWalks(t *testing.T) {
	var machines []*Relay
	for _, sc := range RelayScopes() {
		machines = append(machines, mustRelay(t, sc.Config, 0))
	}
	machinetest.Walks(t, machines, nil)
}

func TestRelayConfigNamesTheField(t *testing.T) {
	if _, err := NewRelay(RelayConfig{Flight: 3}); err == nil || !strings.Contains(err.Error(), "Flight is 3") {
		t.Error(err)
	}
}
