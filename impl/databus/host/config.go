package host

import (
	"fmt"
	"time"
)

// Defaults and limits of [Config].
const (
	DefaultBusyTimeout = time.Second
	DefaultMaxBytes    = 64 << 20
	DefaultQueue       = 1024
	DefaultQueueBytes  = 4 << 20
	DefaultMaxPeers    = 128
	DefaultRescan      = time.Second
	DefaultFlush       = time.Second
	DefaultPatience    = 5 * time.Second

	minQueueBytes = 2 << 20 // room for one frame of any size
)

// A Config says where a host is and what it allows. It must not be changed after [Open].
type Config struct {
	// Dir is the directory that the processes share. It is made if it is not there. It is required.
	Dir string
	// BusyTimeout is how long a call of the storage waits for other processes, 1 ms to 1 min, and at most twice that if they open or close
	// the storage meanwhile. 0: [DefaultBusyTimeout].
	BusyTimeout time.Duration
	// MaxBytes is how large the storage may grow, its log left aside. 0: [DefaultMaxBytes].
	MaxBytes int64
	// Queue is how many frames wait for one other process. 0: [DefaultQueue].
	Queue int
	// QueueBytes is how many octets of frames do, at least 2 MiB. 0: [DefaultQueueBytes].
	QueueBytes int
	// MaxPeers is with how many others one bus talks: it dials no more and accepts no more. 0: [DefaultMaxPeers].
	MaxPeers int
	// Rescan is how often a bus looks for others, and for those that have gone, without a reason to. 0: [DefaultRescan].
	Rescan time.Duration
	// Flush is how long what was posted before a bus left may take to leave. 0: [DefaultFlush].
	Flush time.Duration
	// Patience is how long another process may take to say who it is, and to end a frame that it has begun. 0: [DefaultPatience].
	Patience time.Duration
	// Fault is told of what fails outside any call, from any goroutine and within calls of a bus: it must return at once and must not
	// call one. Nil: nobody is.
	Fault func(error)
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *Config) Validate() error {
	negative := func(d time.Duration) bool { return d < 0 }
	switch {
	case c.Dir == "":
		return &ConfigError{"Dir", "is missing"}
	case c.BusyTimeout != 0 && (c.BusyTimeout < time.Millisecond || c.BusyTimeout > time.Minute):
		return &ConfigError{"BusyTimeout", fmt.Sprintf("is not 0 and not 1ms to 1m0s (%v)", c.BusyTimeout)}
	case c.MaxBytes < 0:
		return &ConfigError{"MaxBytes", fmt.Sprintf("is %d", c.MaxBytes)}
	case c.Queue < 0:
		return &ConfigError{"Queue", fmt.Sprintf("is %d", c.Queue)}
	case c.QueueBytes != 0 && c.QueueBytes < minQueueBytes:
		return &ConfigError{"QueueBytes", fmt.Sprintf("is not 0 and less than %d (%d)", minQueueBytes, c.QueueBytes)}
	case c.MaxPeers < 0:
		return &ConfigError{"MaxPeers", fmt.Sprintf("is %d", c.MaxPeers)}
	case negative(c.Rescan):
		return &ConfigError{"Rescan", fmt.Sprintf("is %v", c.Rescan)}
	case negative(c.Flush):
		return &ConfigError{"Flush", fmt.Sprintf("is %v", c.Flush)}
	case negative(c.Patience):
		return &ConfigError{"Patience", fmt.Sprintf("is %v", c.Patience)}
	}
	return nil
}

// normal returns c with its defaults filled in.
func (c Config) normal() Config {
	or := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	or(&c.BusyTimeout, DefaultBusyTimeout)
	or(&c.Rescan, DefaultRescan)
	or(&c.Flush, DefaultFlush)
	or(&c.Patience, DefaultPatience)
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Queue == 0 {
		c.Queue = DefaultQueue
	}
	if c.QueueBytes == 0 {
		c.QueueBytes = DefaultQueueBytes
	}
	if c.MaxPeers == 0 {
		c.MaxPeers = DefaultMaxPeers
	}
	if c.Fault == nil {
		c.Fault = func(error) {}
	}
	return c
}
