package eventbustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func busReducerCases() []conformance.Case {
	return slices.Concat(busReducerResyncCases(), busReducerEndCases(), busReducerRuleCases())
}

// Frames that reducer cases are made of.
const (
	resyncEvent   = `{"v":1,"type":"state_resync_required","data":{"reason":"ring_evicted","lastDeliveredId":2,"earliestAvailableId":7}}`
	pendingEvent  = `{"id":1,"v":1,"type":"permission_request","data":{"requestId":"r1","sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"o","name":"yes","kind":"allow_once"}]}}`
	unknownEvent  = `{"v":1,"type":"totally_unknown","data":{}}`
	completeEvent = `{"v":1,"type":"replay_complete","data":{"replayedCount":2,"lastReplayedEventId":9}}`
)

// busReducerResyncCases are about views that await a resync.
func busReducerResyncCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/reducer/resync/sets-awaiting",
			Title:    "a resync on a fresh view and on one with a pending permission",
			Laws:     []string{"EVENTBUS-REDUCER-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, before := range [][]string{{}, {pendingEvent}} {
					views := b.Reduce(append(before, resyncEvent)...)
					was, is := views[len(views)-2], views[len(views)-1]
					b.Same("EVENTBUS-REDUCER-001", "the view awaits a resync", "true", is.Get("awaitingResync"))
					b.Same("EVENTBUS-REDUCER-001", "it counts one", "1", is.Get("resyncRequiredCount"))
					b.Same("EVENTBUS-REDUCER-001", "it holds the data", `{"reason":"ring_evicted","lastDeliveredId":2,"earliestAvailableId":7}`, is.Get("lastResyncRequired"))
					b.Equal("EVENTBUS-REDUCER-001", "everything else is as it was: alive, the permissions, no terminal event", "[awaitingResync lastResyncRequired resyncRequiredCount]", changed(was, is))
				}
			}),
		},
		{
			ID:       "eventbus/reducer/resync/counts-each",
			Title:    "three resyncs with three reasons",
			Laws:     []string{"EVENTBUS-REDUCER-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				events := []string{
					resyncEvent,
					`{"v":1,"type":"state_resync_required","data":{"reason":"epoch_reset","detail":"epoch_mismatch","lastDeliveredId":9,"earliestAvailableId":1}}`,
					`{"v":1,"type":"state_resync_required","data":{"reason":"never heard of","lastDeliveredId":0,"earliestAvailableId":0}}`,
				}
				for i, view := range b.Reduce(events...) {
					b.Same("EVENTBUS-REDUCER-001", "each is counted, also while awaiting", fmt.Sprint(i), view.Get("resyncRequiredCount"))
					if i > 0 {
						b.Same("EVENTBUS-REDUCER-001", "the last one is held", string(dataOf(events[i-1])), view.Get("lastResyncRequired"))
						b.Same("EVENTBUS-REDUCER-001", "the stream is alive", "true", view.Get("alive"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/reducer/resync/deltas-are-skipped",
			Title:    "a valid frame of every type that does not pass a view that awaits",
			Laws:     []string{"EVENTBUS-REDUCER-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var events, kinds []string
				for _, s := range reducerSamples {
					if !b.passes(s.kind) {
						events, kinds = append(events, s.event()), append(kinds, s.kind)
					}
				}
				// Only what the target takes for valid is held against it.
				applied := b.Reduce(events...)
				moved := 0
				views := b.Reduce(append([]string{resyncEvent}, events...)...)
				for i, kind := range kinds {
					if difference := changed(applied[i], applied[i+1]); slices.Contains(difference, "unrecognizedKnownEventCount") {
						b.Note("invalid", "the target does not take this for valid: %s", events[i])
						continue
					} else if len(difference) > 0 {
						moved++
					}
					b.Equal("EVENTBUS-REDUCER-002", kind+" leaves a view that awaits as it was", "[]", changed(views[i+1], views[i+2]))
				}
				b.Check(moved > 20, "", "the frames change a view that does not await", "more than 20 of them", fmt.Sprint(moved))
			}),
		},
		{
			ID:       "eventbus/reducer/resync/warning-is-skipped",
			Title:    "a warning in front of and behind a resync",
			Laws:     []string{"EVENTBUS-REDUCER-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				warning := `{"v":1,"type":"slow_client_warning","data":{"queueSize":12,"maxQueued":16,"lastEventId":12}}`
				views := b.Reduce(warning, resyncEvent, warning)
				b.Same("EVENTBUS-REDUCER-002", "only the first is counted", "1", views[3].Get("slowClientWarningCount"))
				b.Equal("EVENTBUS-REDUCER-002", "the second changes nothing", "[]", changed(views[2], views[3]))
			}),
		},
		{
			ID:       "eventbus/reducer/resync/passing-types-are-applied",
			Title:    "a valid frame of every type that passes a view that awaits",
			Laws:     []string{"EVENTBUS-REDUCER-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, s := range reducerSamples {
					if !b.passes(s.kind) {
						continue
					}
					views := b.Reduce(pendingEvent, resyncEvent, s.event())
					member := map[string]string{
						"state_resync_required": "resyncRequiredCount", "session_snapshot": "currentModelId",
						"history_truncated": "historyTruncatedCount", "session_recording_degraded": "recordingDegraded",
					}[s.kind]
					if member == "" {
						member = "alive"
					}
					difference := changed(views[2], views[3])
					b.Check(slices.Contains(difference, member), "EVENTBUS-REDUCER-002", s.kind+" is applied while the view awaits", "a change of "+member, fmt.Sprint("a change of ", difference))
				}
			}),
		},
		{
			ID:       "eventbus/reducer/resync/cursor-goes-on",
			Title:    "ids 5, 3 and 9 in a view that awaits, and in one that does not",
			Laws:     []string{"EVENTBUS-REDUCER-003"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, before := range []string{resyncEvent, unknownEvent} {
					for name, event := range map[string]string{
						"a known type": `{"id":%d,"v":1,"type":"session_update","data":{"sessionId":"s"}}`, "an unknown type": `{"id":%d,"v":1,"type":"totally_unknown","data":{}}`,
						"a malformed frame": `{"id":%d,"v":1,"type":"client_evicted","data":{}}`, "a frame without data": `{"id":%d,"v":1,"type":"model_switched"}`,
						"a type that passes": `{"id":%d,"v":1,"type":"state_resync_required","data":{"reason":"r","lastDeliveredId":1,"earliestAvailableId":1}}`,
					} {
						views := b.Reduce(before, fmt.Sprintf(event, 5), fmt.Sprintf(event, 3), fmt.Sprintf(event, 9), unknownEvent, resyncEvent)
						var seen []string
						for _, view := range views[2:] {
							seen = append(seen, string(view.Get("lastEventId")))
						}
						b.Equal("EVENTBUS-REDUCER-003", "the largest id so far, also of "+name+", and frames without an id leave it", "[5 5 9 9 9]", seen)
					}
				}
			}),
		},
		{
			ID:       "eventbus/reducer/resync/nothing-clears-it",
			Title:    "every known type, unknown and malformed ones behind a resync",
			Laws:     []string{"EVENTBUS-REDUCER-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				events := []string{resyncEvent}
				for _, s := range reducerSamples {
					events = append(events, s.event())
				}
				events = append(events, completeEvent, unknownEvent, resyncEvent, completeEvent)
				for _, kind := range []string{"session_snapshot", "replay_complete", "prompt_cancelled", "user_shell_command", "user_shell_result", "git_branch_changed", "git_status_changed"} {
					events = append(events, `{"v":1,"type":"`+kind+`","data":{}}`)
				}
				views := b.Reduce(events...)
				b.Same("EVENTBUS-REDUCER-004", "a fresh view awaits nothing", "false", views[0].Get("awaitingResync"))
				for i, view := range views[1:] {
					b.Same("EVENTBUS-REDUCER-004", "still awaiting behind "+events[i], "true", view.Get("awaitingResync"))
				}
				b.Same("EVENTBUS-REDUCER-004", "a new view does not inherit it", "false", b.Reduce()[0].Get("awaitingResync"))
			}),
		},
	}
}

// passes reports whether a type is applied while a view awaits a resync (EVENTBUS-REDUCER-002).
func (b *busT) passes(kind string) bool {
	switch kind {
	case "state_resync_required", "session_died", "session_closed", "client_evicted", "stream_error", "session_snapshot":
		return true
	case "history_truncated", "session_recording_degraded":
		return b.Version() == "later"
	}
	return false
}

// changed returns the names of the members in which two views differ, sorted.
func changed(a, b *frame) []string {
	names := strings.Fields(a.Members() + " " + b.Members())
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		x, y := a.Get(name), b.Get(name)
		return (x == nil) == (y == nil) && (x == nil || sameJSON(x, y))
	})
}

// dataOf returns the data of an event.
func dataOf(event string) json.RawMessage {
	f, err := parseFrame(json.RawMessage(event))
	if err != nil {
		panic(err)
	}
	return f.Data()
}
