package eventbusmodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustReducer(t testing.TB, cfg ReducerConfig) *Reducer {
	t.Helper()
	m, err := NewReducer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReducerScopesHold explores the scope of each dialect to its end.
func TestReducerScopesHold(t *testing.T) {
	for _, tc := range []struct {
		dialect       Dialect
		states, edges int64
	}{{Seed, 1080, 18768}, {Later, 1080, 17004}} {
		machinetest.Holds(t, mustReducer(t, ReducerScopes(tc.dialect)[0].Config), tc.states, tc.edges)
	}
}

// TestEveryReducerInvariantCanFail: each fault breaks a law, and each invariant is broken by a fault.
func TestEveryReducerInvariantCanFail(t *testing.T) {
	small := ReducerScopes(Later)[0].Config
	seed := machinetest.Seed[ReducerConfig, reducerBug]
	machinetest.Faults(t, model.Bounds{}, reducerBugCount, func(cfg ReducerConfig, bug reducerBug) *Reducer {
		m := mustReducer(t, cfg)
		m.bug = bug
		return m
	}, []machinetest.Fault[ReducerConfig, reducerBug]{
		seed(bugCursorGoesBack, small, "EVENTBUS-REDUCER-003", "largest", 2),
		seed(bugCountsUnknown, small, "EVENTBUS-REDUCER-008", "unknown type", 1),
		seed(bugIgnoresMalformed, small, "EVENTBUS-REDUCER-008", "unknown type", 1),
		seed(bugSkipForgetsCursor, small, "EVENTBUS-REDUCER-003", "largest", 2),
		seed(bugTerminalsWait, small, "EVENTBUS-REDUCER-005", "a terminal frame ends", 2),
		seed(bugTerminalsWait, small, "EVENTBUS-REDUCER-006", "the first", 3),
		seed(bugWarningsPass, small, "EVENTBUS-REDUCER-002", "while", 2),
		seed(bugResyncEnds, small, "EVENTBUS-REDUCER-001", "noted", 1),
		seed(bugResyncEnds, small, "EVENTBUS-REDUCER-005", "who is not alive", 1),
		seed(bugResyncToggles, small, "EVENTBUS-REDUCER-004", "no frame ends", 2),
		seed(bugResyncToggles, small, "EVENTBUS-REDUCER-001", "exactly when", 2),
		seed(bugResyncToggles, small, "EVENTBUS-REDUCER-001", "noted", 2),
		seed(bugWarningEnds, small, "EVENTBUS-REDUCER-007", "only counts", 1),
		seed(bugTerminalKeepsPending, small, "EVENTBUS-REDUCER-005", "a terminal frame ends", 2),
		seed(bugLastTerminal, small, "EVENTBUS-REDUCER-006", "the first", 2),
		seed(bugSnapshotClears, small, "EVENTBUS-REDUCER-004", "no frame ends", 2),
		seed(bugReplayEnds, small, "EVENTBUS-REDUCER-010", "does nothing", 1),
	})
}

// TestReducerWalks sees every law of the reducer put to the test.
func TestReducerWalks(t *testing.T) {
	var machines []*Reducer
	for _, d := range []Dialect{Seed, Later} {
		cfg := ReducerScopes(d)[0].Config
		cfg.Most = 0
		machines = append(machines, mustReducer(t, cfg))
	}
	machinetest.Walks(t, machines, (*Reducer).Reached)
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
