package eventbusmodel

import (
	"bytes"
	"encoding/json"
	"math"
)

// An Envelope is one event or synthetic frame as a client reads it.
type Envelope struct {
	// ID is the id, and HasID says that there is one.
	ID    int64
	HasID bool
	Type  string
	// Members are all members of the object, v, id and type included, as they were written.
	Members map[string]json.RawMessage
}

// DecodeEnvelope reads the data of one event strictly. It returns false for what a client must skip: text that is not JSON, what is not an object, a v that
// is not the number 1, a type that is not a string, and an id that is there and not a safe integer of at least 1. EVENTBUS-SSE-013
//
// Of members with one name the last one counts.
func DecodeEnvelope(data string) (Envelope, bool) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(data)))
	decoder.UseNumber()
	var value any
	if !json.Valid([]byte(data)) || decoder.Decode(&value) != nil {
		return Envelope{}, false
	}
	object, ok := value.(map[string]any)
	if !ok {
		return Envelope{}, false
	}
	if v, ok := numeric(object["v"]); !ok || v != 1 {
		return Envelope{}, false
	}
	kind, ok := object["type"].(string)
	if !ok {
		return Envelope{}, false
	}
	e := Envelope{Type: kind}
	if id, ok := object["id"]; ok {
		n, ok := numeric(id)
		if !ok || n != math.Trunc(n) || n < 1 || n > maxSafeInteger {
			return Envelope{}, false
		}
		e.ID, e.HasID = int64(n), true
	}
	if json.Unmarshal([]byte(data), &e.Members) != nil {
		return Envelope{}, false
	}
	return e, true
}

// numeric returns the value of a JSON number. One that is too large for a float is infinite there, and none here.
func numeric(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// ReadEnvelopes reads a whole body and returns the envelopes of its good frames, in order: the JSON decides, not the id and event lines.
// EVENTBUS-SSE-011
func ReadEnvelopes(body []byte) []Envelope {
	var out []Envelope
	for _, e := range ParseStream(body).Events {
		if envelope, ok := DecodeEnvelope(e.Data); ok {
			out = append(out, envelope)
		}
	}
	return out
}
