package record

import (
	"cmp"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// ascii are the printable characters of ASCII as the root collation orders them: those that differ in case only are neighbours, lower
// case first.
const ascii = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// Compare orders ids as browsers do, by the root collation: punctuation before digits before letters, and case only between ids that are
// otherwise equal (DATABUS-OWNER-004). Ids that the collation does not tell apart are ordered by octets, so that 0 means equal.
func Compare(a, b string) int {
	if a == b {
		return 0
	}
	if order, ok := compareASCII(a, b); ok {
		return order
	}
	// The tables of the collation are big and its collators not safe for several goroutines, but ids beyond ASCII hardly occur.
	if order := collate.New(language.Und).CompareString(a, b); order != 0 {
		return order
	}
	return strings.Compare(a, b)
}

// Less reports whether id a is ordered before id b.
func Less(a, b string) bool { return Compare(a, b) < 0 }

// compareASCII orders two texts of printable ASCII without the tables. It reports false for others.
func compareASCII(a, b string) (int, bool) {
	var primary, tertiary int
	for i := range max(len(a), len(b)) {
		x, y := -1, -1
		if i < len(a) {
			if x = strings.IndexByte(ascii, a[i]); x < 0 {
				return 0, false
			}
		}
		if i < len(b) {
			if y = strings.IndexByte(ascii, b[i]); y < 0 {
				return 0, false
			}
		}
		switch {
		case primary == 0 && fold(x) != fold(y):
			primary = cmp.Compare(x, y)
		case tertiary == 0:
			tertiary = cmp.Compare(x, y)
		}
	}
	if primary != 0 {
		return primary, true
	}
	return tertiary, true
}

// firstLetter is where the letters begin in ascii.
const firstLetter = len(ascii) - 52

// fold returns the place of a character without its case.
func fold(at int) int {
	if at < firstLetter {
		return at
	}
	return at - (at-firstLetter)%2
}
