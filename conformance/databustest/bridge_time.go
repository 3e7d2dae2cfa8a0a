package databustest

import (
	"cmp"
	"fmt"
	"slices"
)

// A timer is something that a tab wants done at a time.
type timer struct {
	p       *page
	at      int64
	made    int
	every   int64 // ms; 0: once
	f       func()
	stopped bool
}

// pageClock is the clock of one tab.
type pageClock struct{ p *page }

// Now returns the time of the origin.
func (c pageClock) Now() int64 { return c.p.b.now }

// After starts a timer.
func (c pageClock) After(ms int64, f func()) (stop func()) { return c.p.timer(ms, false, f) }

// Every starts one that repeats.
func (c pageClock) Every(ms int64, f func()) (stop func()) { return c.p.timer(ms, true, f) }

func (p *page) timer(ms int64, repeats bool, f func()) (stop func()) {
	if h := p.b.hooks.timer; h != nil {
		ms = h(p, ms, repeats)
	}
	p.b.made++
	t := &timer{p: p, at: p.b.now + max(ms, 0), made: p.b.made, f: f, stopped: p.dead}
	if repeats {
		t.every = max(ms, 1)
	}
	if !p.dead {
		p.timers = append(p.timers, t)
	}
	return t.stop
}

func (t *timer) stop() {
	t.stopped = true
	t.p.timers = slices.DeleteFunc(t.p.timers, func(other *timer) bool { return other == t })
}

// fire runs the timer as a task.
func (t *timer) fire() {
	if t.stopped {
		return
	}
	if t.every > 0 {
		t.at = t.p.b.now + t.every
	} else {
		t.stop()
	}
	t.f()
}

// A due is something whose time has come.
type due struct {
	at   int64
	made int
	do   func()
}

// next returns the timer that is due first, until a moment; nil: none. Those of frozen tabs are not.
func (b *bridge) next(until int64) *timer {
	var first *timer
	for _, p := range b.pages {
		if p.frozen {
			continue
		}
		for _, t := range p.timers {
			if t.at <= until && (first == nil || t.at < first.at || t.at == first.at && t.made < first.made) {
				first = t
			}
		}
	}
	return first
}

// advance lets time pass: what is due is done at its time, and things that are due at once in the order in which they were asked for.
func (b *bridge) advance(q advanceRequest) error {
	if q.MS < 0 {
		return fmt.Errorf("time does not pass by %d ms", q.MS)
	}
	end := b.now + q.MS
	for restless := 0; ; restless++ {
		if q.Drain {
			if err := b.drain(0); err != nil {
				return err
			}
		}
		t := b.next(end)
		if t == nil {
			b.now = max(b.now, end) // a handler may have taken its time
			return nil
		}
		if t.at > b.now {
			b.now, restless = t.at, 0
		}
		if restless > mostAtOnce {
			return errRestless("timers")
		}
		t.fire()
		if err := b.settle(); err != nil {
			return err
		}
	}
}

// thaw lets a tab go on with what was due meanwhile, each thing once.
func (p *page) thaw() error {
	p.frozen = false
	all := p.held
	p.held = nil
	for _, t := range p.timers {
		if t.at <= p.b.now {
			all = append(all, due{t.at, t.made, t.fire})
		}
	}
	slices.SortFunc(all, func(a, b due) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.made, b.made)) })
	for _, d := range all {
		d.do()
		if err := p.b.settle(); err != nil {
			return err
		}
	}
	return nil
}
