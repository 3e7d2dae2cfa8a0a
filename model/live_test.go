package model

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
)

// A walkMachine is a graph given by its edges. An edge whose label begins with "fair" is fair.
type walkMachine struct {
	edges map[int][]walkEdge
}

type walkEdge struct {
	label string
	to    int
}

func (m walkMachine) Init() int { return 0 }

func (m walkMachine) Actions(s int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range m.edges[s] {
			if !yield(e.label) {
				return
			}
		}
	}
}

func (m walkMachine) Step(s int, a string) iter.Seq2[int, struct{}] {
	return func(yield func(int, struct{}) bool) {
		for _, e := range m.edges[s] {
			if e.label == a && !yield(e.to, struct{}{}) {
				return
			}
		}
	}
}

func (m walkMachine) AppendKey(dst []byte, s int) []byte { return append(dst, byte(s), byte(s>>8)) }

func toward(goals ...int) Liveness[int, string] {
	return Liveness[int, string]{
		Law: "WALK-001", Title: "ends", Fair: func(a string) bool { return strings.HasPrefix(a, "fair") },
		Goal: func(s int) bool { return slices.Contains(goals, s) },
	}
}

func TestLive(t *testing.T) {
	strict := func(l Liveness[int, string]) Liveness[int, string] {
		l.Strict = true
		return l
	}
	for _, tc := range []struct {
		name  string
		edges map[int][]walkEdge
		law   Liveness[int, string]
		want  string // the actions of the counterexample; empty: none
		err   error
	}{
		{
			"a fault is repaired by fair steps",
			map[int][]walkEdge{0: {{"fair", 1}, {"fault", 2}}, 2: {{"fair", 0}}},
			strict(toward(1)), "", nil,
		},
		{
			"a state without a way on is no goal",
			map[int][]walkEdge{0: {{"fair", 1}, {"fault", 2}}, 2: {{"fair", 3}}},
			toward(1), "fault", errNoGoal,
		},
		{
			"the goal is reached by luck alone",
			map[int][]walkEdge{0: {{"fair a", 1}}, 1: {{"luck", 2}}},
			toward(2), "", errNoGoal,
		},
		{
			"a shortest way is found",
			map[int][]walkEdge{0: {{"fair goal", 9}, {"x", 1}, {"y", 2}}, 1: {{"fair goal", 9}, {"z", 3}}, 2: {{"fair goal", 9}, {"w", 4}}, 4: {{"v", 3}}},
			toward(9), "x, z", errNoGoal,
		},
		{
			"a fair action that changes nothing",
			map[int][]walkEdge{0: {{"x", 1}, {"fair goal", 2}}, 1: {{"fair idle", 1}, {"fair goal", 2}}},
			toward(2), "x, fair idle", errStays,
		},
		{
			"a goal may stay",
			map[int][]walkEdge{0: {{"fair goal", 2}}, 2: {{"fair idle", 2}}},
			strict(toward(2)), "", nil,
		},
		{
			"a circle with a way out is none of a plain law",
			map[int][]walkEdge{0: {{"fair x", 1}}, 1: {{"fair y", 2}}, 2: {{"fair z", 1}, {"fair goal", 3}}},
			toward(3), "", nil,
		},
		{
			"a circle breaks a strict law",
			map[int][]walkEdge{0: {{"fair x", 1}}, 1: {{"fair y", 2}}, 2: {{"fair z", 1}, {"fair goal", 3}}},
			strict(toward(3)), "fair x, fair y, fair z", errCircle,
		},
		{
			"a circle of fair and other steps breaks nothing",
			map[int][]walkEdge{0: {{"fair x", 1}}, 1: {{"fault", 0}, {"fair goal", 3}}},
			strict(toward(3)), "", nil,
		},
		{
			"a circle through a goal breaks nothing",
			map[int][]walkEdge{0: {{"fair x", 1}}, 1: {{"fair y", 0}}},
			strict(toward(1)), "", nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Live(t.Context(), walkMachine{tc.edges}, tc.law, Bounds{})
			if err != nil {
				t.Fatal(err)
			}
			if tc.err == nil {
				if !r.Complete || r.Counterexample != nil || r.Stopped != StopComplete {
					t.Fatalf("want a complete exploration, got %v", r)
				}
				return
			}
			c := r.Counterexample
			if c == nil || r.Complete || r.Stopped != StopViolation || !errors.Is(c.Err, tc.err) || c.Law != "WALK-001" || c.Title != "ends" {
				t.Fatalf("want %v, got %v", tc.err, r)
			}
			var taken []string
			for _, step := range c.Trace {
				taken = append(taken, step.Action)
			}
			if got := strings.Join(taken, ", "); got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
			if err := Accepts[int, string, struct{}](walkMachine{tc.edges}, c.Trace, nil); err != nil {
				t.Errorf("the machine rejects its own counterexample: %v", err)
			}
		})
	}
}

