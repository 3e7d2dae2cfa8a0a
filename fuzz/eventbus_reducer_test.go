package fuzz

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// reducerData are payloads of each type that mean something to a view, well-formed and not; the machine says which are.
var reducerData = []string{
	``, `{}`, `null`, `[]`, `1`,
	`{"reason":"any","lastDeliveredId":1,"earliestAvailableId":3}`, `{"reason":"","lastDeliveredId":1,"earliestAvailableId":3}`,
	`{"reason":"r","lastDeliveredId":1e999,"earliestAvailableId":3}`, `{"reason":"r","lastDeliveredId":"1","earliestAvailableId":3}`,
	`{"reason":"r","droppedAfter":1,"queueSize":null}`, `{"reason":"r","droppedAfter":1.5,"eventBytes":2}`, `{"reason":"r","maxQueued":"1"}`,
	`{"queueSize":1,"maxQueued":2,"lastEventId":3}`, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"bytes","queuedBytes":1}`,
	`{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"both"}`, `{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":"frames_and_bytes"}`,
	`{"queueSize":1,"maxQueued":2,"lastEventId":3,"threshold":null}`, `{"queueSize":1,"maxQueued":2}`,
	`{"error":"e"}`, `{"error":""}`, `{"sessionId":"s","reason":"r"}`, `{"sessionId":"s","reason":"r","exitCode":null,"signalCode":"x"}`,
	`{"sessionId":"s","reason":"r","exitCode":"1"}`, `{"sessionId":"s","reason":"write_failed"}`, `{"sessionId":"s","reason":"r","closedBy":1}`,
	`{"sessionId":"s","currentModelId":null,"currentApprovalMode":"plan","recordingDegraded":true}`,
	`{"sessionId":"s","currentModelId":"m","currentApprovalMode":null,"recordingDegraded":false}`, `{"sessionId":"s","currentModelId":"m"}`,
	`{"requestId":"p","sessionId":"s","toolCall":{},"options":[]}`, `{"requestId":"q","sessionId":"s","toolCall":{},"options":[{"optionId":"o"}]}`,
	`{"requestId":"q","sessionId":"s","toolCall":{},"options":[{}]}`, `{"requestId":"p","outcome":{"outcome":"cancelled"}}`,
	`{"requestId":"q","sessionId":"s","outcome":{"outcome":"selected","optionId":"o"}}`, `{"requestId":"q","sessionId":"s","outcome":{"outcome":"selected"}}`,
	`{"replayedCount":0}`, `{"reason":"r","reason":""}`, `{"Reason":"r","lastDeliveredId":1,"earliestAvailableId":3}`,
}

// reducerTypes are the types that mean something to a view, some that are known besides, and some that are not.
var reducerTypes = []string{
	"state_resync_required", "client_evicted", "slow_client_warning", "stream_error", "session_died", "session_closed", "session_snapshot",
	"session_recording_degraded", "permission_request", "permission_resolved", "permission_already_resolved", "replay_complete", "session_update",
	"history_truncated", "turn_complete", "totally_unknown", "", "Session_died",
}

// FuzzEventbusReducer reduces the same frames with the reference and with the machine. After each the view must be one that the machine allows.
func FuzzEventbusReducer(f *testing.F) {
	for i := range uint64(60) {
		f.Add(randomScript(3000+i), "", "")
	}
	for _, kind := range reducerTypes {
		for _, data := range reducerData {
			f.Add([]byte{0, 2, 3}, kind, data)
		}
	}
	f.Fuzz(func(t *testing.T, script []byte, kind, data string) {
		draw := drawFrom(&script).draw
		dialect := eventbusmodel.Dialect(draw(2))
		m, err := eventbusmodel.NewReducer(eventbusmodel.ReducerConfig{Dialect: dialect})
		if err != nil {
			t.Fatal(err)
		}
		view, allowed := reducer.New(reducer.Dialect(dialect)), []eventbusmodel.View{m.Init()}
		var taken []eventbusmodel.ReducerFrame
		reduce := func(frame eventbusmodel.ReducerFrame) {
			taken = append(taken, frame)
			view = view.After(reducer.Event{ID: frame.ID, Type: frame.Type, Data: rawOrNone(frame.Data)})
			if allowed, err = allowedAfter(m, allowed, frame, view); err != nil {
				t.Fatalf("%s: %v\n after %v", dialect, err, taken)
			}
		}
		reduce(eventbusmodel.ReducerFrame{ID: int64(draw(3)), Type: kind, Data: data})
		for len(script) > 2 {
			id := int64(draw(8))
			if draw(3) > 0 {
				id = 0
			}
			reduce(eventbusmodel.ReducerFrame{ID: id, Type: reducerTypes[draw(len(reducerTypes))], Data: reducerData[draw(len(reducerData))]})
		}
	})
}

func rawOrNone(data string) []byte {
	if data == "" {
		return nil
	}
	return []byte(data)
}

// allowedAfter returns the views of the machine that the reference may have, or an error if there is none.
func allowedAfter(m *eventbusmodel.Reducer, before []eventbusmodel.View, f eventbusmodel.ReducerFrame, view reducer.View) ([]eventbusmodel.View, error) {
	got := eventbusmodel.View{
		Alive: view.Alive, LastEventID: view.LastEventID, Awaiting: view.AwaitingResync, Resyncs: view.ResyncRequiredCount, LastResync: string(view.LastResyncRequired),
		Warnings: view.SlowClientWarningCount, LastWarning: string(view.LastSlowClientWarning), Unrecognized: view.UnrecognizedKnownEventCount,
		Pending: slices.Sorted(maps.Keys(view.PendingPermissions)), Degraded: view.RecordingDegraded,
	}
	if view.TerminalEvent != nil {
		got.Terminal, got.TerminalData = view.TerminalEvent.Type, string(view.TerminalEvent.Data)
	}
	var out, all []eventbusmodel.View
	for _, v := range before {
		for _, next := range m.Outcomes(v, f) {
			all = append(all, next)
			if reflect.DeepEqual(next, got) && len(out) == 0 {
				out = append(out, next)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the view is %v, want one of %v", got, all)
	}
	return out, nil
}
