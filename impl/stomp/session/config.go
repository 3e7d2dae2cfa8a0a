package session

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Profile says which versions a session may offer.
type Profile uint8

const (
	// Strict offers 1.2 and nothing else (STOMP-NEGOTIATE-007).
	Strict Profile = iota
	// MultiVersion offers any of 1.0, 1.1 and 1.2, in increasing order (STOMP-NEGOTIATE-008).
	MultiVersion
)

// String returns "strict" or "multi-version".
func (p Profile) String() string {
	switch p {
	case Strict:
		return "strict"
	case MultiVersion:
		return "multi-version"
	}
	return "unknown"
}

// Config configures a Session. The zero value is a strict 1.2 session with DefaultLimits.
type Config struct {
	// Profile says which versions may be offered. The zero value is Strict.
	Profile Profile
	// Limits bounds the records. The zero value means DefaultLimits; in any other every field counts as it stands.
	Limits Limits
	// Tolerance is how many milliseconds beyond the negotiated interval the peer may be silent, at most
	// [heartbeat.MaxInterval]. 0 means [heartbeat.DefaultTolerance].
	Tolerance int64
}

// Limits bounds what a session records, each kind by itself (STOMP-LIMIT-018). Every field is at least 1.
type Limits struct {
	// Subscriptions is the largest number of subscriptions, those that await the receipt of their UNSUBSCRIBE included
	// (STOMP-LIMIT-014).
	Subscriptions int
	// Transactions is the largest number of open transactions (STOMP-LIMIT-015).
	Transactions int
	// Receipts is the largest number of receipts asked for and not arrived, that of DISCONNECT included
	// (STOMP-LIMIT-016).
	Receipts int
	// Deliveries is the largest number of messages that await an ACK or NACK, over all subscriptions, those staged in a
	// transaction included (STOMP-LIMIT-017).
	Deliveries int
}

// DefaultLimits returns 256 subscriptions, transactions and receipts and 1024 deliveries.
func DefaultLimits() Limits {
	// STOMP-LIMIT-014, STOMP-LIMIT-015, STOMP-LIMIT-016, STOMP-LIMIT-017
	return Limits{Subscriptions: 256, Transactions: 256, Receipts: 256, Deliveries: 1024}
}

// Validate returns a [*ConfigError] that names the first field out of range, or nil.
func (c Config) Validate() error {
	if c.Profile > MultiVersion {
		return &ConfigError{Field: "Profile", Min: 0, Max: int64(MultiVersion), Found: int64(c.Profile)}
	}
	// STOMP-LIMIT-018
	if c.Limits != (Limits{}) {
		for _, f := range [...]struct {
			name  string
			found int
		}{
			{"Limits.Subscriptions", c.Limits.Subscriptions},
			{"Limits.Transactions", c.Limits.Transactions},
			{"Limits.Receipts", c.Limits.Receipts},
			{"Limits.Deliveries", c.Limits.Deliveries},
		} {
			if f.found < 1 {
				return &ConfigError{Field: f.name, Min: 1, Max: 1<<63 - 1, Found: int64(f.found)}
			}
		}
	}
	// STOMP-HEARTBEAT-012
	if c.Tolerance < 0 || c.Tolerance > heartbeat.MaxInterval {
		return &ConfigError{Field: "Tolerance", Min: 0, Max: heartbeat.MaxInterval, Found: c.Tolerance}
	}
	return nil
}

// ConfigError is a field of a Config out of range.
type ConfigError struct {
	Field    string // such as "Limits.Receipts"
	Min, Max int64
	Found    int64
}

// Error returns a one line description.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("stomp session: config: %s is %d, not in %d to %d", e.Field, e.Found, e.Min, e.Max)
}
