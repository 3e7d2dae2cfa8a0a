package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Append appends the octets of f to dst and returns it. It writes the fields that f.Has lists, whether [Frame.Check] likes them or not, and
// the body if there is one. Nothing is allocated where dst has room for body and cap, and 512 octets more.
//
// On error, which is a *Error, it returns dst unchanged: text that is not UTF-8, a field with a value that f.Has does not list, and a
// frame larger than MaxFrame could not be decoded to what they are (SUBSTRATE-CODEC-001).
func Append(dst []byte, f *Frame) ([]byte, error) {
	// SUBSTRATE-LIMIT-001: not even copied.
	if len(f.Body) > MaxFrame {
		return dst, &Error{Rule: Oversize, Offset: -1, Limit: MaxFrame, Found: uint64(len(f.Body))}
	}
	const ordinary = 512
	out := slices.Grow(dst, len(f.Body)+len(f.Cap)+ordinary)
	pairs := uint64(1)
	if f.Body != nil {
		pairs++
	}
	out = appendString(appendHead(out, majorMap, pairs), majorText, "env")
	// SUBSTRATE-CODEC-002: the bits are in the order of the encoded keys.
	out = appendHead(out, majorMap, uint64(bits.OnesCount16(uint16(f.Has&AllFields))))
	for i := range fieldRows {
		var rule Rule
		if out, rule = f.appendField(out, 1<<i); rule != 0 {
			return dst, &Error{Rule: rule, Offset: -1, Field: 1 << i}
		}
	}
	if f.Body != nil {
		out = appendString(appendString(out, majorText, "body"), majorBytes, f.Body)
	}
	if n := len(out) - len(dst); n > MaxFrame {
		return dst, &Error{Rule: Oversize, Offset: -1, Limit: MaxFrame, Found: uint64(n)}
	}
	return out, nil
}

// appendField appends a field with its key if f has it, and reports the rule that f breaks by it.
func (f *Frame) appendField(dst []byte, field Fields) ([]byte, Rule) {
	number, text, octets := f.at(field)
	if f.Has&field == 0 {
		if number != nil && *number != 0 || text != nil && *text != "" || octets != nil && len(*octets) != 0 {
			return dst, Unlisted
		}
		return dst, 0
	}
	dst = appendString(dst, majorText, field.row().name)
	for _, o := range f.odd {
		if o.field == field {
			return append(dst, o.raw...), 0
		}
	}
	switch {
	case number != nil:
		return appendHead(dst, majorUint, *number), 0
	case octets != nil:
		return appendString(dst, majorBytes, *octets), 0
	case !utf8.ValidString(*text):
		return dst, NotUTF8
	}
	return appendString(dst, majorText, *text), 0
}

func appendString[S ~string | ~[]byte](dst []byte, major byte, s S) []byte {
	return append(appendHead(dst, major, uint64(len(s))), s...)
}

// appendHead appends the head of an item in its shortest form (SUBSTRATE-CODEC-002).
func appendHead(dst []byte, major byte, n uint64) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), n)
}
