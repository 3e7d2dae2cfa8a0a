package daemon

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// The values that zero fields of a [Config] stand for.
const (
	DefaultMaxSessions     = 64
	DefaultMaxBody         = 4 << 20
	DefaultBodyTimeout     = 10 * time.Second
	DefaultHeaderTimeout   = 10 * time.Second
	DefaultShutdownTimeout = 5 * time.Second
)

// maxReaders is how many readers of its own a session has at most.
const maxReaders = 16

// Config says how a daemon behaves. The zero value works.
type Config struct {
	// Dialect of the buses.
	Dialect eventbus.Dialect
	// RingSize is the number of events that a session keeps for replay; 0 means 8000, otherwise 1 to 1000000
	// (EVENTBUS-RING-005).
	RingSize int
	// MaxSubscribers is the number of readers of a session. 0 means 64.
	MaxSubscribers int
	// MaxQueuedBytes is how many octets a reader may lag behind. 0 means 2 MiB.
	MaxQueuedBytes int64

	// MaxSessions is the number of sessions at a time. 0 means [DefaultMaxSessions].
	MaxSessions int
	// MaxBody is the number of octets in the body of a request. 0 means [DefaultMaxBody].
	MaxBody int64
	// BodyTimeout is how long the body of a request may take, and then that of its answer if it is no event stream. 0 means
	// [DefaultBodyTimeout].
	BodyTimeout time.Duration
	// HeaderTimeout is how long its headers may take, when the daemon serves. 0 means [DefaultHeaderTimeout].
	HeaderTimeout time.Duration
	// ShutdownTimeout is how long streams have to end when the daemon is told to. 0 means [DefaultShutdownTimeout].
	ShutdownTimeout time.Duration
	// Hosts are names that the daemon is reached by, besides localhost and IP addresses; without port, in any letter case.
	Hosts []string

	// Heartbeat, WriteTimeout and WriterIdle are those of package sse.
	Heartbeat, WriteTimeout, WriterIdle time.Duration

	// Now stamps events. Nil means [time.Now].
	Now func() time.Time
	// Logger gets sessions (info), refusals and evictions (warn). Nil: nothing.
	Logger *slog.Logger
}

// ConfigError says which field of a configuration is out of range. Durations are in nanoseconds.
type ConfigError struct {
	Field           string
	Found, Min, Max int64
}

// Error names the field, what was found and what is allowed.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("daemon config: %s is %d, want %d to %d", e.Field, e.Found, e.Min, e.Max)
}

// Validate returns an error that names the first field out of range, or nil.
func (c Config) Validate() error {
	const most = 1<<63 - 1
	for _, f := range [...]struct {
		name       string
		found, max int64
	}{
		// EVENTBUS-RING-005
		{"RingSize", int64(c.RingSize), eventbus.MaxRingSize},
		{"MaxSubscribers", int64(c.MaxSubscribers), 1 << 20},
		{"MaxQueuedBytes", c.MaxQueuedBytes, 1<<53 - 1},
		{"MaxSessions", int64(c.MaxSessions), 1 << 20},
		{"MaxBody", c.MaxBody, 1 << 30},
		{"BodyTimeout", int64(c.BodyTimeout), most / 2},
		{"HeaderTimeout", int64(c.HeaderTimeout), most / 12},
		{"ShutdownTimeout", int64(c.ShutdownTimeout), most},
		{"WriterIdle", int64(c.WriterIdle), most},
	} {
		if f.found < 0 || f.found > f.max {
			return &ConfigError{Field: f.name, Found: f.found, Max: f.max}
		}
	}
	return c.bus(nil).Validate()
}

func (c Config) bus(diagnose func(eventbus.Diagnostic)) eventbus.Config {
	return eventbus.Config{
		Dialect: c.Dialect, RingSize: c.RingSize, MaxSubscribers: c.MaxSubscribers, MaxQueuedBytes: c.MaxQueuedBytes,
		Now: c.Now, Diagnose: diagnose,
	}
}

func (c Config) defaults() Config {
	for _, d := range [...]struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.BodyTimeout, DefaultBodyTimeout},
		{&c.HeaderTimeout, DefaultHeaderTimeout},
		{&c.ShutdownTimeout, DefaultShutdownTimeout},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.RingSize == 0 {
		c.RingSize = eventbus.DefaultRingSize
	}
	if c.MaxSubscribers == 0 {
		c.MaxSubscribers = eventbus.DefaultMaxSubscribers
	}
	if c.MaxQueuedBytes == 0 {
		c.MaxQueuedBytes = eventbus.DefaultMaxQueuedBytes
	}
	if c.MaxSessions == 0 {
		c.MaxSessions = DefaultMaxSessions
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// RingSizeError says that a text is no ring size.
type RingSizeError struct{ Found string }

// Error names what was found and what is allowed.
func (e *RingSizeError) Error() string {
	return fmt.Sprintf("invalid event ring size %q, want an integer from 1 to %d", e.Found, eventbus.MaxRingSize)
}

// ParseRingSize reads the value of a ring size option: digits for a number from 1 to 1000000. Otherwise the error is a
// *RingSizeError (EVENTBUS-RING-005).
func ParseRingSize(s string) (int, error) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, &RingSizeError{Found: s}
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > eventbus.MaxRingSize {
		return 0, &RingSizeError{Found: s}
	}
	return n, nil
}
