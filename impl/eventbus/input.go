package eventbus

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
)

const stampKey = "serverTimestamp"

// Input is what a publisher says about an event. There is no way to say an id (EVENTBUS-ID-006: such input is impossible
// here).
type Input struct {
	// Type is the name of the event.
	Type string
	// Data is the payload, already encoded: publishing it encodes nothing.
	Data Payload
	// Value is encoded by the bus, if Data is the zero Payload and Value is not nil. In the Seed dialect that is only done
	// once somebody must buffer or read the event (EVENTBUS-QUEUE-009), so neither Value nor what it refers to may be changed
	// after it was published. Its marshaler runs outside the bus's lock.
	Value any
	// Originator is originatorClientId; empty: absent.
	Originator string
	// Meta holds further members of _meta. A serverTimestamp in it is kept if it is a finite number, and else replaced
	// (EVENTBUS-PUBLISH-004). The map is copied, the values in it are not.
	Meta map[string]any
}

// event returns the event of in, without its id.
//
// EVENTBUS-PUBLISH-001, EVENTBUS-PUBLISH-005
func (b *Bus) event(in Input) *Event {
	e := &Event{Type: in.Type, Originator: in.Originator, data: in.Data}
	if in.Value != nil && in.Data.IsZero() {
		e.rest = &rest{value: in.Value}
	}
	// EVENTBUS-PUBLISH-004
	stamped := false
	if len(in.Meta) > 0 {
		meta := maps.Clone(in.Meta)
		e.Timestamp, stamped = finite(meta[stampKey])
		delete(meta, stampKey)
		if len(meta) > 0 {
			if e.rest == nil {
				e.rest = &rest{}
			}
			e.rest.meta = meta
		}
	}
	if !stamped {
		e.Timestamp = b.clock.millis()
	}
	return e
}

// finite returns v as a number, if it is a finite one.
func finite(v any) (float64, bool) {
	var f float64
	switch n := v.(type) {
	case nil:
		return 0, false
	case float64:
		f = n
	case json.Number:
		parsed, err := n.Float64()
		if err != nil {
			return 0, false
		}
		f = parsed
	default:
		switch r := reflect.ValueOf(v); {
		case r.CanInt():
			f = float64(r.Int())
		case r.CanUint():
			f = float64(r.Uint())
		case r.CanFloat():
			f = r.Float()
		default:
			return 0, false
		}
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}
