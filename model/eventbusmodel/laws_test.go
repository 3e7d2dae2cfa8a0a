package eventbusmodel

import (
	"os"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
	"github.com/seed-6f28358b/assay/spec"
)

// TestLawsAreEnforcedAndTested: each law listed is in force, is cited where it is enforced, and by a test.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	machines := slices.Concat(model.LawsOf(mustBus(t, BusConfig{})), model.LawsOf(mustReducer(t, ReducerConfig{})))
	machinetest.Laws(t, os.DirFS("."), Laws(), machines, "testdata/bus.txt")
}

// TestBusLawsAreTheirs: a law of the bus is listed if and only if the machine can state it. What is missing needs more than one machine can see: input that
// carries its own id, the token itself, calls that throw, two buses, or true concurrency.
func TestBusLawsAreTheirs(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{
		"EVENTBUS-ID-006": true, "EVENTBUS-ID-007": true, "EVENTBUS-RING-007": true, "EVENTBUS-PUBLISH-003": true, "EVENTBUS-REPLAY-005": true,
		"EVENTBUS-CONCURRENCY-002": true,
	}
	listed := make(map[string]bool)
	for _, e := range Laws() {
		listed[e.Law] = true
	}
	for _, law := range catalogue.Laws("eventbus") {
		if role := string(law.Role); (role == "bus" || role == "reducer") && law.Active() && listed[law.ID] == missing[law.ID] {
			t.Errorf("%s: listed %t, expected to be missing %t", law.ID, listed[law.ID], missing[law.ID])
		}
	}
}
