package substratemodel

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func octetsOfHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestItemsAreWrittenInOneWay: examples of RFC 8949, appendix A, and the order of keys of section 4.2.1. SUBSTRATE-CODEC-002
func TestItemsAreWrittenInOneWay(t *testing.T) {
	for want, it := range map[string]Item{
		"00":                 Number(0),
		"17":                 Number(23),
		"1818":               Number(24),
		"1903e8":             Number(1000),
		"1a000f4240":         Number(1000000),
		"1b000000e8d4a51000": Number(1000000000000),
		"1bffffffffffffffff": Number(1<<64 - 1),
		"4401020304":         Octets([]byte{1, 2, 3, 4}),
		"60":                 Text(""),
		"6449455446":         Text("IETF"),
		"62c3bc":             Text("\u00fc"),
		"f4":                 {Type: ItemBool},
		"f5":                 {Type: ItemBool, Number: 1},
		"80":                 List(),
		"8301820203820405":   List(Number(1), List(Number(2), Number(3)), List(Number(4), Number(5))),
		"a26161016162820203": Map(Member{"b", List(Number(2), Number(3))}, Member{"a", Number(1)}),
	} {
		if got := hex.EncodeToString(it.Encode()); got != want {
			t.Errorf("%v is written %s, want %s", it, got, want)
		}
		if back, err := DecodeItem(octetsOfHex(t, want)); err != nil || !bytes.Equal(back.Encode(), it.Encode()) {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	// A shorter key comes first, whatever its letters.
	if got := hex.EncodeToString(Map(Member{"aa", Number(1)}, Member{"z", Number(0)}).Encode()); got != "a2617a0062616101" {
		t.Errorf("keys are in the order %s", got)
	}
}

// TestWhatIsNotWrittenIsRefused: one example of each rule. SUBSTRATE-CODEC-003, SUBSTRATE-CODEC-004
func TestWhatIsNotWrittenIsRefused(t *testing.T) {
	for what, octets := range map[string]string{
		"nothing":                   "",
		"an argument cut off":       "19 01",
		"text cut off":              "63 61 62",
		"a list cut off":            "82 00",
		"an octet more":             "00 00",
		"24 in place of 24 and up":  "18 17",
		"a longer length":           "58 01 61",
		"a longer count":            "98 01 00",
		"an indefinite list":        "9f ff",
		"an indefinite text":        "7f ff",
		"a break":                   "ff",
		"reserved information":      "1c",
		"a tag":                     "c0 60",
		"a negative number":         "20",
		"a float":                   "f9 00 00",
		"null":                      "f6",
		"undefined":                 "f7",
		"a simple value":            "e0",
		"false in two octets":       "f8 14",
		"text that is not UTF-8":    "61 ff",
		"a key that is not text":    "a1 00 00",
		"a key that is not UTF-8":   "a1 61 ff 00",
		"a key twice":               "a2 61 61 00 61 61 00",
		"keys out of order":         "a2 61 62 00 61 61 00",
		"nesting of five":           "81 81 81 81 80",
		"a bomb of octets":          "5b ff ff ff ff ff ff ff ff",
		"a bomb of a list":          "9b 7f ff ff ff ff ff ff ff",
		"a bomb of a map":           "bb 80 00 00 00 00 00 00 00",
		"a map of 33 with no pairs": "b8 21",
	} {
		if it, err := DecodeItem(octetsOfHex(t, octets)); err == nil {
			t.Errorf("%s is read as %v", what, it)
		}
	}
	if _, err := DecodeItem(octetsOfHex(t, "81 81 81 80")); err != nil {
		t.Errorf("nesting of four: %v", err)
	}
	whole := append(headOf(ItemBytes, MaxOctets-5), make([]byte, MaxOctets-5)...)
	if _, err := DecodeItem(whole); err != nil || len(whole) != MaxOctets {
		t.Errorf("%d octets: %v", len(whole), err)
	}
	if _, err := DecodeItem(append(whole, 0)); err != errTooLarge {
		t.Errorf("%d octets: %v", len(whole)+1, err)
	}
}

func drawItem(depth int) *rapid.Generator[Item] {
	return rapid.Custom(func(t *rapid.T) Item {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "type") {
		case 0:
			return Number(rapid.Uint64().Draw(t, "number"))
		case 1:
			return Octets(rapid.SliceOf(rapid.Byte()).Draw(t, "octets"))
		case 2:
			return Text(rapid.String().Draw(t, "text"))
		case 3:
			return Item{Type: ItemBool, Number: uint64(rapid.IntRange(0, 1).Draw(t, "bool"))}
		case 4:
			return List(rapid.SliceOfN(drawItem(depth-1), 0, 4).Draw(t, "items")...)
		}
		var members []Member
		for _, key := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID).Draw(t, "keys") {
			members = append(members, Member{key, drawItem(depth-1).Draw(t, key)})
		}
		return Map(members...)
	})
}

// TestItemsComeBack: whatever is written is read, and written the same again. SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-003
func TestItemsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawItem(maxNesting).Draw(t, "item").Encode()
		it, err := DecodeItem(b)
		if err != nil || !bytes.Equal(it.Encode(), b) {
			t.Fatalf("%x is read as %v, %v", b, it, err)
		}
		// And nothing else is: any octet more or less.
		for _, other := range [][]byte{b[:len(b)-1], append(slices.Clone(b), 0)} {
			if it, err := DecodeItem(other); err == nil {
				t.Fatalf("%x is read as %v", other, it)
			}
		}
	})
}
