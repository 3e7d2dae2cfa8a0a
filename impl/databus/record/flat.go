package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/plain"
)

// A field is one member of a record and where its value goes: to text or to number.
type field struct {
	name     string
	text     *string
	number   *int64
	optional bool
}

// flat reads a record that was written as this package and a browser do: one object without white space, escapes or members that the
// record does not have. It reports false for any other value, which may be good all the same. Every reconcile reads all records, so this
// is worth its lines.
func flat(value string, fields []field) bool {
	rest, ok := strings.CutPrefix(value, "{")
	if !ok {
		return false
	}
	seen := 0
	for {
		var name string
		if name, rest, ok = plain.Text(rest); !ok || !strings.HasPrefix(rest, ":") {
			return false
		}
		at := 0
		for at < len(fields) && fields[at].name != name {
			at++
		}
		if at == len(fields) {
			return false
		}
		seen |= 1 << at
		if rest, ok = fields[at].read(rest[1:]); !ok {
			return false
		}
		if rest == "}" {
			break
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return false
		}
	}
	for i := range fields {
		if !fields[i].optional && seen&(1<<i) == 0 {
			return false
		}
	}
	return true
}

// encodeFlat writes a record whose texts need no escapes, with the octets that package json would give it. It reports false for any other.
func encodeFlat(fields []field) (string, bool) {
	var room [512]byte
	out := room[:0]
	for i := range fields {
		f := &fields[i]
		if f.optional && (f.text == nil || *f.text == "") && (f.number == nil || *f.number == 0) {
			continue
		}
		out = append(append(append(out, `,"`...), f.name...), `":`...)
		if f.number != nil {
			out = strconv.AppendInt(out, *f.number, 10)
			continue
		}
		for _, c := range []byte(*f.text) {
			if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
				return "", false
			}
		}
		out = append(append(append(out, '"'), *f.text...), '"')
	}
	out[0] = '{'
	return string(append(out, '}')), true
}

// read takes the value at the beginning of rest, and returns what follows it.
func (f *field) read(rest string) (string, bool) {
	if f.text != nil {
		text, rest, ok := plain.Text(rest)
		*f.text = text
		return rest, ok
	}
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9') {
		end++
	}
	if end == 0 || end > 18 || end > 1 && rest[0] == '0' {
		return "", false
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	*f.number = n
	return rest[end:], err == nil && n <= MaxNumber
}

// decode takes the value of the member, nil if there is none.
func (f *field) decode(family Family, raw json.RawMessage) error {
	if raw == nil {
		raw = json.RawMessage("null")
	}
	if !f.optional && bytes.Equal(raw, []byte("null")) {
		return &Error{family, f.name, "is missing"}
	}
	// By way of variables of its own, so that only a record that is not flat is anywhere but on the stack.
	var text string
	var number int64
	var err error
	if f.text != nil {
		err = json.Unmarshal(raw, &text)
		*f.text = text
	} else {
		err = json.Unmarshal(raw, &number)
		*f.number = number
	}
	switch {
	case err != nil:
		return &Error{family, f.name, "is of another type"}
	case number > MaxNumber || number < -MaxNumber:
		return &Error{family, f.name, fmt.Sprintf("is beyond %d", int64(MaxNumber))}
	}
	return nil
}
