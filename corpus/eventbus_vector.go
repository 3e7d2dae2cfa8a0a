package corpus

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// EventbusOp says what a stream vector is done with.
type EventbusOp string

// The operations; the package comment describes each.
const (
	ParseStream   EventbusOp = "parse"
	ReadEnvelope  EventbusOp = "envelope"
	ReadEnvelopes EventbusOp = "envelopes"
	ReduceFrames  EventbusOp = "reduce"
	ReadCursor    EventbusOp = "cursor"
	ReadMaxQueued EventbusOp = "max-queued"
)

// EventbusVector is one experiment with an event stream and its only right result. Which fields are set depends on Op.
type EventbusVector struct {
	Citation `yaml:",inline"`
	Op       EventbusOp `yaml:"op"`
	Note     string     `yaml:"note"` // why, where the laws alone do not make it plain

	Feeds []Text `yaml:"feeds"` // for parse and envelopes: the body, as it is cut
	End   bool   `yaml:"end"`   // for parse and envelopes: the body ends
	Limit *int   `yaml:"limit"` // for parse: UTF-16 units without a blank line; nil: the default

	Text    *Text        `yaml:"text"`    // for envelope: the data of one event
	Frames  []FrameStep  `yaml:"frames"`  // for reduce
	Headers []Text       `yaml:"headers"` // for cursor: values of Last-Event-ID; empty: no such header
	Query   *Text        `yaml:"query"`   // for max-queued: what stands behind the question mark
	Want    EventbusWant `yaml:"want"`
}

// EventbusVectors returns the stream vectors of the embedded corpus in the order of file names and then of the files.
func EventbusVectors() ([]EventbusVector, error) { return LoadEventbusVectors(FS, eventbusVectors) }

// LoadEventbusVectors reads every .yaml file directly inside dir. A name may occur once in all of them. Every error is a
// [*LoadError].
func LoadEventbusVectors(fsys fs.FS, dir string) ([]EventbusVector, error) {
	return loadFolder[EventbusVector](fsys, eventbus, dir)
}

// Stream is all feeds joined.
func (v *EventbusVector) Stream() []byte { return slices.Concat(v.Feeds...) }

// EventbusWant is the right result.
type EventbusWant struct {
	Events      StreamEvents `yaml:"events"`      // for parse
	LastEventID Text         `yaml:"lastEventId"` // for parse: of the last block that a blank line ended
	Retry       Retry        `yaml:"retry"`       // for parse
	Error       *StreamError `yaml:"error"`       // for parse

	Envelope  *Envelope  `yaml:"envelope"`  // for envelope
	Dropped   bool       `yaml:"dropped"`   // for envelope
	Envelopes []Envelope `yaml:"envelopes"` // for envelopes

	Cursor     *int64 `yaml:"cursor"`     // for cursor
	Live       bool   `yaml:"live"`       // for cursor: live only
	Breadcrumb bool   `yaml:"breadcrumb"` // for cursor: a line in the server's log

	MaxQueued *int64 `yaml:"maxQueued"` // for max-queued
	Refused   bool   `yaml:"refused"`   // for max-queued: 400 before any stream
}

// StreamEvent is one event that a parser dispatches.
type StreamEvent struct {
	Type string // message if the data gives none
	Data Text
	ID   Text // the last event id at the dispatch
}

// UnmarshalYAML reads a mapping with data and perhaps type and id.
func (e *StreamEvent) UnmarshalYAML(n ast.Node) error {
	var form struct {
		Type *Text `yaml:"type"`
		Data *Text `yaml:"data"`
		ID   Text  `yaml:"id"`
	}
	if err := decodeNode(n, &form); err != nil {
		return err
	}
	if form.Data == nil {
		return errorAt(n, "event without data")
	}
	*e = StreamEvent{Type: "message", Data: *form.Data, ID: form.ID}
	if form.Type != nil {
		if len(*form.Type) == 0 {
			return errorAt(n, "no event has an empty type")
		}
		e.Type = string(*form.Type)
	}
	return nil
}

