package fuzz

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
	"pgregory.net/rapid"
)

// TestStompSessionLockstep makes session and machine take the same actions out of a pool, in an order that rapid can shrink.
func TestStompSessionLockstep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pool"), 0))
		d := sessionDrafter{draws: draws{rng.IntN}}
		// A session is soon over.
		for range 5 {
			cfg := d.config()
			rig, machine, err := newSessionRig(cfg, d.pool(cfg))
			if err != nil {
				t.Fatal(err)
			}
			model.Lockstep(t, machine, rig, model.LockstepConfig[stompmodel.SessionState, stompmodel.SessionAction, stompmodel.SessionOutput]{
				Match: sameSessionOutput, Invariants: machine.Invariants(),
			})
		}
	})
}

// pool drafts actions for any state, at times after the last one. Those that open a session are plenty, those that must end one few.
func (d sessionDrafter) pool(cfg session.Config) []stompmodel.SessionAction {
	r, err := newSessionRun(cfg)
	if err != nil {
		return nil
	}
	var out []stompmodel.SessionAction
	add := func(n int, draft func(a *stompmodel.SessionAction)) {
		for range n {
			a := stompmodel.SessionAction{Now: d.time(r)}
			draft(&a)
			out = append(out, a)
		}
	}
	add(30, func(a *stompmodel.SessionAction) { a.Op, a.Frame = stompmodel.SessionSend, d.out(true, cfg.Profile) })
	add(80, func(a *stompmodel.SessionAction) { a.Op, a.Frame = stompmodel.SessionSend, d.out(false, cfg.Profile) })
	add(15, func(a *stompmodel.SessionAction) {
		a.Op, a.Chunk = stompmodel.SessionReceive, d.in(true, stompmodel.V12)
	})
	add(60, func(a *stompmodel.SessionAction) {
		a.Op, a.Chunk = stompmodel.SessionReceive, d.in(false, stompmodel.V12)
	})
	add(5, func(a *stompmodel.SessionAction) {
		a.Op, a.Chunk = stompmodel.SessionReceive, d.one("", "MESS", "\n", "\r")
	})
	add(15, func(a *stompmodel.SessionAction) { a.Op = stompmodel.SessionTick })
	add(1, func(a *stompmodel.SessionAction) { a.Op = stompmodel.SessionEnd })
	add(1, func(a *stompmodel.SessionAction) { a.Op = stompmodel.SessionFail })
	return out
}
