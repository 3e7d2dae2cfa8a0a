package engine

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Config says whom an engine speaks for and to, and what it works with. It must not be changed after [New].
type Config struct {
	// Local and Remote are the authenticated ids of the two peers. They differ, and neither is empty.
	Local, Remote string
	// Store keeps what outlives the process, under the id of Remote (SUBSTRATE-STORE-001, SUBSTRATE-STORE-005, SUBSTRATE-STORE-006). Nil: memory. It
	// is not closed. With Relay it is not used.
	Store store.Store
	// Authorize is asked about each inbound operation. It is required; [AllowAll] asks nothing (SUBSTRATE-AUTHZ-001).
	Authorize Interceptor
	// Rand is where ids and receipts come from. Nil: crypto/rand. An engine panics when it fails.
	Rand io.Reader
	// Observe is told what happens. The zero value observes nothing.
	Observe observe.Bag
	// Limits bound what is held. A zero field means its default.
	Limits Limits
	// Jitter lengthens a delay before a retransmission. Nil: it does not, as under a virtual clock (SUBSTRATE-OUTBOX-005).
	Jitter func(time.Duration) time.Duration
	// Relay makes the engine an edge in front of a sink: it keeps nothing itself (SUBSTRATE-RELAY-001). Nil: it is no edge, and nothing of
	// that form has any effect (SUBSTRATE-RELAY-009).
	Relay *Relay
	// Feeds says that the other side is an edge, and that what comes from it are feeds of streams (SUBSTRATE-FEED-001).
	Feeds bool
	// Journal says that the store is one of a browser: it keeps no inbox for the host (SUBSTRATE-JOURNAL-007).
	Journal bool
}

// A Relay says what the sink behind an edge promises.
type Relay struct {
	// Remembers is how long the sink knows an id again. It must not be less than [store.Horizon] (SUBSTRATE-RELAY-007).
	Remembers time.Duration
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *Config) Validate() error {
	switch {
	case c.Local == "":
		return &ConfigError{"Local", "is empty"}
	case c.Remote == "":
		return &ConfigError{"Remote", "is empty"}
	case c.Local == c.Remote:
		return &ConfigError{"Remote", "is Local"}
	case c.Authorize == nil:
		// SUBSTRATE-AUTHZ-001
		return &ConfigError{"Authorize", "is missing; AllowAll must be asked for"}
	case c.Relay != nil && c.Relay.Remembers < store.Horizon:
		// SUBSTRATE-RELAY-007
		return &ConfigError{"Relay.Remembers", "is " + c.Relay.Remembers.String() + ", which is less than " + store.Horizon.String()}
	case c.Relay != nil && c.Feeds:
		return &ConfigError{"Feeds", "is set besides Relay"}
	}
	return c.Limits.Validate()
}

// normal returns c with its defaults filled in.
func (c Config) normal() Config {
	if c.Store == nil && c.Relay == nil {
		c.Store = store.NewMemory()
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Jitter == nil {
		c.Jitter = func(d time.Duration) time.Duration { return d }
	}
	c.Limits = c.Limits.normal()
	return c
}

// A Conn is a connection that has become ready.
type Conn struct {
	ID    string  // connId, new for every connection (SUBSTRATE-HANDSHAKE-003)
	Epoch [8]byte // of the outbox of the other side, as its hello said (SUBSTRATE-SEQ-011)
}
