package cluster

import "errors"

// ErrClosed is that the channel of the cluster is not open: the page is hidden away or the cluster does not run.
var ErrClosed = errors.New("the channel is closed")

// A ConfigError is a field of [Config] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "databus cluster: " + e.Field + " " + e.Problem }

// A PostError is a frame that could not be sent.
type PostError struct {
	Type string // of the frame
	Err  error
}

// Error returns a one line description.
func (e *PostError) Error() string { return "databus cluster: post " + e.Type + ": " + e.Err.Error() }

// Unwrap returns what the channel said.
func (e *PostError) Unwrap() error { return e.Err }
