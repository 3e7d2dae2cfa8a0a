package wire_test

import (
	"bytes"
	"encoding/hex"
	"runtime"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// envelope is a frame around one pair of its envelope.
const envelope = "a1 63656e76 a1 "

// negatives has a vector for each rule of the decoder, and its edges.
var negatives = []struct {
	name string
	hex  string
	rule wire.Rule
	at   int
}{
	{"no octets", "", wire.Truncated, 0},
	{"map without its pair", "a1", wire.Truncated, 0},
	{"key cut off", "a1 63656e", wire.Truncated, 1},
	{"argument cut off", "a1 63656e76 b9 00", wire.Truncated, 5},
	{"value missing", envelope + "6176", wire.Truncated, 8},
	{"declares more octets than there are", "a1 64626f6479 42 00", wire.Truncated, 6},
	{"byte string bomb", "a1 64626f6479 5b ffffffffffffffff", wire.Truncated, 6},
	{"text bomb", envelope + "6178 7b ffffffffffffffff", wire.Truncated, 8},
	{"array bomb", envelope + "6178 9b ffffffffffffffff", wire.Truncated, 8},
	{"array of one item and none there", envelope + "6178 81", wire.Truncated, 8},
	{"map bomb", envelope + "6178 bb ffffffffffffffff", wire.TooManyPairs, 8},
	{"map bomb at the top", "bb ffffffffffffffff", wire.TooManyPairs, 0},
	{"octets after the item", "a1 63656e76 a0 00", wire.Trailing, 6},
	{"indefinite map", "bf ff", wire.Indefinite, 0},
	{"indefinite array", envelope + "6178 9f ff", wire.Indefinite, 8},
	{"indefinite byte string", "a1 64626f6479 5f ff", wire.Indefinite, 6},
	{"indefinite text", envelope + "6178 7f ff", wire.Indefinite, 8},
	{"indefinite integer", envelope + "6178 1f", wire.Indefinite, 8},
	{"a break by itself", envelope + "6178 ff", wire.Indefinite, 8},
	{"23 in two octets", envelope + "6176 1817", wire.NotShortest, 8},
	{"255 in three octets", envelope + "6176 1900ff", wire.NotShortest, 8},
	{"65535 in five octets", envelope + "6176 1a0000ffff", wire.NotShortest, 8},
	{"2^32-1 in nine octets", envelope + "6176 1b00000000ffffffff", wire.NotShortest, 8},
	{"0 in nine octets", envelope + "6176 1b0000000000000000", wire.NotShortest, 8},
	{"length of a key in two octets", "a1 7803656e76 a0", wire.NotShortest, 1},
	{"length of a body in two octets", "a1 64626f6479 5800", wire.NotShortest, 6},
	{"count of a map in two octets", "b801 63656e76 a0", wire.NotShortest, 0},
	{"count of an array in two octets", envelope + "6178 9800", wire.NotShortest, 8},
	{"reserved information 28", envelope + "6176 1c", wire.Reserved, 8},
	{"reserved information 30", envelope + "6178 5e", wire.Reserved, 8},
	{"a tag", envelope + "6178 c0 6161", wire.Tagged, 8},
	{"a tag around the frame", "d9d9f7 a1 63656e76 a0", wire.Tagged, 0},
	{"half", envelope + "6178 f90000", wire.Float, 8},
	{"single", envelope + "6178 fa00000000", wire.Float, 8},
	{"double", envelope + "6176 fb3ff0000000000000", wire.Float, 8},
	{"minus one", envelope + "6176 20", wire.Negative, 8},
	{"null", envelope + "6178 f6", wire.Simple, 8},
	{"null for a field", envelope + "6176 f6", wire.Simple, 8},
	{"undefined", envelope + "6178 f7", wire.Simple, 8},
	{"simple 19", envelope + "6178 f3", wire.Simple, 8},
	{"false in two octets", envelope + "6178 f814", wire.Simple, 8},
	{"simple 255", envelope + "6178 f8ff", wire.Simple, 8},
	{"reserved simple", envelope + "6178 fc", wire.Simple, 8},
	{"text that is not UTF-8", envelope + "636f626a 61ff", wire.NotUTF8, 10},
	{"text with a surrogate", envelope + "6178 63eda080", wire.NotUTF8, 8},
	{"key that is not UTF-8", envelope + "61ff 00", wire.NotUTF8, 6},
	{"key of bytes", envelope + "4176 01", wire.KeyType, 6},
	{"key that is an integer", envelope + "00 01", wire.KeyType, 6},
	{"key that is false", envelope + "f4 01", wire.KeyType, 6},
	{"key of bytes at the top", "a1 43656e76 a0", wire.KeyType, 1},
	{"a field twice", "a1 63656e76 a2 6176 01 6176 01", wire.Duplicate, 9},
	{"an unknown key twice", "a1 63656e76 a2 6178 01 6178 01", wire.Duplicate, 9},
	{"env twice", "a2 63656e76 a0 63656e76 a0", wire.Duplicate, 6},
	{"a key twice in an unknown value", envelope + "6178 a2 6161 00 6161 00", wire.Duplicate, 12},
	{"keys out of order", "a1 63656e76 a2 626964 6161 6176 01", wire.Unsorted, 11},
	{"keys of one length out of order", "a1 63656e76 a2 63736571 01 636f626a 6161", wire.Unsorted, 11},
	{"body before env", "a2 64626f6479 40 63656e76 a0", wire.Unsorted, 7},
	{"keys of an unknown value out of order", envelope + "6178 a2 6162 00 6161 00", wire.Unsorted, 12},
	{"five deep in arrays", envelope + "6178 818180", wire.TooDeep, 10},
	{"five deep in maps", envelope + "6178 a1 6161 a1 6161 a0", wire.TooDeep, 14},
	{"an array", "80", wire.Shape, 0},
	{"an integer", "01", wire.Shape, 0},
	{"an empty map", "a0", wire.Shape, 0},
	{"a body alone", "a1 64626f6479 40", wire.Shape, 0},
	{"env that is no map", "a1 63656e76 40", wire.Shape, 5},
	{"body that is text", "a2 63656e76 a0 64626f6479 60", wire.Shape, 11},
	{"body that is an array", "a2 63656e76 a0 64626f6479 80", wire.Shape, 11},
	{"an unknown key at the top", "a2 63656e76 a0 6465787472 00", wire.Shape, 6},
	{"nine unknown keys", "a1 63656e76 a9 6130 00 6131 00 6132 00 6133 00 6134 00 6135 00 6136 00 6137 00 6138 00", wire.TooManyUnknown, 30},
}

// SUBSTRATE-CODEC-003, SUBSTRATE-CODEC-004, SUBSTRATE-WIRE-001, SUBSTRATE-WIRE-005
func TestStrictness(t *testing.T) {
	seen := map[wire.Rule]bool{wire.Oversize: true}
	for _, c := range negatives {
		t.Run(c.name, func(t *testing.T) {
			b := octets(t, c.hex)
			e := refused(t, c.name, b)
			if e.Rule != c.rule || e.Offset != c.at {
				t.Errorf("got %v, want %v at %d", e, c.rule, c.at)
			}
			// SUBSTRATE-WIRE-006
			if e.CloseCode() != wire.CloseProtocol {
				t.Errorf("the connection ends with %d", e.CloseCode())
			}
			seen[e.Rule] = true
		})
	}
	for r := wire.Oversize; r <= wire.Shape; r++ {
		if !seen[r] {
			t.Errorf("no vector breaks %v", r)
		}
	}
}

// The items of the vectors that no shape is asked of are refused by CheckItem for the same reason.
func TestCheckItemAgrees(t *testing.T) {
	for _, c := range negatives {
		err := wire.CheckItem(octets(t, c.hex))
		switch c.rule {
		case wire.Shape, wire.TooManyUnknown:
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		default:
			if e, is := err.(*wire.Error); !is || e.Rule != c.rule || e.Offset != c.at {
				t.Errorf("%s: got %v, want %v at %d", c.name, err, c.rule, c.at)
			}
		}
	}
	if err := wire.CheckItem(make([]byte, wire.MaxFrame+1)); err == nil {
		t.Error("an item larger than a frame passed")
	}
}

// SUBSTRATE-CODEC-003, SUBSTRATE-CODEC-004, SUBSTRATE-WIRE-005: just within the rules.
func TestWithinTheRules(t *testing.T) {
	thirtyTwo := "b820"
	for i := range 32 {
		thirtyTwo += hex.EncodeToString([]byte{0x61, byte(' ' + i), 0})
	}
	for _, c := range []struct{ name, hex string }{
		{"24 in two octets", envelope + "6176 1818"},
		{"256 in three octets", envelope + "6176 190100"},
		{"65536 in five octets", envelope + "6176 1a00010000"},
		{"2^32 in nine octets", envelope + "6176 1b0000000100000000"},
		{"false and true", envelope + "6178 82f4f5"},
		{"four deep in arrays", envelope + "6178 8180"},
		{"four deep in maps", envelope + "6178 a1 6161 a0"},
		{"a map of 32 pairs", envelope + "6178" + thirtyTwo},
		{"eight unknown keys", "a1 63656e76 a8 6130 00 6131 00 6132 00 6133 00 6134 00 6135 00 6136 00 6137 00"},
		{"an empty key", envelope + "60 00"},
		{"an array of more items than the library likes", envelope + "6178 9a00030000" + strings.Repeat("00", 0x30000)},
	} {
		decode(t, octets(t, c.hex))
	}
	e := refused(t, "33 pairs", octets(t, envelope+"6178 b821"+strings.Repeat("00", 66)))
	if e.Rule != wire.TooManyPairs || e.Found != 33 || e.Limit != wire.MaxPairs {
		t.Errorf("got %v", e)
	}
}

// SUBSTRATE-WIRE-005: unknown keys change nothing, not even those that look like keys that are known.
func TestUnknownKeysHaveNoEffect(t *testing.T) {
	plain := decode(t, encode(t, send([]byte("body"))))
	var message map[string]any
	if err := cbor.Unmarshal(encode(t, send([]byte("body"))), &message); err != nil {
		t.Fatal(err)
	}
	env := message["env"].(map[any]any)
	for key, value := range map[string]any{
		"final": true, "terminal": false, "retryable": []any{uint64(1)}, "SEQ": uint64(9), "objkind": "queue", "ID": "other", "": []byte{},
		"Prev": map[string]any{"prev": uint64(3)},
	} {
		env[key] = value
	}
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	b, err := mode.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if got := decode(t, b); !bytes.Equal(encode(t, &got), encode(t, &plain)) {
		t.Errorf("got %+v, want %+v", got, plain)
	}
}

// SUBSTRATE-CODEC-004: what a message makes the decoder allocate is bounded by its length, whatever it declares.
func TestAllocationIsBounded(t *testing.T) {
	const many = 0x3ff00
	deep := append(octets(t, envelope+"6178 9a0003fff0"), make([]byte, many)...)
	maps := append(octets(t, envelope+"6178 9a0003ff00"), bytes.Repeat([]byte{0xa0}, many)...)
	oddArray := append(octets(t, envelope+"63636170 9a0003ff00"), make([]byte, many)...)
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"byte string bomb", octets(t, "a1 64626f6479 5b ffffffffffffffff")},
		{"text bomb", octets(t, envelope+"6178 7b 7fffffffffffffff")},
		{"array bomb", octets(t, envelope+"6178 9b 7fffffffffffffff")},
		{"map bomb", octets(t, "bb ffffffffffffffff")},
		{"nesting bomb", append(octets(t, envelope+"6178"), bytes.Repeat([]byte{0x81}, 100_000)...)},
		{"an array that is cut off at its end", deep},
		{"many maps", maps},
		{"many numbers for a byte string", oddArray},
		{"the largest body", encode(t, send(make([]byte, wire.MaxBody)))},
		{"a kind of 64 KiB", encode(t, filled(strings.Repeat("k", 64<<10), wire.FieldKind))},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := wire.Decode(c.b)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(2*len(c.b)+64<<10); got > most {
			t.Errorf("%s (%v): %d octets allocated for %d, more than %d", c.name, err, got, len(c.b), most)
		}
	}
}
