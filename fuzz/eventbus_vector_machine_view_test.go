package fuzz

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// machineReduce keeps every view that the machine allows and that the vector wants; one at least must be left after each
// frame.
func machineReduce(v *corpus.EventbusVector, dialect eventbusmodel.Dialect) error {
	m, err := eventbusmodel.NewReducer(eventbusmodel.ReducerConfig{Dialect: dialect})
	if err != nil {
		return err
	}
	possible := []eventbusmodel.View{m.Init()}
	for i := range v.Frames {
		step := &v.Frames[i]
		e, err := eventOf(step.Frame)
		if err != nil {
			return err
		}
		frame := eventbusmodel.ReducerFrame{ID: e.ID, Type: e.Type, Data: string(e.Data)}
		var (
			next     []eventbusmodel.View
			mismatch error
		)
		for _, before := range possible {
			for _, after := range m.Outcomes(before, frame) {
				if err := sameView(step, machineMembers(before), machineMembers(after)); err != nil {
					mismatch = err
					continue
				}
				next = append(next, after)
			}
		}
		if len(next) == 0 {
			return fmt.Errorf("frame %d in line %d: no view is left of %d: %w", i+1, step.Line, len(possible), mismatch)
		}
		possible = next
	}
	return nil
}

// machineMembers is a view of the machine in the words of a vector.
func machineMembers(v eventbusmodel.View) members {
	pending := []any{}
	for _, id := range v.Pending {
		pending = append(pending, id)
	}
	count := func(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
	m := members{
		"alive": v.Alive, "awaitingResync": v.Awaiting, "pendingPermissions": pending,
		"recordingDegraded":           v.Degraded,
		"resyncRequiredCount":         count(int64(v.Resyncs)),
		"slowClientWarningCount":      count(int64(v.Warnings)),
		"unrecognizedKnownEventCount": count(int64(v.Unrecognized)),
	}
	if v.LastEventID != 0 {
		m["lastEventId"] = count(v.LastEventID)
	}
	if v.Terminal != "" {
		m["terminalEvent"] = v.Terminal
	}
	for name, text := range map[string]string{"lastResyncRequired": v.LastResync, "lastSlowClientWarning": v.LastWarning} {
		var data any
		if text != "" && decodeNumbers([]byte(text), &data) == nil {
			m[name] = data
		}
	}
	return m
}
