package frame

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// marks records which octets a scan met that the quick path does not handle.
type marks uint8

const (
	// markOdd: an octet below 0x10 (NUL, CR, tab, other controls) or above 0x7f stands before the LF.
	markOdd marks = 1 << iota
	// markBackslash: a backslash stands before the LF.
	markBackslash
	// markColons: a second colon stands before the LF.
	markColons
)

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros sets the high bit of every zero octet of x. Above the first one it may also set that of an octet 0x01.
func zeros(x uint64) uint64 { return (x - lows) &^ x & highs }

// eight returns the octets of b from i on, the first one lowest. It does not check that there are eight.
func eight(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// scanLine looks for the first LF of b and reports its index or -1, the index of the first colon before it or -1, and
// which noteworthy octets stand before it. It visits each octet once, eight at a time: most of a head is plain text,
// so one test for four classes at once rejects nearly every word.
func scanLine(b []byte) (lf, colon int, seen marks) {
	colon = -1
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := eight(b, i)
		// A difference has its high bit set for the octet looked for and for those above 0x7f, which count anyway.
		// Above a hit a borrow may set more bits: they point at octets that match no case.
		hits := (x | (x - 0x10*lows) | ((x ^ ':'*lows) - lows) | ((x ^ '\\'*lows) - lows)) & highs
		for ; hits != 0; hits &= hits - 1 {
			at := bits.TrailingZeros64(hits) &^ 7
			switch c := byte(x >> at); {
			case c == '\n':
				return i + at>>3, colon, seen
			case c == ':':
				if colon >= 0 {
					seen |= markColons
				} else {
					colon = i + at>>3
				}
			case c == '\\':
				seen |= markBackslash
			case c < 0x10 || c >= 0x80:
				seen |= markOdd
			}
		}
	}
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n':
			return i, colon, seen
		case c == ':':
			if colon >= 0 {
				seen |= markColons
			} else {
				colon = i
			}
		case c == '\\':
			seen |= markBackslash
		case c < 0x10 || c >= 0x80:
			seen |= markOdd
		}
	}
	return -1, colon, seen
}
