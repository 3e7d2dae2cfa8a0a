package model

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWalkHoldsOnACorrectMachine(t *testing.T) {
	m := windowMachine{limit: 2, total: 20}
	reached := map[window]bool{}
	rapid.Check(t, func(t *rapid.T) {
		Walk(t, m, WalkConfig[window, string, string]{
			Invariants: []Invariant[window]{m.law()},
			Visit:      func(_ window, _ Step[string, string], after window) { reached[after] = true },
		})
	})
	if len(reached) < 15 {
		t.Errorf("want walks that get about, got only to %d states", len(reached))
	}
}

func TestWalkShrinksToAShortestFault(t *testing.T) {
	m := windowMachine{limit: 2, total: 20, bug: true}
	text := failing(t, func(t *rapid.T) {
		Walk(t, m, WalkConfig[window, string, string]{Invariants: []Invariant[window]{m.law()}})
	})
	wantParts(t, text,
		"walk: WINDOW-001 (at most limit messages are in flight) is broken after 5 steps: 3 in flight, 2 allowed",
		"state: {Sent:4 Acked:1}",
		"5. send -> ok")
	if strings.Contains(text, "count ->") {
		t.Errorf("the shrunk walk holds a step that is not needed:\n%s", text)
	}
}

func TestWalkChecksEdges(t *testing.T) {
	m := windowMachine{limit: 2, total: 20}
	text := failing(t, func(t *rapid.T) {
		Walk(t, m, WalkConfig[window, string, string]{EdgeInvariants: []EdgeInvariant[window, string, string]{{
			Law:   "WINDOW-002",
			Title: "an ack frees one message",
			Check: func(before window, a string, after window, _ string) error {
				if a == "ack" && after.Acked != before.Acked+1 {
					return fmt.Errorf("%d freed", after.Acked-before.Acked)
				}
				return nil
			},
		}}})
	})
	wantParts(t, text, "WINDOW-002", "is broken after 3 steps: 2 freed")
}

func TestWalkStopsWhereThereIsNoWayOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := 0
		Walk(t, quiet{windowMachine{limit: 2, total: 2}}, WalkConfig[window, string, string]{
			Visit: func(window, Step[string, string], window) { steps++ },
		})
		if steps > 4 {
			t.Fatalf("want at most 4 steps, got %d", steps)
		}
	})
}

func wantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the message does not say %q:\n%s", part, text)
		}
	}
}
