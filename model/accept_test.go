package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type windowStep = Step[string, string]

func TestAcceptsEveryWalk(t *testing.T) {
	m := windowMachine{limit: 3, total: 20}
	rapid.Check(t, func(t *rapid.T) {
		var trace []windowStep
		var last window
		Walk(t, m, WalkConfig[window, string, string]{Visit: func(_ window, step windowStep, after window) {
			trace, last = append(trace, step), after
		}})
		acc := NewAcceptor[window, string, string](m, nil)
		for _, step := range trace {
			if err := acc.Step(step.Action, step.Outcome); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Contains(acc.Possible(), last) || acc.Steps() != len(trace) || acc.States() != len(acc.Possible()) {
			t.Fatalf("want %v among the states possible, got %v", last, acc.Possible())
		}
	})
}

func TestAcceptsRejectsTheFirstWrongStep(t *testing.T) {
	m := windowMachine{limit: 3, total: 20}
	trace := []windowStep{{"send", "ok"}, {"send", "ok"}, {"send", "ok"}, {"ack", "ok"}, {"count", "1"}, {"send", "ok"}}
	err := Accepts[window, string, string](m, trace, nil)
	var rejected *Rejected[window, string, string]
	if !errors.As(err, &rejected) {
		t.Fatalf("want a rejection, got %v", err)
	}
	if rejected.Index != 4 || rejected.Step != trace[4] {
		t.Errorf("want step 4 to be rejected, got %d, %v", rejected.Index, rejected.Step)
	}
	if want := []window{{3, 1}, {3, 3}}; !slices.Equal(rejected.States, want) {
		t.Errorf("want the states %v before, got %v", want, rejected.States)
	}
	if want := []string{"2", "0"}; !slices.Equal(rejected.Allowed, want) {
		t.Errorf("want the outcomes %v to be allowed, got %v", want, rejected.Allowed)
	}
	if want := `step 4: count: outcome 1 is not allowed; allowed: 2 | 0; states possible before (2): {Sent:3 Acked:1} | {Sent:3 Acked:3}`; err.Error() != want {
		t.Errorf("want the message\n%s\ngot\n%s", want, err)
	}
}

func TestAcceptorStaysRejected(t *testing.T) {
	acc := NewAcceptor[window, string, string](windowMachine{limit: 1, total: 9}, nil)
	first := acc.Step("ack", "ok")
	if first == nil || !strings.Contains(first.Error(), "impossible here") {
		t.Errorf("want an ack of nothing to be impossible, got %v", first)
	}
	if again := acc.Step("send", "ok"); again != first {
		t.Errorf("want the first error again, got %v", again)
	}
}

func TestAcceptorNarrowsWhatIsPossible(t *testing.T) {
	acc := NewAcceptor[window, string, string](windowMachine{limit: 3, total: 9}, nil)
	for i, want := range []struct {
		step   windowStep
		states int
	}{{windowStep{"send", "ok"}, 1}, {windowStep{"send", "ok"}, 1}, {windowStep{"ack", "ok"}, 2}, {windowStep{"count", "0"}, 1}} {
		if err := acc.Step(want.step.Action, want.step.Outcome); err != nil || acc.States() != want.states {
			t.Errorf("step %d: want %d states, got %d, error %v", i, want.states, acc.States(), err)
		}
	}
}

func TestAcceptorBoundsTheStates(t *testing.T) {
	acc := NewAcceptor(windowMachine{limit: 9, total: 9}, func(string, string) bool { return true })
	acc.MaxStates = 2
	var err error
	for _, a := range []string{"send", "send", "ack", "send", "send", "ack"} {
		if err = acc.Step(a, ""); err != nil {
			break
		}
	}
	var many *TooManyStates
	if !errors.As(err, &many) || many.Index != 5 || many.Limit != 2 {
		t.Errorf("want more than 2 states at step 5, got %v", err)
	}
}

func TestAcceptorMatchesAsTold(t *testing.T) {
	trace := []windowStep{{"SEND", "OK"}, {"COUNT", "x"}}
	m := windowMachine{limit: 3, total: 20}
	lower := make([]windowStep, len(trace))
	for i, s := range trace {
		lower[i] = windowStep{strings.ToLower(s.Action), s.Outcome}
	}
	err := Accepts(m, lower, strings.EqualFold)
	var rejected *Rejected[window, string, string]
	if !errors.As(err, &rejected) || rejected.Index != 1 {
		t.Errorf("want step 1 to be rejected, got %v", err)
	}
}

func TestAcceptorAllowsForWhatIsHidden(t *testing.T) {
	trace := []windowStep{{"send", "ok"}, {"send", "ok"}, {"count", "0"}, {"send", "ok"}, {"count", "1"}}
	m := windowMachine{limit: 2, total: 9}
	if err := Accepts[window, string, string](m, trace, nil); err == nil {
		t.Error("want a count of 0 to be rejected when acks are in the trace")
	}
	acc := NewAcceptor[window, string, string](m, nil)
	acc.Hidden = func(a string) bool { return a == "ack" }
	for _, step := range trace {
		if err := acc.Step(step.Action, step.Outcome); err != nil {
			t.Fatalf("acks are hidden: %v", err)
		}
	}
	var rejected *Rejected[window, string, string]
	if err := acc.Step("count", "2"); !errors.As(err, &rejected) || !slices.Equal(rejected.Allowed, []string{"1", "0"}) {
		t.Errorf("want 2 in flight to be rejected and 1 or 0 allowed, got %v", err)
	}
	acc = NewAcceptor[window, string, string](m, nil)
	acc.Hidden, acc.MaxStates = func(string) bool { return true }, 5
	var many *TooManyStates
	if err := acc.Step("send", "ok"); !errors.As(err, &many) || many.Index != 0 {
		t.Errorf("want too many states at once, got %v", err)
	}
}
