package wire

import (
	"fmt"
	"strings"
)

// A Rule says what is wrong with octets that are no frame, or with a frame that cannot be encoded.
type Rule uint8

// The rules. All but the last two are of the decoder.
const (
	// Oversize is a message larger than MaxFrame.
	Oversize Rule = iota + 1
	// Truncated is a message that ends within an item, or declares more than is left of it.
	Truncated
	// Trailing is octets after the item.
	Trailing
	// Indefinite is an item of indefinite length, or the break that ends one.
	Indefinite
	// NotShortest is an integer or a length that has a shorter form.
	NotShortest
	// Reserved is additional information that CBOR has no meaning for.
	Reserved
	// Tagged is a tag.
	Tagged
	// Float is a floating point number.
	Float
	// Negative is a negative integer.
	Negative
	// Simple is a simple value other than false and true.
	Simple
	// NotUTF8 is text that is not UTF-8.
	NotUTF8
	// KeyType is a key of a map that is not text.
	KeyType
	// Duplicate is a key that its map has already.
	Duplicate
	// Unsorted is a key that sorts before the one before it.
	Unsorted
	// TooDeep is nesting beyond MaxDepth.
	TooDeep
	// TooManyPairs is a map of more than MaxPairs pairs.
	TooManyPairs
	// TooManyUnknown is an envelope with more than MaxUnknown unknown keys.
	TooManyUnknown
	// Shape is an item other than a map of env, a map, and perhaps body, a byte string.
	Shape
	// Unlisted is a field with a value that Has does not list; only Append reports it.
	Unlisted
	// Library is a refusal of the CBOR library that the rules above did not foresee. None is known.
	Library
)

// String returns the rule in lower case with dashes, such as "not-shortest".
func (r Rule) String() string {
	names := [...]string{
		Oversize: "oversize", Truncated: "truncated", Trailing: "trailing", Indefinite: "indefinite", NotShortest: "not-shortest",
		Reserved: "reserved", Tagged: "tagged", Float: "float", Negative: "negative", Simple: "simple", NotUTF8: "not-utf8",
		KeyType: "key-type", Duplicate: "duplicate", Unsorted: "unsorted", TooDeep: "too-deep", TooManyPairs: "too-many-pairs",
		TooManyUnknown: "too-many-unknown", Shape: "shape", Unlisted: "unlisted", Library: "library",
	}
	if r == 0 || int(r) >= len(names) {
		return "unknown-rule"
	}
	return names[r]
}

// law returns the id of the law that forbids what breaks the rule.
func (r Rule) law() string {
	switch r {
	case Oversize:
		return "SUBSTRATE-LIMIT-001"
	case TooDeep, TooManyPairs:
		return "SUBSTRATE-CODEC-004"
	case TooManyUnknown:
		return "SUBSTRATE-WIRE-005"
	case Shape:
		return "SUBSTRATE-WIRE-001"
	case Unlisted:
		return "SUBSTRATE-CODEC-001"
	}
	return "SUBSTRATE-CODEC-003"
}

// Close codes of a connection that this package decides.
const (
	// CloseProtocol ends a connection on which something came that is no frame (SUBSTRATE-WIRE-006).
	CloseProtocol = 4004
	// CloseOversize ends a connection on which a message larger than MaxFrame came (SUBSTRATE-LIMIT-001).
	CloseOversize = 4009
)

// Error is every error of this package. Use errors.As to reach it.
type Error struct {
	Rule Rule
	// Offset is the position of the octet at fault, from 0, or -1 where there are no octets.
	Offset int
	// Limit and Found are the bound and the number that met it, where there is one: octets for Oversize and Truncated, pairs,
	// unknown keys, depth.
	Limit, Found uint64
	// Field is, for Append, the field at fault, if it is one.
	Field Fields
	// Cause is what the library said.
	Cause error
}

// CloseCode returns the code with which a connection ends on which the octets came.
func (e *Error) CloseCode() uint16 {
	if e.Rule == Oversize {
		return CloseOversize
	}
	return CloseProtocol
}

// Error returns a one line description: the rule, the position, the limit and what was found.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("substrate frame: ")
	b.WriteString(e.Rule.String())
	if e.Field != 0 {
		b.WriteString(" " + e.Field.String())
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at octet %d", e.Offset)
	}
	if e.Limit != 0 || e.Found != 0 {
		fmt.Fprintf(&b, " (limit %d, found %d)", e.Limit, e.Found)
	}
	fmt.Fprintf(&b, " [%s]", e.Rule.law())
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }
