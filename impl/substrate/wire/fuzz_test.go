package wire_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-CODEC-003, SUBSTRATE-CODEC-005: whatever comes, decoding gives a frame or an error, the same each time, that owns its memory;
// and what has no unknown keys encodes to what it was.
func FuzzDecode(f *testing.F) {
	for _, kind := range kinds {
		f.Add(encode(f, filled(kind, wire.Required(kind))))
	}
	f.Add(encode(f, send([]byte("body"))))
	for _, c := range negatives {
		f.Add(octets(f, c.hex))
	}
	f.Add(octets(f, envelope+"6178 8180"))
	f.Add(octets(f, envelope+"626964 82f4f5"))
	f.Fuzz(func(t *testing.T, b []byte) {
		input := bytes.Clone(b)
		first, err := wire.Decode(input)
		second, again := wire.Decode(bytes.Clone(b))
		if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(err, again) {
			t.Fatalf("%+v, %v, then %+v, %v", first, err, second, again)
		}
		if !bytes.Equal(input, b) {
			t.Fatal("the input was written to")
		}
		if err != nil {
			var e *wire.Error
			if !errors.As(err, &e) || e.Rule == wire.Library || e.Offset < 0 || e.Offset > len(b) {
				t.Fatalf("%x: %v", b, err)
			}
			return
		}
		if err := wire.CheckItem(b); err != nil {
			t.Fatalf("a frame that is no item: %v", err)
		}
		for i := range input {
			input[i] = 0xff
		}
		if !reflect.DeepEqual(first, second) {
			t.Fatal("the frame shares memory with its input")
		}
		first.Check()
		encoded, err := wire.Append(nil, &first)
		if err != nil {
			t.Fatal(err)
		}
		if unknown := unknownKeys(t, b); unknown == 0 && !bytes.Equal(encoded, b) {
			t.Fatalf("%x encodes to %x", b, encoded)
		}
		if back, err := wire.Decode(encoded); err != nil || !reflect.DeepEqual(back, first) {
			t.Fatalf("%x came back as %+v, %v", encoded, back, err)
		}
	})
}

// unknownKeys counts, by the library alone, the keys of an envelope that no field has.
func unknownKeys(t *testing.T, b []byte) int {
	t.Helper()
	var message struct {
		Env map[string]cbor.RawMessage `cbor:"env"`
	}
	mode, err := cbor.DecOptions{MaxArrayElements: 1 << 30}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	if err := mode.Unmarshal(b, &message); err != nil {
		t.Fatalf("the library refuses %x: %v", b, err)
	}
	n := len(message.Env)
	for _, field := range fieldsOf(wire.AllFields) {
		if _, known := message.Env[field.String()]; known {
			n--
		}
	}
	return n
}
