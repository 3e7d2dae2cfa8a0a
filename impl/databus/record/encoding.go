package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const idProblem = "is empty, longer than 256 octets or no UTF-8"

func isID(id string) bool { return id != "" && len(id) <= MaxID && utf8.ValidString(id) }

// encodeAny writes the record v as JSON without the escapes that only HTML needs, so that both sides of the house write the same octets.
func encodeAny(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("databus record: encode %T: %v", v, err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// MaxNumber is the greatest number of a record, also negative: what a browser holds exactly.
const MaxNumber = 1 << 53

// decode reads one JSON object with at least the required fields. Names are told apart by case, as a browser does. Members that it does not
// know are of a later release and no reason to take a live worker for dead.
func decode(family Family, value string, fields []field) error {
	if len(value) > MaxRecord {
		return &Error{family, "", fmt.Sprintf("is longer than %d octets (%d)", MaxRecord, len(value))}
	}
	if flat(value, fields) {
		return nil
	}
	return general(family, value, fields)
}

// general reads any JSON object.
func general(family Family, value string, fields []field) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &members); err != nil {
		return &Error{family, "", "is no JSON object: " + err.Error()}
	}
	for i := range fields {
		if err := fields[i].decode(family, members[fields[i].name]); err != nil {
			return err
		}
	}
	return nil
}
