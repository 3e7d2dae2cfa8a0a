package databusmodel

import (
	"fmt"
	"strings"
)

// An EffectKind is what can be observed of a step.
type EffectKind uint8

// The effects, in the words of their String.
const (
	EffectNone        EffectKind = iota
	EffectElect                  // a route is written for the election of To
	EffectHandoff                // a route is written for the handoff to To
	EffectConfirm                // a route is written with confirmedAt
	EffectDelete                 // a route is deleted or marked
	EffectStore                  // a flush stores a route
	EffectErase                  // a flush removes a route
	EffectPost                   // a frame is posted to To
	EffectRefuse                 // a frame is refused
	EffectAccept                 // a ROUTE_RELEASED of generation Gen is accepted
	EffectTake                   // the transport subscribes
	EffectDrop                   // the transport unsubscribes
	EffectPublication            // a publication passes the first gate
	EffectStale                  // a publication does not
	EffectDispatch               // the handlers are called with what To accepted
)

// An Effect is one of them, by Tab.
type Effect struct {
	Kind  EffectKind
	Tab   uint8
	Topic uint8
	To    uint8
	Gen   uint8
	Frame FrameKind
	// Odd marks what a law is about: a stored or accepted generation that is older than that of the stored route, a route erased although
	// a tab wants it, or a drop of what another tab has assigned and not flushed yet.
	Odd bool
}

const maxEffects = 24

// An Outcome is what can be observed of a step, in order.
type Outcome struct {
	n       uint8
	effects [maxEffects]Effect
}

// Effects returns what was observed, in order.
func (o Outcome) Effects() []Effect { return o.effects[:o.n] }

func (o *Outcome) add(e Effect) {
	if o.n < maxEffects {
		o.effects[o.n] = e
		o.n++
	}
}

// String returns the effects in words.
func (o Outcome) String() string {
	var words []string
	for _, e := range o.Effects() {
		words = append(words, e.String())
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// String returns the effect in words.
func (e Effect) String() string {
	who, what, to := tabName(e.Tab), topicName(e.Topic), tabName(e.To)
	odd := ""
	if e.Odd {
		odd = " (!)"
	}
	switch e.Kind {
	case EffectElect, EffectHandoff, EffectStore:
		return fmt.Sprintf("%s %s %s->%s gen %d%s", who, name(e.Kind, "", "elects", "hands on", "", "", "stores"), what, to, e.Gen, odd)
	case EffectPost:
		if e.Frame == FrameRegistry {
			return who + " posts REGISTRY"
		}
		return fmt.Sprintf("%s posts %v %s to %s", who, e.Frame, what, to)
	case EffectRefuse:
		return fmt.Sprintf("%s refuses %v %s", who, e.Frame, what)
	case EffectAccept:
		return fmt.Sprintf("%s accepts ROUTE_RELEASED %s gen %d%s", who, what, e.Gen, odd)
	case EffectDispatch:
		return fmt.Sprintf("%s dispatches what %s accepted", who, to)
	}
	verb := name(e.Kind, "", "", "", "confirms", "deletes route", "", "erases route", "", "", "", "transport subscribes",
		"transport unsubscribes", "accepts publication of", "discards publication of", "")
	return fmt.Sprintf("%s %s %s%s", who, verb, what, odd)
}

// String returns the state in words: the routes and subscribers in storage, and of each worker what it wants (s), owns (a), has at the
// server (t), the load that storage knows, and what is under way to it.
func (s State) String() string {
	var b strings.Builder
	for x, r := range s.store.routes {
		if r.there || s.store.subs[x] != 0 {
			fmt.Fprintf(&b, "%s: %v subscribers %s; ", topicName(uint8(x)), r, tabSet(s.store.subs[x]))
		}
	}
	for i := range s.tabs {
		t := &s.tabs[i]
		if t.phase == closed && !s.store.workers[i].there {
			continue
		}
		fmt.Fprintf(&b, "%s %v s%s a%s t%s", tabName(uint8(i)), t.phase, topicSet(t.sub), topicSet(t.asg), topicSet(t.srv))
		if w := s.store.workers[i]; w.there {
			fmt.Fprintf(&b, " load %d age %d", w.load, w.age)
		}
		if !t.pend.empty() {
			b.WriteString(" unflushed")
		}
		for from := range s.tabs {
			q := &s.wire[from][i]
			for _, f := range q.frames[:q.n] {
				fmt.Fprintf(&b, " <-%s %v", tabName(uint8(from)), f)
			}
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func (p phase) String() string { return name(p, "closed", "running", "suspended") }

func (r route) String() string {
	if !r.there {
		return "no route"
	}
	words := fmt.Sprintf("->%s gen %d", tabName(r.owner), r.gen)
	if r.from > 0 {
		words += " from " + tabName(r.from-1)
	}
	if r.confirmed {
		words += " confirmed"
	}
	if r.released {
		words += " released"
	}
	return words
}

func (f frame) String() string {
	if f.kind == FrameRegistry {
		return f.kind.String()
	}
	return f.kind.String() + " " + topicName(f.topic)
}

func tabSet(mask uint8) string   { return setOf(mask, maxTabs, tabName) }
func topicSet(mask uint8) string { return setOf(mask, maxTopics, topicName) }

func setOf(mask, n uint8, word func(uint8) string) string {
	out := ""
	for i := range n {
		if mask&bit(i) != 0 {
			out += word(i)
		}
	}
	return "{" + out + "}"
}
