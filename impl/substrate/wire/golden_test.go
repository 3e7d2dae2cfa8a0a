package wire_test

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-002, SUBSTRATE-WIRE-001: the octets of frames, written out.
func TestGoldenVectors(t *testing.T) {
	for _, c := range []struct {
		what  string
		frame wire.Frame
		hex   string
	}{
		{
			"open with a capability",
			wire.Frame{
				V: 1, Kind: wire.Open, Obj: "a", ObjKind: wire.Session, ID: "O-1", Seq: 1, Receipt: []byte{0xaa}, Cap: []byte{},
				Has: wire.Required(wire.Open) | wire.FieldCap,
			},
			`a1 63656e76 a8 6176 01 626964 634f2d31 63636170 40 636f626a 6161 63736571 01 646b696e64 646f70656e
			 676f626a4b696e64 6773657373696f6e 6772656365697074 41aa`,
		},
		{
			"send with a body of no octets, the largest seq and a prev",
			wire.Frame{
				V: 1, Kind: wire.Send, Obj: "q", ObjKind: wire.Queue, ID: "M", Seq: wire.MaxSeq, Prev: 23, Receipt: []byte{1, 2},
				Has: wire.Required(wire.Send) | wire.FieldPrev, Body: []byte{},
			},
			`a2 63656e76 a8 6176 01 626964 614d 636f626a 6171 63736571 1b001fffffffffffff 646b696e64 6473656e64 6470726576 17
			 676f626a4b696e64 657175657565 6772656365697074 420102 64626f6479 40`,
		},
		{
			"the ack of it",
			wire.Frame{
				V: 1, Kind: wire.Ack, Obj: "q", ObjKind: wire.Queue, ID: "M", Receipt: []byte{1, 2}, Level: "stored",
				Has: wire.Required(wire.Ack) | wire.FieldLevel,
			},
			`a1 63656e76 a7 6176 01 626964 614d 636f626a 6171 646b696e64 6361636b 656c6576656c 6673746f726564
			 676f626a4b696e64 657175657565 6772656365697074 420102`,
		},
		{
			"a bounce",
			wire.Frame{V: 1, Kind: wire.Err, ID: "M", Code: wire.BadAddress, Msg: "é", Has: wire.BounceFields | wire.FieldMsg},
			`a1 63656e76 a5 6176 01 626964 614d 636d7367 62c3a9 64636f6465 6b6261645f61646472657373 646b696e64 63657272`,
		},
		{
			"a resync",
			wire.Frame{
				V: 1, Kind: wire.Resync, Obj: "q", ObjKind: wire.Queue, FromSeq: 256,
				Has: wire.Required(wire.Resync) | wire.FieldFromSeq,
			},
			`a1 63656e76 a5 6176 01 636f626a 6171 646b696e64 66726573796e63 6766726f6d536571 190100 676f626a4b696e64 657175657565`,
		},
		{
			"the answer to an establish",
			wire.Frame{
				V: 1, Kind: wire.EstablishOK, Obj: "s", ObjKind: wire.Stream, ID: "S", Label: 0x10000,
				Has: wire.Required(wire.EstablishOK), Body: []byte{0x80, 0xff},
			},
			`a2 63656e76 a6 6176 01 626964 6153 636f626a 6173 646b696e64 6c65737461626c6973685f6f6b 656c6162656c 1a00010000
			 676f626a4b696e64 6673747265616d 64626f6479 4280ff`,
		},
	} {
		want := octets(t, c.hex)
		if got := encode(t, &c.frame); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", c.what, hex.EncodeToString(got), hex.EncodeToString(want))
		}
		if got := decode(t, want); !reflect.DeepEqual(got, c.frame) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.what, got, c.frame)
		}
		if fault := c.frame.Check(); fault != nil {
			t.Errorf("%s: %s", c.what, fault)
		}
	}
}

