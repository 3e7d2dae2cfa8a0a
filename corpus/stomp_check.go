package corpus

import (
	"errors"
	"fmt"
	"slices"
)

// RuleNames are the names that an error's rule may have, for decoder and encoder.
func RuleNames() []string {
	return []string{
		"line-limit", "header-limit", "body-limit", "event-limit", "nul-in-line", "bare-cr", "utf8", "unknown-command",
		"header-shape", "raw-colon", "escape", "content-length", "body-forbidden", "terminator", "truncated", "spent",
		"unrepresentable", "pair-limit", "header-1.0",
	}
}

func (v *StompVector) check() error {
	return checkOp(v.Op, map[StompOp]func() error{
		Decode: v.checkDecode, Encode: v.checkEncode, DecoderLimits: v.checkLimits, ParseHeartbeat: v.checkHeartbeat,
		FormatHeartbeat: v.checkFormat, NegotiateHeartbeat: v.checkNegotiate, HeartbeatClock: v.checkClock, Judge: v.checkJudge,
		RunSession: v.checkSession,
	}, v.fields())
}

func (v *StompVector) fields() []field[StompOp] {
	return []field[StompOp]{
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
	}
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
	return checkOffset(*e.Offset, feeds, e.Feed)
}

func (e *Error) checkEnd(feeds []Text, end bool) error {
	if !end || e.Feed != 0 {
		return errors.New("error at the end, but the vector does not call End or names a feed too")
	}
	if total := length(feeds); e.Offset != nil && *e.Offset != total {
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

func checkFindings(fs []Finding, versions []string) error {
	for _, f := range fs {
		if err := checkLaws(stomp, []string{f.Law}, versions); err != nil {
			return err
		}
		if f.Verdict != "fail" && f.Verdict != "lax" {
			return fmt.Errorf("finding on %s has the verdict %q, not fail or lax", f.Law, f.Verdict)
		}
	}
	return nil
}
