package model

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// WalkConfig says what a random walk checks. The zero value checks nothing but that the
// machine does not panic.
type WalkConfig[S, A, O any] struct {
	// Invariants are checked in every state on the way.
	Invariants []Invariant[S]
	// EdgeInvariants are checked on every step taken.
	EdgeInvariants []EdgeInvariant[S, A, O]
	// Visit, if not nil, sees every step taken, before the laws are checked;
	// tests use it to count what their walks reach.
	Visit func(before S, step Step[A, O], after S)
}

// Validate reports the first field that is wrong, by name.
func (c WalkConfig[S, A, O]) Validate() error {
	if err := validate(c.Invariants, c.EdgeInvariants); err != nil {
		return fmt.Errorf("walk config: %w", err)
	}
	return nil
}

// Walk takes a random walk through m: rapid draws an action and, where the laws allow
// several outcomes, the outcome. When a law is broken the test fails with the
// law and the whole walk, and rapid shrinks it. The length follows rapid's
// -rapid.steps flag, 30 on average by default. A walk ends early in a state
// without a way on.
func Walk[S, A, O any](t *rapid.T, m Machine[S, A, O], cfg WalkConfig[S, A, O]) {
	t.Helper()
	if err := cfg.Validate(); err != nil {
		t.Fatalf("walk: %v", err)
	}
	w := walker[S, A, O]{machine: m, cfg: cfg, state: m.Init()}
	w.choices = newChooser(m)
	w.checkState(t)
	t.Repeat(map[string]func(*rapid.T){"step": w.step})
}

type walker[S, A, O any] struct {
	machine Machine[S, A, O]
	cfg     WalkConfig[S, A, O]
	state   S
	taken   []Step[A, O]
	choices *chooser[S, A, O]
}

func (w *walker[S, A, O]) step(t *rapid.T) {
	a, ok := w.choices.choose(t, w.state, true)
	if !ok {
		return
	}
	successors := w.choices.successors
	before, next := w.state, successors[w.choices.draw(t, len(successors), "outcome")]
	step := Step[A, O]{a, next.outcome}
	w.state, w.taken = next.state, append(w.taken, step)
	if w.cfg.Visit != nil {
		w.cfg.Visit(before, step, next.state)
	}
	for _, inv := range w.cfg.EdgeInvariants {
		if err := inv.Check(before, a, next.state, next.outcome); err != nil {
			w.fail(t, inv.Law, inv.Title, err)
		}
	}
	w.checkState(t)
}

func (w *walker[S, A, O]) checkState(t *rapid.T) {
	for _, inv := range w.cfg.Invariants {
		if err := inv.Holds(w.state); err != nil {
			w.fail(t, inv.Law, inv.Title, err)
		}
	}
}

func (w *walker[S, A, O]) fail(t *rapid.T, law, title string, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "walk: %s is broken after %d steps: %v", lawName(law, title), len(w.taken), err)
	fmt.Fprintf(&b, "\n  state: %+v", w.state)
	writeSteps(&b, w.taken)
	t.Fatal(b.String())
}

// writeSteps writes the steps so far, one a line.
func writeSteps[A, O any](b *strings.Builder, steps []Step[A, O]) {
	b.WriteString("\n  steps so far:")
	if len(steps) == 0 {
		b.WriteString(" none")
	}
	for i, step := range steps {
		fmt.Fprintf(b, "\n    %d. %+v -> %+v", i+1, step.Action, step.Outcome)
	}
}
