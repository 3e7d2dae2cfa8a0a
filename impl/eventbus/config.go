package eventbus

import (
	"fmt"
	"math"
	"time"
)

// Dialect selects one of the two profiles of the protocol.
type Dialect int

// The dialects.
const (
	// Seed is the protocol as first written down. It is the zero value.
	Seed Dialect = iota
	// Later adds epoch tokens, a replay budget, byte fields in warnings, sizing ahead of the id and the refusal of events
	// that cannot be encoded.
	Later
)

// String returns "seed" or "later".
func (d Dialect) String() string {
	switch d {
	case Seed:
		return "seed"
	case Later:
		return "later"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// ParseDialect is the inverse of Dialect.String.
func ParseDialect(s string) (Dialect, error) {
	switch s {
	case "seed":
		return Seed, nil
	case "later":
		return Later, nil
	}
	return Seed, fmt.Errorf(`parse dialect: want "seed" or "later", found %q`, s)
}

// Limits and defaults of a Config and of Options.
const (
	DefaultRingSize          = 8000      // events; EVENTBUS-RING-001
	MaxRingSize              = 1_000_000 // events; EVENTBUS-RING-005
	DefaultMaxSubscribers    = 64        // EVENTBUS-LIMIT-001
	DefaultMaxQueued         = 256       // live frames; EVENTBUS-SUBSCRIBE-004
	DefaultMaxQueuedBytes    = 2 << 20   // live octets; EVENTBUS-SUBSCRIBE-005
	DefaultReplayBudgetBytes = 8 << 20   // octets; EVENTBUS-REPLAY-010

	maxSafeInteger = 1<<53 - 1 // the largest integer every JSON reader keeps
)

// Config describes a bus. The zero value works: each zero field stands for the default named beside it.
type Config struct {
	// Dialect of the protocol; Seed.
	Dialect Dialect
	// RingSize is how many events are kept for replay, 1 to MaxRingSize; DefaultRingSize. Memory grows with what is stored,
	// not with this number. A ring that keeps nothing cannot be had (EVENTBUS-RING-007).
	RingSize int
	// MaxSubscribers is how many subscriptions may be attached at a time, 1 or more; DefaultMaxSubscribers.
	MaxSubscribers int
	// MaxQueuedBytes is how many live octets one subscriber may leave undrained, 1 to 2^53-1; DefaultMaxQueuedBytes.
	MaxQueuedBytes int64
	// ReplayBudgetBytes limits the replay of one Subscribe in the Later dialect, in octets, 1 to 2^53-1;
	// DefaultReplayBudgetBytes.
	ReplayBudgetBytes int64
	// Now stamps events; time.Now. It is called outside the bus's lock, by several goroutines at a time if they publish. If it
	// panics, time.Now is used for that event.
	Now func() time.Time
	// Diagnose receives diagnostics, one at a time and in the order in which they arose, outside the bus's lock and on the
	// goroutine of a publisher; nil: they are not made. A panic in it is swallowed.
	Diagnose func(Diagnostic)
}

// Validate reports the first field that is out of its range, as a *ConfigError.
func (c Config) Validate() error {
	for _, f := range []struct {
		name            string
		found, min, max int64
	}{
		{"Dialect", int64(c.Dialect), int64(Seed), int64(Later)},
		{"RingSize", int64(c.RingSize), 0, MaxRingSize},
		{"MaxSubscribers", int64(c.MaxSubscribers), 0, math.MaxInt32},
		// EVENTBUS-SUBSCRIBE-005
		{"MaxQueuedBytes", c.MaxQueuedBytes, 0, maxSafeInteger},
		// EVENTBUS-REPLAY-010
		{"ReplayBudgetBytes", c.ReplayBudgetBytes, 0, maxSafeInteger},
	} {
		if f.found < f.min || f.found > f.max {
			return &ConfigError{Field: f.name, Found: f.found, Min: f.min, Max: f.max}
		}
	}
	return nil
}

// withDefaults returns c with every zero field replaced.
func (c Config) withDefaults() Config {
	orDefault(&c.RingSize, DefaultRingSize)
	orDefault(&c.MaxSubscribers, DefaultMaxSubscribers)
	orDefault(&c.MaxQueuedBytes, DefaultMaxQueuedBytes)
	orDefault(&c.ReplayBudgetBytes, DefaultReplayBudgetBytes)
	return c
}

func orDefault[N int | int64](n *N, d N) {
	if *n == 0 {
		*n = d
	}
}
