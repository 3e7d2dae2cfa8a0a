package record

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"pgregory.net/rapid"
)

// DATABUS-OWNER-004
func TestCompareGolden(t *testing.T) {
	want := strings.Fields("a B w_1 w-1 w.1 w10 wa wB z Z")
	got := slices.Clone(want)
	slices.Sort(got)
	if slices.Equal(got, want) {
		t.Fatal("the golden order is that of octets, and shows nothing")
	}
	slices.SortFunc(got, Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := strings.Join(sorted([]string{"wB", "wa", "w_1", "w-1"}), " "); got != "w_1 w-1 wa wB" {
		t.Errorf("got %s", got)
	}
}

func sorted(ids []string) []string {
	slices.SortFunc(ids, Compare)
	return ids
}

func TestCompareBeyondASCII(t *testing.T) {
	if got := strings.Join(sorted(strings.Fields("z é f e Ä b a")), " "); got != "a Ä b e é f z" {
		t.Errorf("got %s", got)
	}
	// The collation does not tell these two apart; they are different ids all the same.
	if a, b := "\u00e9", "e\u0301"; Compare(a, b) == 0 || Compare(a, b) != -Compare(b, a) {
		t.Errorf("%q and %q: %d, %d", a, b, Compare(a, b), Compare(b, a))
	}
}

// DATABUS-OWNER-004: the table is the root collation.
func TestTableIsTheCollation(t *testing.T) {
	c := collate.New(language.Und)
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,6}`), rapid.StringMatching(`[aAbB_1-]{0,4}`))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		got, ok := compareASCII(a, b)
		if want := c.CompareString(a, b); !ok || got != want {
			t.Fatalf("%q against %q: %d (%t), want %d", a, b, got, ok, want)
		}
		if Less(a, b) && Less(b, a) || a != b && !Less(a, b) && !Less(b, a) {
			t.Fatalf("%q and %q are not ordered", a, b)
		}
	})
}
