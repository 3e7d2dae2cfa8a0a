package eventbustest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// encode encodes without escaping what HTML would need.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

// An item is a frame on its way into a reply.
type item struct{ frame any }

// MarshalJSON encodes the frame. One whose data cannot be encoded, which the dialect seed delivers
// (EVENTBUS-PUBLISH-007), is encoded without data if it knows how.
func (i item) MarshalJSON() ([]byte, error) {
	text, err := encode(i.frame)
	if bare, ok := i.frame.(dataless); err != nil && ok {
		return bare.withoutData(), nil
	}
	return text, err
}

type dataless interface{ withoutData() []byte }

func items(frames []any) []item {
	out := make([]item, 0, len(frames))
	for _, f := range frames {
		out = append(out, item{f})
	}
	return out
}

func (g *bridge) events(raw []json.RawMessage) ([]Event, error) {
	out := make([]Event, 0, len(raw))
	for _, r := range raw {
		e, err := g.event(r, "")
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// event reads an event to publish.
func (g *bridge) event(raw json.RawMessage, special string) (Event, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return Event{}, fmt.Errorf("event: %w", err)
	}
	var e Event
	var ok bool
	if e.Type, ok = textMember(members, "type"); !ok {
		return Event{}, unfit("type")
	}
	if e.Originator, ok = textMember(members, "originatorClientId"); !ok {
		return Event{}, unfit("originatorClientId")
	}
	if data, ok := members["data"]; ok {
		e.Data = data
	}
	if meta, ok := members["_meta"]; ok {
		if err := json.Unmarshal(meta, &e.Meta); err != nil || e.Meta == nil {
			return Event{}, unfit("_meta")
		}
	}
	for _, known := range []string{"type", "data", "originatorClientId", "_meta"} {
		delete(members, known)
	}
	for name := range members {
		return Event{}, &adapter.UnsupportedError{Reason: "an event in Go has no member " + name}
	}
	return e, g.replace(&e, special)
}

func textMember(members map[string]json.RawMessage, name string) (string, bool) {
	raw, ok := members[name]
	if !ok {
		return "", true
	}
	s := jsonText(raw)
	// In a Go struct empty text stands for an absent member.
	return s, s != ""
}

func unfit(member string) error {
	return &adapter.UnsupportedError{Reason: "Go does not let a caller pass such a " + member}
}

// replace puts what JSON cannot carry into an event.
func (g *bridge) replace(e *Event, special string) error {
	stamp := func(v float64) {
		meta := maps.Clone(e.Meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["serverTimestamp"] = v
		e.Meta = meta
	}
	switch special {
	case "":
	case circular:
		loop := map[string]any{}
		loop["self"] = loop
		e.Data = loop
	case bigInt:
		// The nearest that Go has: a number that encoding/json refuses.
		e.Data = complex(1, 1)
	case throwingToJSON:
		e.Data = throwing{}
	case undefined:
		e.Data = nil
	case countingData:
		e.Data = counting{g}
	case nanTimestamp:
		stamp(math.NaN())
	case infiniteTimestamp:
		stamp(math.Inf(1))
	default:
		return fmt.Errorf("no special value %q", special)
	}
	return nil
}

type throwing struct{}

// MarshalJSON fails.
func (throwing) MarshalJSON() ([]byte, error) {
	return nil, errors.New("this value does not serialise")
}

type counting struct{ g *bridge }

// MarshalJSON counts, unless it is for a reply of the adapter.
func (c counting) MarshalJSON() ([]byte, error) {
	if !c.g.encoding.Load() {
		c.g.sized.Add(1)
	}
	return []byte(`{"counting":true}`), nil
}
