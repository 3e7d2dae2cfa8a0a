package sse

import "fmt"

// The limits that zero values stand for. A reader that gets no end of a line or of an event gives up after 16 MiB
// (EVENTBUS-SSE-015, counted here in octets as they arrive).
const (
	DefaultMaxLine  = 1 << 24
	DefaultMaxEvent = 1 << 24
)

// Limits bounds what a [Parser] holds. The zero value means the defaults.
type Limits struct {
	// MaxLine is the largest number of octets in a line, without its end. A byte order mark counts. 0 means
	// [DefaultMaxLine].
	MaxLine int
	// MaxEvent is the largest number of octets in the lines of one event, with one octet for the end of each; comments
	// and the blank line do not count. 0 means [DefaultMaxEvent]. An octet that is not UTF-8 may take three octets of
	// memory.
	MaxEvent int
}

// Validate returns a *ConfigError that names the first field out of range, or nil.
func (l Limits) Validate() error {
	if l.MaxLine < 0 {
		return &ConfigError{Field: "MaxLine", Found: int64(l.MaxLine), Min: 0, Max: maxInt}
	}
	if l.MaxEvent < 0 {
		return &ConfigError{Field: "MaxEvent", Found: int64(l.MaxEvent), Min: 0, Max: maxInt}
	}
	return nil
}

func (l Limits) defaults() Limits {
	if l.MaxLine == 0 {
		l.MaxLine = DefaultMaxLine
	}
	if l.MaxEvent == 0 {
		l.MaxEvent = DefaultMaxEvent
	}
	return l
}

const maxInt = int64(^uint(0) >> 1)

// ConfigError says which field of a configuration is out of range. Durations are in nanoseconds.
type ConfigError struct {
	Field           string
	Found, Min, Max int64
}

// Error names the field, what was found and what is allowed.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("sse config: %s is %d, want %d to %d", e.Field, e.Found, e.Min, e.Max)
}

// LimitError says that a stream has a line or an event larger than a reader allows. It ends the reading.
type LimitError struct {
	// What is "line" or "event".
	What string
	// Limit is the number of octets allowed; the octet after them was found.
	Limit int64
	// Offset is the position of that octet in the stream, from 0. It does not depend on how the stream was cut.
	Offset int64
}

// Error names the limit and where it was passed.
func (e *LimitError) Error() string {
	return fmt.Sprintf("sse parse: %s is longer than %d octets at octet %d", e.What, e.Limit, e.Offset)
}
