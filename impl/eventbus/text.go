package eventbus

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// shortEscape holds the letter of the two-octet escape of a character, 0 where there is none.
var shortEscape = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// textLen returns len(appendText(nil, s)).
func textLen(s string) int {
	n := len(s) + len(`""`)
	i := 0
	for ; i+8 <= len(s) && plain(s[i:i+8]); i += 8 {
	}
	// The last eight, some of which were seen.
	if rest := len(s) - i; rest < 8 && i > 0 && plain(s[len(s)-8:]) {
		return n
	}
	for i < len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, width := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && width == 1 {
				n += len("\uFFFD") - 1
			}
			i += width
			continue
		case shortEscape[c] != 0:
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		}
		i++
	}
	return n
}

// plain says that eight octets are all written as themselves. It looks at them all at a time: the top bit of each octet of
// a term is set if that octet is what the term looks for, or if a lower one is.
func plain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, backslash := w^'"'*ones, w^'\\'*ones
	found := w | (w - ' '*ones) | (quote - ones) | (backslash - ones)
	return found&tops == 0
}

// appendText appends s as a JSON string in its shortest form. Octets that are not UTF-8 become U+FFFD.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			dst = appendASCII(dst, s[i])
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, r)
		i += width
	}
	return append(dst, '"')
}

func appendASCII(dst []byte, c byte) []byte {
	switch {
	case shortEscape[c] != 0:
		return append(dst, '\\', shortEscape[c])
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// needsRespelling says that compact JSON may hold an escape that could be shorter, or octets that are not UTF-8.
func needsRespelling(compact []byte) bool {
	return bytes.Contains(compact, []byte(`\u`)) || bytes.Contains(compact, []byte(`\/`)) || !utf8.Valid(compact)
}

// appendRespelled appends valid compact JSON with its strings in their shortest form. Half a surrogate pair stays an escape.
func appendRespelled(dst, compact []byte) []byte {
	for i := 0; i < len(compact); {
		c := compact[i]
		switch {
		case c == '\\' && compact[i+1] == 'u':
			r, width := unescape(compact[i:])
			switch {
			case utf16.IsSurrogate(r):
				dst = append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
			case r < utf8.RuneSelf:
				dst = appendASCII(dst, byte(r))
			default:
				dst = utf8.AppendRune(dst, r)
			}
			i += width
		case c == '\\' && compact[i+1] == '/':
			dst = append(dst, '/')
			i += 2
		case c == '\\':
			dst = append(dst, c, compact[i+1])
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, width := utf8.DecodeRune(compact[i:])
			dst = utf8.AppendRune(dst, r)
			i += width
		}
	}
	return dst
}

// unescape decodes the \u escape at the start of s, and the one behind it if they are a pair.
func unescape(s []byte) (r rune, width int) {
	const one = len(`\u0000`)
	r = hex4(s)
	if utf16.IsSurrogate(r) && len(s) >= 2*one && s[one] == '\\' && s[one+1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[one:])); pair != utf8.RuneError {
			return pair, 2 * one
		}
	}
	return r, one
}

func hex4(s []byte) rune {
	n, _ := strconv.ParseUint(string(s[2:6]), 16, 32)
	return rune(n)
}

// maxNumber is room for any text of appendNumber.
const maxNumber = 32

// appendNumber appends a finite f as JSON, spelled as ECMAScript spells it.
func appendNumber(dst []byte, f float64) []byte {
	// Minus zero is spelled without its sign.
	if f == math.Trunc(f) && math.Abs(f) <= maxSafeInteger {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	format := byte('f')
	if abs := math.Abs(f); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// numberLen returns len(appendNumber(nil, f)).
func numberLen(f float64) int {
	if f == math.Trunc(f) && f >= 0 && f <= maxSafeInteger {
		return digits(int64(f))
	}
	var room [maxNumber]byte
	return len(appendNumber(room[:0], f))
}

// digits returns how many decimal digits n >= 0 has.
func digits(n int64) int {
	// 1233/4096 is about the logarithm of 2: this is the number of digits, or one less.
	d := bits.Len64(uint64(n)|1) * 1233 >> 12
	if uint64(n) >= powersOfTen[d] {
		d++
	}
	return d
}

// powersOfTen[d] is the least number of d+1 digits.
var powersOfTen = [...]uint64{
	0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}
