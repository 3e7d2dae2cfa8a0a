package signal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// Limits of a frame, in octets.
const (
	MaxFrame = 1 << 20
	MaxTopic = 4096
	maxType  = 64 // of an event type or the type of an unknown frame
)

// An Error is a frame that cannot be read or written.
type Error struct {
	Verb         string // encode or decode
	Type, Member string // as far as they are known
	Problem      string
}

// Error returns a one line description.
func (e *Error) Error() string {
	text := "databus: " + e.Verb + " frame"
	if e.Type != "" {
		text += " " + e.Type
	}
	if e.Member != "" {
		text += ": " + e.Member
	}
	return text + ": " + e.Problem
}

// wire holds the members of every type in the order in which they are written; nil: absent.
type wire struct {
	Type           *string         `json:"type"`
	Action         *Action         `json:"action,omitempty"`
	Topic          *string         `json:"topic,omitempty"`
	TopicKey       *string         `json:"topicKey,omitempty"`
	SourceWorkerID *string         `json:"sourceWorkerId,omitempty"`
	TargetWorkerID *string         `json:"targetWorkerId,omitempty"`
	Generation     *int64          `json:"generation,omitempty"`
	EventType      *string         `json:"eventType,omitempty"`
	Data           json.RawMessage `json:"data,omitempty"`
	Payload        json.RawMessage `json:"payload,omitempty"`
}

// Encode returns f as one JSON object. It fails with an [*Error] if f is out of bounds or an [Unknown], which nobody sends.
func Encode(f Frame) ([]byte, error) {
	if octets, ok := encodePlain(f); ok {
		return octets, nil
	}
	return encodeAny(f)
}

func encodeAny(f Frame) ([]byte, error) {
	kind := f.Type()
	source := f.Source()
	w := wire{Type: &kind, SourceWorkerID: &source}
	switch f := f.(type) {
	case Control:
		w.Action, w.Topic, w.TopicKey, w.TargetWorkerID, w.Data = &f.Action, &f.Topic, &f.TopicKey, &f.TargetWorkerID, f.Data
	case RouteReleased:
		w.Topic, w.TopicKey, w.TargetWorkerID, w.Generation = &f.Topic, &f.TopicKey, &f.TargetWorkerID, &f.Generation
	case Event:
		w.EventType, w.Payload = &f.EventType, f.Payload
	case Registry:
	default:
		return nil, &Error{"encode", kind, "", "is none of the four types"}
	}
	if _, err := w.frame("encode"); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		return nil, &Error{"encode", kind, "", err.Error()}
	}
	octets := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(octets) > MaxFrame {
		return nil, &Error{"encode", kind, "", fmt.Sprintf("is longer than %d octets (%d)", MaxFrame, len(octets))}
	}
	return octets, nil
}

// Decode reads one frame. It fails with an [*Error] if the octets are no JSON object with a type, are too many, or lack a member that their
// type has (DATABUS-CONTROL-001); then they are to be ignored. Names of members are told apart by case, and the last of one name counts, as
// they do for a browser.
func Decode(octets []byte) (Frame, error) {
	if len(octets) > MaxFrame {
		return nil, &Error{"decode", "", "", fmt.Sprintf("is longer than %d octets (%d)", MaxFrame, len(octets))}
	}
	if f, ok := decodePlain(octets); ok {
		return f, nil
	}
	return decodeAny(octets)
}

func decodeAny(octets []byte) (Frame, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(octets, &members); err != nil {
		return nil, &Error{"decode", "", "", err.Error()}
	}
	w, err := wireOf(members)
	if err != nil {
		return nil, err
	}
	return w.frame("decode")
}

// wireOf picks the members that the type has, by their very names. What else there is belongs to a later release, or to nobody.
func wireOf(members map[string]json.RawMessage) (w wire, err error) {
	kind := ""
	pick := func(name string, into any) {
		if raw, ok := members[name]; ok && json.Unmarshal(raw, into) != nil && err == nil {
			err = &Error{"decode", kind, name, "is of another JSON type"}
		}
	}
	pick("type", &w.Type)
	if err != nil || w.Type == nil {
		return w, err
	}
	kind = *w.Type
	pick("sourceWorkerId", &w.SourceWorkerID)
	switch kind {
	case controlType, releasedType:
		pick("topic", &w.Topic)
		pick("topicKey", &w.TopicKey)
		pick("targetWorkerId", &w.TargetWorkerID)
	case eventType:
		pick("eventType", &w.EventType)
		pick("payload", &w.Payload)
	case registryType:
	default:
		return w, nil // what nobody knows may say of its sender what it likes
	}
	if kind == controlType {
		pick("action", &w.Action)
		pick("data", &w.Data)
	}
	if kind == releasedType {
		pick("generation", &w.Generation)
	}
	return w, err
}

// frame returns the frame that the members make.
func (w *wire) frame(verb string) (Frame, error) {
	if w.Type == nil || !short(*w.Type, maxType) {
		return nil, &Error{verb, "", "type", "is missing, too long or no UTF-8"}
	}
	kind := *w.Type
	if kind != controlType && kind != eventType && kind != registryType && kind != releasedType {
		u := Unknown{Named: kind}
		if id := w.SourceWorkerID; id != nil && isID(id) {
			u.SourceWorkerID = *id
		}
		return u, nil
	}
	if !isID(w.SourceWorkerID) {
		return nil, &Error{verb, kind, "sourceWorkerId", "is no id"}
	}
	switch kind {
	case controlType:
		return w.control(verb)
	case releasedType:
		return w.released(verb)
	case eventType:
		if w.EventType == nil || !short(*w.EventType, maxType) {
			return nil, &Error{verb, kind, "eventType", "is missing, too long or no UTF-8"}
		}
		return Event{*w.SourceWorkerID, *w.EventType, w.Payload}, nil
	}
	return Registry{*w.SourceWorkerID}, nil
}

func (w *wire) control(verb string) (Frame, error) {
	if err := w.addressed(verb); err != nil {
		return nil, err
	}
	if w.Action == nil || *w.Action != Subscribe && *w.Action != Unsubscribe && *w.Action != Publish {
		return nil, &Error{verb, controlType, "action", "is none of SUBSCRIBE, UNSUBSCRIBE and PUBLISH"}
	}
	return Control{*w.Action, *w.Topic, *w.TopicKey, *w.SourceWorkerID, *w.TargetWorkerID, w.Data}, nil
}

func (w *wire) released(verb string) (Frame, error) {
	if err := w.addressed(verb); err != nil {
		return nil, err
	}
	if w.Generation == nil || *w.Generation < 1 {
		return nil, &Error{verb, releasedType, "generation", "is missing or less than 1"}
	}
	return RouteReleased{*w.Topic, *w.TopicKey, *w.SourceWorkerID, *w.TargetWorkerID, *w.Generation}, nil
}

// addressed checks the members that the two addressed types share.
func (w *wire) addressed(verb string) error {
	switch {
	case w.Topic == nil || !short(*w.Topic, MaxTopic):
		return &Error{verb, *w.Type, "topic", fmt.Sprintf("is missing, longer than %d octets or no UTF-8", MaxTopic)}
	case w.TopicKey == nil || !record.IsHash(*w.TopicKey):
		return &Error{verb, *w.Type, "topicKey", "is no hash"}
	case !isID(w.TargetWorkerID):
		return &Error{verb, *w.Type, "targetWorkerId", "is no id"}
	}
	return nil
}

func isID(id *string) bool { return id != nil && *id != "" && short(*id, record.MaxID) }

func short(text string, limit int) bool { return len(text) <= limit && utf8.ValidString(text) }
