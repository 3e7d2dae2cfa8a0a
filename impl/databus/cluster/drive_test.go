package cluster

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// deliver hands over one packet of the wire. It is lost if its receiver has closed the channel for which it was.
func (w *world) deliver(p *packet) {
	w.lose(p)
	if p.to.listens && p.opened == p.to.channels {
		p.to.do(func() { p.to.c.Receive(p.frame) })
	}
}

func (w *world) lose(p *packet) {
	w.wire = slices.DeleteFunc(w.wire, func(q *packet) bool { return q == p })
}

// heads returns the packets that may arrive next: the first of each sender to each receiver that is not frozen.
func (w *world) heads() []*packet {
	var heads []*packet
	for _, p := range w.wire {
		if !p.to.frozen && !slices.ContainsFunc(heads, func(q *packet) bool { return q.from == p.from && q.to == p.to }) {
			heads = append(heads, p)
		}
	}
	return heads
}

// drain delivers everything, oldest first.
func (w *world) drain() {
	w.t.Helper()
	for range 20000 {
		heads := w.heads()
		if len(heads) == 0 {
			return
		}
		w.deliver(heads[0])
	}
	w.t.Fatalf("the wire does not come to rest: %s", frameText(w.wire[0].frame))
}

// pass delivers the frames under way from one tab to another until the given one, which is delivered too.
func (w *world) pass(from, to *tab, text string) {
	w.t.Helper()
	for _, p := range slices.Clone(w.wire) {
		if p.from == from && p.to == to {
			w.deliver(p)
			if frameText(p.frame) == text {
				return
			}
		}
	}
	w.t.Fatalf("no %s is under way from %s to %s", text, from.id, to.id)
}

// drop loses all frames under way with this text, and fails if there is none.
func (w *world) drop(text string) {
	w.t.Helper()
	before := len(w.wire)
	w.wire = slices.DeleteFunc(w.wire, func(p *packet) bool { return frameText(p.frame) == text })
	if len(w.wire) == before {
		w.t.Fatalf("no %s is under way", text)
	}
}

// dropType loses all frames of a type that are under way.
func (w *world) dropType(name string) {
	w.wire = slices.DeleteFunc(w.wire, func(p *packet) bool { return p.frame.Type() == name })
}

// advance lets time pass and timers fire, in the order of time and creation; after each one the wire is drained if asked.
func (w *world) advance(ms int64, drain bool) {
	w.t.Helper()
	end := w.now + ms
	for {
		var next *timer
		for _, t := range w.timers {
			if t.stopped || t.tab.frozen || t.tab.dead || t.at > end {
				continue
			}
			if next == nil || t.at < next.at || t.at == next.at && t.seq < next.seq {
				next = t
			}
		}
		if next == nil {
			break
		}
		w.now = max(w.now, next.at)
		if next.every == 0 {
			next.stopped = true
		} else {
			next.at = w.now + next.every
		}
		next.tab.do(next.f)
		if drain {
			w.drain()
		}
	}
	w.timers = slices.DeleteFunc(w.timers, func(t *timer) bool { return t.stopped })
	w.now = end
}

// settle lets all faults heal that can: everything is flushed and delivered, for longer than any bound of the laws.
func (w *world) settle() {
	w.t.Helper()
	for _, t := range w.tabs {
		t.flush()
	}
	w.manual = false
	w.drain()
	w.advance(60_000, true)
}

// owners returns which live tabs are assigned the topic and which hold it on their transport.
func (w *world) owners(topic string) (assigned, held []string) {
	for _, t := range w.tabs {
		if t.dead {
			continue
		}
		if slices.Contains(t.c.Assigned(), topic) {
			assigned = append(assigned, t.id)
		}
		if t.held[topic] {
			held = append(held, t.id)
		}
	}
	return assigned, held
}

// owned checks that exactly these tabs are assigned the topic and hold it on their transport.
func (w *world) owned(topic string, want ...string) {
	w.t.Helper()
	if assigned, held := w.owners(topic); !slices.Equal(assigned, want) || !slices.Equal(held, want) {
		w.t.Errorf("%s is assigned to %v and held by %v, want %v", topic, assigned, held, want)
	}
}

// routed checks the stored route of a topic.
func (w *world) routed(topic, want string) {
	w.t.Helper()
	if got := w.route(topic); got != want {
		w.t.Errorf("the route of %s is %q, want %q", topic, got, want)
	}
}

// three returns a world of three tabs at rest.
func three(t *testing.T, rules Rules) (w *world, a, b, c *tab) {
	t.Helper()
	w = newWorld(t, rules)
	tabs := w.open("a", "b", "c")
	return w, tabs[0], tabs[1], tabs[2]
}

// two returns a world of two tabs at rest.
func two(t *testing.T, rules Rules) (w *world, a, b *tab) {
	t.Helper()
	w = newWorld(t, rules)
	tabs := w.open("a", "b")
	return w, tabs[0], tabs[1]
}

// control returns a frame as another worker would send it.
func control(action signal.Action, topic, key, from, to string) signal.Control {
	return signal.Control{Action: action, Topic: topic, TopicKey: key, SourceWorkerID: from, TargetWorkerID: to}
}
