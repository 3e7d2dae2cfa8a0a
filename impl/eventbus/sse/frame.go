package sse

import (
	"bytes"
	"strconv"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// AppendFrame appends an event of a bus as a frame: an id line if it has an id, its type, its whole JSON on one data line,
// and a blank line. now is the time of writing, which a synthetic event gets as its timestamp.
//
// JSON escapes every line end in a text, so that no text can end the data line. On the event line, CR, LF and what is not
// UTF-8 in a type become U+FFFD; the type in the JSON is what counts. The error is that of [eventbus.Event.AppendJSON];
// dst is then returned as it was.
func AppendFrame(dst []byte, e *eventbus.Event, now time.Time) ([]byte, error) {
	start := len(dst)
	// EVENTBUS-SSE-001
	if !e.Synthetic() {
		dst = append(strconv.AppendInt(append(dst, "id: "...), e.ID, 10), '\n')
	}
	dst = appendLine(append(dst, "event: "...), e.Type)
	dst = append(dst, "data: "...)
	from := len(dst)
	// EVENTBUS-SSE-002
	dst, err := e.AppendJSON(dst)
	if err != nil {
		return dst[:start], err
	}
	if e.Synthetic() {
		// EVENTBUS-SSE-004
		dst = appendTimestamp(dst[:len(dst)-1], now)
	}
	if bytes.IndexByte(dst[from:], '\n') >= 0 || bytes.IndexByte(dst[from:], '\r') >= 0 {
		panic("sse: an event has a line end in its JSON")
	}
	return append(dst, "\n\n"...), nil
}

// appendSynthetic appends a frame without id whose data is JSON.
func appendSynthetic(dst []byte, kind string, data []byte, now time.Time) []byte {
	dst = append(append(append(dst, "event: "...), kind...), "\ndata: {\"v\":1,\"type\":\""...)
	dst = append(append(append(dst, kind...), "\",\"data\":"...), data...)
	return append(appendTimestamp(dst, now), "\n\n"...)
}

// appendTimestamp ends an object that has members with its timestamp.
func appendTimestamp(dst []byte, now time.Time) []byte {
	dst = append(dst, `,"_meta":{"serverTimestamp":`...)
	return append(strconv.AppendInt(dst, now.UnixMilli(), 10), "}}"...)
}
