package wire_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

var kinds = []string{
	wire.Open, wire.Accept, wire.Reject, wire.Close, wire.Send, wire.Ack, wire.Req, wire.Res, wire.Err, wire.End, wire.Chunk,
	wire.Resync, wire.Establish, wire.EstablishOK, wire.EstablishFail,
}

// fieldsOf returns the single fields of a set.
func fieldsOf(fs wire.Fields) []wire.Fields {
	var out []wire.Fields
	for f := wire.Fields(1); f <= wire.AllFields; f <<= 1 {
		if fs&f != 0 {
			out = append(out, f)
		}
	}
	return out
}

// filled returns a frame with valid values in the fields of has and in no others.
func filled(kind string, has wire.Fields) *wire.Frame {
	f := &wire.Frame{Has: has}
	objKind := wire.Session
	if strings.HasPrefix(kind, "establish") {
		objKind = wire.Stream
	}
	for _, field := range fieldsOf(has) {
		switch field {
		case wire.FieldV:
			f.V = 1
		case wire.FieldID:
			f.ID = "M-1"
		case wire.FieldCap:
			f.Cap = []byte("token")
		case wire.FieldMsg:
			f.Msg = "why"
		case wire.FieldObj:
			f.Obj = "money/1"
		case wire.FieldSeq:
			f.Seq = 7
		case wire.FieldBase:
			f.Base = 8
		case wire.FieldCode:
			f.Code = wire.QueueFull
		case wire.FieldKind:
			f.Kind = kind
		case wire.FieldPrev:
			f.Prev = 5
		case wire.FieldLabel:
			f.Label = 3
		case wire.FieldLevel:
			f.Level = "stored"
		case wire.FieldFromSeq:
			f.FromSeq = 9
		case wire.FieldObjKind:
			f.ObjKind = objKind
		case wire.FieldReceipt:
			f.Receipt = []byte{1, 2, 3}
		}
	}
	return f
}

// send returns a valid send with a body.
func send(body []byte) *wire.Frame {
	f := filled(wire.Send, wire.Required(wire.Send))
	f.Body = body
	return f
}

func encode(t testing.TB, f *wire.Frame) []byte {
	t.Helper()
	b, err := wire.Append(nil, f)
	if err != nil {
		t.Fatalf("encode %+v: %v", f, err)
	}
	return b
}

func decode(t testing.TB, b []byte) wire.Frame {
	t.Helper()
	f, err := wire.Decode(b)
	if err != nil {
		t.Fatalf("decode %x: %v", b, err)
	}
	return f
}

// octets reads hex with spaces in it.
func octets(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// refused demands that b is refused and returns the error.
func refused(t testing.TB, reason string, b []byte) *wire.Error {
	t.Helper()
	f, err := wire.Decode(b)
	var e *wire.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, %v", reason, f, err)
	}
	return e
}
