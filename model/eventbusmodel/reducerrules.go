package eventbusmodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// The kinds of invariants of the reducer.
type (
	ReducerInvariant     = model.Invariant[View]
	ReducerEdgeInvariant = model.EdgeInvariant[View, ReducerFrame, View]
)

// A reducerRule is a law about one frame. check says whether the frame puts the law to the test, and how it breaks it.
type reducerRule struct {
	law, title string
	check      func(m *Reducer, before View, f ReducerFrame, after View) (bool, error)
}

// Invariants returns what holds in every view.
func (m *Reducer) Invariants() []ReducerInvariant {
	return []ReducerInvariant{
		{Law: "EVENTBUS-REDUCER-005", Title: "who is not alive knows why and has no permissions from before", Holds: func(v View) error {
			_, err := unless(v.Alive == (v.Terminal == ""), "%v", v)
			return err
		}},
		{Law: "EVENTBUS-REDUCER-001", Title: "a view awaits a resync exactly when one was asked for", Holds: func(v View) error {
			_, err := unless(v.Awaiting == (v.Resyncs > 0) && (v.Resyncs > 0) == (v.LastResync != ""), "%v", v)
			return err
		}},
	}
}

// EdgeInvariants returns what holds for every frame.
func (m *Reducer) EdgeInvariants() []ReducerEdgeInvariant {
	var out []ReducerEdgeInvariant
	for _, r := range reducerRules() {
		out = append(out, ReducerEdgeInvariant{Law: r.law, Title: r.title, Check: func(before View, f ReducerFrame, after, _ View) error {
			_, err := r.check(m, before, f, after)
			return err
		}})
	}
	return out
}

// Reached returns the laws that the step puts to the test.
func (m *Reducer) Reached(before View, f ReducerFrame, after, _ View) []string {
	var out []string
	for _, r := range reducerRules() {
		if applies, _ := r.check(m, before, f, after); applies {
			out = append(out, r.law)
		}
	}
	return out
}

// sameButCursor says that two views differ in the cursor at most, and in the count of what is unrecognized by so much.
func sameButCursor(a, b View, more int) bool {
	return a.Alive == b.Alive && a.Terminal == b.Terminal && a.TerminalData == b.TerminalData && a.Awaiting == b.Awaiting && a.Resyncs == b.Resyncs &&
		a.LastResync == b.LastResync && a.Warnings == b.Warnings && a.LastWarning == b.LastWarning && a.Unrecognized+more == b.Unrecognized &&
		slices.Equal(a.Pending, b.Pending) && a.Degraded == b.Degraded
}

var terminalTypes = []string{TypeEvicted, "stream_error", "session_died", "session_closed"}

