package databusmodel

import (
	"os"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// TestLawsAreEnforcedAndTested: each law listed is in force, is cited where it is enforced, and by a test or by the trace that a test
// replays.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	machinetest.Laws(t, os.DirFS("."), Laws(), model.LawsOf(&Cluster{}))
}
