package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// frame is e as the machine says it. What the machine cannot say is a fault.
func (r *busRig) frame(e *eventbus.Event) *eventbusmodel.Frame {
	f, err := frameOf(e)
	if err != nil {
		r.fault("%v", err)
	}
	return &f
}

func frameOf(e *eventbus.Event) (eventbusmodel.Frame, error) {
	f := eventbusmodel.Frame{V: eventbusmodel.SchemaVersion, ID: e.ID, Type: e.Type, Originator: e.Originator, Timestamp: e.Timestamp}
	if e.Synthetic() != (e.ID == 0) {
		return f, fmt.Errorf("synthetic %t with id %d", e.Synthetic(), e.ID)
	}
	const before = "before"
	text, err := e.AppendJSON([]byte(before))
	text, kept := bytes.CutPrefix(text, []byte(before))
	size, sizeErr := e.Size()
	if _, dataErr := e.Data(); !kept || (err == nil) != (sizeErr == nil) || (err == nil) != (dataErr == nil) {
		return f, fmt.Errorf("JSON: %v, size: %v, data: %v, prefix kept %t", err, sizeErr, dataErr, kept)
	}
	if err != nil {
		f.Unserialisable = true
		members := maps.Collect(e.Meta())
		f.Meta, err = metaText(members)
		return f, err
	}
	// EVENTBUS-QUEUE-008
	if size != len(text) {
		return f, fmt.Errorf("size %d of %d octets: %s", size, len(text), text)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return f, fmt.Errorf("%s: %w", text, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil || compact.Len() != len(text) {
		return f, fmt.Errorf("%s is not compact", text)
	}
	if err := envelopeInto(&f, members); err != nil {
		return f, fmt.Errorf("%s: %w", text, err)
	}
	if f.ID != e.ID || f.Type != e.Type || f.Originator != e.Originator || f.Timestamp != e.Timestamp {
		return f, fmt.Errorf("%s is not %+v", text, e)
	}
	if f.ID != 0 {
		f.Size = int64(size)
	}
	return f, nil
}

// envelopeInto sets f to what the members of an envelope say.
func envelopeInto(f *eventbusmodel.Frame, members map[string]json.RawMessage) error {
	*f = eventbusmodel.Frame{}
	read := func(name string, into any) error {
		raw, ok := members[name]
		delete(members, name)
		if !ok {
			return nil
		}
		return json.Unmarshal(raw, into)
	}
	// EVENTBUS-ID-003, EVENTBUS-ID-004
	for name, into := range map[string]any{"id": &f.ID, "v": &f.V, "type": &f.Type, "originatorClientId": &f.Originator} {
		if raw, ok := members[name]; ok && (name == "id" && string(raw) == "0" || string(raw) == "null") {
			return fmt.Errorf("%s is %s", name, raw)
		}
		if err := read(name, into); err != nil {
			return err
		}
	}
	data := members["data"]
	delete(members, "data")
	if f.ID == 0 {
		if len(members) > 0 {
			return fmt.Errorf("a frame without id has other members: %v", slices.Collect(maps.Keys(members)))
		}
		return controlInto(&f.Control, f.Type, data)
	}
	f.Data = string(data)
	var meta map[string]json.RawMessage
	if err := read("_meta", &meta); err != nil {
		return err
	}
	if err := json.Unmarshal(meta["serverTimestamp"], &f.Timestamp); err != nil {
		return fmt.Errorf("serverTimestamp: %w", err)
	}
	delete(meta, "serverTimestamp")
	var err error
	if f.Meta, err = metaText(meta); err == nil && len(members) > 0 {
		err = fmt.Errorf("other members: %v", slices.Collect(maps.Keys(members)))
	}
	return err
}

// controlInto sets c to the data of a frame that a bus made, and knows no members but those of the laws.
func controlInto(c *eventbusmodel.Control, kind string, data json.RawMessage) error {
	resync := map[string]any{"reason": &c.Reason, "detail": &c.Detail, "lastDeliveredId": &c.LastDelivered, "earliestAvailableId": &c.Earliest}
	evicted := map[string]any{
		"reason": &c.Reason, "droppedAfter": &c.DroppedAfter, "queueSize": &c.QueueSize, "maxQueued": &c.MaxQueued, "queuedBytes": &c.QueuedBytes,
		"maxQueuedBytes": &c.MaxQueuedBytes, "eventBytes": &c.EventBytes,
	}
	warning := map[string]any{
		"queueSize": &c.QueueSize, "maxQueued": &c.MaxQueued, "lastEventId": &c.LastEventID, "queuedBytes": &c.QueuedBytes,
		"maxQueuedBytes": &c.MaxQueuedBytes, "threshold": &c.Threshold,
	}
	// EVENTBUS-REPLAY-005: the alias may be there, and then says the same.
	var alias int64
	complete := map[string]any{"replayedCount": &c.ReplayedCount, "lastReplayedEventId": &c.LastReplayedEvent, "lastEventId": &alias}
	known := map[string]map[string]any{
		eventbusmodel.TypeResync: resync, eventbusmodel.TypeEvicted: evicted, eventbusmodel.TypeWarning: warning, eventbusmodel.TypeReplayComplete: complete,
	}[kind]
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	for name, raw := range members {
		into, ok := known[name]
		// EVENTBUS-REPLAY-004, EVENTBUS-EVICT-003: what is absent is absent, and not 0 or null.
		zero := string(raw) == "0" && (name == "eventBytes" || name == "lastReplayedEventId")
		if !ok || zero || string(raw) == "null" {
			return fmt.Errorf("%s has %s: %s", kind, name, raw)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return err
		}
	}
	if _, ok := members["lastEventId"]; ok && kind == eventbusmodel.TypeReplayComplete && alias != c.LastReplayedEvent {
		return fmt.Errorf("the alias says %d, not %d", alias, c.LastReplayedEvent)
	}
	for _, name := range required(kind, *c) {
		if _, ok := members[name]; !ok {
			return fmt.Errorf("%s has no %s: %s", kind, name, data)
		}
	}
	return nil
}

// required returns the members that a frame of a bus must have.
func required(kind string, c eventbusmodel.Control) []string {
	switch kind {
	case eventbusmodel.TypeResync:
		return []string{"reason", "lastDeliveredId", "earliestAvailableId"}
	case eventbusmodel.TypeEvicted:
		return []string{"reason", "droppedAfter", "queueSize", "maxQueued", "queuedBytes", "maxQueuedBytes"}
	case eventbusmodel.TypeReplayComplete:
		return []string{"replayedCount"}
	case eventbusmodel.TypeWarning:
		names := []string{"queueSize", "maxQueued", "lastEventId"}
		if c.Threshold != "" {
			names = append(names, "queuedBytes", "maxQueuedBytes")
		}
		return names
	}
	return nil
}

// metaOf reads the other members of _meta.
func metaOf(text string) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+text+"}"), &raw); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(raw))
	for name, value := range raw {
		out[name] = value
	}
	return out, nil
}

