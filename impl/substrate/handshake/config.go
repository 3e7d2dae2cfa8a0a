package handshake

import (
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// Config is what one side brings to a handshake. It may be used for any number of connections and must not be changed meanwhile.
type Config struct {
	// Peer is the id of this side: 1 to 64 characters of a-z, 0-9, ".", "_" and "-" (SUBSTRATE-HANDSHAKE-005).
	Peer string
	// Epoch is that of the outbox of this side, from its store; all zero is no epoch (SUBSTRATE-SEQ-011).
	Epoch [8]byte
	// Auth is None or HMAC; nil is refused (SUBSTRATE-AUTH-001).
	Auth Auth
	// Unauthenticated is called once for each machine that is made with None, and is where the warning is logged. With None it must not be
	// nil; with HMAC it is not called (SUBSTRATE-AUTH-001).
	Unauthenticated func()
	// Features are tokens that this side offers besides the one for the scope of dedupe, which is always offered
	// (SUBSTRATE-HANDSHAKE-006, SUBSTRATE-HANDSHAKE-007).
	Features []string
	// Seal and Sign are the suites for the slots e2eSeal and e2eSign. Empty means PlainSuites.
	Seal, Sign Registry
	// Rand is where nonces and challenges come from. Nil means crypto/rand.
	Rand io.Reader
}

// Validate returns a [*ConfigError] that names the first field that cannot be used, or nil.
func (c Config) Validate() error {
	if !validPeer(c.Peer) {
		return &ConfigError{"Peer", fmt.Sprintf("is not 1 to %d characters of [a-z0-9._-]: %q", MaxPeer, c.Peer)}
	}
	if c.Epoch == [8]byte{} {
		return &ConfigError{"Epoch", "is all zero"}
	}
	// SUBSTRATE-AUTH-001
	switch auth := c.Auth.(type) {
	case noAuth:
		if c.Unauthenticated == nil {
			return &ConfigError{"Unauthenticated", "is nil, and None must not go unnoticed"}
		}
	case hmacAuth:
		if auth.keys == nil {
			return &ConfigError{"Auth", "is HMAC without keys"}
		}
	case nil:
		return &ConfigError{"Auth", "is nil: choose HMAC or, deliberately, None"}
	default:
		// A type that embeds one of the two is neither.
		return &ConfigError{"Auth", fmt.Sprintf("is a %T: there are only HMAC and None", auth)}
	}
	for i, token := range c.Features {
		switch {
		case token == "" || !utf8.ValidString(token):
			return &ConfigError{"Features", fmt.Sprintf("has %q", token)}
		case strings.HasPrefix(token, scopePrefix):
			return &ConfigError{"Features", fmt.Sprintf("has %q, which is offered anyway or not at all", token)}
		case slices.Contains(c.Features[:i], token):
			return &ConfigError{"Features", fmt.Sprintf("has %q twice", token)}
		}
	}
	for _, r := range [...]struct {
		field    string
		registry Registry
	}{{"Seal", c.Seal}, {"Sign", c.Sign}} {
		if what := r.registry.fault(); what != "" {
			return &ConfigError{r.field, what}
		}
	}
	return nil
}

// filled returns c with its defaults in place.
func (c Config) filled() Config {
	if len(c.Seal) == 0 {
		c.Seal = PlainSuites()
	}
	if len(c.Sign) == 0 {
		c.Sign = PlainSuites()
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	return c
}

// offer returns what this side offers.
func (c Config) offer() offer {
	features := append([]string{scopePrefix + scopePeer}, c.Features...)
	slices.Sort(features)
	return offer{
		versions: []uint64{wire.Version},
		features: features,
		// SUBSTRATE-AUTH-002, SUBSTRATE-E2E-001
		slots: slots[[]string]{
			Auth: []string{c.Auth.Name()}, Codec: []string{codecCBOR}, E2ESeal: c.Seal.names(), E2ESign: c.Sign.names(),
		},
	}
}

// validPeer reports whether s is an address without a slash that is short enough (SUBSTRATE-HANDSHAKE-005).
func validPeer(s string) bool {
	return len(s) <= MaxPeer && !strings.Contains(s, "/") && wire.ValidAddress(s) == nil
}

// A ConfigError is a field of a Config that cannot be used.
type ConfigError struct {
	Field string
	What  string
}

// Error returns a one line description.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("substrate handshake: config: %s %s", e.Field, e.What)
}
