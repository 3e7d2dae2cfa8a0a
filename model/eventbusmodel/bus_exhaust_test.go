package eventbusmodel

import (
	"flag"
	"testing"

	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustBus(t testing.TB, cfg BusConfig) *Bus {
	t.Helper()
	m, err := NewBus(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var whole = flag.Bool("whole", false, "explore the scopes of the bus as they are, and not with fewer events")

// exploredBuses are the scopes with the number of states and edges that each has: a count that moves means that the machine allows more or less.
var exploredBuses = []struct {
	dialect       Dialect
	scope         string
	events        int64 // at most that of the scope itself, which may take longer than a test should
	states, edges int64
}{
	{Seed, "two subscribers", 3, 6260, 43118},
	{Seed, "cursors", 4, 4435, 57103},
	{Seed, "octets", 3, 11866, 51772},
	{Seed, "small caps", 3, 5633, 31861},
	{Seed, "exits", 3, 6527, 62700},
	{Later, "cursors", 3, 4387, 87478},
	{Later, "octets", 3, 8469, 37466},
	{Later, "episodes", 9, 25066, 62580},
	{Later, "budget", 3, 9893, 45139},
}

// TestBusScopesHold explores the scopes to their ends. The others of the later dialect are those of the seed, and its episodes have
// those of the seed in them.
func TestBusScopesHold(t *testing.T) {
	for _, tc := range exploredBuses {
		t.Run(tc.dialect.String()+" "+tc.scope, func(t *testing.T) {
			cfg := machinetest.Named(t, BusScopes(tc.dialect), tc.scope)
			if *whole {
				tc.states = 0
			} else {
				cfg.Events = tc.events
			}
			machinetest.Holds(t, mustBus(t, cfg), tc.states, tc.edges)
		})
	}
}

// TestBusWalks takes random walks through every scope in both dialects, and sees every law that the bus machine states put to the test on the way.
func TestBusWalks(t *testing.T) {
	var machines []*Bus
	for _, d := range []Dialect{Seed, Later} {
		for _, sc := range BusScopes(d) {
			// Longer than the scope that is explored: walks do not need an end.
			sc.Config.Events *= 3
			machines = append(machines, mustBus(t, sc.Config))
		}
	}
	machinetest.Walks(t, machines, (*Bus).Reached)
}
