package substratetest

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// lenient reads any CBOR whose maps have text keys; what is not deterministic is found by encoding it again.
var lenient = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, DefaultMapType: reflect.TypeFor[map[string]any](), UTF8: cbor.UTF8RejectInvalid,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// decode reads a message that came. One that is no frame has no envelope and a fault that says so.
func decode(raw []byte) *frame {
	f := &frame{raw: raw}
	var top map[string]any
	if err := lenient.Unmarshal(raw, &top); err != nil {
		f.fault("SUBSTRATE-WIRE-001", "no CBOR map: "+err.Error())
		return f
	}
	if !deterministic(top, raw) {
		f.fault("SUBSTRATE-CODEC-002", "it is not what its own values encode to: "+brief(raw))
	}
	for key := range top {
		if key != "env" && key != "body" {
			f.fault("SUBSTRATE-WIRE-001", fmt.Sprintf("top-level key %q", key))
		}
	}
	env, ok := top["env"].(map[string]any)
	if !ok {
		f.fault("SUBSTRATE-WIRE-001", "env is no map")
		return f
	}
	f.env = env
	if body, given := top["body"]; given {
		if f.body, ok = body.([]byte); !ok {
			f.fault("SUBSTRATE-WIRE-001", fmt.Sprintf("body is a %T", body))
		} else if f.body == nil {
			f.body = []byte{}
		}
	}
	f.check()
	return f
}

// deterministic reports whether a message is what its values encode to.
func deterministic(top map[string]any, raw []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false // a float, a tag, null or a negative integer
		}
	}()
	return bytes.Equal(encode(top), raw)
}

func (f *frame) fault(law, text string) { f.faults = append(f.faults, fault{law, text}) }

// formOf says what the fields of an envelope look like (SUBSTRATE-WIRE-002, SUBSTRATE-ADDR-001).
var formOf = map[string]func(v any) bool{
	"v":       func(v any) bool { return v == uint64(1) },
	"kind":    isText(1, 64, nil),
	"objKind": isText(1, 64, nil),
	"obj":     isText(1, 128, regexp.MustCompile(`^[a-z0-9._/-]*$`)),
	"id":      isText(1, 64, regexp.MustCompile(`^[A-Za-z0-9_-]*$`)),
	"code":    isText(1, 64, regexp.MustCompile(`^[a-z0-9_]*$`)),
	"msg":     isText(0, 256, nil),
	"level":   isText(0, 64, nil),
	"receipt": isOctets(1, 64),
	"cap":     isOctets(0, 4096),
	"seq":     isNumber(1), "prev": isNumber(0), "fromSeq": isNumber(1), "base": isNumber(1), "label": isNumber(0),
}

// maxSeq is the largest seq.
const maxSeq = 1<<53 - 1

func isText(least, most int, form *regexp.Regexp) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		return ok && len(s) >= least && len(s) <= most && (form == nil || form.MatchString(s))
	}
}

func isOctets(least, most int) func(any) bool {
	return func(v any) bool {
		b, ok := v.([]byte)
		return ok && len(b) >= least && len(b) <= most
	}
}

func isNumber(least uint64) func(any) bool {
	return func(v any) bool {
		n, ok := v.(uint64)
		return ok && n >= least && n <= maxSeq
	}
}

// ofKind are the fields that frames of a kind must have, and those that they must not (SUBSTRATE-WIRE-003).
var ofKind = map[string]struct{ required, forbidden []string }{
	"op":             {[]string{"obj", "objKind", "id", "seq", "receipt"}, nil},
	"coded":          {[]string{"obj", "objKind", "id", "seq", "receipt", "code"}, []string{"cap"}},
	"ack":            {[]string{"obj", "objKind", "id", "receipt"}, []string{"seq", "cap"}},
	"bounce":         {[]string{"id", "code"}, []string{"seq", "receipt", "cap"}},
	"resync":         {[]string{"obj", "objKind"}, []string{"id", "cap", "seq", "receipt"}},
	"establish_fail": {[]string{"obj", "objKind", "id", "code"}, []string{"seq"}},
	"establish_ok":   {[]string{"obj", "objKind", "id", "label"}, []string{"seq"}},
}

// check finds what is wrong with the fields of f.
func (f *frame) check() {
	for name, v := range f.env {
		if form, known := formOf[name]; known && !form(v) {
			f.fault("SUBSTRATE-WIRE-002", fmt.Sprintf("%s is %v", name, v))
		}
	}
	kind := f.kind()
	switch {
	case slices.Contains([]string{"open", "accept", "close", "send", "req", "res", "end"}, kind):
		kind = "op"
	case kind == "reject", kind == "err" && (f.has("seq") || f.has("receipt")):
		kind = "coded"
	case kind == "err":
		kind = "bounce"
	}
	rule, known := ofKind[kind]
	if !known {
		f.fault("SUBSTRATE-WIRE-003", fmt.Sprintf("kind %q is none that is sent", f.kind()))
	}
	for _, name := range append([]string{"v", "kind"}, rule.required...) {
		if !f.has(name) {
			f.fault("SUBSTRATE-WIRE-003", f.kind()+" lacks "+name)
		}
	}
	for _, name := range rule.forbidden {
		if f.has(name) {
			f.fault("SUBSTRATE-WIRE-003", f.kind()+" has "+name)
		}
	}
	switch {
	case f.has("prev") && (!f.has("seq") || f.number("prev") >= f.seq()):
		f.fault("SUBSTRATE-WIRE-002", fmt.Sprintf("prev %d beside seq %d", f.number("prev"), f.seq()))
	case f.kind() == "resync" && f.has("fromSeq") == f.has("base"):
		f.fault("SUBSTRATE-WIRE-003", "resync has not exactly one of fromSeq and base")
	}
}
