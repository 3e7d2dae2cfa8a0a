package cluster

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

func lookingAgain() Rules {
	r := Fenced()
	r.LookAgain = true
	return r
}

// looks returns how many timers of a tab run that do so once.
func (w *world) looks(t *tab) int {
	n := 0
	for _, timer := range w.timers {
		if timer.tab == t && timer.every == 0 && !timer.stopped {
			n++
		}
	}
	return n
}

// DATABUS-FENCE-002: an election that is heard of before it can be read waits for a heartbeat, or for the next look.
func TestLookAgain(t *testing.T) {
	for name, c := range map[string]struct {
		rules Rules
		after int64 // milliseconds to the flush
		want  int64 // to the service
	}{
		"at once":       {lookingAgain(), 10, 50},
		"later":         {lookingAgain(), 60, 150},
		"at the end":    {lookingAgain(), 1600, 3000}, // the heartbeat comes before the last look
		"no more":       {Fenced(), 10, 3000},
		"not refused":   {V010(), 10, 0},
		"of a handover": {lookingAgain(), 0, 50},
	} {
		w, a, b := two(t, c.rules)
		if name == "of a handover" {
			// The route of the handover comes late, its frame does not.
			a.subscribe("x")
			b.subscribe("x")
			w.drain()
			key := clusterKeys.Route(record.Hash("x"))
			before := w.disk[key]
			a.do(a.c.PageHide)
			after := w.disk[key]
			w.plant(key, before)
			w.dropType("REGISTRY")
			w.drain()
			w.plant(key, after)
		} else {
			w.manual = true
			b.subscribe("x")
			w.drain()
			w.advance(c.after, true)
			w.manual = false
			b.flush()
			a.flush()
		}
		begun := w.now - c.after
		for w.now < begun+5000 {
			if assigned, _ := w.owners("x"); len(assigned) == 1 {
				break
			}
			w.advance(1, true)
		}
		if got := w.now - begun; c.want > 0 && (got < c.want-20 || got > c.want+20) || c.want == 0 && got > c.after {
			t.Errorf("%s: served after %d ms, want %d", name, got, c.want)
		}
	}
}

// A worker that finds nothing looks less and less often, and at last no more; it forgets what it refused when it leaves, and does not keep
// more of it than topics that it could name.
func TestLookAgainEnds(t *testing.T) {
	w, a, _ := two(t, lookingAgain())
	a.do(func() { a.c.Receive(control(signal.Subscribe, "x", record.Hash("x"), "b", "a")) })
	var looks []int64
	for begun, due := w.now, w.looks(a); w.now < begun+10_000; {
		at := a.c.lookDelay
		w.advance(1, true)
		if now := w.looks(a); now != due || a.c.lookDelay != at {
			looks, due = append(looks, w.now-begun), now
		}
	}
	if want := []int64{50, 150, 350, 750, 1550, 3150}; fmt.Sprint(looks) != fmt.Sprint(want) || a.c.again.len() > 0 {
		t.Errorf("looks after %d ms, want %d; %d left", looks, want, a.c.again.len())
	}

	for i := range MaxKnown + 100 {
		topic := fmt.Sprint("t", i)
		a.do(func() { a.c.Receive(control(signal.Subscribe, topic, record.Hash(topic), "b", "a")) })
	}
	if n := a.c.again.len(); n != MaxKnown || w.looks(a) != 1 {
		t.Errorf("%d topics and %d timers", n, w.looks(a))
	}
	a.do(a.c.PageHide)
	if n := a.c.again.len(); n != 0 || w.looks(a) != 0 {
		t.Errorf("%d topics and %d timers after the end", n, w.looks(a))
	}
}
