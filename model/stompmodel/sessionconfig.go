package stompmodel

import "fmt"

// SessionLimits are the capacities of a client session; each is at least 1.
type SessionLimits struct {
	Subscriptions int // STOMP-LIMIT-014
	Transactions  int // STOMP-LIMIT-015
	Receipts      int // STOMP-LIMIT-016
	Deliveries    int // STOMP-LIMIT-017
}

// DefaultSessionLimits returns the limits that the laws give by default: 256, 256, 256 and 1024.
func DefaultSessionLimits() SessionLimits { return SessionLimits{256, 256, 256, 1024} }

// SmallSessionLimits returns limits that a small scope reaches: 2, 2, 2 and 3.
func SmallSessionLimits() SessionLimits { return SessionLimits{2, 2, 2, 3} }

// The outbound limits of STOMP-LIMIT-009, STOMP-LIMIT-010 and STOMP-LIMIT-011.
const (
	maxSentPair    = 2047
	maxSentHeaders = 128
	maxSentBody    = 1 << 20
)

// SessionConfig fixes the profile, the limits and the scope of a client session. Its zero value is meant for exploration.
type SessionConfig struct {
	// MultiVersion is the profile of STOMP-NEGOTIATE-008; otherwise that of STOMP-NEGOTIATE-007, 1.2 only.
	MultiVersion bool
	// Limits are the capacities; the zero value means SmallSessionLimits.
	Limits SessionLimits
	// Tolerance is how many milliseconds beyond its interval the peer has, 0 to 2147483647; 0 means 100.
	Tolerance int64
	// Scope holds the actions that Actions offers in every state. In it, Now is how much later than the last accepted time the action happens, and
	// may be negative. Nil means that of the first of [SessionScopes] in 1.2.
	Scope []SessionAction
}

// Validate reports the first field that is out of range.
func (c SessionConfig) Validate() error {
	if c.Limits != (SessionLimits{}) {
		// STOMP-LIMIT-018
		for _, l := range []struct {
			name string
			n    int
		}{
			{"Subscriptions", c.Limits.Subscriptions},
			{"Transactions", c.Limits.Transactions},
			{"Receipts", c.Limits.Receipts},
			{"Deliveries", c.Limits.Deliveries},
		} {
			if l.n < 1 {
				return fmt.Errorf("stompmodel: config: Limits.%s is %d, want at least 1", l.name, l.n)
			}
		}
	}
	// STOMP-HEARTBEAT-012
	if c.Tolerance < 0 || c.Tolerance > maxDeclared {
		return fmt.Errorf("stompmodel: config: Tolerance is %d, want 0 to %d", c.Tolerance, maxDeclared)
	}
	for i, a := range c.Scope {
		if !a.Op.known() {
			return fmt.Errorf("stompmodel: config: Scope[%d].Op is %q, which is no operation", i, a.Op)
		}
	}
	return nil
}

// A Session is the machine of one client connection: a model.Machine over [SessionState], [SessionAction] and [SessionOutput]. Each action is one call
// of the client session, or what the environment does to it; the laws leave it no choice, so each has one outcome.
//
// What the server sends comes by one of two entrances: [SessionDeliver] takes frames as values, for exploration, and [SessionReceive] takes
// octets, which the codec machine reads. Both may be mixed as long as the octets stop between two frames.
type Session struct {
	cfg   SessionConfig
	codec Codec
	bug   sessionBug
}

// NewSession returns the machine for cfg, or the error of cfg.Validate.
func NewSession(cfg SessionConfig) (*Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Limits == (SessionLimits{}) {
		cfg.Limits = SmallSessionLimits()
	}
	if cfg.Tolerance == 0 {
		cfg.Tolerance = 100
	}
	if cfg.Scope == nil {
		cfg.Scope = smallSessionScope()
	}
	// STOMP-LIMIT-008: always the default limits.
	codec, err := NewCodec(DefaultCodecConfig(V12))
	if err != nil {
		return nil, err
	}
	return &Session{cfg: cfg, codec: codec}, nil
}
