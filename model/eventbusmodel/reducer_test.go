package eventbusmodel

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"pgregory.net/rapid"
)

func mustReducer(t testing.TB, cfg ReducerConfig) *Reducer {
	t.Helper()
	m, err := NewReducer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type reducerExhaust = model.ExhaustConfig[View, ReducerFrame, View]

func exploreReducer(t *testing.T, m *Reducer, cfg reducerExhaust) model.Result[View, ReducerFrame, View] {
	t.Helper()
	cfg.Bounds.States = 1_000_000
	r, err := model.Exhaust(t.Context(), m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReducerScopesHold explores the small scope of each dialect to its end.
func TestReducerScopesHold(t *testing.T) {
	for _, tc := range []struct {
		dialect       Dialect
		states, edges int64
	}{{Seed, 1080, 18768}, {Later, 1080, 17004}} {
		m := mustReducer(t, SmallReducer(tc.dialect))
		r := exploreReducer(t, m, reducerExhaust{Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants()})
		if r.Counterexample != nil || !r.Complete {
			t.Fatal(r)
		}
		if r.States != tc.states || r.Edges != tc.edges {
			t.Errorf("%s: %d states and %d edges, want %d and %d", tc.dialect, r.States, r.Edges, tc.states, tc.edges)
		}
	}
}

// TestReducerBugsAreSeen: each fault breaks the law named, and each invariant is broken by a fault.
func TestReducerBugsAreSeen(t *testing.T) {
	seeded := []struct {
		bug reducerBug
		law string
	}{
		{bugCursorGoesBack, "EVENTBUS-REDUCER-003"},
		{bugCountsUnknown, "EVENTBUS-REDUCER-008"},
		{bugIgnoresMalformed, "EVENTBUS-REDUCER-008"},
		{bugSkipForgetsCursor, "EVENTBUS-REDUCER-003"},
		{bugTerminalsWait, "EVENTBUS-REDUCER-005"},
		{bugTerminalsWait, "EVENTBUS-REDUCER-006"},
		{bugWarningsPass, "EVENTBUS-REDUCER-002"},
		{bugResyncEnds, "EVENTBUS-REDUCER-001"},
		{bugResyncEnds, "EVENTBUS-REDUCER-005"},
		{bugResyncToggles, "EVENTBUS-REDUCER-004"},
		{bugResyncToggles, "EVENTBUS-REDUCER-001"},
		{bugWarningEnds, "EVENTBUS-REDUCER-007"},
		{bugTerminalKeepsPending, "EVENTBUS-REDUCER-005"},
		{bugLastTerminal, "EVENTBUS-REDUCER-006"},
		{bugSnapshotClears, "EVENTBUS-REDUCER-004"},
		{bugReplayEnds, "EVENTBUS-REDUCER-010"},
	}
	bugs, laws := make([]int, reducerBugCount), map[string]int{}
	for _, tc := range seeded {
		bugs[tc.bug]++
		laws[tc.law]++
		m := mustReducer(t, SmallReducer(Later))
		m.bug = tc.bug
		cfg := reducerExhaust{
			Invariants:     slices.DeleteFunc(m.Invariants(), func(i ReducerInvariant) bool { return i.Law != tc.law }),
			EdgeInvariants: slices.DeleteFunc(m.EdgeInvariants(), func(i ReducerEdgeInvariant) bool { return i.Law != tc.law }),
		}
		if r := exploreReducer(t, m, cfg); r.Counterexample == nil {
			t.Errorf("bug %d breaks nothing of %s: %v", tc.bug, tc.law, r)
		}
	}
	for bug := noReducerBug + 1; bug < reducerBugCount; bug++ {
		if bugs[bug] == 0 {
			t.Errorf("bug %d is not seeded", bug)
		}
	}
	for _, inv := range mustReducer(t, ReducerConfig{}).EdgeInvariants() {
		if laws[inv.Law] == 0 {
			t.Errorf("%s (%s) was never seen to fail", inv.Law, inv.Title)
		}
	}
}

// TestReducerWalks sees every law of the reducer put to the test.
func TestReducerWalks(t *testing.T) {
	reached := map[string]int{}
	for _, d := range []Dialect{Seed, Later} {
		cfg := SmallReducer(d)
		cfg.Most = 0
		m := mustReducer(t, cfg)
		rapid.Check(t, func(t *rapid.T) {
			model.Walk(t, m, model.WalkConfig[View, ReducerFrame, View]{
				Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
				Visit: func(before View, step model.Step[ReducerFrame, View], after View) {
					for _, law := range m.Reached(before, step.Action, after) {
						reached[law]++
					}
				},
			})
		})
	}
	for _, inv := range mustReducer(t, ReducerConfig{}).EdgeInvariants() {
		if reached[inv.Law] == 0 {
			t.Errorf("no walk puts %s to the test", inv.Law)
		}
	}
}

// TestReducerTerminalPairs: all ordered pairs of the four terminal types. EVENTBUS-REDUCER-006
func TestReducerTerminalPairs(t *testing.T) {
	data := map[string]string{
		TypeEvicted: `{"reason":"r"}`, "stream_error": `{"error":"e"}`,
		"session_died": `{"sessionId":"s","reason":"r"}`, "session_closed": `{"sessionId":"s","reason":"r"}`,
	}
	m := mustReducer(t, ReducerConfig{Dialect: Later})
	for first := range data {
		for second := range data {
			v := m.Outcomes(m.Init(), ReducerFrame{Type: first, Data: data[first]})[0]
			v = m.Outcomes(v, ReducerFrame{Type: second, Data: data[second]})[0]
			want := first
			if !ofSession(first) && ofSession(second) {
				want = second
			}
			if v.Alive || v.Terminal != want {
				t.Errorf("%s, %s: %v, want %s", first, second, v, want)
			}
		}
	}
}

// TestJudge: EVENTBUS-REDUCER-008, EVENTBUS-REDUCER-009
func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		kind, data string
		want       judgement
	}{
		{TypeResync, `{"reason":"new","lastDeliveredId":1,"earliestAvailableId":2,"more":{}}`, judgedGood},
		{TypeResync, `{"reason":"","lastDeliveredId":1,"earliestAvailableId":2}`, judgedMalformed},
		{TypeResync, `{"reason":1,"lastDeliveredId":1,"earliestAvailableId":2}`, judgedMalformed},
		{TypeResync, `{"reason":"r","lastDeliveredId":"1","earliestAvailableId":2}`, judgedMalformed},
		{TypeResync, `{"reason":"r","lastDeliveredId":1}`, judgedMalformed},
		{TypeResync, `{"reason":"r","lastDeliveredId":1e999,"earliestAvailableId":2}`, judgedMalformed},
		{TypeResync, `{"reason":"r","lastDeliveredId":null,"earliestAvailableId":2}`, judgedMalformed},
		{TypeResync, ``, judgedMalformed},
		{TypeResync, `[]`, judgedMalformed},
		{TypeEvicted, `{"reason":"new"}`, judgedGood},
		{TypeEvicted, `{"reason":"new","queueSize":1.5,"droppedAfter":-1}`, judgedGood},
		{TypeEvicted, `{"reason":"new","queueSize":null}`, judgedMalformed},
		{TypeEvicted, `{"reason":"new","eventBytes":"1"}`, judgedMalformed},
		{TypeEvicted, `{}`, judgedMalformed},
		{TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3}`, judgedGood},
		{TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"frames_and_bytes","queuedBytes":1}`, judgedGood},
		{TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"both"}`, judgedMalformed},
		{TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":null}`, judgedMalformed},
		{TypeWarning, `{"queueSize":1,"maxQueued":2}`, judgedMalformed},
		{"stream_error", `{"error":""}`, judgedMalformed},
		{"session_closed", `{"sessionId":"s","reason":"r","cause":1}`, judgedMalformed},
		{"session_died", `{"sessionId":"s","reason":"r","exitCode":null,"signalCode":"x"}`, judgedGood},
		{"permission_request", `{"requestId":"p","sessionId":"s","toolCall":{},"options":[{"optionId":"o"}]}`, judgedGood},
		{"permission_request", `{"requestId":"p","sessionId":"s","toolCall":{},"options":[{"optionId":""}]}`, judgedMalformed},
		{"permission_resolved", `{"requestId":"p","outcome":{"outcome":"selected","optionId":"o"}}`, judgedGood},
		{"permission_resolved", `{"requestId":"p","outcome":{"outcome":"selected"}}`, judgedMalformed},
		{TypeReplayComplete, `{}`, judgedOpen},
		{"totally_unknown", `{}`, judgedUnknown},
		{"", ``, judgedUnknown},
	} {
		if got := judge(Later, ReducerFrame{Type: tc.kind, Data: tc.data}); got != tc.want {
			t.Errorf("%s %s: %d, want %d", tc.kind, tc.data, got, tc.want)
		}
	}
	if n := len(KnownTypes()); n != 58 {
		t.Errorf("EVENTBUS-REDUCER-010: %d known types, want 58", n)
	}
}
