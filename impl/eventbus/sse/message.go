package sse

import (
	"bytes"
	"fmt"
	"strings"
)

// UnwritableError says that a message has text that no event stream can carry.
type UnwritableError struct {
	Field string // "id" or "event"
	Found string
}

// Error names the field and quotes what was found.
func (e *UnwritableError) Error() string {
	return fmt.Sprintf("sse write: %s %q has a character that a field cannot hold", e.Field, e.Found)
}

// AppendMessage appends m to dst: an id line unless the id is empty, an event line unless the type is empty or
// "message", the lines of its data, and a blank line. A reader gets the same message back, with each CRLF and CR of the
// data as LF. The error is an *UnwritableError: an id has no CR, LF or NUL, a type no CR or LF.
func AppendMessage(dst []byte, m Message) ([]byte, error) {
	if strings.ContainsAny(m.ID, "\r\n\x00") {
		return dst, &UnwritableError{Field: "id", Found: m.ID}
	}
	if strings.ContainsAny(m.Type, "\r\n") {
		return dst, &UnwritableError{Field: "event", Found: m.Type}
	}
	if m.ID != "" {
		dst = append(append(append(dst, "id: "...), m.ID...), '\n')
	}
	if m.Type != "" && m.Type != "message" {
		dst = append(append(append(dst, "event: "...), m.Type...), '\n')
	}
	for data := m.Data; ; {
		end := bytes.IndexAny(data, "\r\n")
		line := data
		if end >= 0 {
			line = data[:end]
		}
		dst = append(append(append(dst, "data: "...), line...), '\n')
		if end < 0 {
			break
		}
		if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
			end++
		}
		data = data[end+1:]
	}
	return append(dst, '\n'), nil
}

// AppendComment appends a comment block, which a reader skips: text is put on one line.
func AppendComment(dst []byte, text string) []byte {
	dst = appendLine(append(dst, ": "...), text)
	return append(dst, '\n')
}

// appendLine appends text and a LF. CR, LF and what is not UTF-8 become U+FFFD, so that text never ends its line early.
func appendLine(dst []byte, text string) []byte {
	if !plain(text) {
		for _, r := range text {
			if r == '\r' || r == '\n' {
				r = '\uFFFD'
			}
			dst = append(dst, string(r)...)
		}
		return append(dst, '\n')
	}
	return append(append(dst, text...), '\n')
}

// plain reports whether text is of US-ASCII without CR and LF.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || c == '\r' || c == '\n' {
			return false
		}
	}
	return true
}
