package stompmodel

import (
	"math"
	"strings"
)

// checkLine turns the octets before an LF into a line, or names the rule that they break, in the order of STOMP-FRAME-016.
func checkLine(v Version, raw []byte) (string, Rule) {
	// STOMP-FRAME-006: 1.2 takes one CR before the LF as part of the EOL; STOMP-FRAME-007: before 1.2 a CR is data.
	if v == V12 && len(raw) > 0 && raw[len(raw)-1] == '\r' {
		raw = raw[:len(raw)-1]
	}
	// STOMP-FRAME-014; 1.0 has no such rule.
	if v != V10 && !validUTF8(raw) {
		return "", RuleUTF8
	}
	line := string(raw)
	// STOMP-FRAME-008
	if v == V12 && strings.Contains(line, "\r") {
		return "", RuleBareCR
	}
	return line, ""
}

// validUTF8 reports whether b is a sequence of well-formed UTF-8 characters: the shortest form, no surrogates, nothing above U+10FFFF.
func validUTF8(b []byte) bool {
	for len(b) > 0 {
		n := 0
		low, high := byte(0x80), byte(0xBF)
		switch lead := b[0]; {
		case lead < 0x80:
		case lead >= 0xC2 && lead <= 0xDF:
			n = 1
		case lead >= 0xE0 && lead <= 0xEF:
			n = 2
			if lead == 0xE0 {
				low = 0xA0
			}
			if lead == 0xED {
				high = 0x9F
			}
		case lead >= 0xF0 && lead <= 0xF4:
			n = 3
			if lead == 0xF0 {
				low = 0x90
			}
			if lead == 0xF4 {
				high = 0x8F
			}
		default:
			return false
		}
		if len(b) < n+1 {
			return false
		}
		for i := 1; i <= n; i++ {
			if b[i] < low || b[i] > high {
				return false
			}
			// Only the octet after the lead has a narrowed range.
			low, high = 0x80, 0xBF
		}
		b = b[n+1:]
	}
	return true
}

// readHeader reads a header line of a frame of command.
func readHeader(v Version, command, line string) (Header, Rule) {
	// STOMP-HDR-001: the first colon on the wire separates; STOMP-HDR-004: in 1.0 later ones belong to the value. STOMP-HDR-002: an empty value is one.
	// STOMP-HDR-007: spaces are data.
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" {
		return Header{}, RuleHeaderShape
	}
	if !v.escapes(command) {
		return Header{Name: name, Value: value}, ""
	}
	// STOMP-HDR-005. The check order of STOMP-FRAME-016 puts colons before unescaping.
	if strings.Contains(value, ":") {
		return Header{}, RuleRawColon
	}
	// STOMP-ESC-012: after the split, each part once.
	var h Header
	if h.Name, ok = unescape(v, name); !ok {
		return Header{}, RuleEscape
	}
	if h.Value, ok = unescape(v, value); !ok {
		return Header{}, RuleEscape
	}
	return h, ""
}

// unescape replaces the escapes of v from left to right, in a single pass.
func unescape(v Version, text string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			continue
		}
		i++
		// STOMP-ESC-004: a dangling backslash.
		if i == len(text) {
			return "", false
		}
		// STOMP-ESC-001, STOMP-ESC-002: the two tables differ in r only. STOMP-ESC-003: nothing else is defined.
		switch {
		case text[i] == 'n':
			out.WriteByte('\n')
		case text[i] == 'c':
			out.WriteByte(':')
		case text[i] == '\\':
			out.WriteByte('\\')
		case text[i] == 'r' && v == V12:
			out.WriteByte('\r')
		default:
			return "", false
		}
	}
	return out.String(), true
}

// saturated is a length beyond every limit.
const saturated = math.MaxInt

// readLength reads the value of a content-length header. A number too large for an int comes back as one beyond every limit.
func readLength(v Version, text string) (int, bool) {
	// STOMP-BODY-010, STOMP-HDR-008: 1.0 peers pad.
	if v == V10 {
		text = strings.Trim(text, " ")
	}
	if text == "" {
		return 0, false
	}
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	// STOMP-LIMIT-005: no overflow, however long the digits.
	n := 0
	for i := 0; i < len(text); i++ {
		digit := int(text[i] - '0')
		if n > (saturated-digit)/10 {
			return saturated, true
		}
		n = n*10 + digit
	}
	return n, true
}
