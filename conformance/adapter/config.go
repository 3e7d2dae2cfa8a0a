package adapter

import (
	"fmt"
	"time"
)

// Defaults of a Config.
const (
	DefaultTimeout = 30 * time.Second
	DefaultGrace   = 2 * time.Second
	DefaultLimit   = 64 << 20
)

// A Config says how a Conn treats its adapter. The zero value works.
type Config struct {
	// Timeout bounds a call whose context has no nearer deadline; 0: DefaultTimeout.
	Timeout time.Duration
	// Limit is the longest reply line, in octets; 0: DefaultLimit, 64 MiB.
	Limit int
	// Grace is how long Close waits for the adapter to end its output by itself; 0: DefaultGrace.
	Grace time.Duration
	// Record is told every line: dir is '>' for a request and '<' for what the adapter wrote, faults included, without
	// the line feed. It may be called from another goroutine than the caller's, never from two at a time for
	// one direction, and must not keep the slice. Nil: nothing is recorded.
	Record func(dir byte, line []byte)
}

// Validate reports the first field out of range.
func (c Config) Validate() error {
	switch {
	case c.Timeout < 0:
		return fmt.Errorf("adapter config: Timeout %v is negative", c.Timeout)
	case c.Limit < 0:
		return fmt.Errorf("adapter config: Limit %d is negative", c.Limit)
	case c.Grace < 0:
		return fmt.Errorf("adapter config: Grace %v is negative", c.Grace)
	}
	return nil
}
