package frame

import (
	"fmt"
	"strings"
)

// Rule says which kind of rule an octet or a frame broke. Laws refine it.
type Rule uint8

// The rules, those of the wire first, then those of use.
const (
	LineLimit Rule = iota + 1
	HeaderLimit
	BodyLimit
	EventLimit
	NULInLine
	BareCR
	UTF8
	UnknownCommand
	HeaderShape
	RawColon
	Escape
	ContentLength
	BodyForbidden
	Terminator
	Truncated
	Spent
	// Unrepresentable is an octet of a header that the version has no way to write; only the encoder reports it.
	Unrepresentable
	// PairLimit is a header larger than Bounds.Pair; only the encoder reports it.
	PairLimit
	// ConfigRule is a configuration field out of range.
	ConfigRule
)

// String returns the rule in lower case with dashes, such as "line-limit".
func (r Rule) String() string {
	names := [...]string{
		LineLimit: "line-limit", HeaderLimit: "header-limit", BodyLimit: "body-limit", EventLimit: "event-limit",
		NULInLine: "nul-in-line", BareCR: "bare-cr", UTF8: "utf8", UnknownCommand: "unknown-command",
		HeaderShape: "header-shape", RawColon: "raw-colon", Escape: "escape", ContentLength: "content-length",
		BodyForbidden: "body-forbidden", Terminator: "terminator", Truncated: "truncated", Spent: "spent",
		Unrepresentable: "unrepresentable", PairLimit: "pair-limit", ConfigRule: "config",
	}
	if r == 0 || int(r) >= len(names) {
		return "unknown-rule"
	}
	return names[r]
}

// Error is every error of this package. Use errors.As to reach it.
type Error struct {
	Rule Rule
	// Offset is the position in the stream, from 0, of the octet at fault; for a line or frame as a whole, of the first
	// octet of the line or of the octet that completed the frame. It does not depend on chunk boundaries. The encoder
	// and configuration errors have no stream and use -1.
	Offset int64
	// Limit and Found are the bound and the number that met it: octets, headers or events for limits, the declared and
	// actual length for a content-length mismatch, the octet found for terminators, escapes and other stray octets. A
	// number too large to tell is reported as the largest int64.
	Limit, Found int64
	// Law is the id of the law that forbids it.
	Law string
	// Detail says in words what was found. It may hold a short excerpt of the input, quoted.
	Detail string
	// Cause is, for a spent decoder, the error that spent it; nil when End did.
	Cause error
}

// Error returns a one line description: the rule, the position, the limit and what was found.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("stomp frame: ")
	b.WriteString(e.Rule.String())
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at octet %d", e.Offset)
	}
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	switch e.Rule {
	case LineLimit, HeaderLimit, BodyLimit, EventLimit, PairLimit, ConfigRule:
		fmt.Fprintf(&b, " (limit %d, found %d)", e.Limit, e.Found)
	}
	if e.Law != "" {
		fmt.Fprintf(&b, " [%s]", e.Law)
	}
	if e.Cause != nil {
		b.WriteString(": after ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// excerpt quotes at most 40 octets of b.
func excerpt(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
