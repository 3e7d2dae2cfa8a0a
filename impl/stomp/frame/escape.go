package frame

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// unescape decodes src into dst, which must be at least as long, by the table of version v in one pass from left to
// right: STOMP-ESC-001, STOMP-ESC-002, STOMP-ESC-012. It returns the number of octets written and -1, or the index of
// the backslash that begins no escape (STOMP-ESC-003, STOMP-ESC-004).
func unescape(dst, src []byte, v Version) (n, bad int) {
	for i := 0; i < len(src); {
		if len(src)-i >= 8 {
			x := binary.LittleEndian.Uint64(src[i:])
			binary.LittleEndian.PutUint64(dst[n:], x)
			m := zeros(x ^ '\\'*lows)
			if m == 0 {
				i += 8
				n += 8
				continue
			}
			k := bits.TrailingZeros64(m) >> 3
			i += k
			n += k
		} else if c := src[i]; c != '\\' {
			dst[n] = c
			n++
			i++
			continue
		}
		if i+1 == len(src) {
			return n, i
		}
		switch c := src[i+1]; {
		case c == 'c':
			dst[n] = ':'
		case c == 'n':
			dst[n] = '\n'
		case c == '\\':
			dst[n] = '\\'
		case c == 'r' && v >= V12:
			dst[n] = '\r'
		default:
			return n, i
		}
		n++
		i += 2
	}
	return n, -1
}

// appendEscaped appends s by the reverse table of version v, 1.1 or 1.2: STOMP-ESC-005, STOMP-ESC-006.
func appendEscaped(dst []byte, s string, v Version) []byte {
	dst = slices.Grow(dst, 2*len(s))
	out := dst[len(dst):cap(dst)]
	src := unsafe.Slice(unsafe.StringData(s), len(s))
	n := 0
	for i := 0; i < len(src); i++ {
		if len(src)-i >= 8 {
			x := eight(src, i)
			binary.LittleEndian.PutUint64(out[n:], x)
			// As in scanLine, what is set above the first hit is looked at again.
			hits := ((x - 0x10*lows) | ((x ^ ':'*lows) - lows) | ((x ^ '\\'*lows) - lows)) &^ x & highs
			k := bits.TrailingZeros64(hits) >> 3
			i += k
			n += k
			if k == 8 {
				i--
				continue
			}
		}
		c, e := src[i], byte(0)
		switch {
		case c == ':':
			e = 'c'
		case c == '\n':
			e = 'n'
		case c == '\\':
			e = '\\'
		case c == '\r' && v >= V12:
			e = 'r'
		}
		if e != 0 {
			out[n] = '\\'
			n++
			c = e
		}
		out[n] = c
		n++
	}
	return dst[:len(dst)+n]
}
