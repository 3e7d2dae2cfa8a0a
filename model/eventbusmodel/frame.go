package eventbusmodel

// SchemaVersion is the v of every frame (EVENTBUS-ID-003).
const SchemaVersion = 1

// The types of the frames that a bus makes itself.
const (
	TypeEvicted        = "client_evicted"
	TypeWarning        = "slow_client_warning"
	TypeResync         = "state_resync_required"
	TypeReplayComplete = "replay_complete"
)

// The reasons that frames of a bus carry.
const (
	ReasonOverflow      = "queue_overflow"
	ReasonBytesOverflow = "queue_bytes_overflow"
	ReasonRingEvicted   = "ring_evicted"
	ReasonEpochReset    = "epoch_reset"
	ReasonNotInRing     = "seeded_replay_not_in_ring"
	ReasonBudget        = "replay_budget_exceeded"
	DetailMismatch      = "epoch_mismatch"
)

// A StampKind says what a publisher gave as _meta.serverTimestamp.
type StampKind uint8

const (
	// StampAbsent: nothing.
	StampAbsent StampKind = iota
	// StampNumber: a finite number.
	StampNumber
	// StampOther: something else, which is replaced.
	StampOther
)

// A Stamp is a serverTimestamp that a publisher gave.
type Stamp struct {
	Kind  StampKind
	Value float64 // ms; only with StampNumber
}

// An Input is an event as its publisher gives it.
type Input struct {
	Type       string
	Data       string // compact JSON; empty: there is no data member
	Originator string // originatorClientId; empty: absent
	Meta       string // the other members of _meta as compact JSON, such as "a":1,"b":2; empty: none
	Stamp      Stamp
	// Unserialisable: JSON cannot say the payload. Data is then ignored.
	Unserialisable bool
	// Size is the size of the finished event in octets, for exploration. 0: the size of its JSON.
	Size int64
}

// A Frame is what an iterator yields. Frames of types that a bus makes itself and without id have Control and no Data.
type Frame struct {
	V              int
	ID             int64 // 0: there is no id
	Type           string
	Data           string
	Originator     string
	Meta           string
	Timestamp      float64 // _meta.serverTimestamp in ms; only with an id
	Unserialisable bool
	Size           int64 // octets as recorded; 0 without id and if it cannot be known
	Control        Control
}

// A Control is the data of a frame that the bus made. Which members are there depends on the type.
type Control struct {
	Reason, Detail, Threshold        string
	LastDelivered, Earliest          int64 // state_resync_required
	DroppedAfter, EventBytes         int64 // client_evicted; EventBytes 0: absent
	QueueSize, QueuedBytes           int64 // client_evicted, slow_client_warning
	MaxQueued, MaxQueuedBytes        int64 // client_evicted, slow_client_warning
	LastEventID                      int64 // slow_client_warning
	ReplayedCount, LastReplayedEvent int64 // replay_complete; LastReplayedEvent 0: absent
}

// Synthetic is true for a frame that the bus made for one subscription.
func (f Frame) Synthetic() bool { return f.ID == 0 }

func synthetic(kind string, c Control) Frame {
	return Frame{V: SchemaVersion, Type: kind, Control: c}
}

func madeByBus(kind string) bool {
	return kind == TypeEvicted || kind == TypeWarning || kind == TypeResync || kind == TypeReplayComplete
}
