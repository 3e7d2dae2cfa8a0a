package databusmodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// TestEveryLawCanFail: each fault is seen by an invariant, or where fair steps no longer lead to where all is well, and each invariant is
// broken by a fault.
func TestEveryLawCanFail(t *testing.T) {
	machinetest.Faults(t, model.Bounds{States: 4000}, bugCount, func(cfg Config, b bug) *Cluster { return mustCluster(t, cfg, b) }, faults(t))
}

func faults(t *testing.T) []machinetest.Fault[Config, bug] {
	in := func(scope string) Config { return machinetest.Named(t, FencedScopes(), scope) }
	seed, stuck := machinetest.Seed[Config, bug], machinetest.Stuck[Config, bug]
	return []machinetest.Fault[Config, bug]{
		seed(bugGenerationZero, in("users"), "DATABUS-INV-001", "", 1),
		seed(bugLoadWrong, in("users"), "DATABUS-INV-001", "", 0),
		seed(bugLoadStale, in("users"), "DATABUS-INV-001", "", 1),
		seed(bugNoGate, in("freeze"), "DATABUS-INV-002", "", 13),
		seed(bugDispatchesAll, in("users"), "DATABUS-INV-002", "", 4),
		seed(bugEcho, in("freeze"), "DATABUS-INV-003", "", 2),
		seed(bugKeepsForeign, in("freeze"), "DATABUS-INV-004", "", 9),
		seed(bugTransportStays, in("users"), "DATABUS-INV-004", "", 8),
		seed(bugEarlyDeath, in("handoff"), "DATABUS-INV-005", "", 2),
		seed(bugNoHeartbeat, in("handoff"), "DATABUS-INV-005", "", 14),
		seed(bugLateUnsubscribe, in("leave"), "DATABUS-INV-005", "", 2),
		seed(bugIntentStays, in("users"), "DATABUS-INV-006", "only the application", 2),
		seed(bugRecordStays, in("return"), "DATABUS-INV-006", "a reconcile leaves", 2),
		seed(bugKeepsForeign, in("freeze"), "DATABUS-INV-007", "", 11),
		seed(bugLateUnsubscribe, in("leave"), "DATABUS-HANDOFF-003", "", 2),
		seed(bugNoDeath, in("crash"), "DATABUS-LIVE-001", "", 19),
		seed(bugNoTakeover, in("crash"), "DATABUS-LIVE-001", "", 19),
		seed(bugNoRetry, in("loss"), "DATABUS-LIVE-003", "", 9),
		seed(bugNoConfirm, in("loss"), "DATABUS-LIVE-003", "", 4),
		seed(bugNoDeath, in("orphan"), "DATABUS-LIVE-004", "what nobody wants", 19),
		seed(bugOrphansStay, in("orphan"), "DATABUS-LIVE-004", "a reconcile leaves", 17),
		seed(bugRoutesStay, in("orphan"), "DATABUS-LIVE-004", "what nobody wants", 23),
		// DATABUS-LIVE-002
		stuck(bugDeaf, in("leave"), 2),
		stuck(bugNoTakeover, in("leave"), 2),
		// DATABUS-LIVE-005
		stuck(bugNoConfirm, in("handoff"), 0),
		stuck(bugNoRetry, in("users and loss"), 2),
		stuck(bugNoDeath, in("crash"), 1),
		stuck(bugRoutesStay, in("orphan"), 1),
	}
}
