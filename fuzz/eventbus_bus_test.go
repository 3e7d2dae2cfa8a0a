package fuzz

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
	"pgregory.net/rapid"
)

// longestBus bounds the actions of one input.
const longestBus = 300

// FuzzEventbusBus drives a bus and its machine with the same actions, drafted from the script. After each they must agree on all that callers see, on
// diagnostics, and on what a snapshot tells.
func FuzzEventbusBus(f *testing.F) {
	for i := range uint64(150) {
		f.Add(randomScript(2000 + i))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		synctest.Test(t, func(t *testing.T) {
			if err := liveTogether(script); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// liveTogether makes a bus and its machine live through one script.
func liveTogether(script []byte) error {
	d := &busDrafter{draws: drawFrom(&script)}
	r, err := newBusRun(d.config())
	if err != nil {
		return err
	}
	defer r.rig.end()
	for range longestBus {
		if len(script) == 0 {
			break
		}
		if _, _, err := r.take(d.next(r.State(), r.machine.Config())); err != nil {
			return err
		}
	}
	return nil
}

// A bubble is a test in a synctest bubble, where rapid must not ask for a deadline.
type bubble struct{ rapid.TB }

// TestEventbusLockstep makes bus and machine take the same actions out of a pool, in an order that rapid can shrink.
func TestEventbusLockstep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pool"), 0))
			d := &busDrafter{draws: draws{rng.IntN}}
			cfg := d.config()
			cfg.Scope = d.pool(cfg)
			rig, machine, err := newBusRig(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer rig.end()
			model.Lockstep(t, machine, rig, model.LockstepConfig[eventbusmodel.BusState, eventbusmodel.BusAction, eventbusmodel.BusOutput]{
				Match: rig.same, Invariants: machine.Invariants(),
			})
		})
	})
}

// pool drafts actions for any state: those of a run of the machine alone.
func (d *busDrafter) pool(cfg eventbusmodel.BusConfig) []eventbusmodel.BusAction {
	machine, err := eventbusmodel.NewBus(cfg)
	if err != nil {
		return nil
	}
	var out []eventbusmodel.BusAction
	s := machine.Init()
	for range 120 {
		a := d.next(s, machine.Config())
		if next, _, ok := machine.Do(s, a); ok && a.Op != eventbusmodel.OpClose {
			s = next
			out = append(out, a)
		}
	}
	return append(out, eventbusmodel.BusAction{Op: eventbusmodel.OpClose})
}
