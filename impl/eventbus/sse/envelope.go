package sse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Envelope is one event of a bus as it came over the wire. It converts to an Event of package reducer.
type Envelope struct {
	// ID is 0 for an event that has none.
	ID int64
	// Type is any text.
	Type string
	// Data is the JSON of the data, or nil if it is absent.
	Data json.RawMessage
	// Originator is the client that caused the event; empty if it is absent or not a string.
	Originator string
	// Timestamp is _meta.serverTimestamp, in ms; 0 if it is absent or not a finite number.
	Timestamp float64
	// Raw is the JSON of the whole envelope.
	Raw json.RawMessage
}

// EnvelopeError says why the data of a message is not an envelope.
type EnvelopeError struct {
	Field string // the member at fault; empty for the whole
	Want  string
	Found string
}

// Error names the member, what it has to be and what was found.
func (e *EnvelopeError) Error() string {
	what := "data"
	if e.Field != "" {
		what = e.Field
	}
	return fmt.Sprintf("sse envelope: %s is not %s: %s", what, e.Want, e.Found)
}

// DecodeEnvelope reads the data of a message. The envelope refers to data, which must not change. The error is an
// *EnvelopeError: data is one JSON object with v of 1, a type that is a string, and an id, if it is present, that is an
// integer from 1 to 2^53-1. Everything else in it is free.
func DecodeEnvelope(data []byte) (Envelope, error) {
	// EVENTBUS-SSE-013
	if !json.Valid(data) {
		return Envelope{}, &EnvelopeError{Want: "JSON", Found: short(string(data))}
	}
	e := Envelope{Raw: data}
	var v, id, kind, meta []byte
	ok := members(data, func(key, value []byte) {
		// A member given twice is the last one, as in JavaScript.
		switch string(key) {
		case "v":
			v = value
		case "id":
			id = value
		case "type":
			kind = value
		case "data":
			e.Data = value
		case "originatorClientId":
			e.Originator, _ = text(value)
		case "_meta":
			meta = value
		}
	})
	if !ok {
		return Envelope{}, &EnvelopeError{Want: "an object", Found: short(string(data))}
	}
	if n, ok := number(v); !ok || n != 1 {
		return Envelope{}, &EnvelopeError{Field: "v", Want: "1", Found: found(v)}
	}
	if e.Type, ok = text(kind); !ok {
		return Envelope{}, &EnvelopeError{Field: "type", Want: "a string", Found: found(kind)}
	}
	if id != nil {
		n, ok := number(id)
		if !ok || n != math.Trunc(n) || n < 1 || n > maxID {
			return Envelope{}, &EnvelopeError{Field: "id", Want: "an integer from 1 to 2^53-1", Found: found(id)}
		}
		e.ID = int64(n)
	}
	members(meta, func(key, value []byte) {
		if string(key) == "serverTimestamp" {
			e.Timestamp, _ = number(value)
		}
	})
	return e, nil
}

func found(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return short(string(raw))
}

// text returns the string that raw, which is JSON, is.
func text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// number returns the finite number that raw, which is JSON, is.
func number(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// members calls f for each member of an object, which is JSON. It returns false if it is something else. The package of
// the standard library takes "ID" for "id", and copies.
func members(raw []byte, f func(key, value []byte)) bool {
	i := space(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return false
	}
	for i = space(raw, i+1); raw[i] != '}'; {
		end := skip(raw, i)
		key := raw[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			s, _ := text(raw[i:end])
			key = []byte(s)
		}
		i = space(raw, space(raw, end)+1)
		end = skip(raw, i)
		f(key, raw[i:end:end])
		if i = space(raw, end); raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return true
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// skip returns where the value that begins at i ends.
func skip(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
