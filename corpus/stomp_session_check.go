package corpus

import (
	"errors"
	"fmt"
	"slices"
)

func known(list []string, s string) bool { return slices.Contains(list, s) }

// EventKinds are the kinds of events that a session returns.
func EventKinds() []string {
	return []string{"heartbeat", "connected", "message", "receipt", "server-error"}
}

// kindOf is the kind of event that carries the command, or nothing.
func kindOf(command string) string {
	switch command {
	case "CONNECTED":
		return "connected"
	case "MESSAGE":
		return "message"
	case "RECEIPT":
		return "receipt"
	case "ERROR":
		return "server-error"
	}
	return ""
}

// SessionStates are the states of a session (STOMP-CLIENT-001).
func SessionStates() []string {
	return []string{"fresh", "connecting", "active", "disconnecting", "closed"}
}

// SendReasons are the reasons for which a session refuses to send, in the order in which it looks for them
// (STOMP-CLIENT-003).
func SendReasons() []string {
	return []string{
		"time-negative", "time-regression", "header-count", "body-size", "header-pair", "encoding", "not-connect",
		"not-connected", "command", "disconnecting", "closed", "host", "accept-version", "versions-strict",
		"versions-offered", "receipt-on-connect", "heart-beat", "receipt-empty", "receipt-pending", "receipt-capacity",
		"destination", "transaction-unknown", "subscription-id", "subscription-destination", "subscription-duplicate",
		"unsubscribing", "ack-mode", "unsettled", "subscription-capacity", "unsubscribe-id", "ack-id",
		"staged", "overlap", "transaction-id", "transaction-capacity",
	}
}

// ReceiveReasons are the reasons for which receive fails, which closes the session (STOMP-CLIENT-006).
func ReceiveReasons() []string {
	return []string{
		"not-receiving", "time-negative", "time-regression", "syntax", "after-error", "after-disconnect",
		"unexpected-connecting", "unexpected", "version-strict", "version-offered", "heart-beat-invalid", "message",
		"message-ack", "delivery-capacity", "delivery-duplicate", "receipt",
	}
}

// TickReasons are the reasons for which tick fails, which closes the session.
func TickReasons() []string { return []string{"time-negative", "time-regression", "timeout"} }

// EndReasons are the reasons for which end fails (STOMP-CLIENT-009).
func EndReasons() []string { return []string{"spent", "truncated"} }

func (v *StompVector) checkSession() error {
	s := v.Session
	switch {
	case s == nil:
		return errors.New("session without a session")
	case s.Profile != "strict" && s.Profile != "multi":
		return fmt.Errorf("profile %q is neither strict nor multi", s.Profile)
	case s.Profile == "strict" && !slices.Equal(v.Versions, []string{"1.2"}):
		return errors.New("the strict profile holds for 1.2 only")
	case v.Want.Reject != (len(s.Steps) == 0) || v.Want.Reject && s.Open != nil:
		return errors.New("a session that can be made needs steps, one that cannot takes no steps")
	case v.Want.Reject:
		return nil
	}
	if !decides(s.Steps) {
		return errors.New("no step wants anything")
	}
	for _, version := range v.Versions {
		for _, step := range s.Script(version) {
			if step.fill("{i}", "") {
				return fmt.Errorf("step in line %d has {i} outside a repetition", step.Line)
			}
		}
	}
	return nil
}

func decides(steps []SessionStep) bool {
	return slices.ContainsFunc(steps, func(s SessionStep) bool { return s.Want != nil || decides(s.Repeat) })
}

func (s *SessionStep) check() error {
	calls := 0
	for _, set := range []bool{s.Send != nil, s.Receive != nil, s.Tick, s.End, s.Fail, s.Repeat != nil} {
		if set {
			calls++
		}
	}
	if calls != 1 {
		return errors.New("step is not exactly one of send, receive, tick, end, fail and repeat")
	}
	if s.Repeat != nil {
		if s.Now != nil || s.Want != nil || len(s.Repeat) == 0 {
			return errors.New("a repetition needs steps and takes neither now nor want")
		}
		if s.Count < 1 || s.Count > maxRounds {
			return fmt.Errorf("count %d is not between 1 and %d", s.Count, maxRounds)
		}
		return nil
	}
	switch {
	case s.Count != 0:
		return errors.New("count without repeat")
	case s.Now != nil && (s.End || s.Fail):
		return errors.New("end and fail take no time")
	case s.Want != nil:
		return s.Want.checkCall(s)
	}
	return nil
}

// maxRounds bounds a repetition of steps.
const maxRounds = 1 << 12

// check says what is wrong with an expectation, whatever the call.
func (w *SessionWant) check() error {
	failed := w.Refused != "" || w.Closes != ""
	switch {
	case w.Refused != "" && w.Closes != "":
		return errors.New("a call is not both refused and closing")
	case w.Refused != "" && (w.Octets != nil || w.Decodes):
		return errors.New("a refused send writes nothing")
	case w.Closes != "" && (w.Events != nil || w.Octets != nil || w.State != "" || w.Counts != nil || w.Intervals != nil):
		return errors.New("a closing call returns nothing and leaves nothing: do not say so")
	case w.Rule != "" && (!failed || !known(RuleNames(), w.Rule)):
		return fmt.Errorf("rule %q is unknown or without a failure", w.Rule)
	case w.State != "" && !known(SessionStates(), w.State):
		return fmt.Errorf("unknown state %q", w.State)
	case w.Version != "" && w.Version != "{version}" && w.Version != "1.0" && w.Version != "1.1" && w.Version != "1.2":
		return fmt.Errorf("unknown version %q", w.Version)
	}
	return nil
}

// checkCall refuses an expectation that the call cannot meet.
func (w *SessionWant) checkCall(s *SessionStep) error {
	var closes []string
	switch {
	case s.Receive != nil:
		closes = ReceiveReasons()
	case s.Tick:
		closes = TickReasons()
	case s.End:
		closes = EndReasons()
	}
	switch {
	case w.Refused != "" && s.Send == nil:
		return errors.New("only a send is refused")
	case w.Refused != "" && !known(SendReasons(), w.Refused):
		return fmt.Errorf("no send is refused for %q", w.Refused)
	case w.Closes != "" && !known(closes, w.Closes):
		return fmt.Errorf("this call does not close for %q", w.Closes)
	case w.Events != nil && s.Receive == nil:
		return errors.New("only receive returns events")
	case w.Octets != nil && s.Send == nil && !s.Tick:
		return errors.New("only send and tick write octets")
	case w.Decodes && s.Send == nil:
		return errors.New("only what a send wrote decodes to a frame")
	}
	return nil
}
