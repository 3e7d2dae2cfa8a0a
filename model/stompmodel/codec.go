package stompmodel

import "fmt"

// A Header is one header entry, unescaped.
type Header struct{ Name, Value string }

// A Frame is one STOMP frame: a command, its header entries in wire order with repeats, and the body octets.
type Frame struct {
	Command string
	Headers []Header
	Body    []byte
}

// Get returns the value of the first entry called name, and whether there is one (STOMP-HDR-009, STOMP-HDR-010).
func (f Frame) Get(name string) (string, bool) {
	for _, h := range f.Headers {
		// STOMP-HDR-006: names are compared octet for octet. STOMP-HDR-009: the first entry wins.
		if h.Name == name {
			return h.Value, true
		}
	}
	return "", false
}

// An Event is what the decoder reports when an octet completes something: a frame, or one heart-beat.
type Event struct {
	// Heartbeat is true for an EOL in command position; Frame is then the zero frame.
	Heartbeat bool
	Frame     Frame
	// Feed is the index of the chunk, and Offset the stream offset of the octet, that completed the event; both count from 0.
	Feed, Offset int
}

// A Rule names why octets or a frame are refused.
type Rule string

// The rules of the decoder; the encoder uses some of them and those of the next block.
const (
	RuleLineLimit      Rule = "line-limit"
	RuleHeaderLimit    Rule = "header-limit"
	RuleBodyLimit      Rule = "body-limit"
	RuleEventLimit     Rule = "event-limit"
	RuleNulInLine      Rule = "nul-in-line"
	RuleBareCR         Rule = "bare-cr"
	RuleUTF8           Rule = "utf8"
	RuleUnknownCommand Rule = "unknown-command"
	RuleHeaderShape    Rule = "header-shape"
	RuleRawColon       Rule = "raw-colon"
	RuleEscape         Rule = "escape"
	RuleContentLength  Rule = "content-length"
	RuleBodyForbidden  Rule = "body-forbidden"
	RuleTerminator     Rule = "terminator"
	RuleTruncated      Rule = "truncated"
	RuleSpent          Rule = "spent"
)

// The rules that only an encoder meets: octets that a version or a command has no way to write, and the 1.0 header alphabet.
const (
	RuleUnrepresentable Rule = "unrepresentable"
	RuleHeader10        Rule = "header-1.0"
)

// Law returns the id of the law that the rule enforces.
func (r Rule) Law() string {
	switch r {
	case RuleLineLimit:
		return "STOMP-LIMIT-002"
	case RuleHeaderLimit:
		return "STOMP-LIMIT-003"
	case RuleBodyLimit:
		return "STOMP-LIMIT-004"
	case RuleEventLimit:
		return "STOMP-LIMIT-006"
	case RuleNulInLine:
		return "STOMP-FRAME-009"
	case RuleBareCR:
		return "STOMP-FRAME-008"
	case RuleUTF8:
		return "STOMP-FRAME-014"
	case RuleUnknownCommand:
		return "STOMP-FRAME-013"
	case RuleHeaderShape:
		return "STOMP-HDR-001"
	case RuleRawColon:
		return "STOMP-HDR-005"
	case RuleEscape:
		return "STOMP-ESC-003"
	case RuleContentLength:
		return "STOMP-BODY-010"
	case RuleBodyForbidden:
		return "STOMP-BODY-001"
	case RuleTerminator:
		return "STOMP-BODY-004"
	case RuleTruncated:
		return "STOMP-FRAME-020"
	case RuleSpent:
		return "STOMP-FRAME-018"
	case RuleUnrepresentable:
		return "STOMP-ESC-008"
	case RuleHeader10:
		return "STOMP-HDR-003"
	}
	return ""
}

// A CodecError says which rule the stream broke and where.
type CodecError struct {
	Rule Rule
	// Offset counts from 0: the octet on whose arrival the rule was broken. For an error of end or of a spent decoder it is the number of octets
	// consumed before.
	Offset int
	// Start is where the line begins of which that octet is the last; outside lines it is Offset.
	Start int
}

// Error implements error.
func (e *CodecError) Error() string {
	return fmt.Sprintf("stompmodel: octet %d breaks %s (%s)", e.Offset, e.Rule, e.Rule.Law())
}

// CodecConfig fixes the rules of one decoder. Its zero value is not valid; start from [DefaultCodecConfig].
type CodecConfig struct {
	// Version holds the rules in force at the start of the stream: for a client the highest version that it offers.
	Version Version
	// Line is the largest number of octets of a line before its LF, a CR included; at least 1.
	Line int
	// Headers is the largest number of header lines of a frame; at least 0.
	Headers int
	// Body is the largest number of body octets; at least 0.
	Body int
	// Events is the largest number of events of one feed; at least 1.
	Events int
	// OnConnect chooses the rules that follow a CONNECT or STOMP frame, as a server does. Nil, or an unknown version returned, keeps them.
	OnConnect func(Frame) Version
	// Pinned keeps Version for good: neither CONNECTED nor OnConnect changes it.
	Pinned bool
}

// DefaultCodecConfig returns the default limits for streams that start with the rules of v: lines of 8192 octets (STOMP-LIMIT-001), 128 headers
// (STOMP-LIMIT-003), bodies of 1 MiB (STOMP-LIMIT-004) and 1024 events per feed (STOMP-LIMIT-006).
func DefaultCodecConfig(v Version) CodecConfig {
	return CodecConfig{Version: v, Line: 8192, Headers: 128, Body: 1 << 20, Events: 1024}
}

// Validate reports the first field that is out of range (STOMP-LIMIT-007).
func (c CodecConfig) Validate() error {
	switch {
	case !c.Version.Known():
		return fmt.Errorf("stompmodel: config: Version is %q, want 1.0, 1.1 or 1.2", string(c.Version))
	// STOMP-LIMIT-007
	case c.Line < 1:
		return fmt.Errorf("stompmodel: config: Line is %d, want at least 1", c.Line)
	case c.Headers < 0:
		return fmt.Errorf("stompmodel: config: Headers is %d, want at least 0", c.Headers)
	case c.Body < 0:
		return fmt.Errorf("stompmodel: config: Body is %d, want at least 0", c.Body)
	case c.Events < 1:
		return fmt.Errorf("stompmodel: config: Events is %d, want at least 1", c.Events)
	}
	return nil
}
