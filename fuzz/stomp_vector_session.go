package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// runSession does the script of the vector with one session of the reference.
func runSession(v *corpus.StompVector, version frame.Version) error {
	s, err := session.New(sessionConfig(v.Session))
	if err != nil || v.Want.Reject {
		return rejected(v, err)
	}
	for i, step := range v.Session.Script(version.String()) {
		if err := runStep(s, &step); err != nil {
			return fmt.Errorf("call %d in line %d: %w", i+1, step.Line, err)
		}
	}
	return nil
}

func sessionConfig(s *corpus.Session) session.Config {
	cfg := session.Config{Profile: session.Strict}
	if s.Profile == "multi" {
		cfg.Profile = session.MultiVersion
	}
	if c := s.Capacities; c != nil {
		cfg.Limits = session.Limits{
			Subscriptions: c.Subscriptions, Transactions: c.Transactions, Receipts: c.Receipts, Deliveries: c.Deliveries,
		}
	}
	if s.Tolerance != nil {
		cfg.Tolerance = *s.Tolerance
	}
	return cfg
}

// looks is all that a session shows of itself.
type looks struct {
	state         session.State
	version       frame.Version
	counts        session.Counts
	send, receive int64
}

func lookAt(s *session.Session) looks {
	l := looks{state: s.State(), version: s.Version(), counts: s.Counts()}
	l.send, l.receive = s.Intervals()
	return l
}

// runStep makes one call and compares what comes of it.
func runStep(s *session.Session, step *corpus.SessionStep) error {
	want := step.Want
	if want == nil {
		want = new(corpus.SessionWant)
	}
	before := lookAt(s)
	switch {
	case step.Send != nil:
		return runSend(s, step, want, before)
	case step.Receive != nil:
		// The chunk is overwritten after the call, which is how a session is seen that holds on to it.
		chunk := slices.Clone([]byte(*step.Receive))
		events, err := s.Receive(*step.Now, chunk)
		overwrite(chunk)
		if err := sameFailure(want.Closes, want.Rule, session.OpReceive, err); err != nil {
			return err
		}
		if err != nil {
			return closed(s, len(events))
		}
		if want.Events != nil {
			if err := sameSessionEvents(want.Events, events); err != nil {
				return err
			}
		}
	case step.Tick:
		prefix := []byte("before")
		out, err := s.Tick(prefix, *step.Now)
		if err := sameFailure(want.Closes, want.Rule, session.OpTick, err); err != nil {
			return err
		}
		if !bytes.HasPrefix(out, prefix) {
			return fmt.Errorf("tick changed what it appends to: %q", out)
		}
		if err != nil {
			return closed(s, len(out)-len(prefix))
		}
		if want.Octets != nil && !bytes.Equal(out[len(prefix):], *want.Octets) {
			return fmt.Errorf("tick wrote %q, want %q", out[len(prefix):], *want.Octets)
		}
	case step.End:
		err := s.End()
		if err := sameFailure(want.Closes, want.Rule, session.OpEnd, err); err != nil {
			return err
		}
		if err != nil {
			return closed(s, 0)
		}
	case step.Fail:
		s.Fail()
	}
	return sameLooks(want, lookAt(s))
}

func runSend(s *session.Session, step *corpus.SessionStep, want *corpus.SessionWant, before looks) error {
	f := corpusFrame(&step.Send.Frame)
	prefix := []byte("before")
	out, err := s.Send(prefix, *step.Now, f)
	// The frame is overwritten after the call, which is how a session is seen that holds on to it.
	for i := range f.Headers {
		f.Headers[i] = frame.Header{Name: "#", Value: "#"}
	}
	if err := sameFailure(want.Refused, want.Rule, session.OpSend, err); err != nil {
		return err
	}
	if !bytes.HasPrefix(out, prefix) {
		return fmt.Errorf("send changed what it appends to: %.40q", out)
	}
	out = out[len(prefix):]
	if err != nil {
		if len(out) != 0 {
			return fmt.Errorf("a refused send wrote %d octets", len(out))
		}
		if after := lookAt(s); after != before {
			return fmt.Errorf("a refused send made %+v of %+v", after, before)
		}
	}
	if want.Octets != nil && !bytes.Equal(out, *want.Octets) {
		return fmt.Errorf("send wrote %.200q, want %.200q", out, *want.Octets)
	}
	if want.Decodes {
		if err := writtenIs(out, before.version, &step.Send.Frame); err != nil {
			return err
		}
	}
	return sameLooks(want, lookAt(s))
}

