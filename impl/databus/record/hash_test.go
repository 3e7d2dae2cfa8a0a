package record

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// DATABUS-KEY-002
func TestHashGolden(t *testing.T) {
	for text, want := range map[string]string{
		"":            "1aee8d837f7ec63360abff0a91876379",
		"x":           "350cf08ecd12bd0d7f41ee7a93db2dd5",
		"price.feed":  "95d6d57b49595457c105bb5cb8414e50",
		"__default__": "8961b6db17848e13c497141eaf0f1dda",
		"\U0001F600":  "99515952e64775ffaba14862a7836f34",
	} {
		if got := Hash(text); got != want {
			t.Errorf("Hash(%q) = %s, want %s", text, got, want)
		}
	}
}

// DATABUS-KEY-002: the same text gives the same hash of the same form, and a text that differs in one rune another one.
func TestHashProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		h := Hash(text)
		if !IsHash(h) || h != Hash(text) {
			t.Fatalf("Hash(%q) = %q", text, h)
		}
		if other := text + "x"; Hash(other) == h {
			t.Fatalf("%q and %q have one hash", text, other)
		}
		for i, r := range text {
			changed := text[:i] + string(r^1) + text[i+utf8.RuneLen(r):]
			if changed != text && utf8.ValidRune(r^1) && Hash(changed) == h {
				t.Fatalf("%q and %q have one hash", text, changed)
			}
		}
	})
}

func TestIsHash(t *testing.T) {
	for text, want := range map[string]bool{
		Hash("x"): true, "": false, Hash("x")[1:]: false, Hash("x") + "0": false,
		"350CF08ECD12BD0D7F41EE7A93DB2DD5": false, "350cf08ecd12bd0d7f41ee7a93db2ddg": false,
	} {
		if got := IsHash(text); got != want {
			t.Errorf("IsHash(%q) = %t", text, got)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		Hash("price.feed/eur-usd")
	}
}
