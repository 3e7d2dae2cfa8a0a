package corpus

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var (
	nameShape = regexp.MustCompile(`^[a-z0-9]+([-.][a-z0-9]+)*$`)
	lawShape  = regexp.MustCompile(`^STOMP-[A-Z]+-[0-9]{3}$`)
)

// RuleNames are the names that an error's rule may have, for decoder and encoder.
func RuleNames() []string {
	return []string{
		"line-limit", "header-limit", "body-limit", "event-limit", "nul-in-line", "bare-cr", "utf8", "unknown-command",
		"header-shape", "raw-colon", "escape", "content-length", "body-forbidden", "terminator", "truncated", "spent",
		"unrepresentable", "pair-limit", "header-1.0",
	}
}

// check says what is wrong with a vector that is well-formed YAML.
func (v *StompVector) check() error {
	if err := checkHead(v.Name, v.Laws, v.Versions); err != nil {
		return err
	}
	run, known := map[StompOp]func() error{
		Decode: v.checkDecode, Encode: v.checkEncode, DecoderLimits: v.checkLimits, ParseHeartbeat: v.checkHeartbeat,
		FormatHeartbeat: v.checkFormat, NegotiateHeartbeat: v.checkNegotiate, HeartbeatClock: v.checkClock, Judge: v.checkJudge,
		RunSession: v.checkSession,
	}[v.Op]
	if !known {
		return fmt.Errorf("unknown op %q", v.Op)
	}
	if err := v.checkFields(); err != nil {
		return err
	}
	return run()
}

// checkFields refuses a field that the op does not read: it would look like a check and be none.
func (v *StompVector) checkFields() error {
	for _, f := range []struct {
		name string
		set  bool
		ops  []StompOp
	}{
		{"limits", v.Limits != nil, []StompOp{Decode, DecoderLimits}},
		{"feeds", v.Feeds != nil, []StompOp{Decode, Judge}},
		{"end", v.End, []StompOp{Decode}},
		{"after", v.After != nil, []StompOp{Decode}},
		{"alternatives", v.Alternatives != nil, []StompOp{Decode}},
		{"from", v.From != "", []StompOp{Judge}},
		{"frame", v.Frame != nil, []StompOp{Encode}},
		{"beat", v.Beat, []StompOp{Encode}},
		{"bounds", v.Bounds != nil, []StompOp{Encode}},
		{"value", v.Value != nil, []StompOp{ParseHeartbeat}},
		{"pair", v.Pair != nil, []StompOp{FormatHeartbeat}},
		{"client", v.Client != nil, []StompOp{NegotiateHeartbeat}},
		{"server", v.Server != nil, []StompOp{NegotiateHeartbeat}},
		{"clock", v.Clock != nil, []StompOp{HeartbeatClock}},
		{"steps", v.Steps != nil, []StompOp{HeartbeatClock}},
		{"session", v.Session != nil, []StompOp{RunSession}},
		{"want.events", v.Want.Events != nil, []StompOp{Decode}},
		{"want.bytes", v.Want.Bytes != nil, []StompOp{Encode, FormatHeartbeat}},
		{"want.error", v.Want.Error != nil, []StompOp{Decode, Encode}},
		{"want.pair", v.Want.Pair != nil, []StompOp{ParseHeartbeat}},
		{"want.intervals", v.Want.Intervals != nil, []StompOp{NegotiateHeartbeat}},
		{"want.reject", v.Want.Reject, []StompOp{DecoderLimits, ParseHeartbeat, FormatHeartbeat, NegotiateHeartbeat, HeartbeatClock, RunSession}},
		{"want.findings", v.Want.Findings != nil, []StompOp{Judge}},
		{"want.clear", v.Want.Clear != nil, []StompOp{Judge}},
	} {
		if f.set && !slices.Contains(f.ops, v.Op) {
			return fmt.Errorf("op %s has no field %s", v.Op, f.name)
		}
	}
	return nil
}

