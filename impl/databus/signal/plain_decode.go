package signal

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/plain"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// decodePlain reads a frame as this package and a browser write it: without white space between members, escapes in its texts, and members
// that no type has. It reports false for any other, which may be good all the same.
func decodePlain(octets []byte) (Frame, bool) {
	var p parts
	rest, ok := strings.CutPrefix(string(octets), "{")
	for ok {
		var name string
		if name, rest, ok = plain.Text(rest); !ok || !strings.HasPrefix(rest, ":") {
			return nil, false
		}
		if rest, ok = p.take(name, rest[1:]); !ok {
			return nil, false
		}
		if rest == "}" {
			return p.frame()
		}
		rest, ok = strings.CutPrefix(rest, ",")
	}
	return nil, false
}

// parts are the members of a plain frame.
type parts struct {
	kind, action, topic, topicKey, source, target, eventType member

	generation int64 // 0: absent
	data       json.RawMessage
	payload    json.RawMessage
}

// take takes the value of a member from the beginning of rest, and returns what follows it.
func (p *parts) take(name, rest string) (after string, ok bool) {
	var into *member
	switch name {
	case "type":
		into = &p.kind
	case "action":
		into = &p.action
	case "topic":
		into = &p.topic
	case "topicKey":
		into = &p.topicKey
	case "sourceWorkerId":
		into = &p.source
	case "targetWorkerId":
		into = &p.target
	case "eventType":
		into = &p.eventType
	case "generation":
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if end == 0 || end > 18 || rest[0] == '0' {
			return "", false
		}
		n, err := strconv.ParseInt(rest[:end], 10, 64)
		p.generation = n
		return rest[end:], err == nil
	case "data":
		return value(rest, &p.data)
	case "payload":
		return value(rest, &p.payload)
	default:
		return "", false
	}
	into.there = true
	into.text, after, ok = plain.Text(rest)
	return after, ok
}

// frame returns the frame that the parts make, if they are within all bounds.
func (p *parts) frame() (Frame, bool) {
	if !p.kind.there || !p.source.within(1, record.MaxID) {
		return nil, false
	}
	addressed := p.topic.within(0, MaxTopic) && record.IsHash(p.topicKey.text) && p.target.within(1, record.MaxID)
	switch p.kind.text {
	case controlType:
		if !addressed {
			return nil, false
		}
		a := Action(p.action.text)
		return Control{a, p.topic.text, p.topicKey.text, p.source.text, p.target.text, p.data}, a == Subscribe || a == Unsubscribe || a == Publish
	case releasedType:
		if !addressed || p.generation == 0 {
			return nil, false
		}
		return RouteReleased{p.topic.text, p.topicKey.text, p.source.text, p.target.text, p.generation}, true
	case eventType:
		if !p.eventType.within(0, maxType) {
			return nil, false
		}
		return Event{p.source.text, p.eventType.text, p.payload}, true
	case registryType:
		return Registry{p.source.text}, true
	}
	return nil, false
}

// A member is a text, if it is there.
type member struct {
	text  string
	there bool
}

func (m *member) within(least, most int) bool {
	return m.there && len(m.text) >= least && len(m.text) <= most
}

// value takes the JSON value at the beginning of rest, and returns what follows it.
func value(rest string, into *json.RawMessage) (after string, ok bool) {
	end := plain.End(rest, 0)
	if end < 0 {
		return "", false
	}
	*into = json.RawMessage(rest[:end])
	return rest[end:], true
}
