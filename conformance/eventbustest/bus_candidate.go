package eventbustest

import (
	"context"
	"errors"
	"time"
)

// A Factory makes buses to be judged. It is called once for each bus that a case makes, and once more for each dialect
// to see what the bus can do. An error that is [ErrDialect] says that the implementation does not speak the
// dialect; an [*ArgumentError] that it refuses a setting; any other error is taken for a fault of the factory.
type Factory func(Settings) (Bus, error)

// Settings are how a bus is to be made. Zero numbers stand for the implementation's defaults.
type Settings struct {
	Dialect           string // "seed" or "later"
	RingSize          int    // events
	MaxSubscribers    int
	MaxQueuedBytes    int64 // octets of live frames, for each subscriber
	ReplayBudgetBytes int64 // octets; dialect later
	// Now is the wall clock that stamps events. A bus that uses another cannot be judged by it.
	Now func() time.Time
	// Diagnose takes one line of what the bus would write to a side channel. It may be called from any goroutine.
	Diagnose func(line string)
}

// A Bus is an event bus in Go, as [TestBus] asks for it. A frame or event that it gives out is any value that
// encoding/json encodes as the envelope: a struct with tags, a json.Marshaler, or a json.RawMessage. It is encoded
// later, when a reply is written, and must not change until then. Methods are called one at a time, but Next of
// a Subscription may be waiting meanwhile.
type Bus interface {
	// Publish publishes an event and returns it as stored; ok is false when the bus is closed or refuses it. A panic
	// counts as thrown (EVENTBUS-PUBLISH-003).
	Publish(Event) (frame any, ok bool)
	// Subscribe returns a subscription, a *LimitError or an *ArgumentError. On a closed bus the subscription is at its end.
	Subscribe(SubscribeOptions) (Subscription, error)
	Close()
	LastEventID() int64
	SubscriberCount() int
}

// A Seeder is a Bus that can seed history (EVENTBUS-RING-006).
type Seeder interface {
	Seed([]Event) []any
}

// An Epocher is a Bus with an epoch token (EVENTBUS-ID-007). A bus of the dialect seed, which has none, returns an
// empty one.
type Epocher interface {
	Epoch() string
}

// A Subscription is one consumer's side of a Bus.
type Subscription interface {
	// Next returns the next item, waiting for it, or io.EOF at the end of the stream, for ever. When ctx ends it returns and
	// loses nothing.
	Next(ctx context.Context) (frame any, err error)
	// Waiting reports whether a Next is waiting: nothing is buffered for it, and the next event will be handed to it. It is
	// false as soon as the event has been handed over or the stream has ended, before Next has returned.
	Waiting() bool
	// Return ends the iteration from the consumer's side, as leaving a loop does.
	Return()
	// Abort fires the subscription's abort signal and comes back when that has taken effect. After an eviction or the end of the
	// bus nothing listens to the signal any more, and Abort does nothing.
	Abort()
}

// An Event is what is published.
type Event struct {
	Type string
	// Data is a json.RawMessage, nil for no data at all, or a value whose encoding fails or is counted: give it to
	// encoding/json when, and only when, the bus needs the text.
	Data       any
	Originator string         // originatorClientId; empty: absent
	Meta       map[string]any // _meta as it came; serverTimestamp may be anything, a NaN too. Nil: absent
}

// SubscribeOptions are how to subscribe.
type SubscribeOptions struct {
	After     *int64 // the cursor; nil: none
	MaxQueued int    // live frames; 0: the default
	Epoch     string // empty: absent
	// Signal is the abort signal. It is done already when a case subscribes with an aborted one, and never ends otherwise:
	// Abort stands for that. A bus that watches it with context.AfterFunc lets listeners be counted.
	Signal context.Context
	// Diagnose is the subscription's own diagnostic callback, nil if there is none: kind client_evicted or
	// slow_client_warning, and the data as a value like a frame. It may panic. True takes the diagnostic over
	// (EVENTBUS-EVICT-008). Implementations that have no such thing leave it alone and do not implement [Caller].
	Diagnose func(kind string, data any) bool
}

// A Caller is a Bus whose subscriptions call SubscribeOptions.Diagnose.
type Caller interface {
	CallsBack() bool
}

// ErrDialect says that an implementation does not speak a dialect.
var ErrDialect = errors.New("dialect not spoken")

// A LimitError says that a subscription was refused because the limit is reached.
type LimitError struct {
	Limit   int
	Message string // of the implementation's own error
}

func (e *LimitError) Error() string { return e.Message }

// An ArgumentError says that a setting or an option was refused.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }
