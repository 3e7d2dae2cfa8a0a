package databustest

import (
	"encoding/json"
	"errors"
)

// A Factory makes the bus of one tab, which has not started unless AutoStart says so. It returns [ErrVersion] for a version that it does
// not have; any other error is what the target threw.
//
// Everything runs on one goroutine: a bus does what it does inside the calls that it gets, and must be quiet when they return. What it
// would have goroutines or microtasks for it hands to Later and Flush.
type Factory func(Settings) (Bus, error)

// ErrVersion is that a factory does not have a version.
var ErrVersion = errors.New("databustest: the version is not known")

// Settings are what surrounds the bus of one tab, and how it is to be. Zero numbers and empty texts stand for the defaults of the target.
type Settings struct {
	// Version is v010 or fenced (DATABUS-FENCE-001).
	Version            string
	ClusterKey, Prefix string
	// TabID and WorkerID are given to most tabs. Empty: of the session, and with chance (DATABUS-IDENTITY-001).
	TabID, WorkerID string
	// Heartbeat and TTL are in ms.
	Heartbeat, TTL int64
	MaxActive      int
	Visibility     string // visible or hidden
	AutoStart      bool

	Storage Storage // nil: there is none
	// Open opens the channel of this name. Messages of other tabs go to receive until it is closed. Nil: there is none.
	Open      func(name string, receive func(message json.RawMessage)) (Channel, error)
	Clock     Clock
	Transport Transport
	Session   Session
	Opener    bool          // the page knows who opened it
	Random    func() string // an id that nobody else has

	// Flush runs a function that writes to the storage what a task has written, at the end of the task or when the case says so.
	Flush func(f func())
	// Later runs a function before time passes or anything arrives, and not inside a call of the bus.
	Later func(f func())

	Error  func(err error)
	Status func(status string)
	Trace  func(name string, m *Metrics) // m: of metrics only; it may panic; nil: nothing is traced
	Window int64                         // of the metrics of a trace, in ms
}

// Metrics are those of one window of a trace (DATABUS-TRACE-002), times in ms.
type Metrics metrics

// A Bus is the bus of one tab, as [TestRuntime] drives it. It calls each done once, however the call ended.
type Bus interface {
	Start(done func(error))
	Stop(done func(error))
	Ready(done func(error))
	// Subscribe registers a handler, which may panic, and returns what takes it back.
	Subscribe(topic string, handler func(topic string, data json.RawMessage)) (cancel func(), err error)
	Publish(topic string, data json.RawMessage)
	PageHide()
	PageShow()
	Visibility(state string)
	// View returns what the tab knows, and changes nothing.
	View() View
}

// A View is what one tab knows. Of Known and Pending nil is that it cannot be seen.
type View struct {
	TabID, WorkerID string
	Status          string
	Active          bool     // started and not hidden
	Local           bool     // degraded: it does not coordinate
	Subscribed      []string // topics that the application wants
	Assigned        []string // topics that the runtime owns
	Known           []string // topic keys that it can name
	Pending         []string // keys that wait to be written
	Role            string   // of its own record, in memory
}

// A Storage is that of the origin, as one tab sees it. Writes fail when the case says so.
type Storage interface {
	Get(key string) (value string, ok bool, err error)
	Set(key, value string) error
	Remove(key string) error
	Keys() ([]string, error)
}

// A Channel carries messages to the other tabs that have opened one of its name.
type Channel interface {
	Post(message json.RawMessage) error
	Close()
}

// A Clock is the time, in ms.
type Clock interface {
	Now() int64
	// After calls f once after ms, Every each ms, both until stopped.
	After(ms int64, f func()) (stop func())
	Every(ms int64, f func()) (stop func())
}

// A Session is the session storage of one tab.
type Session interface {
	Get(key string) (string, bool)
	Set(key, value string)
}

// A Transport is the connection of one tab to the server.
type Transport interface {
	// Open opens it anew, without subscriptions, and tells done, not inside the call, when that is over.
	Open(to Receiver, done func(error))
	Close()
	Subscribe(topic string)
	Unsubscribe(topic string)
	Publish(topic string, data json.RawMessage)
}

// A Receiver is told what happens on a transport.
type Receiver struct {
	Status  func(status string) // connecting, connected, disconnected or error
	Message func(topic string, data json.RawMessage)
}
