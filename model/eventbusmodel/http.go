package eventbusmodel

import "strings"

// The bounds of the maxQueued query (EVENTBUS-HTTP-004).
const (
	MinQueryMaxQueued = 16
	MaxQueryMaxQueued = 2048
)

// MaxUnframed is how many UTF-16 units a reader keeps without a frame (EVENTBUS-SSE-015).
const MaxUnframed = 1 << 24

// A HeaderCursor is what a Last-Event-ID header comes to.
type HeaderCursor struct {
	// Cursor says that the stream is resumed behind After; otherwise it is live only.
	Cursor bool
	After  int64
	// Breadcrumb says that the log gets a line.
	Breadcrumb bool
}

// ParseLastEventID reads the value of the header, the empty string if there is none; a repeated header is one value with commas.
// EVENTBUS-HTTP-001, EVENTBUS-HTTP-002, EVENTBUS-HTTP-003
func ParseLastEventID(value string) HeaderCursor {
	if value == "" {
		return HeaderCursor{}
	}
	n, ok := decimal(value, maxSafeInteger)
	if !ok {
		return HeaderCursor{Breadcrumb: true}
	}
	return HeaderCursor{Cursor: true, After: n}
}

// ParseMaxQueued reads the maxQueued values of a query. It returns false for what gets status 400. EVENTBUS-HTTP-004
func ParseMaxQueued(values []string) (int, bool) {
	switch len(values) {
	case 0:
		return DefaultMaxQueued, true
	case 1:
		n, ok := decimal(values[0], MaxQueryMaxQueued)
		return int(n), ok && n >= MinQueryMaxQueued
	}
	return 0, false
}

// decimal reads ASCII digits, with leading zeros or without, up to a limit.
func decimal(text string, limit int64) (int64, bool) {
	if !digits(text) {
		return 0, false
	}
	var n int64
	for _, c := range []byte(strings.TrimLeft(text, "0")) {
		n = 10*n + int64(c-'0')
		if n > limit {
			return 0, false
		}
	}
	return n, true
}

// Unframed says whether a reader may fail on so much text without a frame: more than MaxUnframed UTF-16 units. EVENTBUS-SSE-015
func Unframed(text string) bool {
	units := 0
	for _, r := range text {
		if units++; r > 0xffff {
			units++
		}
	}
	return units > MaxUnframed
}
