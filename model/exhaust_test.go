package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type windowConfig = ExhaustConfig[window, string, string]

func TestExhaustCountsTheTinyMachine(t *testing.T) {
	// By hand: sent 0, 1, 2, 3, 4 leave 1, 2, 3, 3, 3 values for acked.
	m := windowMachine{limit: 2, total: 4}
	got, err := Exhaust(t.Context(), m, windowConfig{Invariants: []Invariant[window]{m.law()}})
	if err != nil || !got.Complete || got.Stopped != StopComplete {
		t.Fatalf("want a complete exploration, got %v, error %v", got, err)
	}
	if got.States != 12 || got.Depth != 6 {
		t.Errorf("want 12 states to depth 6, got %d to depth %d", got.States, got.Depth)
	}
}

func TestExhaustFindsTheShortestCounterexample(t *testing.T) {
	m := windowMachine{limit: 2, total: 9, bug: true}
	want := []Step[string, string]{{"send", "ok"}, {"send", "ok"}, {"ack", "ok"}, {"send", "ok"}, {"send", "ok"}}
	for _, workers := range []int{1, 2} {
		got, err := Exhaust(t.Context(), m, windowConfig{
			Bounds:     Bounds{Workers: workers},
			Invariants: []Invariant[window]{m.law()},
		})
		if err != nil {
			t.Fatal(err)
		}
		c := got.Counterexample
		if c == nil || got.Complete || got.Stopped != StopViolation {
			t.Fatalf("want a counterexample, got %v", got)
		}
		if c.Law != "WINDOW-001" || !slices.Equal(c.Trace, want) {
			t.Errorf("%d workers: want WINDOW-001 by %v, got %v", workers, want, c)
		}
		if last := c.States[len(c.States)-1]; last != (window{4, 1}) {
			t.Errorf("%d workers: want the last state {4 1}, got %v", workers, last)
		}
		if err := Accepts[window, string, string](m, c.Trace, nil); err != nil {
			t.Errorf("the machine rejects its own counterexample: %v", err)
		}
		for _, part := range []string{"WINDOW-001", "3 in flight, 2 allowed", "5. send -> ok: {Sent:4 Acked:1}"} {
			if !strings.Contains(c.String(), part) {
				t.Errorf("the counterexample does not say %q:\n%v", part, c)
			}
		}
	}
}

