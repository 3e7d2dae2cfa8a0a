package stompmodel

import (
	"fmt"
	"strconv"
	"strings"
)

// An EncodeError says why a frame has no wire form.
type EncodeError struct {
	Rule   Rule
	Header int // index of the header at fault, or -1
}

// Error implements error.
func (e *EncodeError) Error() string {
	if e.Header < 0 {
		return fmt.Sprintf("stompmodel: the frame cannot be encoded: %s (%s)", e.Rule, e.Rule.Law())
	}
	return fmt.Sprintf("stompmodel: header %d cannot be encoded: %s (%s)", e.Header, e.Rule, e.Rule.Law())
}

// maxDeclared is the largest content-length that a caller may declare (STOMP-BODY-013).
const maxDeclared = 2147483647

// Encode writes f in the form of v: LF line ends, headers in order, one NUL, nothing after it (STOMP-FRAME-021). It has no capacity limits
// (STOMP-LIMIT-012) and checks syntax only (STOMP-FRAME-024). It returns no octets with an error.
func Encode(v Version, f Frame) ([]byte, *EncodeError) {
	// STOMP-FRAME-022
	if !v.Command(f.Command) {
		return nil, &EncodeError{Rule: RuleUnknownCommand, Header: -1}
	}
	var out []byte
	out = append(out, f.Command...)
	out = append(out, '\n')
	for i, h := range f.Headers {
		line, rule := writeHeader(v, f.Command, h)
		if rule != "" {
			return nil, &EncodeError{Rule: rule, Header: i}
		}
		out = append(out, line...)
		out = append(out, '\n')
	}
	// STOMP-BODY-001; STOMP-BODY-015: the 1.0 grammar would allow a RECEIPT content, its text does not.
	if len(f.Body) > 0 && (!v.MayHaveBody(f.Command) || f.Command == "RECEIPT") {
		return nil, &EncodeError{Rule: RuleBodyForbidden, Header: -1}
	}
	declared, ok := f.Get("content-length")
	switch {
	case ok:
		// STOMP-BODY-013: plain digits, no padding in any version, and the octets of the body (STOMP-BODY-008).
		n, plain := readLength(V12, declared)
		if !plain || n > maxDeclared || n != len(f.Body) {
			return nil, &EncodeError{Rule: RuleContentLength, Header: -1}
		}
	case len(f.Body) > 0:
		// STOMP-BODY-012, STOMP-BODY-006, STOMP-BODY-007
		out = append(out, "content-length:"+strconv.Itoa(len(f.Body))+"\n"...)
	}
	out = append(out, '\n')
	// STOMP-BODY-014
	out = append(out, f.Body...)
	return append(out, 0), nil
}

// writeHeader writes one header line without its EOL.
func writeHeader(v Version, command string, h Header) (string, Rule) {
	text := h.Name + h.Value
	switch {
	// STOMP-HDR-013
	case h.Name == "":
		return "", RuleHeaderShape
	case strings.Contains(text, "\x00"):
		return "", RuleNulInLine
	// STOMP-FRAME-014: what a receiver must refuse is not written.
	case v != V10 && !(validUTF8([]byte(h.Name)) && validUTF8([]byte(h.Value))):
		return "", RuleUTF8
	// STOMP-HDR-003
	case v == V10 && (h.Value == "" || !ascii(text)):
		return "", RuleHeader10
	}
	if v.escapes(command) {
		return escape(v, h.Name) + ":" + escape(v, h.Value), ""
	}
	switch {
	// STOMP-ESC-008, STOMP-ESC-011: no escapes, so what would end the line or the name has no form.
	case strings.Contains(text, "\n"), strings.Contains(h.Name, ":"):
		return "", RuleUnrepresentable
	case strings.Contains(text, "\r") && (command == "CONNECT" || command == "CONNECTED"):
		return "", RuleUnrepresentable
	}
	return h.Name + ":" + h.Value, ""
}

func ascii(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] > 127 {
			return false
		}
	}
	return true
}

// escape writes text with the escapes of v.
func escape(v Version, text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		// STOMP-ESC-005, STOMP-ESC-006
		case text[i] == '\n':
			out.WriteString(`\n`)
		case text[i] == ':':
			out.WriteString(`\c`)
		case text[i] == '\\':
			out.WriteString(`\\`)
		case text[i] == '\r' && v == V12:
			out.WriteString(`\r`)
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}
