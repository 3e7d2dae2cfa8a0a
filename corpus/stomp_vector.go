package corpus

import (
	"io/fs"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// StompOp says what a vector is done with.
type StompOp string

// The operations; the package comment describes each.
const (
	Decode             StompOp = "decode"
	Encode             StompOp = "encode"
	DecoderLimits      StompOp = "limits"
	ParseHeartbeat     StompOp = "heartbeat"
	FormatHeartbeat    StompOp = "heartbeat-format"
	NegotiateHeartbeat StompOp = "negotiate-heartbeat"
	HeartbeatClock     StompOp = "heartbeat-clock"
	Judge              StompOp = "judge"
	RunSession         StompOp = "session"
)

// StompVector is one experiment and its only right results. Which fields are set depends on Op.
type StompVector struct {
	Citation `yaml:",inline"`
	Op       StompOp `yaml:"op"`
	Note     string  `yaml:"note"` // why, where the laws alone do not make it plain

	Limits *Limits `yaml:"limits"` // nil: the defaults
	Feeds  []Text  `yaml:"feeds"`  // one Feed call each; for judge one segment of the sender's stream each
	End    bool    `yaml:"end"`    // call End after the feeds
	After  []Call  `yaml:"after"`  // calls that must fail after the error or the successful end
	From   string  `yaml:"from"`   // for judge: the sender, client or server

	Frame  *Frame  `yaml:"frame"`  // for encode
	Beat   bool    `yaml:"beat"`   // for encode: one heart-beat in place of a frame
	Bounds *Bounds `yaml:"bounds"` // nil: no capacity limit

	Value  *Text  `yaml:"value"`  // for heartbeat: the header value
	Pair   *Pair  `yaml:"pair"`   // for heartbeat-format
	Client *Pair  `yaml:"client"` // for negotiate-heartbeat
	Server *Pair  `yaml:"server"` //
	Clock  *Clock `yaml:"clock"`  // for heartbeat-clock
	Steps  []Step `yaml:"steps"`  //

	Session *Session `yaml:"session"` // for session

	Want         StompWant     `yaml:"want"`
	Alternatives []Alternative `yaml:"alternatives"` // other results of a third party, each with its verdict
}

// StompVectors returns the STOMP vectors of the embedded corpus in the order of file names and then of the files.
func StompVectors() ([]StompVector, error) { return LoadStompVectors(FS, stompVectors) }

// LoadStompVectors reads every .yaml file directly inside dir. A name may occur once in all of them. Every error is a
// [*LoadError].
func LoadStompVectors(fsys fs.FS, dir string) ([]StompVector, error) {
	return loadFolder[StompVector](fsys, stomp, dir)
}

// Stream is all feeds joined.
func (v *StompVector) Stream() []byte { return slices.Concat(v.Feeds...) }

// Limits are those of a decoder. All four must be given, so that zero is a value and not an omission.
type Limits struct {
	Line    int `yaml:"line"`
	Headers int `yaml:"headers"`
	Body    int `yaml:"body"`
	Events  int `yaml:"events"`
}

// UnmarshalYAML reads a mapping that has all four keys.
func (l *Limits) UnmarshalYAML(n ast.Node) error {
	type plain Limits
	return whole(n, (*plain)(l), 4)
}

// Bounds are a client's outbound capacity in octets of name plus value, entries on the wire, and octets of body.
type Bounds struct {
	Pair    int `yaml:"pair"`
	Headers int `yaml:"headers"`
	Body    int `yaml:"body"`
}

// UnmarshalYAML reads a mapping that has all three keys.
func (b *Bounds) UnmarshalYAML(n ast.Node) error {
	type plain Bounds
	return whole(n, (*plain)(b), 3)
}

// whole reads a strict mapping of exactly keys different keys: with unknown and double keys refused, none is missing.
func whole(n ast.Node, v any, keys int) error {
	if m, ok := n.(*ast.MappingNode); !ok || len(m.Values) != keys {
		return errorAt(n, "this mapping needs all of its %d keys", keys)
	}
	return decodeNode(n, v)
}

// Call is one call on a decoder that must fail: a feed of these octets, or the end if Feed is nil.
type Call struct {
	Feed *Text `yaml:"feed"`
	End  bool  `yaml:"end"`
}

// Pair is what a party can do and what it wants, in milliseconds.
type Pair struct{ Send, Want int64 }

// UnmarshalYAML reads [SEND, WANT].
func (p *Pair) UnmarshalYAML(n ast.Node) error {
	var two []int64
	if err := decodeNode(n, &two); err != nil {
		return err
	}
	if len(two) != 2 {
		return errorAt(n, "pair has %d numbers, not 2", len(two))
	}
	p.Send, p.Want = two[0], two[1]
	return nil
}

// Clock is the construction of a heart-beat clock; all times in milliseconds.
type Clock struct {
	Send      int64 `yaml:"send"`
	Receive   int64 `yaml:"receive"`
	Tolerance int64 `yaml:"tolerance"`
	Now       int64 `yaml:"now"`
}

// UnmarshalYAML reads a mapping that has all four keys.
func (c *Clock) UnmarshalYAML(n ast.Node) error {
	type plain Clock
	return whole(n, (*plain)(c), 4)
}

// Step is one call on a heart-beat clock: exactly one of Sent, Received and Poll is set, to the time of the call.
type Step struct {
	Sent     *int64 `yaml:"sent"`
	Received *int64 `yaml:"received"`
	Poll     *int64 `yaml:"poll"`
	Due      *bool  `yaml:"due"`  // what Poll must say; nil: either
	Dead     *bool  `yaml:"dead"` // what Poll must say; nil: either
}

// StompWant is the right result.
type StompWant struct {
	Events    Events    `yaml:"events"`    // for decode: of all feeds that succeeded
	Bytes     *Text     `yaml:"bytes"`     // for encode and heartbeat-format
	Error     *Error    `yaml:"error"`     // for decode and encode
	Pair      *Pair     `yaml:"pair"`      // for heartbeat
	Intervals *Pair     `yaml:"intervals"` // for negotiate-heartbeat: client to server, server to client
	Reject    bool      `yaml:"reject"`    // for the others: refused
	Findings  []Finding `yaml:"findings"`  // for judge
	Clear     []string  `yaml:"clear"`     // for judge
}

// Error is the failure of a decoder or an encoder.
type Error struct {
	Rules    Rules  `yaml:"rule"`     // any of these
	Feed     int    `yaml:"feed"`     // the feed that fails, from 1; 0 with End and for encode
	End      bool   `yaml:"end"`      // the call of End fails
	Offset   *int64 `yaml:"offset"`   // position in the stream; nil: anywhere in the feed
	Optional bool   `yaml:"optional"` // the laws leave it open whether it fails
}

// Allows tells whether rule is one of the names that the laws allow.
func (e *Error) Allows(rule string) bool { return slices.Contains(e.Rules, rule) }

// Rules is one rule name or a list of them.
type Rules []string

// UnmarshalYAML reads a string or a list of strings.
func (r *Rules) UnmarshalYAML(n ast.Node) error {
	if s, ok := n.(*ast.StringNode); ok {
		*r = Rules{s.Value}
		return nil
	}
	var list []string
	err := decodeNode(n, &list)
	*r = list
	return err
}

// Alternative is a result of a third party that is not the right one and yet not simply wrong.
type Alternative struct {
	Verdict string `yaml:"verdict"` // lax or info
	Why     string `yaml:"why"`
	Events  Events `yaml:"events"`
	Error   *Error `yaml:"error"`
}

// Finding is what a judge says about a sender.
type Finding struct {
	Law     string `yaml:"law"`
	Verdict string `yaml:"verdict"` // fail or lax
}
