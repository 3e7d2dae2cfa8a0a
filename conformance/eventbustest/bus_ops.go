package eventbustest

import "encoding/json"

// The requests and replies of spec/adapter.md, as both sides of the pipe use them.

// newRequest carries numbers as they came: a case may ask for what no bus accepts.
type newRequest struct {
	Bus               string          `json:"bus"`
	Dialect           string          `json:"dialect,omitempty"`
	RingSize          json.RawMessage `json:"ringSize,omitempty"`
	MaxSubscribers    json.RawMessage `json:"maxSubscribers,omitempty"`
	MaxQueuedBytes    json.RawMessage `json:"maxQueuedBytes,omitempty"`
	ReplayBudgetBytes json.RawMessage `json:"replayBudgetBytes,omitempty"`
}

type clockRequest struct {
	Now int64 `json:"now"`
}

type subscribeRequest struct {
	Bus         string          `json:"bus"`
	Sub         string          `json:"sub"`
	LastEventID json.RawMessage `json:"lastEventId,omitempty"`
	MaxQueued   json.RawMessage `json:"maxQueued,omitempty"`
	Epoch       *string         `json:"epoch,omitempty"`
	Aborted     bool            `json:"aborted,omitempty"`
	Diagnose    string          `json:"diagnose,omitempty"`
}

type publishRequest struct {
	Bus     string          `json:"bus"`
	Event   json.RawMessage `json:"event"`
	Special string          `json:"special,omitempty"`
}

type publishReply struct {
	Event json.RawMessage `json:"event"`
}

type burstRequest struct {
	Bus    string            `json:"bus"`
	Events []json.RawMessage `json:"events,omitempty"`
	Count  int               `json:"count,omitempty"`
	Event  json.RawMessage   `json:"event,omitempty"`
}

type burstReply struct {
	Published   int   `json:"published"`
	LastEventID int64 `json:"lastEventId"`
}

type seedRequest struct {
	Bus    string            `json:"bus"`
	Events []json.RawMessage `json:"events"`
}

type eventsReply struct {
	Events []json.RawMessage `json:"events"`
	Error  *parseError       `json:"error,omitempty"`
}

type parseError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

type busRequest struct {
	Bus string `json:"bus"`
}

type subRequest struct {
	Sub   string `json:"sub"`
	Count int    `json:"count,omitempty"` // of next alone
}

type itemsReply struct {
	Items []json.RawMessage `json:"items"`
	State string            `json:"state"`
}

type stateReply struct {
	LastEventID     int64   `json:"lastEventId"`
	SubscriberCount int     `json:"subscriberCount"`
	Epoch           *string `json:"epoch,omitempty"`
}

type countReply struct {
	Count int `json:"count"`
}

// diagnostics are what a target told besides its frames since they were last asked for.
type diagnostics struct {
	Lines     []string   `json:"lines"` // of its side channel, stderr
	Callbacks []callback `json:"callbacks"`
}

// A callback is one call of a subscription's own diagnostic callback.
type callback struct {
	Sub  string          `json:"sub"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

type parseRequest struct {
	Chunks []parseChunk `json:"chunks"`
}

// A parseChunk is one read of a body: its octets, or one string of octets repeated.
type parseChunk struct {
	octets []byte
	times  int
}

type repeatedChunk struct {
	Repeat []byte `json:"repeat"`
	Times  int    `json:"times"`
}

// UnmarshalJSON reads base64 text, or an object of repeat and times.
func (c *parseChunk) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var r repeatedChunk
		err := json.Unmarshal(data, &r)
		c.octets, c.times = r.Repeat, r.Times
		return err
	}
	c.times = 1
	return json.Unmarshal(data, &c.octets)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (c parseChunk) MarshalJSON() ([]byte, error) {
	if c.times == 1 {
		return json.Marshal(c.octets)
	}
	return json.Marshal(repeatedChunk{c.octets, c.times})
}

type reduceRequest struct {
	Dialect string            `json:"dialect,omitempty"`
	Events  []json.RawMessage `json:"events"`
}

type reduceReply struct {
	Views []json.RawMessage `json:"views"`
}

// States of a subscription after it was asked.
const (
	stateReady  = "ready"  // no ask is open, the last one gave an item
	stateParked = "parked" // the last ask waits
	stateDone   = "done"   // the last ask said that the stream is over
)

// Names of what replaces the data, or the time stamp, of a published event.
const (
	circular          = "circular"           // a value that contains itself
	bigInt            = "bigint"             // a number that JSON cannot carry
	throwingToJSON    = "throwing-tojson"    // a value whose serialiser throws
	undefined         = "undefined"          // no value at all
	countingData      = "counting"           // {"counting":true}, by a serialiser that counts its calls
	nanTimestamp      = "nan-timestamp"      // _meta.serverTimestamp not a number; data as given
	infiniteTimestamp = "infinite-timestamp" // _meta.serverTimestamp infinite; data as given
)

// Options that a target or an adapter can do without; a case names in its Needs those it cannot do without.
const (
	Seeding        = "seeding"         // op seed
	EpochToken     = "epoch"           // member epoch of op state
	Listeners      = "listeners"       // op listeners
	DiagnosticText = "diagnostic-text" // lines of op diagnostics
	Callbacks      = "callbacks"       // field diagnose of op subscribe
	Counted        = "sized"           // op sized and special counting
	Clock          = "clock"           // op clock
	RawFields      = "raw-fields"      // events with members other than type, data, originatorClientId and _meta
)

func busOptions() []string {
	return []string{Seeding, EpochToken, Listeners, DiagnosticText, Callbacks, Counted, Clock, RawFields}
}
