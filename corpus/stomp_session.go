package corpus

import (
	"bytes"

	"github.com/goccy/go-yaml/ast"
)

// Session is the script of one client session: how it is made, what is done with it and what must come out.
type Session struct {
	Profile    string        `yaml:"profile"`    // strict or multi
	Capacities *Capacities   `yaml:"capacities"` // nil: the defaults
	Tolerance  *int64        `yaml:"tolerance"`  // ms; nil: the default
	Open       *Opening      `yaml:"open"`       // nil: the steps begin in Fresh
	Steps      []SessionStep `yaml:"steps"`      //
}

// Capacities bound the records of a session. All four must be given, so that zero is a value and not an omission.
type Capacities struct {
	Subscriptions int `yaml:"subscriptions"`
	Transactions  int `yaml:"transactions"`
	Receipts      int `yaml:"receipts"`
	Deliveries    int `yaml:"deliveries"`
}

// UnmarshalYAML reads a mapping that has all four keys.
func (c *Capacities) UnmarshalYAML(n ast.Node) error {
	type plain Capacities
	return whole(n, (*plain)(c), 4)
}

// Opening stands for the two steps of a handshake in the vector's version.
type Opening struct {
	Now    int64 `yaml:"now"`    // of both, in ms
	Client *Text `yaml:"client"` // heart-beat of CONNECT; nil: no such header
	Server *Text `yaml:"server"` // heart-beat of CONNECTED; nil: no such header
}

// SessionStep is one call on a session, or a block of calls. Exactly one of Send, Receive, Tick, End, Fail and Repeat
// is set.
type SessionStep struct {
	Now     *int64        `yaml:"now"`     // ms; nil: the time of the call before, 0 at first
	Send    *SessionFrame `yaml:"send"`    //
	Receive *Octets       `yaml:"receive"` // one chunk
	Tick    bool          `yaml:"tick"`    //
	End     bool          `yaml:"end"`     //
	Fail    bool          `yaml:"fail"`    //
	Repeat  []SessionStep `yaml:"repeat"`  // done Count times; {i} in their texts is the number of the round, from 1
	Count   int           `yaml:"count"`   //
	Want    *SessionWant  `yaml:"want"`    // nil: only that there is no error

	Line int `yaml:"-"`
}

// UnmarshalYAML reads a step and checks that it can be decided.
func (s *SessionStep) UnmarshalYAML(n ast.Node) error {
	type plain SessionStep
	if err := decodeNode(n, (*plain)(s)); err != nil {
		return err
	}
	s.Line = lineOf(n)
	if err := s.check(); err != nil {
		return errorAt(n, "%v", err)
	}
	return nil
}

// SessionWant is what must come out of a call. What is not set is not compared.
type SessionWant struct {
	Refused   string         `yaml:"refused"`   // the reason for which a send is refused
	Closes    string         `yaml:"closes"`    // the reason for which another call fails and closes
	Rule      string         `yaml:"rule"`      // the codec's rule behind that reason
	Events    SessionEvents  `yaml:"events"`    // of receive; empty: none
	Octets    *Octets        `yaml:"octets"`    // written by send and tick; empty: none
	Decodes   bool           `yaml:"decodes"`   // a decoder with default limits reads what was written as the frame sent
	State     string         `yaml:"state"`     //
	Counts    *SessionCounts `yaml:"counts"`    //
	Version   string         `yaml:"version"`   //
	Intervals *Pair          `yaml:"intervals"` // to send, to receive
}

// UnmarshalYAML reads a mapping that wants something.
func (w *SessionWant) UnmarshalYAML(n ast.Node) error {
	type plain SessionWant
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 0 {
		return errorAt(n, "an empty want decides nothing")
	}
	if err := decodeNode(n, (*plain)(w)); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return errorAt(n, "%v", err)
	}
	return nil
}

// SessionCounts are numbers of records; nil is not compared.
type SessionCounts struct {
	Subscriptions *int `yaml:"subscriptions"`
	Unsubscribing *int `yaml:"unsubscribing"`
	Transactions  *int `yaml:"transactions"`
	Receipts      *int `yaml:"receipts"`
	Deliveries    *int `yaml:"deliveries"`
}

