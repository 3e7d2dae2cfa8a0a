package fuzz

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// An eagerPair is the machine of a pair in the steps of two engines, which put a row on the wire as soon as it may be there: each action goes on with the
// transmissions that it makes possible. A row that was refused for now is not among them, it waits for its time (SUBSTRATE-FINALITY-007); nor is what a sender
// puts on the wire that does not wait for acks.
type eagerPair struct {
	*substratemodel.Pair
	cfg substratemodel.PairConfig
	rig *pairRig // nil: there is none
	// What the last action came to, one outcome for each step of the machine, and how often there was no room for what comes of one.
	steps []eagerStep
	full  int
}

type eagerStep struct {
	before  substratemodel.PairState
	action  substratemodel.PairAction
	after   substratemodel.PairState
	outcome substratemodel.PairOutcome
}

// Do takes an action.
func (m *eagerPair) Do(s substratemodel.PairState, a substratemodel.PairAction) (after substratemodel.PairState, seen *pairSeen, ok bool) {
	defer func() {
		if text, crowded := recover().(string); crowded {
			if !strings.Contains(text, "room for") && !strings.Contains(text, "under way") {
				panic(text)
			}
			m.full++
			after, seen, ok = s, nil, false
		}
	}()
	seen, m.steps = new(pairSeen), m.steps[:0]
	if after, ok = m.step(s, a, seen); !ok {
		return s, nil, false
	}
	for _, x := range []substratemodel.Side{substratemodel.A, substratemodel.B} {
		for m.transmits(s, a, after, x) {
			after, _ = m.step(after, substratemodel.PairAction{Op: substratemodel.OpTransmit, Side: x}, seen)
		}
	}
	if m.cfg.Pipeline {
		m.speak(seen)
	}
	if m.cfg.SameID {
		// Where an answer may have the id of an operation of its side, the event of a futile one does not tell which it is.
		for x := range seen.Side {
			for i := range seen.Side[x].Futile {
				seen.Side[x].Futile[i].Flag = false
			}
		}
	}
	return after, seen, true
}

func (m *eagerPair) step(s substratemodel.PairState, a substratemodel.PairAction, seen *pairSeen) (substratemodel.PairState, bool) {
	for after, o := range m.Step(s, a) {
		seen.add(&o, after)
		m.steps = append(m.steps, eagerStep{s, a, after, o})
		return after, true
	}
	return s, false
}

// transmits says that an engine would put the head of a side on the wire.
func (m *eagerPair) transmits(before substratemodel.PairState, a substratemodel.PairAction, after substratemodel.PairState, x substratemodel.Side) bool {
	seq, inFlight := after.Head(x)
	if seq == 0 || inFlight || !after.Connected() || m.cfg.Pipeline && x == substratemodel.A {
		return false
	}
	fresh := a.Op == substratemodel.OpConnect || a.Op == substratemodel.OpTakeover
	was, _ := before.Head(x)
	return fresh || !before.Connected() || was != seq
}

// speak leaves to the rig what the machine's A says, of which nobody sees more than what B makes of it.
func (m *eagerPair) speak(seen *pairSeen) {
	seen.Side[substratemodel.A] = sideSeen{}
	if m.rig == nil {
		return
	}
	m.rig.spoken = nil
	for _, st := range m.steps {
		for _, e := range st.outcome.Effects() {
			if e.What == substratemodel.WhatSent && e.Side == substratemodel.A {
				m.rig.spoken = append(m.rig.spoken, e.Frame)
			}
		}
	}
}

// A pairRun is two engines and their machine in the same state, and how they came there.
type pairRun struct {
	*model.Tandem[substratemodel.PairState, substratemodel.PairAction, *pairSeen]
	cfg     substratemodel.PairConfig
	rig     *pairRig
	machine *eagerPair
}

func newPairRun(cfg substratemodel.PairConfig) (*pairRun, error) {
	machine, err := substratemodel.NewPair(cfg)
	if err != nil {
		return nil, err
	}
	rig := newPairRig(cfg)
	eager := &eagerPair{Pair: machine, cfg: cfg, rig: rig}
	r := &pairRun{cfg: cfg, rig: rig, machine: eager, Tandem: model.NewTandem(eager, rig, (*pairSeen).same)}
	r.Look = rig.look
	return r, nil
}

// errNoRoom ends a run because the machine has no room for what comes of an action.
var errNoRoom = errors.New("the machine has no room")

// take makes both take an action, and returns how they differ.
func (r *pairRun) take(a substratemodel.PairAction) error {
	full := r.machine.full
	if _, _, err := r.Take(a); r.machine.full > full {
		return errNoRoom
	} else if err != nil {
		return fmt.Errorf("%+v: %w", r.cfg, err)
	}
	return nil
}
