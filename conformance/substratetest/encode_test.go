package substratetest

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"
)

// drawValue draws what messages have.
func drawValue(depth int) *rapid.Generator[any] {
	plain := []*rapid.Generator[any]{
		rapid.Map(rapid.Uint64(), func(n uint64) any { return n }), rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return append([]byte{}, b...) }), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
	}
	if depth > 0 {
		plain = append(plain,
			rapid.Map(rapid.SliceOfN(drawValue(depth-1), 0, 4), func(a []any) any { return append([]any{}, a...) }),
			rapid.Map(rapid.MapOfN(rapid.String(), drawValue(depth-1), 0, 6), func(m map[string]any) any { return m }),
		)
	}
	return rapid.OneOf(plain...)
}

// SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-002: the suite's own writer agrees with another one, and the reader reads back what was written.
func TestEncodeIsDeterministic(t *testing.T) {
	other, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(3).Draw(t, "value")
		want, err := other.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(v); !bytes.Equal(got, want) {
			t.Fatalf("%v: %x, want %x", v, got, want)
		}
		var back any
		if err := lenient.Unmarshal(want, &back); err != nil || !reflect.DeepEqual(back, v) {
			t.Fatalf("%v came back as %v: %v", v, back, err)
		}
	})
}

// SUBSTRATE-WIRE-001, SUBSTRATE-WIRE-002, SUBSTRATE-WIRE-003: what is wrong with a frame is found, under its law, and nothing else.
func TestFaultsOfFrames(t *testing.T) {
	good := frameOf("kind", "send", "obj", "a", "objKind", "session", "id", "i", "seq", 2, "receipt", []byte{1})
	ack := ackOf(good)
	for name, c := range map[string]struct {
		octets []byte
		law    string
	}{
		"send":                 {good.octets(), ""},
		"with a body":          {good.carrying([]byte{}).octets(), ""},
		"with prev":            {good.with("prev", 0).octets(), ""},
		"ack":                  {ack.octets(), ""},
		"bounce":               {bounceOf(good, "closed").octets(), ""},
		"bounce without obj":   {bounceOf(good, "closed").without("obj").octets(), ""},
		"reject":               {good.with("kind", "reject").with("code", "app_error").octets(), ""},
		"resync":               {frameOf("kind", "resync", "obj", "a", "objKind", "session", "base", 3).octets(), ""},
		"establish_fail":       {frameOf("kind", "establish_fail", "obj", "a", "objKind", "stream", "id", "i", "code", "closed").octets(), ""},
		"no CBOR":              {[]byte{0xff}, "SUBSTRATE-WIRE-001"},
		"octets behind":        {append(good.octets(), 0), "SUBSTRATE-WIRE-001"},
		"no envelope":          {encode(map[string]any{"body": []byte{}}), "SUBSTRATE-WIRE-001"},
		"a third key":          {encode(map[string]any{"env": map[string]any(good.env), "x": 1}), "SUBSTRATE-WIRE-001"},
		"a body of text":       {encode(map[string]any{"env": map[string]any(good.env), "body": "x"}), "SUBSTRATE-WIRE-001"},
		"null":                 {good.with("x", verbatim{0xf6}).octets(), "SUBSTRATE-CODEC-002"},
		"a float":              {good.with("x", verbatim{0xf9, 0, 0}).octets(), "SUBSTRATE-CODEC-002"},
		"a long integer":       {good.with("v", verbatim{0x18, 1}).octets(), "SUBSTRATE-CODEC-002"},
		"prev above seq":       {good.with("prev", 2).octets(), "SUBSTRATE-WIRE-002"},
		"an address with @":    {good.with("obj", "a@b").octets(), "SUBSTRATE-WIRE-002"},
		"a receipt of nothing": {good.with("receipt", []byte{}).octets(), "SUBSTRATE-WIRE-002"},
		"version 2":            {good.with("v", 2).octets(), "SUBSTRATE-WIRE-002"},
		"no receipt":           {good.without("receipt").octets(), "SUBSTRATE-WIRE-003"},
		"ack with seq":         {ack.with("seq", 1).octets(), "SUBSTRATE-WIRE-003"},
		"bounce with seq":      {bounceOf(good, "closed").with("seq", 1).octets(), "SUBSTRATE-WIRE-003"},
		"reject without code":  {good.with("kind", "reject").octets(), "SUBSTRATE-WIRE-003"},
		"unknown kind":         {good.with("kind", "propose").octets(), "SUBSTRATE-WIRE-003"},
		"resync with both":     {frameOf("kind", "resync", "obj", "a", "objKind", "session", "base", 3, "fromSeq", 1).octets(), "SUBSTRATE-WIRE-003"},
	} {
		faults := decode(c.octets).faults
		if c.law == "" && len(faults) > 0 || c.law != "" && (len(faults) == 0 || faults[0].law != c.law) {
			t.Errorf("%s: %v, want %s", name, faults, c.law)
		}
	}
}

