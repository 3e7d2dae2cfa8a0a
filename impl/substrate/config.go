package substrate

import (
	"errors"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Config is what [Dial] and [NewListener] work with. It must not be changed after either.
type Config struct {
	// ID is the id of this side: 1 to 64 characters of a-z, 0-9, ".", "_" and "-". It is required.
	ID string
	// Remote is, for Dial, the id that the other side must have (SUBSTRATE-RECONNECT-006). Empty: Dial waits for the first
	// connection, and whoever answers it is bound.
	Remote string
	// Auth is [handshake.HMAC] or, deliberately, [handshake.None]. It is required (SUBSTRATE-AUTH-001).
	Auth handshake.Auth
	// Authorize is asked about each inbound operation. It is required; [engine.AllowAll] asks nothing (SUBSTRATE-AUTHZ-001).
	Authorize engine.Interceptor

	// Where durable state lives. The first of these four that is there counts, the others are not touched. Without any it is in
	// memory and not durable: after a restart nothing is known any more, and exactly-once is not claimed across one
	// (SUBSTRATE-STORE-003).

	// StorageFor returns the store of a peer. It is never closed (SUBSTRATE-STORE-002).
	StorageFor func(peer string) (store.Store, error)
	// Storage is the store of all peers. It is never closed.
	Storage store.Store
	// DBPathFor returns the path of the SQLite file of a peer, which is opened and closed here. Peers may share one.
	DBPathFor func(peer string) (string, error)
	// DBPath is the path of the SQLite file of all peers, which is opened and closed here.
	DBPath string

	// Journal keeps, for Dial, the outbox of a side whose inbox need not last: what a browser has. It goes with none of the four
	// above and is never closed. AcceptQueue does not work with it (SUBSTRATE-JOURNAL-007).
	Journal *journal.Journal
	// Feeds says, for Dial, that the other side is an edge that feeds from streams, which are resumed on every connection
	// (SUBSTRATE-FEED-007).
	Feeds bool
	// Relay makes a listener an edge that keeps nothing itself (SUBSTRATE-RELAY-001). It goes with no storage.
	Relay *Relay

	// Handler is who gets what the peers send. A nil function refuses what it would get.
	Handler Handler
	// Observe is told what happens. The zero value observes nothing.
	Observe observe.Bag
	// Limits bound what is held for each peer. A zero field means its default.
	Limits engine.Limits
	// MaxPeers is how many peers a listener holds. 0: 4096. What one more peer sends is refused until one is released.
	MaxPeers int

	// Client and Header are for the requests of Dial. A nil Client is http.DefaultClient.
	Client *http.Client
	Header http.Header
	// Backoff returns, for Dial, how long to wait before an attempt, from 0 to most. Nil: a uniformly random duration
	// (SUBSTRATE-RECONNECT-007).
	Backoff func(most time.Duration) time.Duration
	// Origins are patterns of the hosts whose pages may connect to a listener, besides its own.
	Origins []string
}

// A Relay is what is behind an edge.
type Relay struct {
	// Sink gets what browsers send. It is required, and must know an op again for a week (SUBSTRATE-RELAY-007).
	Sink relay.Sink
	// Feed has what browsers are to see. Nil: nothing.
	Feed relay.Feed
}

// defaultMaxPeers bounds a listener that anybody may come to under any name.
const defaultMaxPeers = 4096

// A ConfigError is a field of a [Config] that cannot be used, and what to do about it.
type ConfigError struct {
	Field, Problem, Remedy string
	Err                    error // of a part, if that is why
}

// Error returns a one line description.
func (e *ConfigError) Error() string {
	text := "substrate: config: " + e.Field + " " + e.Problem
	if e.Remedy != "" {
		text += ": " + e.Remedy
	}
	return text
}

// Unwrap returns what a part said.
func (e *ConfigError) Unwrap() error { return e.Err }

// Validate returns a [*ConfigError] that names the first field that cannot be used, or nil. Dial and NewListener call it before there is
// any socket or file.
func (c *Config) Validate() error {
	if c.Auth == nil {
		// SUBSTRATE-AUTH-001
		return &ConfigError{Field: "Auth", Problem: "is missing", Remedy: "give handshake.HMAC(keys), or handshake.None() to believe what a peer claims to be"}
	}
	if c.Authorize == nil {
		// SUBSTRATE-AUTHZ-001
		return &ConfigError{Field: "Authorize", Problem: "is missing", Remedy: "give engine.ScopeAuthorizer or an interceptor of your own, or engine.AllowAll to allow everything"}
	}
	if err := c.validateHandshake(); err != nil {
		return err
	}
	if err := c.validateForm(); err != nil {
		return err
	}
	if c.MaxPeers < 0 {
		return &ConfigError{Field: "MaxPeers", Problem: "is negative", Remedy: "0 stands for 4096"}
	}
	var part *engine.ConfigError
	if err := c.Limits.Validate(); errors.As(err, &part) {
		return &ConfigError{Field: part.Field, Problem: part.Problem, Remedy: "0 stands for the default", Err: err}
	}
	return nil
}

func (c *Config) validateHandshake() error {
	for _, id := range []struct{ field, value string }{{"ID", c.ID}, {"Remote", c.Remote}} {
		if id.field == "Remote" && id.value == "" {
			continue
		}
		var part *handshake.ConfigError
		err := handshake.Config{Peer: id.value, Epoch: [8]byte{1}, Auth: c.Auth, Unauthenticated: func() {}}.Validate()
		if !errors.As(err, &part) {
			continue
		}
		if part.Field == "Peer" {
			return &ConfigError{Field: id.field, Problem: part.What, Remedy: "choose another id", Err: err}
		}
		return &ConfigError{Field: part.Field, Problem: part.What, Remedy: "use what handshake.HMAC or handshake.None returns", Err: err}
	}
	if c.ID == c.Remote {
		return &ConfigError{Field: "Remote", Problem: "is ID", Remedy: "two peers have two ids"}
	}
	return nil
}

// validateForm looks at what does not go together.
func (c *Config) validateForm() error {
	stored := c.StorageFor != nil || c.Storage != nil || c.DBPathFor != nil || c.DBPath != ""
	switch {
	case c.Journal != nil && stored:
		return &ConfigError{Field: "Journal", Problem: "is given besides a storage", Remedy: "leave one of them out"}
	case c.Relay == nil:
		return nil
	case c.Relay.Sink == nil:
		return &ConfigError{Field: "Relay.Sink", Problem: "is missing", Remedy: "give a sink, such as natsstream.NewSink"}
	case stored || c.Journal != nil || c.Feeds:
		return &ConfigError{Field: "Relay", Problem: "is given besides a storage, a journal or feeds", Remedy: "an edge keeps nothing: leave the others out"}
	}
	if err := relay.Check(c.Relay.Sink); err != nil {
		// SUBSTRATE-RELAY-007
		return &ConfigError{Field: "Relay.Sink", Problem: "forgets too soon", Remedy: err.Error(), Err: err}
	}
	return nil
}

// handshake returns what this side brings to a handshake.
func (c *Config) handshake(epoch [8]byte) handshake.Config {
	return handshake.Config{
		Peer: c.ID, Epoch: epoch, Auth: c.Auth,
		Unauthenticated: func() {
			// SUBSTRATE-AUTH-001
			c.Observe.Log(observe.Warn, "auth is none: whoever connects is believed", observe.Fields{})
		},
	}
}