// SUBSTRATE-WIRE-004: no body and a body of no octets are two things.
func TestAbsentAndEmptyBodiesDiffer(t *testing.T) {
	none, empty := decode(t, encode(t, send(nil))), decode(t, encode(t, send([]byte{})))
	if none.Body != nil || empty.Body == nil || len(empty.Body) != 0 {
		t.Errorf("absent came as %#v, empty as %#v", none.Body, empty.Body)
	}
}

// SUBSTRATE-WIRE-004: what a frame costs beside its body.
func TestOverheadOfASend(t *testing.T) {
	f := send(bytes.Repeat([]byte{0xa1}, 5000))
	f.ID, f.Receipt, f.Seq = string(bytes.Repeat([]byte("x"), wire.MaxID)), make([]byte, wire.MaxReceipt), wire.MaxSeq
	f.Obj, f.Prev, f.Has = string(bytes.Repeat([]byte("x"), wire.MaxAddress)), wire.MaxSeq-1, f.Has|wire.FieldPrev
	if fault := f.Check(); fault != nil {
		t.Fatal(fault)
	}
	if n := len(encode(t, f)) - len(f.Body); n > 512 {
		t.Errorf("the largest head takes %d octets, more than 512", n)
	}
}

// SUBSTRATE-LIMIT-001
func TestFrameAndBodySizes(t *testing.T) {
	for _, c := range []struct {
		size int
		want string
	}{{wire.MaxBody, ""}, {wire.MaxBody + 1, wire.PayloadTooLarge}} {
		f := decode(t, encode(t, send(make([]byte, c.size))))
		if got := codeOf(f.Check()); got != c.want {
			t.Errorf("a body of %d octets: %q, not %q", c.size, got, c.want)
		}
	}
	head := len(encode(t, send(make([]byte, wire.MaxBody)))) - wire.MaxBody
	largest := send(make([]byte, wire.MaxFrame-head))
	b := encode(t, largest)
	if len(b) != wire.MaxFrame {
		t.Fatalf("the frame has %d octets", len(b))
	}
	decode(t, b)
	for _, more := range []int{1, 1000, 1 << 20} {
		dst := []byte{1}
		out, err := wire.Append(dst, send(make([]byte, len(largest.Body)+more)))
		if err == nil || !bytes.Equal(out, dst) {
			t.Errorf("a frame %d octets too large was encoded", more)
		}
	}
	e := refused(t, "one octet beyond the largest frame", append(b, 0))
	if e.Rule != wire.Oversize || e.CloseCode() != wire.CloseOversize || e.Found != wire.MaxFrame+1 {
		t.Errorf("got %v, close %d", e, e.CloseCode())
	}
}

func codeOf(f *wire.Fault) string {
	if f == nil {
		return ""
	}
	return f.Code
}

// SUBSTRATE-CODEC-001: what could not be decoded to what it is, is not written.
func TestAppendRefuses(t *testing.T) {
	for _, field := range fieldsOf(wire.AllFields) {
		f := filled(wire.Open, wire.AllFields)
		f.Has &^= field
		dst := []byte("before")
		out, err := wire.Append(dst, f)
		if want := "substrate frame: unlisted " + field.String() + " [SUBSTRATE-CODEC-001]"; err == nil || err.Error() != want || string(out) != "before" {
			t.Errorf("got %q, %v, want %s", out, err, want)
		}
	}
	for _, spoil := range []func(*wire.Frame){
		func(f *wire.Frame) { f.Kind += "\xff" },
		func(f *wire.Frame) { f.Obj += "\xff" },
		func(f *wire.Frame) { f.ObjKind += "\xff" },
		func(f *wire.Frame) { f.ID += "\xff" },
		func(f *wire.Frame) { f.Code += "\xff" },
		func(f *wire.Frame) { f.Msg += "\xff" },
		func(f *wire.Frame) { f.Level += "\xff" },
	} {
		f := filled(wire.Open, wire.AllFields)
		spoil(f)
		if out, err := wire.Append(nil, f); err == nil || out != nil {
			t.Errorf("%+v was encoded", f)
		}
	}
}
