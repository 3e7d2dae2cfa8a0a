package model

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// BenchmarkExhaust explores the first 300,000 states of the system that explorers are
// compared on; -spin runs the whole of it.
func BenchmarkExhaust(b *testing.B) {
	for _, machine := range []struct {
		name string
		m    Machine[linkState, linkAction, struct{}]
	}{{"Plain", linkMachine{}}, {"Expander", fastLinks{}}} {
		for _, exact := range []bool{false, true} {
			name := machine.name
			if exact {
				name += "Exact"
			}
			b.Run(name, func(b *testing.B) {
				var states int64
				for b.Loop() {
					r, err := Exhaust(b.Context(), machine.m, ExhaustConfig[linkState, linkAction, struct{}]{
						Bounds:     Bounds{States: 300_000, Workers: 1},
						Invariants: []Invariant[linkState]{linkOnce},
						Exact:      exact,
					})
					if err != nil || r.States != 300_000 {
						b.Fatalf("want 300000 states, got %v, error %v", r, err)
					}
					states += r.States
				}
				b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			})
		}
	}
}

// benchmarkSteps reports the time of one step of runs of about 300 steps.
func benchmarkSteps(b *testing.B, run func(*rapid.T, *int)) {
	b.Helper()
	for name, value := range map[string]string{"rapid.steps": "300", "rapid.checks": "100", "rapid.seed": "3"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := f.Value.Set(before); err != nil {
				b.Error(err)
			}
		}()
	}
	steps := 0
	for b.Loop() {
		rapid.Check(b, func(t *rapid.T) { run(t, &steps) })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

// BenchmarkRapidStep is what rapid itself needs for a step that does nothing.
func BenchmarkRapidStep(b *testing.B) {
	benchmarkSteps(b, func(t *rapid.T, steps *int) {
		count := func(*rapid.T) { *steps++ }
		t.Repeat(map[string]func(*rapid.T){"a": count, "b": count, "c": count})
	})
}

func BenchmarkLockstepStep(b *testing.B) {
	benchmarkSteps(b, func(t *rapid.T, steps *int) {
		real := tally{steps: steps}
		Lockstep(t, tallyMachine{}, &real, LockstepConfig[int, tallyAction, int]{})
	})
}

func BenchmarkWalkStep(b *testing.B) {
	benchmarkSteps(b, func(t *rapid.T, steps *int) {
		Walk(t, tallyMachine{}, WalkConfig[int, tallyAction, int]{
			Visit: func(int, Step[tallyAction, int], int) { *steps++ },
		})
	})
}
