package corpus

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// FrameStep is one frame for a reducer and what its view must be afterwards.
type FrameStep struct {
	Frame     JSON     `yaml:"frame"`     // one JSON object
	View      View     `yaml:"view"`      // members that must have these values
	Absent    []string `yaml:"absent"`    // members that must be missing
	Unchanged bool     `yaml:"unchanged"` // all but the cursor is as it was

	Line int `yaml:"-"`
}

// View is a part of a session view: each member with its value as JSON.
type View map[string]json.RawMessage

// ViewMembers are the members of a view of which a vector may speak.
func ViewMembers() []string {
	return []string{
		"alive", "awaitingResync", "lastEventId", "lastResyncRequired", "lastSlowClientWarning", "pendingPermissions",
		"recordingDegraded", "resyncRequiredCount", "slowClientWarningCount", "terminalEvent", "unrecognizedKnownEventCount",
	}
}

// UnmarshalYAML reads a mapping of known members.
func (v *View) UnmarshalYAML(n ast.Node) error {
	var plain map[string]any
	if err := decodeNode(n, &plain); err != nil {
		return err
	}
	if len(plain) == 0 {
		return errorAt(n, "an empty view decides nothing")
	}
	*v = View{}
	for name, value := range plain {
		if !slices.Contains(ViewMembers(), name) {
			return errorAt(n, "unknown member %q of a view", name)
		}
		if value == nil {
			return errorAt(n, "member %q has no value; a member that must be missing belongs into absent", name)
		}
		text, err := json.Marshal(value)
		if err != nil {
			return errorAt(n, "member %q: %v", name, err)
		}
		(*v)[name] = text
	}
	return nil
}

// UnmarshalYAML reads a step and checks that it is a frame and can be decided.
func (s *FrameStep) UnmarshalYAML(n ast.Node) error {
	type plain FrameStep
	if err := decodeNode(n, (*plain)(s)); err != nil {
		return err
	}
	s.Line = lineOf(n)
	if !bytes.HasPrefix(bytes.TrimSpace(s.Frame), []byte("{")) {
		return errorAt(n, "frame %q is not a JSON object", s.Frame)
	}
	if s.View == nil && s.Absent == nil && !s.Unchanged {
		return errorAt(n, "step wants nothing")
	}
	for i, name := range s.Absent {
		if !slices.Contains(ViewMembers(), name) {
			return errorAt(n, "unknown member %q of a view", name)
		}
		if _, both := s.View[name]; both || slices.Contains(s.Absent[:i], name) {
			return errorAt(n, "member %q is spoken of twice", name)
		}
	}
	return nil
}
