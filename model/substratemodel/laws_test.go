package substratemodel

import (
	"os"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// TestLawsAreEnforcedAndTested: each law listed is in force, is cited where it is enforced, and by a test.
func TestLawsAreEnforcedAndTested(t *testing.T) {
	machines := slices.Concat(model.LawsOf(&Pair{}), model.LawsOf(&Relay{}), model.LawsOf(&Feed{}), model.LawsOf(&Journal{}))
	machinetest.Laws(t, os.DirFS("."), Laws(), machines)
}
