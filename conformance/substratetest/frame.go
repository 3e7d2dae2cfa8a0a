package substratetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A fields is an envelope: what is under "env".
type fields map[string]any

// A frame is one message, to be sent or as it came.
type frame struct {
	env  fields
	body []byte // nil: none
	more fields // keys besides env and body

	raw    []byte // as it came
	at     time.Time
	faults []fault // what is wrong with one that came
}

// A fault is one way in which a frame that came is malformed, and the law that says so.
type fault struct{ law, text string }

// frameOf returns a frame with the names and values of its envelope.
func frameOf(kv ...any) *frame {
	f := &frame{env: fields{"v": 1}}
	for i := 0; i+1 < len(kv); i += 2 {
		f.env[kv[i].(string)] = kv[i+1]
	}
	return f
}

// with returns a copy of f with a field of the envelope.
func (f *frame) with(name string, v any) *frame {
	c := f.copy()
	c.env[name] = v
	return c
}

// without returns a copy of f that lacks a field.
func (f *frame) without(name string) *frame {
	c := f.copy()
	delete(c.env, name)
	return c
}

// carrying returns a copy of f with a body; nil: with none.
func (f *frame) carrying(body []byte) *frame {
	c := f.copy()
	c.body = body
	return c
}

func (f *frame) copy() *frame {
	return &frame{env: maps.Clone(f.env), body: f.body, more: maps.Clone(f.more)}
}

// octets encodes f as a sender should.
func (f *frame) octets() []byte {
	top := map[string]any{"env": map[string]any(f.env)}
	maps.Copy(top, f.more)
	if f.body != nil {
		top["body"] = f.body
	}
	return encode(top)
}

func (f *frame) text(name string) string {
	s, _ := f.env[name].(string)
	return s
}

func (f *frame) kind() string    { return f.text("kind") }
func (f *frame) obj() string     { return f.text("obj") }
func (f *frame) objKind() string { return f.text("objKind") }
func (f *frame) id() string      { return f.text("id") }
func (f *frame) code() string    { return f.text("code") }

// number returns an integer of the envelope, 0 if there is none.
func (f *frame) number(name string) uint64 {
	switch n := f.env[name].(type) {
	case uint64:
		return n
	case int:
		return uint64(n)
	}
	return 0
}

func (f *frame) seq() uint64 { return f.number("seq") }

func (f *frame) receipt() []byte {
	b, _ := f.env["receipt"].([]byte)
	return b
}

// has reports whether the envelope has a field.
func (f *frame) has(name string) bool {
	_, ok := f.env[name]
	return ok
}

// durable reports whether f is an op or an answer: what is acked.
func (f *frame) durable() bool { return f.kind() != "ack" && f.has("seq") && f.has("receipt") }

// bounce reports whether f is an err that is no op.
func (f *frame) bounce() bool { return f.kind() == "err" && !f.has("seq") && !f.has("receipt") }

// String shows f on one line for a report.
func (f *frame) String() string {
	if f == nil {
		return "nothing"
	}
	if f.env == nil {
		return "no frame: " + conformance.EscapeMax(f.raw, 60)
	}
	var b strings.Builder
	b.WriteString(f.kind())
	for _, name := range slices.Sorted(maps.Keys(f.env)) {
		switch v := f.env[name].(type) {
		case []byte:
			fmt.Fprintf(&b, " %s=%s", name, brief(v))
		default:
			if text := fmt.Sprint(v); name == "kind" || name == "v" && text == "1" {
				continue
			} else {
				fmt.Fprintf(&b, " %s=%s", name, conformance.EscapeMax([]byte(text), 140))
			}
		}
	}
	if f.body != nil {
		fmt.Fprintf(&b, " body=%s", conformance.EscapeMax(f.body, 80))
	}
	return b.String()
}

// brief shows octets as hexadecimal digits, not too many of them.
func brief(b []byte) string {
	if len(b) > 16 {
		return fmt.Sprintf("%x… (%d octets)", b[:16], len(b))
	}
	return fmt.Sprintf("%x", b)
}

// same reports whether two messages are one, octet by octet.
func same(a, b *frame) bool { return bytes.Equal(a.raw, b.raw) }