func checkHead(name string, laws, versions []string) error {
	if !nameShape.MatchString(name) {
		return fmt.Errorf("name %q is not words of lower-case letters and digits joined by dashes or dots", name)
	}
	if len(laws) == 0 {
		return errors.New("no law is cited")
	}
	if err := checkLaws(laws); err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("no version is given")
	}
	for i, v := range versions {
		if v != "1.0" && v != "1.1" && v != "1.2" {
			return fmt.Errorf("unknown version %q", v)
		}
		if i > 0 && versions[i-1] >= v {
			return fmt.Errorf("versions %v do not increase", versions)
		}
	}
	return nil
}

func checkLaws(laws []string) error {
	for i, l := range laws {
		if !lawShape.MatchString(l) {
			return fmt.Errorf("law %q is not a STOMP law id", l)
		}
		if slices.Contains(laws[:i], l) {
			return fmt.Errorf("law %s is cited twice", l)
		}
	}
	return nil
}

func (v *StompVector) checkDecode() error {
	if len(v.Feeds) == 0 && !v.End {
		return errors.New("decode makes no call")
	}
	if v.Want.Events == nil && v.Want.Error == nil {
		return errors.New("decode wants neither events nor an error; write events: [] for none")
	}
	if err := v.Want.Error.check(v.Feeds, v.End); err != nil {
		return err
	}
	if e := v.Want.Error; e != nil && !e.Optional && !e.End && (e.Feed < len(v.Feeds) || v.End) {
		return fmt.Errorf("error is in feed %d, so the calls that follow it belong into after", e.Feed)
	}
	for _, c := range v.After {
		if (c.Feed != nil) == c.End {
			return errors.New("a call in after is not exactly one of feed and end")
		}
	}
	if v.After != nil && v.Want.Error == nil && !v.End {
		return errors.New("after follows neither an error nor an end")
	}
	return checkAlternatives(v.Alternatives, v.Feeds, v.End)
}

func checkAlternatives(as []Alternative, feeds []Text, end bool) error {
	for _, a := range as {
		if a.Verdict != "lax" && a.Verdict != "info" {
			return fmt.Errorf("alternative has the verdict %q, not lax or info", a.Verdict)
		}
		if a.Why == "" {
			return errors.New("alternative does not say why")
		}
		if a.Events == nil && a.Error == nil {
			return errors.New("alternative has neither events nor an error")
		}
		if err := a.Error.check(feeds, end); err != nil {
			return err
		}
	}
	return nil
}

// check tests a decoder's error against the calls of its vector: a place that no call reaches could never be met.
func (e *Error) check(feeds []Text, end bool) error {
	if e == nil {
		return nil
	}
	if err := e.checkRules(); err != nil {
		return err
	}
	if e.End {
		return e.checkEnd(feeds, end)
	}
	if e.Feed < 1 || e.Feed > len(feeds) {
		return fmt.Errorf("error is in feed %d of %d", e.Feed, len(feeds))
	}
	if e.Offset == nil {
		return nil
	}
	var from int64
	for _, f := range feeds[:e.Feed-1] {
		from += int64(len(f))
	}
	to := from + int64(len(feeds[e.Feed-1]))
	if *e.Offset < from || *e.Offset >= to {
		return fmt.Errorf("offset %d is not in feed %d, which has the octets %d to %d", *e.Offset, e.Feed, from, to-1)
	}
	return nil
}

func (e *Error) checkEnd(feeds []Text, end bool) error {
	if !end || e.Feed != 0 {
		return errors.New("error at the end, but the vector does not call End or names a feed too")
	}
	var total int64
	for _, f := range feeds {
		total += int64(len(f))
	}
	if e.Offset != nil && *e.Offset != total {
		return fmt.Errorf("offset %d of the end is not the length of the stream, %d", *e.Offset, total)
	}
	return nil
}

func (e *Error) checkRules() error {
	if len(e.Rules) == 0 {
		return errors.New("error without a rule")
	}
	known := RuleNames()
	for _, r := range e.Rules {
		if !slices.Contains(known, r) {
			return fmt.Errorf("unknown rule %q", r)
		}
	}
	return nil
}

func checkFindings(fs []Finding) error {
	for _, f := range fs {
		if err := checkLaws([]string{f.Law}); err != nil {
			return err
		}
		if f.Verdict != "fail" && f.Verdict != "lax" {
			return fmt.Errorf("finding on %s has the verdict %q, not fail or lax", f.Law, f.Verdict)
		}
	}
	return nil
}
