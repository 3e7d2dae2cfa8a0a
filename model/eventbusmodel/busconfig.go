package eventbusmodel

import "fmt"

// Defaults and bounds of a bus.
const (
	DefaultRingSize       = 8000      // EVENTBUS-RING-001
	DefaultMaxSubscribers = 64        // EVENTBUS-LIMIT-001
	DefaultMaxQueued      = 256       // EVENTBUS-SUBSCRIBE-004
	DefaultMaxQueuedBytes = 2 << 20   // EVENTBUS-SUBSCRIBE-005
	DefaultReplayBudget   = 8 << 20   // EVENTBUS-REPLAY-010
	MaxRingSize           = 1_000_000 // EVENTBUS-RING-005
	maxSafeInteger        = 1<<53 - 1 // EVENTBUS-ID-001, EVENTBUS-HTTP-003
	maxSlots              = 1<<16 - 1 // so that a slot fits the key
)

// A BusConfig fixes the dialect, the limits and the scope of a bus. Its zero value is a seed bus with the default limits and an empty scope; use one of
// [BusScopes] for exploration.
type BusConfig struct {
	Dialect           Dialect
	RingSize          int   // events; 0: DefaultRingSize
	MaxSubscribers    int   // 0: DefaultMaxSubscribers
	MaxQueuedBytes    int64 // live octets for each subscriber; 0: DefaultMaxQueuedBytes
	ReplayBudgetBytes int64 // octets of a replay; 0: DefaultReplayBudget
	// Slots is how many subscriptions can be told apart; a subscription that is over may be replaced. 0: MaxSubscribers+1.
	Slots int
	// Asks is how many calls of next may be pending on one subscription; 0: 1. More than one is outside the contract of a bus (EVENTBUS-CONCURRENCY-001).
	Asks int
	// Events is how many ids may be assigned, for exploration; 0: no bound. A publish beyond it is impossible.
	Events int64
	// Scope holds the actions that Actions offers in every state.
	Scope []BusAction
}

// Validate reports the first field that is out of range. EVENTBUS-SUBSCRIBE-005, EVENTBUS-REPLAY-010: byte limits are safe integers of at least 1.
func (c BusConfig) Validate() error {
	if c.Dialect != Seed && c.Dialect != Later {
		return fmt.Errorf("eventbusmodel: config: Dialect is %d, want 0 or 1", c.Dialect)
	}
	for _, f := range []struct {
		name     string
		n, limit int64
	}{
		{"RingSize", int64(c.RingSize), MaxRingSize},
		{"MaxSubscribers", int64(c.MaxSubscribers), maxSlots - 1},
		{"MaxQueuedBytes", c.MaxQueuedBytes, maxSafeInteger},
		{"ReplayBudgetBytes", c.ReplayBudgetBytes, maxSafeInteger},
		{"Slots", int64(c.Slots), maxSlots},
		{"Asks", int64(c.Asks), maxSlots},
		{"Events", c.Events, maxSafeInteger},
	} {
		if f.n < 0 || f.n > f.limit {
			return fmt.Errorf("eventbusmodel: config: %s is %d, want 1 to %d, or 0 for the default", f.name, f.n, f.limit)
		}
	}
	for i, a := range c.Scope {
		if !a.Op.known() {
			return fmt.Errorf("eventbusmodel: config: Scope[%d].Op is %q, which is no operation", i, a.Op)
		}
	}
	return nil
}

func (c BusConfig) withDefaults() BusConfig {
	set := func(n *int, value int) {
		if *n == 0 {
			*n = value
		}
	}
	set(&c.RingSize, DefaultRingSize)
	set(&c.MaxSubscribers, DefaultMaxSubscribers)
	set(&c.Slots, c.MaxSubscribers+1)
	set(&c.Asks, 1)
	if c.MaxQueuedBytes == 0 {
		c.MaxQueuedBytes = DefaultMaxQueuedBytes
	}
	if c.ReplayBudgetBytes == 0 {
		c.ReplayBudgetBytes = DefaultReplayBudget
	}
	return c
}

// A Bus is the machine of one event bus: a model.Machine over [BusState], [BusAction] and [BusOutput]. The laws leave it no choice, so each action has
// one outcome.
type Bus struct {
	cfg BusConfig
	bug busBug
}

// NewBus returns the machine for cfg, or the error of cfg.Validate.
func NewBus(cfg BusConfig) (*Bus, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Bus{cfg: cfg.withDefaults()}, nil
}

// Config returns the configuration with its defaults filled in.
func (m *Bus) Config() BusConfig { return m.cfg }
