package eventbus

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// Event is one frame of a subscription. It is immutable: all subscribers share the pointer.
type Event struct {
	// ID is the place in the session's sequence, 1 or more; 0 for a synthetic frame, whose JSON has no id
	// (EVENTBUS-ID-004).
	ID int64
	// Type is the name of the event.
	Type string
	// Originator is the client whose request caused the event; empty: absent.
	Originator string
	// Timestamp is _meta.serverTimestamp, in milliseconds (EVENTBUS-PUBLISH-004). A synthetic frame has none.
	Timestamp float64

	data Payload
	rest *rest
	// before is the number of octets of all events published ahead of this one, so that the octets of a whole range of
	// events are one subtraction.
	before int64
}

// rest holds what few events have: a value that is encoded only when somebody needs its text, and further _meta members.
type rest struct {
	value any
	meta  map[string]any

	once    sync.Once
	data    Payload
	members string // `,"key":value` for each member of meta
	err     error
}

// Synthetic says that the frame was made for one subscription and has no id.
func (e *Event) Synthetic() bool { return e.ID == 0 }

// Data returns the payload. It fails, with a *PayloadError, only where Input.Value has no JSON text, which the Later dialect
// never publishes. A value that nobody had to size so far is encoded by this call, once.
func (e *Event) Data() (Payload, error) {
	if e.rest == nil {
		return e.data, nil
	}
	if err := e.encode(newEncoder); err != nil {
		return Payload{}, err
	}
	return e.rest.data, nil
}

// Meta yields the members of _meta other than serverTimestamp, by name.
func (e *Event) Meta() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if e.rest == nil {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(e.rest.meta)) {
			if !yield(k, e.rest.meta[k]) {
				return
			}
		}
	}
}

const (
	openID        = `{"id":`
	openVersion   = `,"v":1`
	openSynthetic = `{"v":1`
	openType      = `,"type":`
	openData      = `,"data":`
	openOrigin    = `,"originatorClientId":`
	openMeta      = `,"_meta":{"serverTimestamp":`
	closeMeta     = `}}`
)

// AppendJSON appends the event as one compact JSON object: id, v, type, data, originatorClientId and _meta, without those
// that are absent. It fails as Data does, and then returns dst as it was.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	data, err := e.Data()
	if err != nil {
		return dst, err
	}
	if e.Synthetic() {
		dst = append(dst, openSynthetic...)
	} else {
		dst = strconv.AppendInt(append(dst, openID...), e.ID, 10)
		// EVENTBUS-ID-003
		dst = append(dst, openVersion...)
	}
	dst = appendText(append(dst, openType...), e.Type)
	if !data.IsZero() {
		dst = append(append(dst, openData...), data.json...)
	}
	if e.Originator != "" {
		dst = appendText(append(dst, openOrigin...), e.Originator)
	}
	if e.Synthetic() {
		return append(dst, '}'), nil
	}
	dst = appendNumber(append(dst, openMeta...), e.Timestamp)
	if e.rest != nil {
		dst = append(dst, e.rest.members...)
	}
	return append(dst, closeMeta...), nil
}

// MarshalJSON returns what AppendJSON appends.
func (e *Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// Size returns the number of octets that AppendJSON appends, without building them. It fails as Data does.
func (e *Event) Size() (int, error) {
	data, err := e.Data()
	if err != nil {
		return 0, err
	}
	if e.Synthetic() {
		n := len(openSynthetic) + len(openType) + textLen(e.Type) + len(`}`)
		if !data.IsZero() {
			n += len(openData) + len(data.json)
		}
		if e.Originator != "" {
			n += len(openOrigin) + textLen(e.Originator)
		}
		return n, nil
	}
	return e.sizeButID() + digits(e.ID), nil
}

// sizeButID returns the size of a published event, less the digits of its id. What is in e.rest must be encoded.
//
// EVENTBUS-QUEUE-008
func (e *Event) sizeButID() int {
	n := len(openID) + len(openVersion) + len(openType) + textLen(e.Type) + len(openMeta) + numberLen(e.Timestamp) + len(closeMeta)
	data := e.data
	if e.rest != nil {
		data = e.rest.data
		n += len(e.rest.members)
	}
	if !data.IsZero() {
		n += len(openData) + len(data.json)
	}
	if e.Originator != "" {
		n += len(openOrigin) + textLen(e.Originator)
	}
	return n
}

// encode makes the texts of e.rest, once.
func (e *Event) encode(with func() *encoder) error {
	r := e.rest
	r.once.Do(func() {
		r.data = e.data
		enc := with()
		if r.value != nil {
			if r.data, r.err = enc.encode(r.value); r.err != nil {
				return
			}
		}
		var members []byte
		for k, v := range e.Meta() {
			text, err := enc.encode(v)
			if err != nil {
				r.err = err
				return
			}
			members = append(appendText(append(members, ','), k), ':')
			members = append(members, text.json...)
		}
		r.members = string(members)
	})
	return r.err
}
