package fuzz

import (
	"errors"
	"fmt"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

func machineSession(v *corpus.StompVector, version stompmodel.Version) error {
	cfg := stompmodel.SessionConfig{MultiVersion: v.Session.Profile == "multi", Limits: stompmodel.DefaultSessionLimits()}
	if c := v.Session.Capacities; c != nil {
		cfg.Limits = stompmodel.SessionLimits{
			Subscriptions: c.Subscriptions, Transactions: c.Transactions, Receipts: c.Receipts, Deliveries: c.Deliveries,
		}
	}
	if v.Session.Tolerance != nil {
		cfg.Tolerance = *v.Session.Tolerance
	}
	m, err := stompmodel.NewSession(cfg)
	if err != nil || v.Want.Reject {
		return rejected(v, err)
	}
	s := m.Init()
	for i, step := range v.Session.Script(string(version)) {
		next, out, ok := m.Do(s, machineCall(&step))
		if !ok {
			return fmt.Errorf("call %d in line %d is none", i+1, step.Line)
		}
		if err := machineWants(&step, out); err != nil {
			return fmt.Errorf("call %d in line %d: %w; the output is %.300v", i+1, step.Line, err, out)
		}
		s = next
	}
	return nil
}

func machineCall(step *corpus.SessionStep) stompmodel.SessionAction {
	a := stompmodel.SessionAction{Now: *step.Now}
	switch {
	case step.Send != nil:
		a.Op, a.Frame = stompmodel.SessionSend, machineFrame(&step.Send.Frame)
	case step.Receive != nil:
		a.Op, a.Chunk = stompmodel.SessionReceive, string(*step.Receive)
	case step.Tick:
		a.Op = stompmodel.SessionTick
	case step.End:
		a.Op = stompmodel.SessionEnd
	default:
		a.Op = stompmodel.SessionFail
	}
	return a
}

func machineWants(step *corpus.SessionStep, out stompmodel.SessionOutput) error {
	w := step.Want
	if w == nil {
		w = new(corpus.SessionWant)
	}
	if reason := w.Refused + w.Closes; string(out.Reason) != reason {
		return fmt.Errorf("reason %q, want %q", out.Reason, reason)
	}
	if w.Closes != "" && (out.State != stompmodel.SessionClosed || out.Counts != (stompmodel.SessionCounts{}) || out.Send != 0 || out.Receive != 0) {
		return errors.New("a call that failed left something")
	}
	if out.Reason != "" && (out.Octets != "" || len(out.Events) != 0) {
		return errors.New("a call that failed returned something")
	}
	if w.Rule != "" && string(out.Rule) != w.Rule {
		return fmt.Errorf("rule %q, want %q", out.Rule, w.Rule)
	}
	if w.Octets != nil && out.Octets != string(*w.Octets) {
		return fmt.Errorf("octets %.200q, want %.200q", out.Octets, *w.Octets)
	}
	if w.State != "" && string(out.State) != w.State {
		return fmt.Errorf("state %s, want %s", out.State, w.State)
	}
	if w.Version != "" && string(out.Version) != w.Version {
		return fmt.Errorf("version %s, want %s", out.Version, w.Version)
	}
	if w.Intervals != nil && (corpus.Pair{Send: out.Send, Want: out.Receive}) != *w.Intervals {
		return fmt.Errorf("intervals %d and %d, want %v", out.Send, out.Receive, *w.Intervals)
	}
	if c := w.Counts; c != nil {
		for _, n := range []struct {
			want *int
			got  int
		}{
			{c.Subscriptions, out.Counts.Subscriptions},
			{c.Unsubscribing, out.Counts.Unsubscribing},
			{c.Transactions, out.Counts.Transactions},
			{c.Receipts, out.Counts.Receipts},
			{c.Deliveries, out.Counts.Deliveries},
		} {
			if n.want != nil && *n.want != n.got {
				return fmt.Errorf("counts %+v, where %d are wanted", out.Counts, *n.want)
			}
		}
	}
	if w.Events == nil {
		return nil
	}
	return machineSessionEvents(w.Events, out.Events)
}

func machineSessionEvents(want corpus.SessionEvents, got []stompmodel.SessionEvent) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d events, want %d", len(got), len(want))
	}
	kinds := map[string]stompmodel.SessionEventKind{
		"heartbeat": stompmodel.EventHeartBeat, "connected": stompmodel.EventConnected, "message": stompmodel.EventMessage,
		"receipt": stompmodel.EventReceipt, "server-error": stompmodel.EventServerError,
	}
	for i, w := range want {
		g := got[i]
		if g.Kind != kinds[w.Kind] {
			return fmt.Errorf("event %d is a %s, want %s", i+1, g.Kind, w.Kind)
		}
		for _, h := range w.Get {
			if value, ok := g.Frame.Get(string(h.Name)); !ok || value != string(h.Value) {
				return fmt.Errorf("event %d: look-up of %q gives %q, want %q", i+1, h.Name, value, h.Value)
			}
		}
		if w.Frame != nil {
			if err := wantedEvents(corpus.Events{{Frame: w.Frame}}, []stompmodel.Event{{Frame: g.Frame}}); err != nil {
				return fmt.Errorf("event %d: %w", i+1, err)
			}
		}
	}
	return nil
}
