package eventbus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unsafe"
)

// Payload is immutable compact JSON: what an event carries as data. The zero value stands for no data member at all, which
// is not the same as null. Payloads are small values and may be shared by any number of events.
type Payload struct {
	json string
}

// Encode returns the compact JSON of v, as json.Marshal writes it but with every character that need not be escaped written
// as itself, so that the number of octets is that of any other compact encoder. A v that has no JSON text, or whose own
// marshaler panics, gives a *PayloadError.
func Encode(v any) (Payload, error) {
	return newEncoder().encode(v)
}

// Raw checks text once and returns it compacted, with every character that need not be escaped written as itself and octets
// that are not UTF-8 replaced by U+FFFD. Numbers keep their spelling. Text that is not one JSON value gives a *PayloadError.
func Raw(text []byte) (Payload, error) {
	var compact bytes.Buffer
	compact.Grow(len(text))
	if err := json.Compact(&compact, text); err != nil {
		return Payload{}, &PayloadError{Cause: err}
	}
	return payloadOf(compact.Bytes()), nil
}

// payloadOf returns the payload of compact JSON, which it does not keep.
func payloadOf(compact []byte) Payload {
	if needsRespelling(compact) {
		return Payload{json: string(appendRespelled(make([]byte, 0, len(compact)), compact))}
	}
	return Payload{json: string(compact)}
}

// IsZero says that there is no data member.
func (p Payload) IsZero() bool { return p.json == "" }

// JSON returns the text, nil for the zero value. It must not be written to.
func (p Payload) JSON() []byte {
	if p.json == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(p.json), len(p.json))
}

// String returns the text, empty for the zero value.
func (p Payload) String() string { return p.json }

// encoder is a reusable JSON encoder. It is not safe for concurrent use.
type encoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.buf)
	// The size of an event is a law, and other encoders do not escape these (EVENTBUS-QUEUE-008).
	e.enc.SetEscapeHTML(false)
	return e
}

// encode returns the payload of v. It does not panic, whatever the methods of v do (EVENTBUS-PUBLISH-003).
func (e *encoder) encode(v any) (p Payload, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = Payload{}, &PayloadError{Cause: fmt.Errorf("marshaler panicked: %v", r)}
		}
	}()
	e.buf.Reset()
	if err := e.enc.Encode(v); err != nil {
		return Payload{}, &PayloadError{Cause: err}
	}
	return payloadOf(bytes.TrimSuffix(e.buf.Bytes(), []byte{'\n'})), nil
}