// TestLiveCountsAsExhaustDoes: both visit the same graph, with Expand and without, to the same bounds.
func TestLiveCountsAsExhaustDoes(t *testing.T) {
	never := Liveness[linkState, linkAction]{Law: "X", Fair: func(linkAction) bool { return false }, Goal: func(linkState) bool { return true }}
	for _, m := range []Machine[linkState, linkAction, struct{}]{linkMachine{}, fastLinks{}} {
		want, err := Exhaust(t.Context(), m, ExhaustConfig[linkState, linkAction, struct{}]{Bounds: Bounds{Depth: 12}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Live(t.Context(), m, never, Bounds{Depth: 12})
		if err != nil || got.States != want.States || got.Edges != want.Edges || got.Depth != want.Depth || got.Stopped != StopDepth {
			t.Errorf("want %v, got %v, error %v", want, got, err)
		}
		if got.BytesPerState() < 8 || got.Counterexample != nil {
			t.Errorf("%v", got)
		}
	}
}

// TestLiveIsNotAlarmedByBounds: what lies beyond a bound may lead to a goal.
func TestLiveIsNotAlarmedByBounds(t *testing.T) {
	line := walkMachine{map[int][]walkEdge{0: {{"fair", 1}}, 1: {{"fair", 2}}, 2: {{"fair", 3}}, 3: {{"fair", 4}}}}
	for _, tc := range []struct {
		bounds Bounds
		stop   Stop
		states int64
	}{
		{Bounds{Depth: 2}, StopDepth, 3}, {Bounds{States: 2}, StopStates, 2}, {Bounds{States: 5}, StopViolation, 5}, {Bounds{}, StopViolation, 5},
	} {
		r, err := Live(t.Context(), line, toward(), tc.bounds)
		if err != nil || r.Stopped != tc.stop || r.States != tc.states || (r.Counterexample != nil) != (tc.stop == StopViolation) {
			t.Errorf("%+v: got %v, error %v", tc.bounds, r, err)
		}
	}
}

func TestLiveRefuses(t *testing.T) {
	m := walkMachine{}
	if _, err := Live(t.Context(), m, Liveness[int, string]{Law: "X"}, Bounds{}); err == nil || !strings.Contains(err.Error(), "Fair and a Goal") {
		t.Errorf("a law without functions: %v", err)
	}
	if _, err := Live(t.Context(), m, toward(), Bounds{Depth: -1}); err == nil {
		t.Error("a negative depth is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Live(ctx, m, toward(), Bounds{}); !errors.Is(err, context.Canceled) || r.Stopped != StopContext {
		t.Errorf("got %v, error %v", r, err)
	}
}

// A fickleMachine answers differently when it is asked again.
type fickleMachine struct{ asked *int }

func (m fickleMachine) Init() int { return 0 }

func (m fickleMachine) Actions(int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if *m.asked++; *m.asked < 2 {
			yield("once")
		}
	}
}

func (m fickleMachine) Step(s int, _ string) iter.Seq2[int, struct{}] {
	return func(yield func(int, struct{}) bool) { yield(s+1, struct{}{}) }
}

func (m fickleMachine) AppendKey(dst []byte, s int) []byte { return append(dst, byte(s)) }

func TestLiveNoticesAnImpureMachine(t *testing.T) {
	l := toward()
	l.Goal = func(s int) bool { return s == 0 }
	if _, err := Live(t.Context(), fickleMachine{new(int)}, l, Bounds{}); !errors.Is(err, ErrUnstable) {
		t.Errorf("want ErrUnstable, got %v", err)
	}
}
