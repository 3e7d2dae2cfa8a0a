package substratetest

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// A Section is what a profile says of a peer of the substrate.
type Section struct {
	Substrate Peer `yaml:"substrate"`
}

// Validate reports what is wrong with s, naming the field.
func (s Section) Validate() error { return s.Substrate.validate() }

// A Peer says what a target accepts, whom it knows, and what its application does. The zero value is a target that believes whoever
// comes, accepts every name, and whose application answers each req with the body of the req.
//
// In a pattern {name} stands for a word of letters, digits and hyphens.
type Peer struct {
	// ID is the peer id that the target says it has; empty: whatever it says.
	ID string `yaml:"id"`
	// Peer is the pattern of the ids that the target knows, each case takes one of its own; empty: {name}.
	Peer string `yaml:"peer"`
	// Key is what every such id shares with the target, 64 hexadecimal digits; empty: the target has auth none.
	Key string `yaml:"key"`
	// Stranger is the pattern of ids that the target has no key for; empty: there are none.
	Stranger string `yaml:"stranger"`
	// None is a path at which the same target listens with auth none; empty: there is none besides.
	None string `yaml:"none"`
	// Session is the pattern of names that the application accepts, of either kind; empty: {name}.
	Session string `yaml:"session"`
	// Queue is the pattern of names that it accepts with acceptQueue and takes nothing from; empty: there are none.
	Queue string `yaml:"queue"`
	// Reject is the pattern of names that it rejects; empty: there are none.
	Reject string `yaml:"reject"`
	// Silent is the pattern of names whose open it leaves unanswered; empty: there are none.
	Silent string `yaml:"silent"`
	// Denied is the pattern of names on which the gate denies every operation with unauthorized; empty: there are none.
	Denied string `yaml:"denied"`
	// Commands says that the application obeys requests that begin with "assay:", as the package comment lists them.
	Commands bool `yaml:"commands"`
}

// fill puts a word into a pattern.
func fill(pattern, word string) string { return strings.ReplaceAll(pattern, "{name}", word) }

// normal returns p with the defaults of what is empty.
func (p Peer) normal() Peer {
	if p.Peer == "" {
		p.Peer = "{name}"
	}
	if p.Session == "" {
		p.Session = "{name}"
	}
	return p
}

// secret returns the key, nil if there is none.
func (p Peer) secret() []byte {
	key, err := hex.DecodeString(p.Key)
	if err != nil || len(key) == 0 {
		return nil
	}
	return key
}

func (p Peer) validate() error {
	if key, err := hex.DecodeString(p.Key); err != nil || len(key) != 0 && len(key) != 32 {
		return fmt.Errorf("substrate: key: %d characters that are not 64 hexadecimal digits", len(p.Key))
	}
	for _, f := range []struct{ name, pattern string }{
		{"peer", p.Peer},
		{"stranger", p.Stranger},
		{"session", p.Session},
		{"queue", p.Queue},
		{"reject", p.Reject},
		{"silent", p.Silent},
		{"denied", p.Denied},
	} {
		if f.pattern != "" && !strings.Contains(f.pattern, "{name}") {
			return fmt.Errorf("substrate: %s: %q does not contain {name}", f.name, f.pattern)
		}
	}
	switch {
	case p.None != "" && !strings.HasPrefix(p.None, "/"):
		return fmt.Errorf("substrate: none: %q does not begin with /", p.None)
	case p.Stranger != "" && p.Key == "":
		return fmt.Errorf("substrate: stranger: is given without a key: with auth none nobody is one")
	}
	return nil
}