func TestExhaustChecksEdgesAndTheInitialState(t *testing.T) {
	m := windowMachine{limit: 2, total: 4}
	got, err := Exhaust(t.Context(), m, windowConfig{EdgeInvariants: []EdgeInvariant[window, string, string]{{
		Law:   "WINDOW-002",
		Title: "an ack frees one message",
		Check: func(before window, a string, after window, _ string) error {
			if a == "ack" && after.Acked != before.Acked+1 {
				return fmt.Errorf("%d freed", after.Acked-before.Acked)
			}
			return nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Counterexample; c == nil || c.Law != "WINDOW-002" || len(c.Trace) != 3 || c.States[3] != (window{2, 2}) {
		t.Errorf("want send, send, ack to {2 2}, got %v", got)
	}

	wrong := errors.New("wrong from the start")
	got, err = Exhaust(t.Context(), m, windowConfig{Invariants: []Invariant[window]{{
		Law: "WINDOW-003", Title: "never", Holds: func(window) error { return wrong },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Counterexample; c == nil || len(c.Trace) != 0 || !errors.Is(c.Err, wrong) {
		t.Errorf("want a counterexample without steps, got %v", got)
	}
}

func TestExhaustReportsDeadlocks(t *testing.T) {
	done := func(s window) bool { return s == window{2, 2} }
	m := quiet{windowMachine{limit: 2, total: 2}}
	got, err := Exhaust(t.Context(), m, windowConfig{Deadlock: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Counterexample; c == nil || c.Law != DeadlockLaw || c.States[len(c.Trace)] != (window{2, 2}) || len(c.Trace) != 3 {
		t.Errorf("want a deadlock in {2 2} after 3 steps, got %v", got)
	}
	got, err = Exhaust(t.Context(), m, windowConfig{Deadlock: true, Final: done})
	if err != nil || !got.Complete {
		t.Errorf("want no deadlock once {2 2} is final, got %v, error %v", got, err)
	}
}

// quiet is a window machine without count, so that it has an end.
type quiet struct{ windowMachine }

func (quiet) Actions(window) iter.Seq[string] { return slices.Values([]string{"send", "ack"}) }

func TestExhaustHonoursBoundsExactly(t *testing.T) {
	m := windowMachine{limit: 2, total: 200}
	whole, err := Exhaust(t.Context(), m, windowConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		for _, bound := range []int{1, 2, 100, int(whole.States) - 1} {
			got, err := Exhaust(t.Context(), m, windowConfig{Bounds: Bounds{States: bound, Workers: workers}})
			if err != nil || got.States != int64(bound) || got.Complete || got.Stopped != StopStates {
				t.Errorf("%d workers: want to stop at %d states, got %v, error %v", workers, bound, got, err)
			}
		}
		got, err := Exhaust(t.Context(), m, windowConfig{Bounds: Bounds{States: int(whole.States), Workers: workers}})
		if err != nil || !got.Complete || got.States != whole.States {
			t.Errorf("%d workers: want all %d states within a bound of as many, got %v, error %v", workers, whole.States, got, err)
		}
	}
	for _, depth := range []int{1, 7, whole.Depth} {
		got, err := Exhaust(t.Context(), m, windowConfig{Bounds: Bounds{Depth: depth}})
		if err != nil || got.Depth != depth || got.Complete || got.Stopped != StopDepth {
			t.Errorf("want to stop at depth %d, got %v, error %v", depth, got, err)
		}
	}
	got, err := Exhaust(t.Context(), m, windowConfig{Bounds: Bounds{Depth: whole.Depth + 1}})
	if err != nil || !got.Complete {
		t.Errorf("want a complete exploration one step beyond the diameter, got %v, error %v", got, err)
	}
}

func TestExhaustStopsWithTheContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cfg := windowConfig{Progress: func(p Progress) {
		if p.Depth == 3 {
			cancel(enough)
		}
	}}
	got, err := Exhaust(ctx, windowMachine{limit: 2, total: 200}, cfg)
	if !errors.Is(err, enough) || got.Stopped != StopContext || got.Complete {
		t.Errorf("want to stop with the context, got %v, error %v", got, err)
	}
	if got.Depth != 3 {
		t.Errorf("want the counts up to depth 3, got %v", got)
	}
}

func TestExhaustSaysThatAMachineIsNotPure(t *testing.T) {
	m := &fickle{windowMachine: windowMachine{limit: 2, total: 9, bug: true}}
	_, err := Exhaust(t.Context(), m, windowConfig{
		Bounds: Bounds{Workers: 1},
		Invariants: []Invariant[window]{{Law: "WINDOW-001", Holds: func(s window) error {
			if s.Acked == 0 {
				return nil
			}
			m.tired = true
			return errors.New("acknowledged")
		}}},
	})
	if !errors.Is(err, ErrUnstable) {
		t.Errorf("want ErrUnstable, got %v", err)
	}
}

// fickle refuses everything once it is tired.
type fickle struct {
	windowMachine
	tired bool
}

func (m *fickle) Step(s window, a string) iter.Seq2[window, string] {
	if m.tired {
		return func(func(window, string) bool) {}
	}
	return m.windowMachine.Step(s, a)
}

func TestConfigsNameTheFieldThatIsWrong(t *testing.T) {
	for want, cfg := range map[string]windowConfig{
		"States":            {Bounds: Bounds{States: -1}},
		"Depth":             {Bounds: Bounds{Depth: -1}},
		"Workers":           {Bounds: Bounds{Workers: 65}},
		"Invariants[0]":     {Invariants: []Invariant[window]{{Law: "X"}}},
		"EdgeInvariants[0]": {EdgeInvariants: []EdgeInvariant[window, string, string]{{}}},
		"Final":             {Final: func(window) bool { return true }},
	} {
		if _, err := Exhaust(t.Context(), windowMachine{}, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that names %s, got %v", want, err)
		}
	}
}

// graphMachine is a machine given as a table: successors of each state.
type graphMachine [][]uint16

func (m graphMachine) Init() uint16 { return 0 }

func (m graphMachine) Actions(s uint16) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range m[s] {
			if !yield(i) {
				return
			}
		}
	}
}

func (m graphMachine) Step(s uint16, a int) iter.Seq2[uint16, struct{}] {
	return func(yield func(uint16, struct{}) bool) { yield(m[s][a], struct{}{}) }
}

func (m graphMachine) AppendKey(dst []byte, s uint16) []byte {
	return append(dst, byte(s), byte(s>>8))
}

// explore is the slow and obvious way: distances by breadth-first search.
func (m graphMachine) explore() (distance map[uint16]int, edges int64) {
	distance = map[uint16]int{0: 0}
	for queue := []uint16{0}; len(queue) > 0; queue = queue[1:] {
		for _, to := range m[queue[0]] {
			edges++
			if _, ok := distance[to]; !ok {
				distance[to] = distance[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return distance, edges
}

func TestExhaustAgreesWithASlowTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "states")
		m := make(graphMachine, n)
		state := rapid.Uint16Range(0, uint16(n-1))
		for i := range m {
			m[i] = rapid.SliceOfN(state, 0, 4).Draw(t, "successors")
		}
		bad := state.Draw(t, "bad")
		law := Invariant[uint16]{Law: "GRAPH-001", Title: "bad is not reached", Holds: func(s uint16) error {
			if s == bad {
				return errors.New("bad")
			}
			return nil
		}}
		distance, edges := m.explore()
		depth := 0
		for _, d := range distance {
			depth = max(depth, d)
		}
		for _, workers := range []int{1, 2} {
			for _, exact := range []bool{false, true} {
				cfg := ExhaustConfig[uint16, int, struct{}]{Bounds: Bounds{Workers: workers}, Exact: exact}
				got, err := Exhaust(context.Background(), m, cfg)
				if err != nil || !got.Complete || got.States != int64(len(distance)) || got.Edges != edges || got.Depth != depth {
					t.Fatalf("%d workers, exact %v: want %d states, %d edges, depth %d, got %v, error %v",
						workers, exact, len(distance), edges, depth, got, err)
				}
				cfg.Invariants = []Invariant[uint16]{law}
				got, err = Exhaust(context.Background(), m, cfg)
				if err != nil {
					t.Fatal(err)
				}
				want, reachable := distance[bad]
				if c := got.Counterexample; reachable != (c != nil) || reachable && len(c.Trace) != want {
					t.Fatalf("%d workers, exact %v: bad is at distance %d (reachable: %v), got %v", workers, exact, want, reachable, got)
				}
			}
		}
	})
}

func TestExhaustIsTheSameInEveryRun(t *testing.T) {
	m := &linkMachine{bits: 1}
	var first Result[linkState, linkAction, struct{}]
	for i, workers := range []int{1, 2, 2, 3, 1} {
		got, err := Exhaust(t.Context(), m, ExhaustConfig[linkState, linkAction, struct{}]{
			Bounds:     Bounds{Workers: workers},
			Invariants: []Invariant[linkState]{linkOnce},
		})
		if err != nil || got.Counterexample == nil {
			t.Fatalf("want a counterexample to one-bit sequence numbers, got %v, error %v", got, err)
		}
		if i == 0 {
			first = got
			continue
		}
		got.Elapsed, got.Bytes, first.Elapsed, first.Bytes = 0, 0, 0, 0
		c, d := got.Counterexample, first.Counterexample
		if len(c.Trace) != len(d.Trace) || c.States[len(c.Trace)] != d.States[len(d.Trace)] || c.Law != d.Law {
			t.Errorf("%d workers: want the faulty state of the first run,\n%v\ngot\n%v", workers, d, c)
		}
		if workers == 1 && !reflect.DeepEqual(c.Trace, d.Trace) {
			t.Errorf("one worker: want the trace of the first run, %v, got %v", d.Trace, c.Trace)
		}
		got.Counterexample, first.Counterexample = nil, nil
		if got != first {
			t.Errorf("%d workers: want %v, got %v", workers, first, got)
		}
		first.Counterexample = d
	}
}

func TestExactKeysGiveTheSameCountsAndNoCollision(t *testing.T) {
	depth := 14
	if testing.Short() {
		depth = 10
	}
	cfg := ExhaustConfig[linkState, linkAction, struct{}]{
		Bounds:     Bounds{Depth: depth},
		Invariants: []Invariant[linkState]{linkOnce},
	}
	printed, err := Exhaust(t.Context(), &linkMachine{}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Exact = true
	exact, err := Exhaust(t.Context(), &fastLinks{}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if exact.States != printed.States || exact.Edges != printed.Edges || exact.Depth != printed.Depth || exact.Collisions != 0 {
		t.Errorf("want the counts of fingerprints, %v, got %v with %d collisions", printed, exact, exact.Collisions)
	}
	if printed.CollisionOdds() > 1e-6 {
		t.Errorf("want odds below 1e-6 for %d states, got %g", printed.States, printed.CollisionOdds())
	}
}

func TestExpandersAreChecked(t *testing.T) {
	if err := CheckExpander(t.Context(), &fastLinks{}, Bounds{States: 3000}); err != nil {
		t.Error(err)
	}
	if err := CheckExpander(t.Context(), lazyLinks{}, Bounds{States: 3000}); !errors.Is(err, ErrExpand) {
		t.Errorf("want ErrExpand for an Expand that leaves a step out, got %v", err)
	}
}

// lazyLinks forgets to send on the second object.
type lazyLinks struct{ fastLinks }

func (m lazyLinks) Expand(s linkState, yield func(linkAction, linkState, struct{}) bool) {
	m.fastLinks.Expand(s, func(a linkAction, after linkState, o struct{}) bool {
		return a == linkAction{1, linkSend} || yield(a, after, o)
	})
}

// oneLink is the link system with its second object at rest.
type oneLink struct{ linkMachine }

func (oneLink) Actions(linkState) iter.Seq[linkAction] {
	return func(yield func(linkAction) bool) {
		for verb := range linkVerbs {
			if !yield(linkAction{0, verb}) {
				return
			}
		}
	}
}

// The objects are independent, so the whole system is the product of one with
// itself: its size follows from a small exploration.
func TestOneObjectGivesTheSizeOfTheWholeSystem(t *testing.T) {
	for _, exact := range []bool{false, true} {
		got, err := Exhaust(t.Context(), oneLink{}, ExhaustConfig[linkState, linkAction, struct{}]{
			Invariants: []Invariant[linkState]{linkOnce},
			Exact:      exact,
		})
		if err != nil || !got.Complete {
			t.Fatalf("want a complete exploration, got %v, error %v", got, err)
		}
		if n := got.States * got.States; n != linkStates {
			t.Errorf("want %d states for two objects, got %d² = %d", linkStates, got.States, n)
		}
		if n := 2 * got.States * got.Edges; n != linkEdges {
			t.Errorf("want %d edges for two objects, got 2*%d*%d = %d", linkEdges, got.States, got.Edges, n)
		}
	}
}
