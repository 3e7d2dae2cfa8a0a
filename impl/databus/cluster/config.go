package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/databus/owner"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// Defaults of [Config], in milliseconds.
const (
	DefaultHeartbeat = 3000
	DefaultTTL       = 10000
)

// A Channel carries frames to the other tabs of the cluster, and never back to its own.
type Channel interface {
	Post(f signal.Frame) error
	Close()
}

// A Clock is the time of a tab, in milliseconds.
type Clock interface {
	Now() int64
	// After calls f once after ms, Every each ms, both until stopped.
	After(ms int64, f func()) (stop func())
	Every(ms int64, f func()) (stop func())
}

// A Config says who a cluster is and what it works with. It must not be changed after [New].
type Config struct {
	Rules Rules
	// ClusterKey and Prefix name the cluster. An empty Prefix means [record.DefaultPrefix].
	ClusterKey, Prefix string
	// TabID outlives a reload, WorkerID does not (DATABUS-IDENTITY-001). Both are required.
	TabID, WorkerID string
	// Heartbeat is the time between two heartbeats and TTL the age at which a worker is dead, in milliseconds. 0: the defaults. A TTL of less
	// than two heartbeats kills live workers (DATABUS-TTL-003).
	Heartbeat, TTL int64
	// MaxActive is how many workers are eligible for new routes. 0: 3 (DATABUS-OWNER-002).
	MaxActive int
	// Visibility is that of the page at first. Empty: visible.
	Visibility record.Visibility
	// Storage is shared with the other tabs. Nil: local mode (DATABUS-DEGRADE-001).
	Storage writer.Storage
	// Open opens the channel of this name, at each activation anew. Nil, or an error: local mode.
	Open func(name string) (Channel, error)
	// Clock is required.
	Clock Clock
	// Defer runs a function once after the task that is going on. It is required.
	Defer func(func())

	// OnAssign asks the transport to subscribe a topic. It may be called again for a topic that is assigned (DATABUS-SUBSCRIBE-005). Nil:
	// nothing.
	OnAssign func(topic string)
	// OnRelease asks the transport to unsubscribe a topic that was assigned. Nil: nothing.
	OnRelease func(topic string)
	// OnPublish asks the transport to publish. Nil: nothing.
	OnPublish func(topic string, data json.RawMessage)
	// OnEvent is told of an event of another tab. Nil: nothing.
	OnEvent func(e signal.Event)
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *Config) Validate() error {
	switch {
	case !isID(c.TabID):
		return &ConfigError{"TabID", badID(c.TabID)}
	case !isID(c.WorkerID):
		return &ConfigError{"WorkerID", badID(c.WorkerID)}
	case strings.Contains(c.Prefix, "\x00") || len(c.Prefix) > record.MaxID:
		return &ConfigError{"Prefix", fmt.Sprintf("holds a NUL or has more than %d octets (%d)", record.MaxID, len(c.Prefix))}
	case c.Heartbeat < 0:
		return &ConfigError{"Heartbeat", fmt.Sprintf("is %d ms", c.Heartbeat)}
	case c.TTL < 0:
		return &ConfigError{"TTL", fmt.Sprintf("is %d ms", c.TTL)}
	case c.MaxActive < 0:
		return &ConfigError{"MaxActive", fmt.Sprintf("is %d", c.MaxActive)}
	case c.Visibility != "" && c.Visibility != record.Visible && c.Visibility != record.Hidden:
		return &ConfigError{"Visibility", "is unknown"}
	case c.Clock == nil:
		return &ConfigError{"Clock", "is missing"}
	case c.Defer == nil:
		return &ConfigError{"Defer", "is missing"}
	}
	return c.Rules.Validate()
}

// Validate returns a [*ConfigError] that names the rule that is out of range, or nil.
func (r *Rules) Validate() error {
	switch {
	case r.Release > ReleaseInverted:
		return &ConfigError{"Rules.Release", "is unknown"}
	case r.Gone > GoneNever:
		return &ConfigError{"Rules.Gone", "is unknown"}
	case r.Guard > writer.Every:
		return &ConfigError{"Rules.Guard", "is unknown"}
	case r.DropAfter < 0:
		return &ConfigError{"Rules.DropAfter", "is negative"}
	}
	return nil
}

func isID(id string) bool { return id != "" && len(id) <= record.MaxID && utf8.ValidString(id) }

// badID returns what is wrong with an id that is none.
func badID(id string) string {
	return fmt.Sprintf("is empty, of more than %d octets (%d) or no UTF-8", record.MaxID, len(id))
}

// normal returns c with its defaults filled in.
func (c Config) normal() Config {
	if c.Heartbeat == 0 {
		c.Heartbeat = DefaultHeartbeat
	}
	if c.TTL == 0 {
		c.TTL = DefaultTTL
	}
	if c.MaxActive == 0 {
		c.MaxActive = owner.DefaultMaxActive
	}
	if c.Visibility == "" {
		c.Visibility = record.Visible
	}
	if c.OnAssign == nil {
		c.OnAssign = func(string) {}
	}
	if c.OnRelease == nil {
		c.OnRelease = func(string) {}
	}
	if c.OnPublish == nil {
		c.OnPublish = func(string, json.RawMessage) {}
	}
	if c.OnEvent == nil {
		c.OnEvent = func(signal.Event) {}
	}
	return c
}
