package platform

import (
	"fmt"
	"time"
)

// A happening is what a page noted: a timer, a frame, or that it was frozen or thawed; with what storage had for it then.
type happening struct {
	What          string
	At            float64
	Frame, Stored int
}

// A sleep is one round of freezing and thawing: what the page noted, and the last number that was written and posted before the thaw.
type sleep struct {
	happened []happening
	posted   float64
	last     int
}

// freezes freezes a page, has another write and post meanwhile, and thaws it.
func (b *bench) freezes() ([]outcome, error) {
	all := make([]sleep, 3)
	var do []func() error
	for i := range all {
		do = append(do, func() (err error) { all[i], err = b.doze(fmt.Sprint("doze", i)); return err })
	}
	if err := together(do...); err != nil {
		return nil, err
	}
	return judgeSleeps(all), nil
}

func (b *bench) doze(name string) (s sleep, err error) {
	t, err := b.home.tab(b.here.origin + "/")
	if err != nil {
		return s, err
	}
	defer t.stop()
	const posted = 20
	pause := func(d time.Duration) func() error { return func() error { b.home.sleep(d); return nil } }
	steps := []func() error{
		func() error { return run(t, `lab.doze(%q, 50)`, name) },
		pause(200 * time.Millisecond),
		t.freeze, pause(300 * time.Millisecond),
		func() (err error) {
			s.posted, err = eval[float64](b.a, `lab.post(%q, 1, %d)`, name, posted)
			return err
		},
		pause(700 * time.Millisecond),
		t.thaw,
		// A frozen page is hidden, and stays it: its timers come once a second.
		pause(1300 * time.Millisecond),
		func() (err error) { s.happened, err = eval[[]happening](t, `lab.stop(%q)`, name); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return s, err
		}
	}
	s.last = posted
	return s, nil
}

// A nap is the outcome of one sleep.
type nap struct {
	frozen, thawed             bool
	fired, firedAfter          int     // timers while frozen and after
	heard, heardAfter, unOrder int     // frames
	after                      float64 // the post, at most, that frames were handled while frozen
	stored                     int     // in the first task after
}

func (s sleep) nap() (n nap) {
	next := 1
	for _, h := range s.happened {
		switch {
		case h.What == "freeze":
			n.frozen = true
			continue
		case h.What == "resume":
			n.thawed, n.stored = true, h.Stored
			continue
		case !n.frozen:
			continue
		}
		if h.What == "frame" && h.Frame != next {
			n.unOrder++
		}
		switch {
		case h.What == "frame" && !n.thawed:
			n.heard++
			n.after = max(n.after, h.At-s.posted)
			next = h.Frame + 1
		case h.What == "frame":
			n.heardAfter++
			next = h.Frame + 1
		case n.thawed:
			n.firedAfter++
		default:
			n.fired++
		}
	}
	return n
}

func judgeSleeps(all []sleep) []outcome {
	var slept, fired, woke, heard, later, disorder, posted, fresh int
	after := 0.0
	for _, s := range all {
		n := s.nap()
		if !n.frozen || !n.thawed {
			continue
		}
		slept++
		fired += n.fired
		if n.firedAfter > 0 {
			woke++
		}
		heard, later, disorder, posted = heard+n.heard, later+n.heardAfter, disorder+n.unOrder, posted+s.last
		after = max(after, n.after)
		if n.stored == s.last {
			fresh++
		}
	}
	return []outcome{
		held("frozen/timers", fired == 0 && woke == slept, slept, "in %d pages that were frozen for about a second, %d timers of 50 ms "+
			"fired between the events freeze and resume; %d pages had some later", slept, fired, woke),
		held("frozen/frames", heard == 0 && later == posted && disorder == 0, posted,
			"of %d frames that were posted to frozen pages, %d were handled between the events freeze and resume, at most %.1f ms after the "+
				"last post, and %d later, %d out of order", posted, heard, after, later, disorder),
		held("frozen/fresh", fresh == slept, slept, "%d of %d pages read in the event resume what another process had written some 700 "+
			"ms before", fresh, slept),
	}
}
