package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// publish publishes the event or the events of a body, all or none.
func (d *Daemon) publish(w http.ResponseWriter, r *http.Request, s *session) {
	body, ok := d.body(w, r)
	if !ok {
		return
	}
	inputs, err := inputs(body)
	if err != nil {
		refuse(w, r, http.StatusBadRequest, "invalid_event", err.Error())
		return
	}
	s.meet(inputs)
	count := s.announce(inputs)
	if count < len(inputs) {
		// EVENTBUS-PUBLISH-002: the session ended meanwhile.
		refuse(w, r, http.StatusNotFound, "session_not_found", "the session has ended")
		return
	}
	reply(w, map[string]int64{"lastEventId": s.bus.LastEventID(), "events": int64(count)})
}

// announce publishes events in one go, and returns how many the bus took.
func (s *session) announce(inputs []eventbus.Input) (count int) {
	s.gate.Lock()
	defer s.gate.Unlock()
	for _, in := range inputs {
		if _, ok := s.bus.Publish(in); ok {
			count++
		}
	}
	return count
}

// inputs reads one event or an array of them.
func inputs(body []byte) ([]eventbus.Input, error) {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return nil, fmt.Errorf("the body is not JSON")
	}
	list := []json.RawMessage{body}
	if body[0] == '[' {
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, err
		}
	}
	inputs := make([]eventbus.Input, len(list))
	for i, raw := range list {
		in, err := input(raw)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		inputs[i] = in
	}
	return inputs, nil
}

// input reads one event. A member that is not of an event is not looked at: an id and a version are the bus's to give.
func input(raw json.RawMessage) (in eventbus.Input, err error) {
	// A map, since a struct takes "Type" for "type".
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return in, fmt.Errorf("want an object")
	}
	if raw, ok := members["type"]; !ok || raw[0] != '"' || json.Unmarshal(raw, &in.Type) != nil {
		return in, fmt.Errorf("type: want a string")
	}
	if raw, ok := members["data"]; ok {
		if in.Data, err = eventbus.Raw(raw); err != nil {
			return in, fmt.Errorf("data: %w", err)
		}
	}
	if raw, ok := members["originatorClientId"]; ok {
		if raw[0] != '"' || json.Unmarshal(raw, &in.Originator) != nil {
			return in, fmt.Errorf("originatorClientId: want a string")
		}
	}
	if raw, ok := members["_meta"]; ok {
		var meta map[string]json.RawMessage
		if json.Unmarshal(raw, &meta) != nil || meta == nil {
			return in, fmt.Errorf("_meta: want an object")
		}
		in.Meta = make(map[string]any, len(meta))
		for key, raw := range meta {
			// Numbers beyond the precision of a float pass as they are.
			in.Meta[key] = raw
			if number := json.Number(raw); raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
				in.Meta[key] = number
			}
		}
	}
	return in, nil
}

// maxTypes is how many types a session remembers, of at most so many octets.
const (
	maxTypes   = 256
	maxTypeLen = 128
)

// meet remembers types: a page can only listen to those that it knows.
func (s *session) meet(inputs []eventbus.Input) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range inputs {
		if len(in.Type) <= maxTypeLen && len(s.types) < maxTypes {
			s.types[in.Type] = true
		}
	}
}
