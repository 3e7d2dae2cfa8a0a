package eventbusmodel

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A StreamEvent is one event of an SSE body, as the SSE standard dispatches it.
type StreamEvent struct {
	Type        string // message if the block does not say
	Data        string
	LastEventID string
}

// A Stream is what a whole SSE body says.
type Stream struct {
	Events []StreamEvent
	// LastEventID is the last event id when the body ends.
	LastEventID string
	// Retry is the last reconnection time in ms, and Retried says that there was one.
	Retry   uint64
	Retried bool
}

// ParseStream reads a whole SSE body, as a first connection does: see [ParseStreamAfter].
func ParseStream(body []byte) Stream { return ParseStreamAfter("", body) }

// ParseStreamAfter reads a whole SSE body on a connection that goes on after lastEventID: the octets become text, the text lines, and the lines events.
// A last block without a blank line behind it is dropped. A time after retry that does not fit 64 bits is the longest that does; the empty one is
// ignored.
//
// EVENTBUS-SSE-010, EVENTBUS-SSE-012, EVENTBUS-WHATWG-003, EVENTBUS-WHATWG-004
func ParseStreamAfter(lastEventID string, body []byte) Stream {
	out := Stream{LastEventID: lastEventID}
	var kind, data string
	id := lastEventID
	for _, line := range streamLines(decodeUTF8(body)) {
		// EVENTBUS-WHATWG-009, EVENTBUS-WHATWG-020, EVENTBUS-WHATWG-021
		if line == "" {
			out.LastEventID = id
			// EVENTBUS-WHATWG-012, EVENTBUS-WHATWG-013: a data field leaves at least the LF that is removed here.
			if data != "" {
				if kind == "" {
					kind = "message"
				}
				out.Events = append(out.Events, StreamEvent{Type: kind, Data: strings.TrimSuffix(data, "\n"), LastEventID: id})
			}
			// EVENTBUS-WHATWG-015
			kind, data = "", ""
			continue
		}
		// EVENTBUS-WHATWG-005
		if strings.HasPrefix(line, ":") {
			continue
		}
		// EVENTBUS-WHATWG-006, EVENTBUS-WHATWG-007
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		// EVENTBUS-WHATWG-008
		switch field {
		case "event":
			// EVENTBUS-WHATWG-014
			kind = value
		case "data":
			// EVENTBUS-WHATWG-011
			data += value + "\n"
		case "id":
			// EVENTBUS-WHATWG-017, EVENTBUS-WHATWG-018, EVENTBUS-WHATWG-019, EVENTBUS-WHATWG-022
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			// EVENTBUS-WHATWG-023, EVENTBUS-WHATWG-024
			if digits(value) {
				// What is too large for a word is the largest one.
				out.Retry, _ = strconv.ParseUint(value, 10, 64)
				out.Retried = true
			}
		}
	}
	return out
}

// streamLines returns the lines that have an end: CR LF, LF or CR. EVENTBUS-WHATWG-003, EVENTBUS-WHATWG-016
func streamLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1]
}

// decodeUTF8 makes text of a whole body: one byte order mark in front is dropped. EVENTBUS-WHATWG-002
func decodeUTF8(body []byte) string {
	return DecodeText([]byte(strings.TrimPrefix(string(body), "\ufeff")))
}

// DecodeText makes text of octets inside a body: each longest part of a broken sequence becomes U+FFFD. EVENTBUS-WHATWG-001
func DecodeText(octets []byte) string {
	var b strings.Builder
	for len(octets) > 0 {
		r, n := utf8.DecodeRune(octets)
		if r == utf8.RuneError && n <= 1 {
			n = brokenLength(octets)
		}
		b.WriteRune(r)
		octets = octets[n:]
	}
	return b.String()
}

// brokenLength returns how many octets at the start are the longest beginning of a well-formed sequence, and at least 1.
func brokenLength(octets []byte) int {
	n := 1
	for n < len(octets) && n < 3 && beginsSequence(octets[:n+1]) {
		n++
	}
	return n
}

// beginsSequence says whether some octets behind these would make one well-formed sequence.
func beginsSequence(octets []byte) bool {
	for _, fill := range [][]byte{{0x80}, {0xbf}, {0x80, 0x80}, {0xbf, 0xbf}} {
		whole := append(append([]byte(nil), octets...), fill...)
		if _, n := utf8.DecodeRune(whole); n == len(whole) {
			return true
		}
	}
	return false
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
