package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
)

// runReduce takes the frames to one fresh view of the reference.
func runReduce(v *corpus.EventbusVector, dialect string) error {
	d := reducer.Seed
	if dialect == reducer.Later.String() {
		d = reducer.Later
	}
	view := reducer.New(d)
	before, err := membersOf(view)
	if err != nil {
		return err
	}
	for i := range v.Frames {
		step := &v.Frames[i]
		e, err := eventOf(step.Frame)
		if err != nil {
			return fmt.Errorf("frame %d in line %d: %w", i+1, step.Line, err)
		}
		view = view.After(e)
		after, err := membersOf(view)
		if err == nil {
			err = sameView(step, before, after)
		}
		if err != nil {
			return fmt.Errorf("frame %d in line %d: %w", i+1, step.Line, err)
		}
		before = after
	}
	return nil
}

// eventOf reads the frame of a vector, whose form its loader has checked.
func eventOf(frame []byte) (reducer.Event, error) {
	var form struct {
		ID         int64           `json:"id"`
		Type       string          `json:"type"`
		Data       json.RawMessage `json:"data"`
		Originator string          `json:"originatorClientId"`
	}
	if err := json.Unmarshal(frame, &form); err != nil {
		return reducer.Event{}, err
	}
	return reducer.Event{ID: form.ID, Type: form.Type, Data: form.Data, Originator: form.Originator, Raw: frame}, nil
}

// members is a view as a vector speaks of it: the terminal event by its type, pending permissions by their ids.
type members map[string]any

func membersOf(view any) (members, error) {
	text, err := json.Marshal(view)
	if err != nil {
		return nil, fmt.Errorf("write the view: %w", err)
	}
	m := members{}
	if err := decodeNumbers(text, &m); err != nil {
		return nil, fmt.Errorf("read the view: %w", err)
	}
	if e, ok := m["terminalEvent"].(map[string]any); ok {
		m["terminalEvent"] = e["type"]
	}
	if p, ok := m["pendingPermissions"].(map[string]any); ok {
		ids := []any{}
		for _, id := range slices.Sorted(maps.Keys(p)) {
			ids = append(ids, id)
		}
		m["pendingPermissions"] = ids
	}
	return m, nil
}

// sameView compares what one frame has made of a view with the step of the vector.
func sameView(step *corpus.FrameStep, before, after members) error {
	for _, name := range slices.Sorted(maps.Keys(step.View)) {
		var want any
		if err := decodeNumbers(step.View[name], &want); err != nil {
			return err
		}
		if got, ok := after[name]; !ok || !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s is %.300v (there: %v), want %s", name, got, ok, step.View[name])
		}
	}
	for _, name := range step.Absent {
		if got, ok := after[name]; ok {
			return fmt.Errorf("%s is %.300v, want none", name, got)
		}
	}
	if !step.Unchanged {
		return nil
	}
	// EVENTBUS-REDUCER-003: the cursor moves with every frame that has an id.
	was, is := maps.Clone(before), maps.Clone(after)
	delete(was, "lastEventId")
	delete(is, "lastEventId")
	if !reflect.DeepEqual(was, is) {
		return fmt.Errorf("the view was %.600v and is %.600v, want it unchanged but for the cursor", was, is)
	}
	return nil
}

// decodeNumbers reads JSON and keeps its numbers as they are written, since ids need all of their digits.
func decodeNumbers(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
