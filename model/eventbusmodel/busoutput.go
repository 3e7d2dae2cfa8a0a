package eventbusmodel

// A NextState says what became of a call of next.
type NextState string

// What a call of next may come to.
const (
	NextItem   NextState = "item"
	NextParked NextState = "parked" // it waits
	NextDone   NextState = "done"
)

// A BusOutput is all that callers see of one action.
type BusOutput struct {
	// Event is what publish returned; with Refused it returned nothing, which is nil. It must not be changed.
	Event   *Frame
	Refused bool
	// Events is what seed returned.
	Events []Frame
	// Limit is the limit that subscribe threw; 0: it threw nothing.
	Limit int
	// Next is the answer of next, and Item the item, which is nil if there is none. It must not be changed.
	Next NextState
	Item *Frame
	// Handed are the answers of calls of next that waited, by slot, and in call order within a slot.
	Handed []BusHanded
	// Last and Count are lastEventId and subscriberCount after the action.
	Last  int64
	Count int
	// Sized says that the size of the event was asked for, and Unsized that it could not be known, which leaves a diagnostic.
	Sized, Unsized bool
	// Evictions are the subscribers evicted, by slot, each with what was reported.
	Evictions []BusEviction
}

// A BusHanded is the answer of a call of next that waited.
type BusHanded struct {
	Sub   int
	Done  bool // there is nothing more; otherwise Frame is the item
	Frame Frame
}

// A BusEviction is one subscriber evicted.
type BusEviction struct {
	Sub  int
	Data Control
	// Callback says that the callback of the subscription was called, with the type and size of the event, and Line that the diagnostic line was written.
	Callback     bool
	TriggerType  string
	TriggerBytes int64
	Line         bool
}
