package sse

import "unicode/utf8"

// appendValid appends b to dst with U+FFFD for what is not UTF-8, as the decoder of the Encoding standard puts it: one
// for each longest start of a character that goes no further. Go itself, ranging over a string, puts one for each octet.
func appendValid(dst, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = stump(b)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}

// stump returns how many octets at the start of b, which is not UTF-8, one U+FFFD stands for.
func stump(b []byte) int {
	lead := b[0]
	low, high := byte(0x80), byte(0xbf)
	need := 0
	switch {
	case lead >= 0xe0 && lead <= 0xef:
		need = 2
		switch lead {
		case 0xe0:
			low = 0xa0
		case 0xed:
			high = 0x9f
		}
	case lead >= 0xf0 && lead <= 0xf4:
		need = 3
		switch lead {
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
	}
	n := 1
	for ; n <= need && n < len(b); n++ {
		if b[n] < low || b[n] > high {
			break
		}
		low, high = 0x80, 0xbf
	}
	return n
}
