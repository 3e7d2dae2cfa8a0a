package databus

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A Config says what a bus is and what it works with. It must not be changed after [New].
type Config struct {
	// Transport is the connection to the server. It is required, and of this bus alone.
	Transport   Transport
	Environment Environment
	Rules       cluster.Rules
	// ClusterKey and Prefix name the cluster; buses with other ones do not see each other (DATABUS-KEY-004).
	ClusterKey, Prefix string
	// Page is the page that the bus is in. Nil: one of its own.
	Page *Page
	// TabID and WorkerID are for tests. Empty: the id of the page, and that with a random suffix (DATABUS-IDENTITY-001).
	TabID, WorkerID string
	// Heartbeat and TTL are in milliseconds. 0: 3000 and 10000.
	Heartbeat, TTL int64
	// MaxActive is how many workers are eligible for new routes. 0: 3.
	MaxActive int
	// Visibility is that of the page at first. Empty: visible.
	Visibility record.Visibility
	// AutoStart starts the bus when it is made and, if that fails, at the next subscribe, publish or ready (DATABUS-LIFECYCLE-002).
	AutoStart bool
	Trace     Trace
}

// Validate returns an error that names the field of c that is out of range, or nil: a [*ConfigError], or one of package cluster.
func (c *Config) Validate() error {
	switch {
	case c.Transport == nil:
		return &ConfigError{"Transport", "is missing"}
	case c.Trace.Interval < 0:
		// DATABUS-TRACE-002
		return &ConfigError{"Trace.Interval", fmt.Sprintf("is %d ms", c.Trace.Interval)}
	case c.Trace.Enabled && c.Trace.Sink == nil:
		return &ConfigError{"Trace.Sink", "is missing"}
	}
	return nil
}
