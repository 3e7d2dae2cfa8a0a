package eventbusmodel

import (
	"math"
	"strconv"
	"strings"
)

// JSON returns the frame as compact JSON. Of an unserialisable event it returns the empty string.
func (f Frame) JSON() string {
	if f.Unserialisable {
		return ""
	}
	var members []string
	if f.ID != 0 {
		members = append(members, `"id":`+strconv.FormatInt(f.ID, 10))
	}
	members = append(members, `"v":`+strconv.Itoa(f.V), `"type":`+quote(f.Type))
	switch {
	case f.Synthetic():
		members = append(members, `"data":`+f.Control.json(f.Type))
	case f.Data != "":
		members = append(members, `"data":`+f.Data)
	}
	if f.Originator != "" {
		members = append(members, `"originatorClientId":`+quote(f.Originator))
	}
	if !f.Synthetic() {
		meta := `"serverTimestamp":` + number(f.Timestamp)
		if f.Meta != "" {
			meta = f.Meta + "," + meta
		}
		members = append(members, `"_meta":{`+meta+`}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// json returns the data of a frame that the bus made. EVENTBUS-WARN-008, EVENTBUS-WARN-009: a seed warning has three members and a later one six, which
// the threshold tells apart.
func (c Control) json(kind string) string {
	var members []string
	text := func(name, value string) {
		if value != "" {
			members = append(members, quote(name)+":"+quote(value))
		}
	}
	count := func(name string, value int64) {
		members = append(members, quote(name)+":"+strconv.FormatInt(value, 10))
	}
	switch kind {
	case TypeEvicted:
		text("reason", c.Reason)
		count("droppedAfter", c.DroppedAfter)
		count("queueSize", c.QueueSize)
		count("maxQueued", c.MaxQueued)
		count("queuedBytes", c.QueuedBytes)
		count("maxQueuedBytes", c.MaxQueuedBytes)
		if c.EventBytes != 0 {
			count("eventBytes", c.EventBytes)
		}
	case TypeWarning:
		count("queueSize", c.QueueSize)
		count("maxQueued", c.MaxQueued)
		count("lastEventId", c.LastEventID)
		if c.Threshold != "" {
			count("queuedBytes", c.QueuedBytes)
			count("maxQueuedBytes", c.MaxQueuedBytes)
			text("threshold", c.Threshold)
		}
	case TypeResync:
		text("reason", c.Reason)
		text("detail", c.Detail)
		count("lastDeliveredId", c.LastDelivered)
		count("earliestAvailableId", c.Earliest)
	case TypeReplayComplete:
		count("replayedCount", c.ReplayedCount)
		if c.LastReplayedEvent != 0 {
			count("lastReplayedEventId", c.LastReplayedEvent)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// quote writes a JSON string with no more escapes than JSON asks for. Octets that are not UTF-8 become U+FFFD.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte("0123456789abcdef"[r>>4])
			b.WriteByte("0123456789abcdef"[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number writes a finite number as JSON of the web does: the shortest digits that give it back, with an exponent from 1e21 on and below 1e-6.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	if size := math.Abs(v); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	sign, exponent := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	return digits + "e" + sign + exponent
}

// sizeOf is the size of an event: the octets of its compact JSON (EVENTBUS-QUEUE-008).
func sizeOf(f Frame) int64 { return int64(len(f.JSON())) }