// writtenIs reads out with a decoder of default limits.
func writtenIs(out []byte, version frame.Version, want *corpus.Frame) error {
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: version})
	if err != nil {
		return err
	}
	events, err := d.Feed(out)
	if err != nil {
		return fmt.Errorf("what was written does not decode: %w", err)
	}
	if len(events) != 1 || events[0].Frame == nil {
		return fmt.Errorf("what was written decodes to %d events", len(events))
	}
	got := *events[0].Frame
	if n := len(got.Headers); n == len(want.Headers)+1 && got.Headers[n-1].Name == "content-length" {
		got.Headers = got.Headers[:n-1]
	}
	return sameFrame(want, &got)
}

// sameFailure compares the error of a call with the reason wanted, "" for none.
func sameFailure(want, rule string, op session.Op, got error) error {
	if got == nil {
		if want != "" {
			return fmt.Errorf("no error, want %s", want)
		}
		return nil
	}
	var e *session.Error
	if !errors.As(got, &e) {
		return fmt.Errorf("error %w is not typed", got)
	}
	if e.Reason.String() != want || e.Op != op {
		return fmt.Errorf("error %w is %s of %s, want %q of %s", got, e.Reason, e.Op, want, op)
	}
	if rule == "" {
		return nil
	}
	var cause *frame.Error
	if !errors.As(e.Cause, &cause) || cause.Rule.String() != rule {
		return fmt.Errorf("error %w has the cause %v, want %s", got, e.Cause, rule)
	}
	return nil
}

// closed compares a session that has just failed with one that has nothing.
func closed(s *session.Session, returned int) error {
	if returned != 0 {
		return fmt.Errorf("a call that failed returned %d events or octets", returned)
	}
	l := lookAt(s)
	if l.state != session.Closed || l.counts != (session.Counts{}) || l.send != 0 || l.receive != 0 {
		return fmt.Errorf("a call that failed left %+v", l)
	}
	return nil
}

func sameLooks(want *corpus.SessionWant, got looks) error {
	if want.State != "" && got.state.String() != want.State {
		return fmt.Errorf("state %s, want %s", got.state, want.State)
	}
	if want.Version != "" && got.version.String() != want.Version {
		return fmt.Errorf("version %s, want %s", got.version, want.Version)
	}
	if want.Intervals != nil && (got.send != want.Intervals.Send || got.receive != want.Intervals.Want) {
		return fmt.Errorf("intervals %d and %d, want %v", got.send, got.receive, *want.Intervals)
	}
	if want.Counts == nil {
		return nil
	}
	for _, c := range []struct {
		name string
		want *int
		got  int
	}{
		{"subscriptions", want.Counts.Subscriptions, got.counts.Subscriptions},
		{"unsubscribing", want.Counts.Unsubscribing, got.counts.Unsubscribing},
		{"transactions", want.Counts.Transactions, got.counts.Transactions},
		{"receipts", want.Counts.Receipts, got.counts.Receipts},
		{"deliveries", want.Counts.Deliveries, got.counts.Deliveries},
	} {
		if c.want != nil && *c.want != c.got {
			return fmt.Errorf("%d %s, want %d", c.got, c.name, *c.want)
		}
	}
	return nil
}

func sameSessionEvents(want corpus.SessionEvents, got []session.Event) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d events, want %d", len(got), len(want))
	}
	for i, w := range want {
		if err := sameSessionEvent(&w, got[i]); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

func sameSessionEvent(want *corpus.SessionEvent, got session.Event) error {
	kinds := map[string]session.Kind{
		"heartbeat": session.HeartBeat, "connected": session.Connected, "message": session.Message,
		"receipt": session.Receipt, "server-error": session.ServerError,
	}
	if got.Kind != kinds[want.Kind] {
		return fmt.Errorf("kind %v, want %s", got.Kind, want.Kind)
	}
	if (got.Frame == nil) != (want.Kind == "heartbeat") {
		return errors.New("a frame where a heart-beat belongs, or the other way round")
	}
	for _, h := range want.Get {
		if v, ok := got.Frame.Get(string(h.Name)); !ok || v != string(h.Value) {
			return fmt.Errorf("look-up of %q gives %q, want %q", h.Name, v, h.Value)
		}
	}
	if want.Frame != nil {
		return sameFrame(want.Frame, got.Frame)
	}
	return nil
}
