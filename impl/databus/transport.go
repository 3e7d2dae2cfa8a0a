package databus

import (
	"context"
	"encoding/json"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A Status is that of a transport: connecting, connected, disconnected or error.
type Status = record.Status

// The states of a transport.
const (
	Connecting   = record.Connecting
	Connected    = record.Connected
	Disconnected = record.Disconnected
	Failed       = record.Failed
)

// A Transport is the connection of one tab to the server. The bus calls Start and Stop one after the other and never at the same time
// (DATABUS-LIFECYCLE-001), and the other methods from inside its own work: they must return at once, must not call the bus and may be
// called again for the same topic.
type Transport interface {
	// Start opens the connection and returns when it is open or has failed. It may be called again after r was told of a failure, without a
	// Stop in between; then it begins anew, without subscriptions.
	Start(ctx context.Context, r Receiver) error
	Subscribe(topic string)
	Unsubscribe(topic string)
	Publish(topic string, data json.RawMessage) error
	// Stop closes the connection and returns when it is closed.
	Stop(ctx context.Context) error
}

// A Receiver is told what happens on a transport, from any goroutine but not from inside a call of the bus to the transport other than
// Start.
type Receiver interface {
	// Status says how the connection is now. A Start that returns without error means connected, unless something else was said meanwhile.
	Status(s Status)
	// Message is a publication of the server.
	Message(topic string, data json.RawMessage)
}
