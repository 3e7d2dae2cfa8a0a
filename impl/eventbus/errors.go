package eventbus

import (
	"errors"
	"fmt"
)

// ErrEnded is what Subscription.Next returns once nothing is buffered and nothing will come.
var ErrEnded = errors.New("event subscription has ended")

// ConfigError reports a field of a Config or of Options that is out of its range. Zero stands for the default, so Min may be
// 0 where the smallest number that can be asked for is 1.
type ConfigError struct {
	Field           string
	Found, Min, Max int64
}

// Error names the field, the range and the number found.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("configure event bus: %s must be %d (the default) to %d, found %d", e.Field, e.Min, e.Max, e.Found)
}

// SubscriberLimitError refuses a subscription because Limit of them are attached (EVENTBUS-LIMIT-001).
type SubscriberLimitError struct {
	Limit int
}

// Error returns the text that EVENTBUS-LIMIT-002 prescribes.
func (e *SubscriberLimitError) Error() string {
	return fmt.Sprintf("EventBus subscriber limit reached (%d)", e.Limit)
}

// PayloadError says that a value has no JSON text. It wraps the cause.
type PayloadError struct {
	Cause error
}

// Error names the cause.
func (e *PayloadError) Error() string { return fmt.Sprintf("encode event payload: %v", e.Cause) }

// Unwrap returns the cause.
func (e *PayloadError) Unwrap() error { return e.Cause }
