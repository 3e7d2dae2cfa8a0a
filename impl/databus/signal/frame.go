package signal

import (
	"encoding/json"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A Frame is a [Control], [Event], [Registry], [RouteReleased] or [Unknown].
type Frame interface {
	// Source returns the id of the worker that sent the frame.
	Source() string
	// Type returns the type as it stands on the wire.
	Type() string
}

// An Action is what a [Control] asks for.
type Action string

// The actions.
const (
	Subscribe   Action = "SUBSCRIBE"
	Unsubscribe Action = "UNSUBSCRIBE"
	Publish     Action = "PUBLISH"
)

// A Control asks one worker to do something for a topic.
type Control struct {
	Action         Action
	Topic          string
	TopicKey       string
	SourceWorkerID string
	TargetWorkerID string
	Data           json.RawMessage // of a Publish; nil: none
}

// An Event is fanned out to every tab.
type Event struct {
	SourceWorkerID string
	EventType      string
	Payload        json.RawMessage // nil: none
}

// A Registry nudges every tab to reconcile.
type Registry struct {
	SourceWorkerID string
}

// A RouteReleased tells the new owner of a topic that the old one has let go of it.
type RouteReleased struct {
	Topic          string
	TopicKey       string
	SourceWorkerID string
	TargetWorkerID string
	Generation     int64
}

// An Unknown is a frame of a type that is none of the four.
type Unknown struct {
	SourceWorkerID string
	Named          string // its type
}

// Source returns the id of the sender.
func (f Control) Source() string { return f.SourceWorkerID }

// Source returns the id of the sender.
func (f Event) Source() string { return f.SourceWorkerID }

// Source returns the id of the sender.
func (f Registry) Source() string { return f.SourceWorkerID }

// Source returns the id of the sender.
func (f RouteReleased) Source() string { return f.SourceWorkerID }

// Source returns the id of the sender, empty if the frame names none.
func (f Unknown) Source() string { return f.SourceWorkerID }

// Type returns CONTROL.
func (Control) Type() string { return controlType }

// Type returns EVENT.
func (Event) Type() string { return eventType }

// Type returns REGISTRY.
func (Registry) Type() string { return registryType }

// Type returns ROUTE_RELEASED.
func (RouteReleased) Type() string { return releasedType }

// Type returns the type that the frame claims.
func (f Unknown) Type() string { return f.Named }

const (
	controlType  = "CONTROL"
	eventType    = "EVENT"
	registryType = "REGISTRY"
	releasedType = "ROUTE_RELEASED"
)

// Keyed reports whether a frame that carries a topic carries the key of that topic (DATABUS-CONTROL-001). Other frames are.
func Keyed(f Frame) bool {
	switch f := f.(type) {
	case Control:
		return f.TopicKey == record.Hash(f.Topic)
	case RouteReleased:
		return f.TopicKey == record.Hash(f.Topic)
	}
	return true
}
