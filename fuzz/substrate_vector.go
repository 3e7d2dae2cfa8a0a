package fuzz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// RunSubstrateVector runs one vector of the substrate on the reference and returns how the outcome differs from the right one.
func RunSubstrateVector(v corpus.SubstrateVector) error {
	var err error
	switch v.Op {
	case corpus.DecodeFrame:
		err = runDecodeFrame(&v)
	case corpus.EncodeFrame:
		err = runEncodeFrame(&v)
	case corpus.ClassOfCode:
		terminal, object := wire.ClassOf(string(*v.Code))
		if got := className(terminal, object); got != v.Want.Class {
			err = fmt.Errorf("class %s, want %s", got, v.Want.Class)
		}
	case corpus.DialHandshake, corpus.ListenHandshake:
		var got heard
		if got, err = runSide(&v); err == nil {
			err = sameHeard(&v, got)
		}
	default:
		err = fmt.Errorf("unknown op %q", v.Op)
	}
	return named(v.Name, err)
}

func className(terminal, object bool) string {
	switch {
	case !terminal:
		return "retryable"
	case object:
		return "terminal-object"
	}
	return "terminal-op"
}

func runDecodeFrame(v *corpus.SubstrateVector) error {
	input := slices.Clone([]byte(*v.Octets))
	f, err := wire.Decode(input)
	again, errAgain := wire.Decode(input)
	// SUBSTRATE-CODEC-005
	overwrite(input)
	if fmt.Sprint(err) != fmt.Sprint(errAgain) || !maps.Equal(fieldsOfFrame(&f), fieldsOfFrame(&again)) {
		return fmt.Errorf("decoded twice: %v %v, then %v %v", f, err, again, errAgain)
	}
	if v.Want.Refused != nil {
		return refusedBy(v.Want.Refused, v.Want.Closes, err)
	}
	if err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	if err := sameWireFrame(fieldsOfVector(v.Want.Frame), fieldsOfFrame(&f)); err != nil {
		return err
	}
	check := f.Check
	if v.Feeds {
		check = f.CheckFeed
	}
	var fault *corpus.WireFault
	if got := check(); got != nil {
		fault = &corpus.WireFault{Code: got.Code, Reply: got.Reply, Echo: got.Echo}
	}
	if err := sameFault(v.Want.Fault, fault); err != nil {
		return err
	}
	// SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-003
	out, err := wire.Append(nil, &f)
	switch {
	case err != nil:
		return fmt.Errorf("encode what was decoded: %w", err)
	case v.Want.Frame.Unknown == 0 && !bytes.Equal(out, *v.Octets):
		return fmt.Errorf("encodes to %.200x, want %.200x", out, []byte(*v.Octets))
	}
	if back, err := wire.Decode(out); err != nil || !maps.Equal(fieldsOfFrame(&back), fieldsOfFrame(&f)) {
		return fmt.Errorf("came back as %v, %w", back, err)
	}
	return nil
}

// refusedBy says whether err is a refusal by one of the rules, and ends the connection with the code.
func refusedBy(rules corpus.Rules, closes int, err error) error {
	var refusal *wire.Error
	switch {
	case !errors.As(err, &refusal):
		return fmt.Errorf("error is %v, want one of %v", err, rules)
	case !slices.Contains(rules, refusal.Rule.String()):
		return fmt.Errorf("%w, want %v", err, rules)
	case closes != 0 && int(refusal.CloseCode()) != closes:
		return fmt.Errorf("closes with %d, want %d", refusal.CloseCode(), closes)
	}
	return nil
}

func runEncodeFrame(v *corpus.SubstrateVector) error {
	f, err := frameOfVector(v.Frame)
	if err != nil {
		return err
	}
	const before = "before"
	out, err := wire.Append([]byte(before), f)
	out, kept := bytes.CutPrefix(out, []byte(before))
	if !kept {
		return fmt.Errorf("wrote over what was there: %.100x", out)
	}
	if v.Want.Refused != nil {
		if len(out) > 0 {
			return fmt.Errorf("refused, and wrote %.100x", out)
		}
		return refusedBy(v.Want.Refused, 0, err)
	}
	if err != nil || !bytes.Equal(out, *v.Want.Octets) {
		return fmt.Errorf("wrote %.200x, %v, want %.200x", out, err, []byte(*v.Want.Octets))
	}
	// SUBSTRATE-CODEC-002
	if again, err := wire.Append(nil, f); err != nil || !bytes.Equal(again, out) {
		return fmt.Errorf("the second time wrote %.200x, %v", again, err)
	}
	back, err := wire.Decode(out)
	if err != nil {
		return fmt.Errorf("decode what was encoded: %w", err)
	}
	return sameWireFrame(fieldsOfVector(v.Frame), fieldsOfFrame(&back))
}

// frameFields are the fields of a frame that are there, as text, and its body.
type frameFields map[string]string

func sameWireFrame(want, got frameFields) error {
	for _, name := range append(corpus.WireFields(), "body") {
		w, wanted := want[name]
		g, there := got[name]
		if wanted != there || w != g {
			return fmt.Errorf("%s is %.200q (there: %t), want %.200q (there: %t)", name, g, there, w, wanted)
		}
	}
	return nil
}

func sameFault(want, got *corpus.WireFault) error {
	if (want == nil) != (got == nil) || want != nil && *want != *got {
		return fmt.Errorf("fault %+v, want %+v", got, want)
	}
	return nil
}

// A fieldBit says where a field is in a frame of the reference and in one of the corpus.
type fieldBit struct {
	name string
	bit  wire.Fields
}

func fieldBits() []fieldBit {
	return []fieldBit{
		{"v", wire.FieldV},
		{"id", wire.FieldID},
		{"cap", wire.FieldCap},
		{"msg", wire.FieldMsg},
		{"obj", wire.FieldObj},
		{"seq", wire.FieldSeq},
		{"base", wire.FieldBase},
		{"code", wire.FieldCode},
		{"kind", wire.FieldKind},
		{"prev", wire.FieldPrev},
		{"label", wire.FieldLabel},
		{"level", wire.FieldLevel},
		{"fromSeq", wire.FieldFromSeq},
		{"objKind", wire.FieldObjKind},
		{"receipt", wire.FieldReceipt},
	}
}

// fieldsOfFrame returns what is in a frame of the reference. A field with a value of another type is as one that is zero.
func fieldsOfFrame(f *wire.Frame) frameFields {
	values := map[string]string{
		"v": number(f.V), "seq": number(f.Seq), "base": number(f.Base), "prev": number(f.Prev), "label": number(f.Label),
		"fromSeq": number(f.FromSeq), "kind": f.Kind, "obj": f.Obj, "objKind": f.ObjKind, "id": f.ID, "code": f.Code, "msg": f.Msg, "level": f.Level,
		"receipt": hex.EncodeToString(f.Receipt), "cap": hex.EncodeToString(f.Cap),
	}
	out := frameFields{}
	for _, b := range fieldBits() {
		if f.Has&b.bit != 0 {
			out[b.name] = values[b.name]
		}
	}
	if f.Body != nil {
		out["body"] = string(f.Body)
	}
	return out
}

// fieldsOfVector is the same for a frame of the corpus.
func fieldsOfVector(f *corpus.WireFrame) frameFields {
	out := frameFields{}
	for name, n := range map[string]*uint64{"v": f.V, "seq": f.Seq, "base": f.Base, "prev": f.Prev, "label": f.Label, "fromSeq": f.FromSeq} {
		if n != nil || slices.Contains(f.Odd, name) {
			out[name] = number(valueOf(n))
		}
	}
	for name, s := range map[string]*corpus.Text{
		"kind": f.Kind, "obj": f.Obj, "objKind": f.ObjKind, "id": f.ID, "code": f.Code, "msg": f.Msg, "level": f.Level,
	} {
		if s != nil || slices.Contains(f.Odd, name) {
			out[name] = string(valueOf(s))
		}
	}
	for name, b := range map[string]*corpus.Hex{"receipt": f.Receipt, "cap": f.Cap} {
		if b != nil || slices.Contains(f.Odd, name) {
			out[name] = hex.EncodeToString(valueOf(b))
		}
	}
	if f.Body != nil {
		out["body"] = string(*f.Body)
	}
	return out
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// frameOfVector is the frame of the corpus as the reference has it.
func frameOfVector(f *corpus.WireFrame) (*wire.Frame, error) {
	out := &wire.Frame{
		V: valueOf(f.V), Seq: valueOf(f.Seq), Base: valueOf(f.Base), Prev: valueOf(f.Prev), Label: valueOf(f.Label), FromSeq: valueOf(f.FromSeq),
		Kind: string(valueOf(f.Kind)), Obj: string(valueOf(f.Obj)), ObjKind: string(valueOf(f.ObjKind)), ID: string(valueOf(f.ID)),
		Code: string(valueOf(f.Code)), Msg: string(valueOf(f.Msg)), Level: string(valueOf(f.Level)), Receipt: valueOf(f.Receipt), Cap: valueOf(f.Cap),
	}
	there := fieldsOfVector(f)
	for _, b := range fieldBits() {
		if _, has := there[b.name]; has {
			out.Has |= b.bit
		}
	}
	if f.Body != nil {
		out.Body = append([]byte{}, *f.Body...)
	}
	if f.Odd != nil {
		return nil, fmt.Errorf("fields %v cannot be written with values of another type", f.Odd)
	}
	return out, nil
}
