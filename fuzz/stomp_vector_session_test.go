package fuzz

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

func TestEveryWantOfASessionIsLookedAt(t *testing.T) {
	changed := notice{}
	for _, v := range stompVectors(t, corpus.RunSession) {
		if v.Want.Reject {
			v.Want.Reject = false
			if RunStompVector(v) == nil {
				t.Errorf("%s: a session is made that must not be", v.Name)
			}
			continue
		}
		version := v.Versions[len(v.Versions)-1]
		v.Versions = []string{version}
		script := v.Session.Script(version)
		if len(script) > 300 || slices.ContainsFunc(script, large) {
			continue
		}
		for i, step := range script {
			if step.Want == nil {
				continue
			}
			for what, wrong := range wrongs(step.Want) {
				twin := slices.Clone(script)
				twin[i].Want = wrong
				w, s := v, *v.Session
				s.Open, s.Steps = nil, twin
				w.Session = &s
				changed.sees(t, fmt.Sprintf("%s, call %d in line %d", v.Name, i+1, step.Line), what, RunStompVector(w))
			}
		}
	}
	changed.all(t,
		"refused", "closes", "reason", "rule", "events", "kind", "get", "frame", "octets", "state", "version", "intervals",
		"subscriptions", "unsubscribing", "transactions", "receipts", "deliveries",
	)
}

// large tells of a call that makes a thousand runs of its vector too slow.
func large(s corpus.SessionStep) bool {
	const most = 1 << 16
	return s.Send != nil && len(s.Send.Body) > most || s.Receive != nil && len(*s.Receive) > most
}

// wrongs returns copies of w, each with one expectation that no call can meet if it can meet w.
func wrongs(w *corpus.SessionWant) map[string]*corpus.SessionWant {
	out := map[string]*corpus.SessionWant{}
	change := func(what string, edit func(*corpus.SessionWant)) {
		c := *w
		edit(&c)
		out[what] = &c
	}
	if w.Refused != "" {
		change("refused", func(c *corpus.SessionWant) { c.Refused = "" })
		change("reason", func(c *corpus.SessionWant) { c.Refused += "-not" })
	}
	if w.Closes != "" {
		change("closes", func(c *corpus.SessionWant) { c.Closes = "" })
		change("reason", func(c *corpus.SessionWant) { c.Closes += "-not" })
	}
	if w.Rule != "" {
		change("rule", func(c *corpus.SessionWant) { c.Rule += "-not" })
	}
	if w.Octets != nil {
		more := append(slices.Clone(*w.Octets), 'x')
		change("octets", func(c *corpus.SessionWant) { c.Octets = &more })
	}
	if w.State != "" {
		change("state", func(c *corpus.SessionWant) { c.State += "-not" })
	}
	if w.Version != "" {
		change("version", func(c *corpus.SessionWant) { c.Version = "1.3" })
	}
	if w.Intervals != nil {
		change("intervals", func(c *corpus.SessionWant) {
			c.Intervals = &corpus.Pair{Send: w.Intervals.Send, Want: w.Intervals.Want + 1}
		})
	}
	if w.Events != nil {
		change("events", func(c *corpus.SessionWant) {
			c.Events = append(slices.Clone(w.Events), corpus.SessionEvent{Kind: "heartbeat"})
		})
	}
	for i, e := range w.Events {
		event := func(what string, edit func(*corpus.SessionEvent)) {
			change(what, func(c *corpus.SessionWant) {
				c.Events = slices.Clone(w.Events)
				edit(&c.Events[i])
			})
		}
		event("kind", func(e *corpus.SessionEvent) { e.Kind += "-not" })
		if len(e.Get) > 0 {
			event("get", func(e *corpus.SessionEvent) {
				e.Get = slices.Clone(e.Get)
				e.Get[0].Value = corpus.Text("not " + e.Get[0].Value.String())
			})
		}
		if e.Frame != nil {
			event("frame", func(e *corpus.SessionEvent) {
				f := *e.Frame
				f.Body = corpus.Text("not " + f.Body.String())
				e.Frame = &f
			})
		}
	}
	if w.Counts != nil {
		for i, name := range []string{"subscriptions", "unsubscribing", "transactions", "receipts", "deliveries"} {
			change(name, func(c *corpus.SessionWant) {
				counts := *w.Counts
				n := []**int{
					&counts.Subscriptions, &counts.Unsubscribing, &counts.Transactions, &counts.Receipts, &counts.Deliveries,
				}[i]
				wrong := -1
				*n = &wrong
				c.Counts = &counts
			})
		}
	}
	return out
}

// A refused send and a failed call are compared with more than the reason.
func TestFailuresOfASessionAreLookedAt(t *testing.T) {
	for _, c := range []struct {
		what  string
		steps []corpus.SessionStep
	}{
		{"a refusal that is none", []corpus.SessionStep{{Tick: true, Want: &corpus.SessionWant{Closes: "timeout"}}}},
		{"an end that is spent", []corpus.SessionStep{{Fail: true}, {End: true}}},
		{"a chunk in Fresh", []corpus.SessionStep{{Receive: &corpus.Octets{'\n'}}}},
		{"a frame in Fresh", []corpus.SessionStep{{Send: &corpus.SessionFrame{Frame: corpus.Frame{Command: corpus.Text("SEND")}}}}},
	} {
		v := corpus.StompVector{
			Citation: corpus.Citation{Name: c.what, Versions: []string{"1.2"}}, Op: corpus.RunSession,
			Session: &corpus.Session{Profile: "strict", Steps: c.steps},
		}
		if err := RunStompVector(v); err == nil {
			t.Errorf("%s passes", c.what)
		}
	}
}