// metaText writes the other members of _meta in order of name.
func metaText[V any](members map[string]V) (string, error) {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		key, err := plainJSON(name)
		if err != nil {
			return "", err
		}
		value, err := plainJSON(members[name])
		if err != nil {
			return "", err
		}
		out = append(out, key+":"+value)
	}
	return strings.Join(out, ","), nil
}

// plainJSON is v as compact JSON without escapes that JSON does not ask for.
func plainJSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	text := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
	return text, err
}

// diagnostics says which evictions were reported, and to whom.
func (r *busRig) diagnostics(o *eventbusmodel.BusOutput) {
	told := map[int]eventbusmodel.BusEviction{}
	for _, call := range r.called {
		if call.said.Kind != eventbus.SubscriberEvicted {
			continue
		}
		var members map[string]json.RawMessage
		ev := eventbusmodel.BusEviction{Sub: call.slot, Callback: true}
		err := json.Unmarshal(call.said.Data.JSON(), &members)
		for name, into := range map[string]any{"triggerEventType": &ev.TriggerType, "triggerEventBytes": &ev.TriggerBytes} {
			if err == nil {
				err = json.Unmarshal(members[name], into)
			}
			delete(members, name)
		}
		text, _ := json.Marshal(members)
		if err == nil {
			err = controlInto(&ev.Data, eventbusmodel.TypeEvicted, text)
		}
		if _, again := told[call.slot]; err != nil || again || ev.TriggerType != call.said.EventType || ev.TriggerBytes != call.said.EventBytes {
			r.fault("callback of #%d: %s %s %d: %v, again %t", call.slot, call.said.Data, call.said.EventType, call.said.EventBytes, err, again)
		}
		told[call.slot] = ev
	}
	for _, d := range r.lines {
		switch d.Kind {
		case eventbus.SizingFailed:
			// EVENTBUS-PUBLISH-008: the line names only the type.
			o.Unsized = true
			name, err := plainJSON(d.EventType)
			if want := `{"type":` + name + `}`; err != nil || d.Data.String() != want {
				r.fault("sizing failed: %s, want %s", d.Data, want)
			}
		case eventbus.SubscriberEvicted:
			ev := eventbusmodel.BusEviction{Sub: -1, Line: true}
			if err := controlInto(&ev.Data, eventbusmodel.TypeEvicted, d.Data.JSON()); err != nil {
				r.fault("line %s: %v", d.Data, err)
			}
			o.Evictions = append(o.Evictions, ev)
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(told)) {
		o.Evictions = append(o.Evictions, told[slot])
	}
}