// FuzzDecode reads anything, and tells the same of it twice.
func FuzzDecode(f *testing.F) {
	f.Add(frameOf("kind", "send", "obj", "a", "objKind", "session", "id", "i", "seq", 2, "receipt", []byte{1}).carrying([]byte("x")).octets())
	f.Add([]byte{0xa1, 0x63, 'e', 'n', 'v', 0xf6})
	f.Fuzz(func(t *testing.T, b []byte) {
		one, two := decode(b), decode(bytes.Clone(b))
		if one.String() != two.String() || len(one.faults) != len(two.faults) {
			t.Fatalf("%s and %s", one, two)
		}
	})
}

// SUBSTRATE-HANDSHAKE-004, SUBSTRATE-AUTH-006: a handshake worked out by hand. The dialer draws the octets 00 to 4f, the listener 80 to cf,
// and the key is 32 octets of 07.
func TestGreetingAgreesWithVectors(t *testing.T) {
	octets := func(text string) []byte {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	count := func(from byte, n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = from + byte(i)
		}
		return b
	}
	one := func(name string) []any { return []any{name} }
	g := greeting{
		offered: fields{
			"t": "hello", "v": []any{1}, "features": []any{"dedupeScope:peer", "extra:a"}, "peer": "alice", "nonce": count(0, 16),
			"epoch": []byte{1, 2, 3, 4, 5, 6, 7, 8},
			"slots": map[string]any{"auth": one(authHMAC), "codec": one("cbor"), "e2eSeal": one("none"), "e2eSign": one("none")},
		},
		ok: fields{
			"t": "hello_ok", "v": uint64(1), "features": []any{"dedupeScope:peer"}, "peer": "bob", "nonce": count(0x80, 16),
			"epoch": []byte{8, 7, 6, 5, 4, 3, 2, 1},
			"slots": map[string]any{"auth": authHMAC, "codec": "cbor", "e2eSeal": "none", "e2eSign": "none"},
		},
		mine: count(16, 32), theirs: count(0x90, 32),
	}
	g.hello, g.helloOK = encode(map[string]any(g.offered)), encode(map[string]any(g.ok))
	g.bind()
	key := bytes.Repeat([]byte{7}, 32)
	for name, c := range map[string][2][]byte{
		"connection": {g.connID, octets("111f1488a5f7b8296675ef7742c35adb")},
		"transcript": {g.th, octets("e33d4e7e5baa009f1b85ec578dac6edaa90fa57f4f8b60c72fafea41377613f6")},
		"dialer":     {g.proof(key, "dialer"), octets("59aa188153ddcfe3bc7dc8158fd7085ddc2029807bb5655e29a2c250e3efc407")},
		"listener":   {g.proof(key, "listener"), octets("dfe0bc0ec76913cce131ac7b92233e685db6b9663c567bdb7a401ef3125a960c")},
	} {
		if !bytes.Equal(c[0], c[1]) {
			t.Errorf("%s: %x, want %x", name, c[0], c[1])
		}
	}
}