func reducerRules() []reducerRule {
	good := func(m *Reducer, f ReducerFrame) bool { return judge(m.cfg.Dialect, f) == judgedGood }
	return []reducerRule{
		{"EVENTBUS-REDUCER-001", "a resync is noted and ends nothing", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if f.Type != TypeResync || !good(m, f) {
				return idle()
			}
			kept := after.Alive == before.Alive && after.Terminal == before.Terminal && slices.Equal(after.Pending, before.Pending)
			return unless(kept && after.Awaiting && after.Resyncs == before.Resyncs+1 && after.LastResync == f.Data, "%v became %v", before, after)
		}},
		{"EVENTBUS-REDUCER-002", "while a resync is awaited only some types are applied", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			some := append([]string{TypeResync, "session_snapshot"}, terminalTypes...)
			if m.cfg.Dialect == Later {
				some = append(some, "session_recording_degraded", "history_truncated")
			}
			if !before.Awaiting || !good(m, f) || slices.Contains(some, f.Type) {
				return idle()
			}
			return unless(sameButCursor(before, after, 0), "%v: %v became %v", f, before, after)
		}},
		{"EVENTBUS-REDUCER-003", "the cursor is the largest id seen", func(_ *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			return unless(after.LastEventID == max(before.LastEventID, f.ID), "%v: cursor from %d to %d", f, before.LastEventID, after.LastEventID)
		}},
		{"EVENTBUS-REDUCER-004", "no frame ends the wait for a resync", func(_ *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if !before.Awaiting {
				return idle()
			}
			return unless(after.Awaiting, "%v ended it", f)
		}},
		{"EVENTBUS-REDUCER-005", "a terminal frame ends the view, awaiting or not", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if !slices.Contains(terminalTypes, f.Type) || !good(m, f) {
				return idle()
			}
			return unless(!after.Alive && after.Terminal != "" && len(after.Pending) == 0, "%v: %v became %v", f, before, after)
		}},
		{"EVENTBUS-REDUCER-006", "the first terminal frame stays, but one of the session replaces one of the stream", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if before.Terminal == "" {
				return idle()
			}
			stream := before.Terminal == TypeEvicted || before.Terminal == "stream_error"
			replaces := stream && good(m, f) && (f.Type == "session_died" || f.Type == "session_closed")
			want := before.Terminal
			if replaces {
				want = f.Type
			}
			return unless(after.Terminal == want, "%v: %s became %s", f, before.Terminal, after.Terminal)
		}},
		{"EVENTBUS-REDUCER-007", "a warning only counts", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if f.Type != TypeWarning || !good(m, f) || before.Awaiting {
				return idle()
			}
			before.Warnings, before.LastWarning = before.Warnings+1, f.Data
			return unless(sameButCursor(before, after, 0), "want %v, became %v", before, after)
		}},
		{"EVENTBUS-REDUCER-008", "an unknown type moves only the cursor, a malformed known one is counted besides", func(m *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			switch judge(m.cfg.Dialect, f) {
			case judgedUnknown:
				return unless(sameButCursor(before, after, 0), "%v: %v became %v", f, before, after)
			case judgedMalformed:
				return unless(sameButCursor(before, after, 1), "%v: %v became %v", f, before, after)
			}
			return idle()
		}},
		{"EVENTBUS-REDUCER-010", "replay_complete does nothing, but may be counted", func(_ *Reducer, before View, f ReducerFrame, after View) (bool, error) {
			if f.Type != TypeReplayComplete {
				return idle()
			}
			return unless(sameButCursor(before, after, 0) || sameButCursor(before, after, 1), "%v became %v", before, after)
		}},
	}
}

// ReducerScopes returns the one scope of a dialect: every kind of frame that a law speaks of, well-formed and malformed.
func ReducerScopes(d Dialect) []model.Scope[ReducerConfig] {
	scope := []ReducerFrame{
		{2, TypeResync, `{"reason":"any","lastDeliveredId":1,"earliestAvailableId":3}`},
		{0, TypeResync, `{"reason":"","lastDeliveredId":1,"earliestAvailableId":3}`},
		{0, TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3}`},
		{1, TypeWarning, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"more"}`},
		{0, TypeEvicted, `{"reason":"any"}`},
		{3, TypeEvicted, `{}`},
		{0, "stream_error", `{"error":"e"}`},
		{0, "session_died", `{"sessionId":"s","reason":"r"}`},
		{3, "session_closed", `{"sessionId":"s","reason":"r"}`},
		{0, "session_snapshot", `{"sessionId":"s","currentModelId":null,"currentApprovalMode":null,"recordingDegraded":true}`},
		{0, "session_recording_degraded", `{"sessionId":"s","reason":"write_failed"}`},
		{1, "permission_request", `{"requestId":"p","sessionId":"s","toolCall":{},"options":[]}`},
		{0, "permission_resolved", `{"requestId":"p","outcome":{"outcome":"cancelled"}}`},
		{0, TypeReplayComplete, `{"replayedCount":0}`},
		{1, "session_update", `{}`},
		{2, "totally_unknown", ``},
	}
	return []model.Scope[ReducerConfig]{{Name: "small", Config: ReducerConfig{Dialect: d, Most: 2, Scope: scope}}}
}
