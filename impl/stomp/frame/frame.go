package frame

import (
	"slices"
	"strings"
	"unsafe"
)

// Header is one header line, decoded: escapes are resolved, nothing is trimmed.
type Header struct{ Name, Value string }

// Frame is one STOMP frame. An empty body is nil after decoding. The codec checks syntax only: required headers,
// direction and order belong to the session (STOMP-FRAME-024).
type Frame struct {
	Command Command
	Headers []Header // wire order, repeats kept (STOMP-HDR-010)
	Body    []byte
}

// New returns a frame with the headers given as name, value, name, value. A last name without a value gets the empty
// one. It checks nothing: encoding does.
func New(c Command, kv ...string) *Frame {
	f := &Frame{Command: c}
	if len(kv) > 0 {
		f.Headers = make([]Header, 0, (len(kv)+1)/2)
	}
	for pair := range slices.Chunk(kv, 2) {
		h := Header{Name: pair[0]}
		if len(pair) == 2 {
			h.Value = pair[1]
		}
		f.Headers = append(f.Headers, h)
	}
	return f
}

// Get returns the value of the first header called name, compared octet for octet, and whether there is one
// (STOMP-HDR-006, STOMP-HDR-009, STOMP-HDR-010).
func (f *Frame) Get(name string) (value string, ok bool) {
	for i := range f.Headers {
		if f.Headers[i].Name == name {
			return f.Headers[i].Value, true
		}
	}
	return "", false
}

// Clone returns a deep copy that shares no memory with f, so it outlives a borrowed frame.
func (f *Frame) Clone() *Frame {
	if f == nil {
		return nil
	}
	c := &Frame{Command: f.Command, Body: slices.Clone(f.Body)}
	if f.Headers == nil {
		return c
	}
	c.Headers = make([]Header, len(f.Headers))
	for i, h := range f.Headers {
		c.Headers[i] = Header{Name: strings.Clone(h.Name), Value: strings.Clone(h.Value)}
	}
	return c
}

// text views b as a string without a copy. The octets must not change while the string is in use.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
