package eventbus

import "strconv"

// The types of the synthetic frames.
const (
	typeWarning        = "slow_client_warning"
	typeEvicted        = "client_evicted"
	typeResync         = "state_resync_required"
	typeReplayComplete = "replay_complete"
)

// object is a compact JSON object under construction. The zero value is an empty one.
type object struct {
	members []byte
}

func (o *object) name(name string) {
	if len(o.members) > 0 {
		o.members = append(o.members, ',')
	}
	o.members = append(appendText(o.members, name), ':')
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.members = strconv.AppendInt(o.members, n, 10)
}

func (o *object) text(name, s string) {
	o.name(name)
	o.members = appendText(o.members, s)
}

func (o *object) payload() Payload {
	return Payload{json: "{" + string(o.members) + "}"}
}

// frame returns a synthetic frame: it takes no id (EVENTBUS-ID-004, EVENTBUS-ID-005) and never enters the ring
// (EVENTBUS-RING-003).
func (o *object) frame(name string) *Event {
	return &Event{Type: name, data: o.payload()}
}

// resync returns a state_resync_required frame.
//
// EVENTBUS-RESYNC-002, EVENTBUS-RESYNC-006, EVENTBUS-RESYNC-008, EVENTBUS-RESYNC-011, EVENTBUS-RESYNC-012
func resync(reason, detail string, lastDelivered, earliestAvailable int64) *Event {
	data := object{}
	data.text("reason", reason)
	if detail != "" {
		data.text("detail", detail)
	}
	data.number("lastDeliveredId", lastDelivered)
	data.number("earliestAvailableId", earliestAvailable)
	return data.frame(typeResync)
}

// replayComplete returns the frame between replay and live events.
//
// EVENTBUS-REPLAY-003, EVENTBUS-REPLAY-004, EVENTBUS-REPLAY-005
func replayComplete(count, lastID int64) *Event {
	data := object{}
	data.number("replayedCount", count)
	if count > 0 {
		data.number("lastReplayedEventId", lastID)
		data.number("lastEventId", lastID)
	}
	return data.frame(typeReplayComplete)
}
