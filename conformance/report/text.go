package report

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one text after cleaning, in octets. A transcript entry is bounded by the runner to 2 KiB of
// octets, which are at most 8 KiB when each is written as \xNN.
const (
	maxText   = 4 << 10
	maxRecord = 9 << 10
)

// maxMarks is how many combining marks may follow one character before they are spelt out: a pile of
// them would cover the lines around it.
const maxMarks = 4

// clean returns s as one line of visible characters: line ends and tabs become \n, \r and \t, other
// control characters and invalid octets \xNN, and characters that reorder or hide text \u{N}. What is
// longer than limit octets is cut and the cut is marked.
func clean(s string, limit int) string {
	if plain(s) && len(s) <= limit {
		return s
	}
	var b strings.Builder
	marks := 0
	for i, w := 0, 0; i < len(s); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(s[i:])
		if b.Len() >= limit {
			fmt.Fprintf(&b, "… (%d octets)", len(s))
			break
		}
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && w == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == 0:
			b.WriteString(`\0`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsGraphic(r) || marks > maxMarks || r == '\u2800' || r == '\u3164' || r == '\uffa0':
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether s is printable ASCII only.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// short cuts an already clean text to at most limit characters for places where space is scarce.
func short(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:max(0, limit-1)]) + "…"
}

// finite keeps a figure that JSON can carry.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// shellQuote returns s so that a POSIX shell reads it as one word.
func shellQuote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// count says n things, with the plural that English asks for.
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ss"):
		return fmt.Sprintf("%d %ses", n, thing)
	default:
		return fmt.Sprintf("%d %ss", n, thing)
	}
}