// UnmarshalYAML reads a mapping or the word none, which is 0 of all.
func (c *SessionCounts) UnmarshalYAML(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		if s.Value != "none" {
			return errorAt(n, "counts %q are neither none nor a mapping", s.Value)
		}
		var zero [5]int
		*c = SessionCounts{&zero[0], &zero[1], &zero[2], &zero[3], &zero[4]}
		return nil
	}
	type plain SessionCounts
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 0 {
		return errorAt(n, "counts count nothing")
	}
	return decodeNode(n, (*plain)(c))
}

// SessionEvent is an event that receive must return: its kind and, where given, look-ups in its frame or all of it.
type SessionEvent struct {
	Kind  string   // one of EventKinds
	Get   []Header // look-ups by name and the value that each must return
	Frame *Frame   // the whole frame; nil: not compared
}

// UnmarshalYAML reads a kind, {kind: KIND, get: LOOK-UPS} or a frame with a command, which gives the kind.
func (e *SessionEvent) UnmarshalYAML(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		e.Kind = s.Value
	} else if hasKey(n, "kind") {
		var form struct {
			Kind string   `yaml:"kind"`
			Get  []Header `yaml:"get"`
		}
		if err := decodeNode(n, &form); err != nil {
			return err
		}
		e.Kind, e.Get = form.Kind, form.Get
	} else {
		e.Frame = new(Frame)
		if err := decodeNode(n, e.Frame); err != nil {
			return err
		}
		e.Kind = kindOf(string(e.Frame.Command))
		if e.Kind == "" {
			return errorAt(n, "no event has the command %q", e.Frame.Command)
		}
	}
	if !known(EventKinds(), e.Kind) {
		return errorAt(n, "unknown kind of event %q", e.Kind)
	}
	return nil
}

// SessionEvents is a list of events; in the data an element may be {repeat: EVENT, count: N}.
type SessionEvents []SessionEvent

// UnmarshalYAML reads the list and writes out its repetitions.
func (es *SessionEvents) UnmarshalYAML(n ast.Node) error {
	out, err := expand[SessionEvent](n, "events")
	*es = out
	return err
}

// SessionFrame is a frame to send. In the data a string is short for one without a body: see Octets.
type SessionFrame struct{ Frame }

// UnmarshalYAML reads a mapping as of a frame, or the short form.
func (f *SessionFrame) UnmarshalYAML(n ast.Node) error {
	if _, ok := n.(*ast.StringNode); !ok {
		if err := decodeNode(n, &f.Frame); err != nil {
			return err
		}
		if f.Get != nil || f.Absent != nil {
			return errorAt(n, "the frame to send has look-ups")
		}
		return nil
	}
	t, err := textOf(n)
	if err != nil {
		return err
	}
	words := bytes.Split(t, []byte(" "))
	f.Command = words[0]
	for _, w := range words[1:] {
		name, value, ok := bytes.Cut(w, []byte(":"))
		if !ok {
			return errorAt(n, "%q in a short frame has no colon", w)
		}
		f.Headers = append(f.Headers, Header{Name: name, Value: value})
	}
	return nil
}

// Octets is a text one part of which may be {frame: SHORT} or {frame: SHORT, body: TEXT}: the octets of a frame as they
// stand, with LF for line ends and without escaping. SHORT is a command and headers in the form NAME:VALUE, all joined
// by single spaces.
type Octets []byte

// UnmarshalYAML reads one part or a list of parts.
func (o *Octets) UnmarshalYAML(n ast.Node) error {
	parts := []ast.Node{n}
	if seq, ok := n.(*ast.SequenceNode); ok {
		parts = seq.Values
	}
	out := []byte{}
	for _, p := range parts {
		if !hasKey(p, "frame") {
			var err error
			if out, err = appendPart(out, p); err != nil {
				return err
			}
			continue
		}
		var form struct {
			Frame SessionFrame `yaml:"frame"`
			Body  Text         `yaml:"body"`
		}
		if err := decodeNode(p, &form); err != nil {
			return err
		}
		out = form.Frame.append(out)
		out = append(append(out, form.Body...), 0)
	}
	*o = out
	return nil
}

// append writes the command line, the header lines and the blank line.
func (f *Frame) append(dst []byte) []byte {
	dst = append(append(dst, f.Command...), '\n')
	for _, h := range f.Headers {
		dst = append(append(append(append(dst, h.Name...), ':'), h.Value...), '\n')
	}
	return append(dst, '\n')
}