// StreamEvents is a list of events; in the data an element may be {repeat: EVENT, count: N}.
type StreamEvents []StreamEvent

// UnmarshalYAML reads the list and writes out its repetitions.
func (es *StreamEvents) UnmarshalYAML(n ast.Node) error {
	out, err := expand[StreamEvent](n, "events")
	*es = out
	return err
}

// StreamError is the failure of a parser.
type StreamError struct {
	Law    string `yaml:"law"`
	Feed   int    `yaml:"feed"`   // the feed that fails, from 1
	Offset *int64 `yaml:"offset"` // position in the body of the octet that makes it fail
}

// Retry is what may be the reconnection time at the end. Its zero value allows none only.
type Retry struct {
	None    bool    // no field has set it
	Allowed []int64 // in ms
	AtLeast *int64  // in ms
}

// UnmarshalYAML reads the word none, a number, a list of these, or {atLeast: N}.
func (r *Retry) UnmarshalYAML(n ast.Node) error {
	if hasKey(n, "atLeast") {
		var form struct {
			AtLeast int64 `yaml:"atLeast"`
		}
		if err := decodeNode(n, &form); err != nil {
			return err
		}
		if form.AtLeast < 1 {
			return errorAt(n, "a retry of at least %d says nothing", form.AtLeast)
		}
		r.AtLeast = &form.AtLeast
		return nil
	}
	choices := []ast.Node{n}
	if seq, ok := n.(*ast.SequenceNode); ok {
		choices = seq.Values
	}
	if len(choices) == 0 {
		return errorAt(n, "retry allows nothing")
	}
	for _, c := range choices {
		if s, ok := c.(*ast.StringNode); ok {
			if s.Value != "none" {
				return errorAt(c, "retry %q is neither none nor a number", s.Value)
			}
			r.None = true
			continue
		}
		var ms int64
		if err := decodeNode(c, &ms); err != nil {
			return err
		}
		if ms < 0 {
			return errorAt(c, "retry %d is negative", ms)
		}
		r.Allowed = append(r.Allowed, ms)
	}
	return nil
}

// Allows tells whether the reconnection time may be ms, or unset if set is false.
func (r Retry) Allows(ms int64, set bool) bool {
	switch {
	case r.AtLeast != nil:
		return set && ms >= *r.AtLeast
	case !set:
		return r.None || len(r.Allowed) == 0
	}
	return slices.Contains(r.Allowed, ms)
}

// String is the retry in words.
func (r Retry) String() string {
	if r.AtLeast != nil {
		return "at least " + strconv.FormatInt(*r.AtLeast, 10)
	}
	out := ""
	if r.None || len(r.Allowed) == 0 {
		out = "none"
	}
	for _, a := range r.Allowed {
		if out != "" {
			out += " or "
		}
		out += strconv.FormatInt(a, 10)
	}
	return out
}

// Envelope is the JSON of an event as a client hands it on.
type Envelope struct {
	ID         *int64 `yaml:"id"` // nil: absent
	Type       *Text  `yaml:"type"`
	Originator *Text  `yaml:"originatorClientId"` // nil: absent
	Data       *JSON  `yaml:"data"`               // nil: not compared
}

// UnmarshalYAML reads a mapping that has a type.
func (e *Envelope) UnmarshalYAML(n ast.Node) error {
	type plain Envelope
	if err := decodeNode(n, (*plain)(e)); err != nil {
		return err
	}
	if e.Type == nil {
		return errorAt(n, "envelope without a type")
	}
	return nil
}

// JSON is a text that is one JSON value.
type JSON []byte

// UnmarshalYAML reads a text and looks whether it is JSON.
func (j *JSON) UnmarshalYAML(n ast.Node) error {
	var t Text
	if err := t.UnmarshalYAML(n); err != nil {
		return err
	}
	if !json.Valid(t) {
		return errorAt(n, "%q is not JSON", t)
	}
	*j = JSON(t)
	return nil
}
