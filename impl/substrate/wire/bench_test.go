package wire_test

import (
	"bytes"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

func BenchmarkAppend(b *testing.B) {
	f := send(make([]byte, 256))
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Append(dst, f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	octets := encode(b, send(make([]byte, 256)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Decode(octets); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckItem(b *testing.B) {
	octets := encode(b, send(make([]byte, 256)))
	b.ReportAllocs()
	for b.Loop() {
		if err := wire.CheckItem(octets); err != nil {
			b.Fatal(err)
		}
	}
}

// plain is a send as the library alone would be used for it.
type plain struct {
	Env struct {
		V       uint64 `cbor:"v"`
		Kind    string `cbor:"kind"`
		Obj     string `cbor:"obj"`
		ObjKind string `cbor:"objKind"`
		ID      string `cbor:"id"`
		Seq     uint64 `cbor:"seq"`
		Receipt []byte `cbor:"receipt"`
	} `cbor:"env"`
	Body []byte `cbor:"body"`
}

func BenchmarkAppendByTheLibraryAlone(b *testing.B) {
	mode, err := cbor.CoreDetEncOptions().UserBufferEncMode()
	if err != nil {
		b.Fatal(err)
	}
	var p plain
	if err := cbor.Unmarshal(encode(b, send(make([]byte, 256))), &p); err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		if err := mode.MarshalToBuffer(&p, &buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeByTheLibraryAlone(b *testing.B) {
	mode, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden}.DecMode()
	if err != nil {
		b.Fatal(err)
	}
	octets := encode(b, send(make([]byte, 256)))
	b.ReportAllocs()
	for b.Loop() {
		var p plain
		if err := mode.Unmarshal(octets, &p); err != nil {
			b.Fatal(err)
		}
	}
}
