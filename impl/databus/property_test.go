package databus

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// steps are what may happen to a bus; those of the transport are tried only while it waits for them.
var steps = []string{
	"subscribe", "unsubscribe", "publish", "emit", "hide", "show", "start", "stop", "error", "disconnected", "connected", "let it open",
	"let it fail", "let it close", "wait a little", "wait",
}

// DATABUS-LIFECYCLE-001, -008, DATABUS-SUBSCRIBE-006, DATABUS-RECONNECT-002: whatever happens in whatever order, openings and stops take
// turns, the transport is asked for topics only while it is open, and handlers, intention, assignments and flags agree.
func TestBusProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.SliceOfN(rapid.SampledFrom(steps), 10, 40).Draw(rt, "steps")
		picks := rapid.SliceOfN(rapid.IntRange(0, 1), len(plan), len(plan)).Draw(rt, "topics")
		var fault string
		synctest.Test(t, func(t *testing.T) { fault = play(t, plan, picks) })
		if fault != "" {
			rt.Fatalf("after %v: %s", plan, fault)
		}
	})
}

// A stage is one bus under a plan.
type stage struct {
	*rig
	subs  map[string][]*Subscription
	ended chan error // of starts and stops
}

func play(t *testing.T, plan []string, picks []int) (fault string) {
	s := &stage{rig: rigged(t, nil), subs: map[string][]*Subscription{}, ended: make(chan error, 2*len(plan))}
	s.fake.opens, s.fake.stops = make(chan error), make(chan struct{})
	for i, step := range plan {
		s.step(step, []string{"x", "y"}[picks[i]])
		synctest.Wait()
		if fault = s.check(); fault != "" {
			fault = fmt.Sprintf("step %d: %s", i, fault)
			break
		}
	}
	// What goes on ends, so that the bubble can.
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.end()
	}()
	for {
		select {
		case <-done:
			return fault
		case s.fake.opens <- nil:
		case s.fake.stops <- struct{}{}:
		case <-time.After(time.Minute):
			return "the stop does not end"
		}
	}
}

func (s *stage) step(step, topic string) {
	switch step {
	case "subscribe":
		s.subs[topic] = append(s.subs[topic], s.sub(topic))
	case "unsubscribe":
		if list := s.subs[topic]; len(list) > 0 {
			list[0].Unsubscribe()
			s.subs[topic] = list[1:]
		}
	case "publish":
		s.Publish(topic, json.RawMessage("1"))
	case "emit":
		if s.fake.to != nil {
			s.emits(topic, "1")
		}
	case "hide":
		s.PageHide()
	case "show":
		s.PageShow()
	case "start":
		go func() { s.ended <- s.Start(s.t.Context()) }()
	case "stop":
		clear(s.subs)
		go func() { s.ended <- s.Stop(s.t.Context()) }()
	case "error", "disconnected", "connected":
		if s.fake.to != nil {
			s.fake.to.Status(Status(step))
		}
	case "let it open", "let it fail":
		var err error
		if step == "let it fail" {
			err = errBroken
		}
		select {
		case s.fake.opens <- err:
		default:
		}
	case "let it close":
		select {
		case s.fake.stops <- struct{}{}:
		default:
		}
	case "wait a little":
		pass(500)
	case "wait":
		pass(5000)
	}
}

// check looks at what the transport was asked so far and at what the bus knows.
func (s *stage) check() string {
	s.fake.mu.Lock()
	log := slices.Clone(s.fake.log)
	s.fake.mu.Unlock()
	if fault := sane(log); fault != "" {
		return fault + ": " + strings.Join(log, ", ")
	}
	snap := s.Snapshot()
	s.Bus.mu.Lock()
	defer s.Bus.mu.Unlock()
	l := &s.life
	var want []string
	for topic, list := range s.subs {
		if len(list) > 0 {
			want = append(want, topic)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(snap.Subscribed)); l.started && !l.stopping && !slices.Equal(got, want) {
		return fmt.Sprintf("handlers of %v, subscribed to %v", want, got)
	}
	if got := slices.Sorted(slices.Values(s.topics)); !slices.Equal(got, want) {
		return fmt.Sprintf("handlers of %v, want %v", got, want)
	}
	for topic := range l.flagged {
		if !slices.Contains(snap.Assigned, topic) {
			return topic + " is held and not assigned"
		}
	}
	if l.ready && len(l.flagged) != len(snap.Assigned) {
		return fmt.Sprintf("ready with %v of %v", l.flagged, snap.Assigned)
	}
	if l.ready && (l.suspended || l.stopping || !l.started || l.status != Connected) || len(l.waiting) > 0 && l.ready {
		return fmt.Sprintf("ready in a wrong state: %+v", l)
	}
	for _, err := range s.errs {
		if !errors.Is(err, errBroken) && !errors.Is(err, ErrNotStarted) {
			return err.Error()
		}
	}
	return ""
}

// sane reports what is wrong with the order in which a transport was asked things.
func sane(log []string) string {
	state := "closed"
	held := map[string]bool{}
	for _, line := range log {
		verb, topic, _ := strings.Cut(line, " ")
		switch {
		case line == "start" && (state == "closed" || state == "open" || state == "failed"):
			state = "opening"
			clear(held)
		case line == "open" && state == "opening":
			state = "open"
		case line == "start failed" && state == "opening":
			state = "failed"
		case line == "stop" && (state == "open" || state == "failed"):
			state = "closing"
			clear(held)
		case line == "closed" && state == "closing":
			state = "closed"
		case verb == "unsub" && held[topic]:
			delete(held, topic)
		case (verb == "sub" || verb == "pub") && state != "closed" && state != "closing":
			// A transport may connect by itself after an opening that failed. It is asked twice only if the connection broke in between,
			// which the bus shows in its flags.
			held[topic] = held[topic] || verb == "sub"
		default:
			return line + " while " + state
		}
	}
	return ""
}
