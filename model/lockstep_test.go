package model

import (
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

type windowLockstep = LockstepConfig[window, string, string]

func TestLockstepIsFairToAFreeChoice(t *testing.T) {
	m := windowMachine{limit: 4, total: 20}
	rapid.Check(t, func(t *rapid.T) {
		Lockstep(t, m, &realWindow{}, windowLockstep{Invariants: []Invariant[window]{m.law()}})
	})
}

func TestLockstepCatchesAWrongRealThing(t *testing.T) {
	m := windowMachine{limit: 3, total: 20}
	text := failing(t, func(t *rapid.T) {
		Lockstep(t, m, &realWindow{off: 1}, windowLockstep{})
	})
	wantParts(t, text,
		"lockstep: step 4: count: the real thing did what the machine does not allow",
		"seen:    4",
		"allowed: 3",
		"states possible before (1): {Sent:3 Acked:0}",
		"3. send -> ok",
		`"3"`, `"4"`)
	if strings.Contains(text, "ack ->") {
		t.Errorf("the shrunk run holds a step that is not needed:\n%s", text)
	}
}

func TestLockstepShowsAllPossibleStates(t *testing.T) {
	m := windowMachine{limit: 2, total: 20}
	text := failing(t, func(t *rapid.T) {
		real := &realWindow{}
		Lockstep(t, m, RealFunc[string, string](func(a string) string {
			if a == "count" && real.acked > 0 {
				return "many"
			}
			return real.Do(a)
		}), windowLockstep{})
	})
	wantParts(t, text, "seen:    many", "states possible before", "ack -> ok")
}

func TestLockstepTriesOnlyWhatEveryPossibleStateAllows(t *testing.T) {
	// After send, send, ack the window is {2 1} or {2 2}: ack is possible only
	// in the first, so it must not be tried on a real thing that is in the second.
	m := windowMachine{limit: 2, total: 2}
	rapid.Check(t, func(t *rapid.T) {
		var sent, acked int
		real := RealFunc[string, string](func(a string) string {
			if a == "send" {
				sent++
			}
			if a == "ack" {
				if acked == sent {
					t.Fatal("ack was tried with nothing in flight")
				}
				acked = sent
			}
			return "ok"
		})
		Lockstep(t, quiet{m}, real, windowLockstep{})
	})
}

func TestLockstepSaysWhenTooManyStatesArePossible(t *testing.T) {
	text := failing(t, func(t *rapid.T) {
		Lockstep(t, windowMachine{limit: 9, total: 90}, RealFunc[string, string](func(string) string { return "ok" }),
			windowLockstep{MaxStates: 1, Match: func(string, string) bool { return true }})
	})
	wantParts(t, text, "more than 1 states are possible", "nothing can be said", "2. send -> ok")
}

// seen is an observation with an unexported field and a part that is noise.
type seen struct {
	frame string
	Noise int
}

// echoMachine allows one outcome for ever.
type echoMachine struct{}

func (echoMachine) Init() int                 { return 0 }
func (echoMachine) Actions(int) iter.Seq[int] { return func(yield func(int) bool) { yield(1) } }
func (echoMachine) Step(s, _ int) iter.Seq2[int, seen] {
	return func(yield func(int, seen) bool) { yield(s, seen{frame: "CONNECTED"}) }
}
func (echoMachine) AppendKey(dst []byte, s int) []byte { return append(dst, byte(s)) }

func TestLockstepComparesWithOptions(t *testing.T) {
	noisy := RealFunc[int, seen](func(int) seen { return seen{"CONNECTED", 7} })
	options := []LockstepConfig[int, int, seen]{
		{Compare: append(compareAll(), cmpopts.IgnoreFields(seen{}, "Noise"))},
		{Match: func(want, got seen) bool { return want.frame == got.frame }},
	}
	for _, cfg := range options {
		rapid.Check(t, func(t *rapid.T) { Lockstep(t, echoMachine{}, noisy, cfg) })
	}
	text := failing(t, func(t *rapid.T) { Lockstep(t, echoMachine{}, noisy, LockstepConfig[int, int, seen]{}) })
	wantParts(t, text, "step 1", "Noise:7", "(-allowed +seen)", "steps so far: none")
	wrong := RealFunc[int, seen](func(int) seen { return seen{"ERROR", 0} })
	text = failing(t, func(t *rapid.T) { Lockstep(t, echoMachine{}, wrong, LockstepConfig[int, int, seen]{}) })
	wantParts(t, text, "frame:ERROR", "frame:CONNECTED")
}
