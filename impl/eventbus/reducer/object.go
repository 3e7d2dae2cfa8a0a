package reducer

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// object is a JSON object whose members were not looked at. A member given twice is the last one, as in JavaScript.
type object map[string]json.RawMessage

// asObject returns raw as an object, or false if it is something else.
func asObject(raw json.RawMessage) (object, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil, false
	}
	return o, true
}

func (o object) has(key string) bool { _, ok := o[key]; return ok }

func (o object) null(key string) bool { return string(o[key]) == "null" }

// text returns a member that is a string.
func (o object) text(key string) (string, bool) { return asText(o[key]) }

func asText(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// named reports whether all members are strings that are not empty.
func (o object) named(keys ...string) bool {
	for _, key := range keys {
		if s, ok := o.text(key); !ok || s == "" {
			return false
		}
	}
	return true
}

// maybe reports whether a member is absent or satisfies is.
func (o object) maybe(key string, is func(string) bool) bool { return !o.has(key) || is(key) }

func (o object) isText(key string) bool { _, ok := o.text(key); return ok }

func (o object) isNamed(key string) bool { return o.named(key) }

// nullable reports whether a member is absent, null or satisfies is.
func (o object) nullable(key string, is func(string) bool) bool {
	return !o.has(key) || o.null(key) || is(key)
}

// number returns a member that is a finite number.
func (o object) number(key string) (float64, bool) {
	raw := o[key]
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}

func (o object) isNumber(key string) bool { _, ok := o.number(key); return ok }

// numbers reports whether all members are finite numbers.
func (o object) numbers(keys ...string) bool {
	for _, key := range keys {
		if !o.isNumber(key) {
			return false
		}
	}
	return true
}

// maybeNumbers reports whether all members are absent or finite numbers.
func (o object) maybeNumbers(keys ...string) bool {
	for _, key := range keys {
		if !o.maybe(key, o.isNumber) {
			return false
		}
	}
	return true
}

// integer reports whether a member is a whole number of at least min.
func (o object) integer(key string, min float64) bool {
	n, ok := o.number(key)
	return ok && n == math.Trunc(n) && n >= min
}

func (o object) isCount(key string) bool { return o.integer(key, 0) }

func (o object) isBool(key string) bool {
	s := string(o[key])
	return s == "true" || s == "false"
}

// among reports whether a member is one of some strings.
func (o object) among(key string, words ...string) bool {
	s, ok := o.text(key)
	if !ok {
		return false
	}
	for _, w := range words {
		if s == w {
			return true
		}
	}
	return false
}

// list returns a member that is an array.
func (o object) list(key string) ([]json.RawMessage, bool) {
	raw := o[key]
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var l []json.RawMessage
	return l, json.Unmarshal(raw, &l) == nil
}

func (o object) isList(key string) bool { _, ok := o.list(key); return ok }

// objects reports whether a member is an array of objects that each satisfy is.
func (o object) objects(key string, is func(object) bool) bool {
	l, ok := o.list(key)
	if !ok {
		return false
	}
	for _, raw := range l {
		if item, ok := asObject(raw); !ok || !is(item) {
			return false
		}
	}
	return true
}

// texts reports whether a member is an array of strings.
func (o object) texts(key string) bool {
	l, ok := o.list(key)
	if !ok {
		return false
	}
	for _, raw := range l {
		if _, ok := asText(raw); !ok {
			return false
		}
	}
	return true
}

// address reports whether a member is a web address.
func (o object) address(key string) bool {
	s, ok := o.text(key)
	if !ok || len(s) > 2048 || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
