package socket

import (
	"errors"
	"fmt"
)

// Codes with which a connection ends, besides those of WebSocket itself.
const (
	CloseMalformed = 4000 // a message that is none of the protocol
	CloseSlow      = 4001 // the client does not take what it gets
	CloseTopics    = 4002 // the client subscribes too many topics
)

// What a transport cannot do.
var (
	// ErrNotOpen is a publication on a transport that is not open.
	ErrNotOpen = errors.New("databus socket: the connection is not open")
	// ErrBacklog is that the server does not take what is sent to it.
	ErrBacklog = errors.New("databus socket: too much waits to be sent")
	// ErrSilent is a server that does not answer when it is asked whether it is there.
	ErrSilent = errors.New("databus socket: the server does not answer")
	// ErrSubprotocol is a server of something else.
	ErrSubprotocol = errors.New("databus socket: the server does not speak " + Subprotocol)
	// ErrClosed is a server that is closed.
	ErrClosed = errors.New("databus socket: the server is closed")
)

// A ConfigError is a field of a [Config] or [ServerConfig] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "databus socket: " + e.Field + " " + e.Problem }

// A MessageError is a message that is none of the protocol, or cannot be sent.
type MessageError struct {
	Op      string // as far as it is known
	Problem string
}

// Error returns a one line description.
func (e *MessageError) Error() string {
	if e.Op == "" {
		return "databus socket: message: " + e.Problem
	}
	return "databus socket: message " + e.Op + ": " + e.Problem
}

// An EndError says how a connection ended that nobody asked to end.
type EndError struct {
	Code   int // of the close frame; 0: none came
	Reason string
	Err    error
}

// Error returns a one line description.
func (e *EndError) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("databus socket: the connection ended: %v", e.Err)
	}
	return fmt.Sprintf("databus socket: the server ended the connection with %d: %s", e.Code, e.Reason)
}

// Unwrap returns why.
func (e *EndError) Unwrap() error { return e.Err }
