package fuzz

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// pairSteps bounds the steps of one run.
const pairSteps = 200

var pairSeed = flag.Uint64("pair-seed", 0, "the one seed, if not 0, with which two engines of the substrate and their machine run")

// pairsTogether lets pairs of engines and their machines live through one run, one pair after another, and returns how they differ.
func pairsTogether(d pairDrafter, limit int, begin func(*pairRun)) error {
	for i := 0; i < limit; {
		r, err := newPairRun(d.config())
		if err != nil {
			return err
		}
		if begin != nil {
			begin(r)
		}
		// A life in which nothing is possible is a step as well.
		for more := true; more && i < limit; i++ {
			a, ok := d.next(r)
			if more = ok; !ok {
				continue
			}
			switch err := r.take(a); {
			case errors.Is(err, errNoRoom):
				more = false
			case err != nil:
				return err
			}
		}
	}
	return nil
}

func runPairs(seed uint64, begin func(*pairRun)) error {
	d := pairDrafter{draws{rand.New(rand.NewPCG(seed, 9)).IntN}}
	if err := pairsTogether(d, pairSteps, begin); err != nil {
		return fmt.Errorf("again with -run TestSubstratePairRuns -pair-seed %d: %w", seed, err)
	}
	return nil
}

// TestSubstratePairRuns makes runs of 200 steps, each from a seed of its own: 2000000 steps are 10000 of them.
func TestSubstratePairRuns(t *testing.T) {
	first, last := uint64(1), uint64(*steps/pairSteps)
	if *pairSeed != 0 {
		first, last = *pairSeed, *pairSeed
	}
	for seed := first; seed <= last; seed++ {
		if err := runPairs(seed, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSubstratePairLockstep draws configurations and actions from rapid, which shrinks them.
func TestSubstratePairLockstep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := pairDrafter{draws{func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }}}
		if err := pairsTogether(d, 60, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzSubstratePair drives two engines and their machine with the same actions, drafted from the script. After each they must agree on all that the peer, the applications, the
// hosts and the stores can see, and on what both hold.
func FuzzSubstratePair(f *testing.F) {
	for i := range uint64(60) {
		f.Add(randomScript(5000 + i))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		limit := min(len(script), pairSteps)
		if err := pairsTogether(pairDrafter{drawFrom(&script)}, limit, nil); err != nil {
			t.Fatal(err)
		}
	})
}
