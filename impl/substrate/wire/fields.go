package wire

import (
	"math/bits"
	"strings"
)

// Fields is a set of fields of the envelope.
type Fields uint16

// The fields of the envelope, in the order in which they are encoded (SUBSTRATE-WIRE-002, SUBSTRATE-CODEC-002).
const (
	FieldV Fields = 1 << iota
	FieldID
	FieldCap
	FieldMsg
	FieldObj
	FieldSeq
	FieldBase
	FieldCode
	FieldKind
	FieldPrev
	FieldLabel
	FieldLevel
	FieldFromSeq
	FieldObjKind
	FieldReceipt

	// AllFields is every field that there is.
	AllFields Fields = 1<<iota - 1
)

// fieldCount is how many fields there are.
const fieldCount = 15

// The major types of CBOR that matter here.
const (
	majorUint  = 0
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
)

// A fieldRow is what the envelope says of a field: its key and the major type of its value.
type fieldRow struct {
	name  string
	major byte
}

// fieldRows has the fields by the position of their bit.
var fieldRows = [fieldCount]fieldRow{
	{"v", majorUint},
	{"id", majorText},
	{"cap", majorBytes},
	{"msg", majorText},
	{"obj", majorText},
	{"seq", majorUint},
	{"base", majorUint},
	{"code", majorText},
	{"kind", majorText},
	{"prev", majorUint},
	{"label", majorUint},
	{"level", majorText},
	{"fromSeq", majorUint},
	{"objKind", majorText},
	{"receipt", majorBytes},
}

// row returns what the envelope says of the one field in f.
func (f Fields) row() fieldRow { return fieldRows[bits.TrailingZeros16(uint16(f))] }

// fieldOf returns the field with a key, or none.
func fieldOf(key []byte) Fields {
	for i := range fieldRows {
		if string(key) == fieldRows[i].name {
			return 1 << i
		}
	}
	return 0
}

// String returns the keys of the fields, in the order in which they are encoded, with a space between them.
func (f Fields) String() string {
	var b strings.Builder
	for i := range fieldRows {
		if f&(1<<i) != 0 {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(fieldRows[i].name)
		}
	}
	return b.String()
}
