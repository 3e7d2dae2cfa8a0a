package wire_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

var (
	number = rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 300), rapid.SampledFrom([]uint64{0, 23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, wire.MaxSeq}))
	words  = rapid.OneOf(rapid.SampledFrom(append(kinds, wire.Session, wire.Queue, "", "é", "a@b")), rapid.String())
	blob   = rapid.OneOf(rapid.Just([]byte{}), rapid.SliceOfN(rapid.Byte(), 0, 300), rapid.Just([]byte("aGVsbG8=")), rapid.Just([]byte{0xa1, 0x61, 0x61, 0xff}))
)

// anyFrame draws a frame that can be encoded, with any values of the types of the fields.
func anyFrame(t *rapid.T) *wire.Frame {
	f := &wire.Frame{Has: wire.Fields(rapid.Uint16Range(0, uint16(wire.AllFields)).Draw(t, "has"))}
	for _, field := range fieldsOf(f.Has) {
		switch field {
		case wire.FieldV:
			f.V = number.Draw(t, "v")
		case wire.FieldSeq:
			f.Seq = number.Draw(t, "seq")
		case wire.FieldPrev:
			f.Prev = number.Draw(t, "prev")
		case wire.FieldFromSeq:
			f.FromSeq = number.Draw(t, "fromSeq")
		case wire.FieldBase:
			f.Base = number.Draw(t, "base")
		case wire.FieldLabel:
			f.Label = number.Draw(t, "label")
		case wire.FieldKind:
			f.Kind = words.Draw(t, "kind")
		case wire.FieldObj:
			f.Obj = words.Draw(t, "obj")
		case wire.FieldObjKind:
			f.ObjKind = words.Draw(t, "objKind")
		case wire.FieldID:
			f.ID = words.Draw(t, "id")
		case wire.FieldCode:
			f.Code = words.Draw(t, "code")
		case wire.FieldMsg:
			f.Msg = words.Draw(t, "msg")
		case wire.FieldLevel:
			f.Level = words.Draw(t, "level")
		case wire.FieldReceipt:
			f.Receipt = blob.Draw(t, "receipt")
		case wire.FieldCap:
			f.Cap = blob.Draw(t, "cap")
		}
	}
	if rapid.Bool().Draw(t, "bodied") {
		f.Body = blob.Draw(t, "body")
	}
	return f
}

// SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-002, SUBSTRATE-WIRE-004: what was encoded decodes to itself, behind whatever it was appended to,
// and encodes to the same octets again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFrame(t)
		before := rapid.SliceOfN(rapid.Byte(), 0, 10).Draw(t, "before")
		b, err := wire.Append(bytes.Clone(before), f)
		if err != nil {
			t.Fatal(err)
		}
		b, ok := bytes.CutPrefix(b, before)
		if !ok {
			t.Fatal("what was there before has changed")
		}
		got, err := wire.Decode(b)
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if !reflect.DeepEqual(&got, f) {
			t.Fatalf("got %+v\nwant %+v", &got, f)
		}
		again, err := wire.Append(nil, &got)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("got %x, %v\nwant %x", again, err, b)
		}
	})
}

// SUBSTRATE-CODEC-001: every set of fields, in frames of four kinds, comes back: 131072 frames.
func TestEverySetOfFieldsComesBack(t *testing.T) {
	var b []byte
	for _, kind := range kinds[:4] {
		for has := wire.Fields(0); has <= wire.AllFields; has++ {
			f := filled(kind, has)
			f.Seq *= uint64(has) << 32
			var err error
			if b, err = wire.Append(b[:0], f); err != nil {
				t.Fatal(err)
			}
			if got := decode(t, b); !reflect.DeepEqual(&got, f) {
				t.Fatalf("got %+v\nwant %+v", &got, f)
			}
		}
	}
}

// SUBSTRATE-CODEC-002: the library, given the same message as a map, sorts and writes the same.
func TestEncodingEqualsThatOfAMap(t *testing.T) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := anyFrame(t)
		env := map[string]any{}
		for field, value := range map[wire.Fields]any{
			wire.FieldV: f.V, wire.FieldID: f.ID, wire.FieldCap: f.Cap, wire.FieldMsg: f.Msg, wire.FieldObj: f.Obj, wire.FieldSeq: f.Seq,
			wire.FieldBase: f.Base, wire.FieldCode: f.Code, wire.FieldKind: f.Kind, wire.FieldPrev: f.Prev, wire.FieldLabel: f.Label,
			wire.FieldLevel: f.Level, wire.FieldFromSeq: f.FromSeq, wire.FieldObjKind: f.ObjKind, wire.FieldReceipt: f.Receipt,
		} {
			if f.Has&field != 0 {
				env[field.String()] = value
			}
		}
		message := map[string]any{"env": env}
		if f.Body != nil {
			message["body"] = f.Body
		}
		want, err := mode.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wire.Append(nil, f); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %x, %v\nwant %x", got, err, want)
		}
	})
}

// SUBSTRATE-CODEC-002: encoding allocates nothing where there is room.
func TestAppendAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 64<<10)
	for _, f := range []*wire.Frame{
		send(make([]byte, 256)), send(make([]byte, 32<<10)), filled(wire.Ack, wire.Required(wire.Ack)), filled(wire.Open, wire.AllFields),
	} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := wire.Append(dst, f); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("a %s of %d octets: %.0f allocations", f.Kind, len(f.Body), n)
		}
	}
}
