package corpus

import "github.com/goccy/go-yaml/ast"

// Header is one header entry, unescaped.
type Header struct{ Name, Value Text }

// UnmarshalYAML reads [NAME, VALUE].
func (h *Header) UnmarshalYAML(n ast.Node) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok || len(seq.Values) != 2 {
		return errorAt(n, "header is not a list of name and value")
	}
	if err := h.Name.UnmarshalYAML(seq.Values[0]); err != nil {
		return err
	}
	return h.Value.UnmarshalYAML(seq.Values[1])
}

// Headers is a list of entries in wire order; in the data an entry may be {repeat: [NAME, VALUE], count: N}.
type Headers []Header

// UnmarshalYAML reads the list and writes out its repetitions.
func (hs *Headers) UnmarshalYAML(n ast.Node) error {
	out, err := expand[Header](n, "headers")
	*hs = out
	return err
}

// Frame is a frame as the laws see it: what a decoder yields and an encoder takes.
type Frame struct {
	Command Text     `yaml:"command"`
	Headers Headers  `yaml:"headers"`
	Body    Text     `yaml:"body"`
	Get     []Header `yaml:"get"`    // look-ups by name and the value that each must return
	Absent  []Text   `yaml:"absent"` // names that a look-up must not find
}

// Event is a frame, or one heart-beat if Frame is nil.
type Event struct{ Frame *Frame }

// UnmarshalYAML reads the word heartbeat or a frame.
func (e *Event) UnmarshalYAML(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		if s.Value != "heartbeat" {
			return errorAt(n, "event %q is neither heartbeat nor a frame", s.Value)
		}
		return nil
	}
	e.Frame = new(Frame)
	if err := decodeNode(n, e.Frame); err != nil {
		return err
	}
	if len(e.Frame.Command) == 0 {
		return errorAt(n, "frame without a command")
	}
	return nil
}

// Events is a list of events; in the data an element may be {repeat: EVENT, count: N}.
type Events []Event

// UnmarshalYAML reads the list and writes out its repetitions.
func (es *Events) UnmarshalYAML(n ast.Node) error {
	out, err := expand[Event](n, "events")
	*es = out
	return err
}
