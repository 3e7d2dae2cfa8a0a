package databus

import (
	"errors"
	"fmt"
)

// Errors of the use of a bus.
var (
	// ErrNotStarted is that the bus does not run, so that what was asked is dropped.
	ErrNotStarted = errors.New("the bus does not run")
	// ErrNoJSON is that the data of a publication is no JSON value.
	ErrNoJSON = errors.New("the data is no JSON")
)

// A ConfigError is a field of [Config] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "databus: " + e.Field + " " + e.Problem }

// An OpError is something that the bus tried and that failed.
type OpError struct {
	Op    string // open, stop, publish, broadcast or handle
	Topic string // empty: of no topic
	Err   error
}

// Error returns a one line description.
func (e *OpError) Error() string {
	if e.Topic == "" {
		return "databus " + e.Op + ": " + e.Err.Error()
	}
	return "databus " + e.Op + " " + e.Topic + ": " + e.Err.Error()
}

// Unwrap returns why.
func (e *OpError) Unwrap() error { return e.Err }

// A TopicError is a topic that cannot travel between tabs.
type TopicError struct {
	Limit, Found int // octets; Found within Limit: the topic is no UTF-8
}

// Error returns a one line description.
func (e *TopicError) Error() string {
	if e.Found > e.Limit {
		return fmt.Sprintf("databus: subscribe: a topic of more than %d octets (%d)", e.Limit, e.Found)
	}
	return "databus: subscribe: a topic that is no UTF-8"
}
