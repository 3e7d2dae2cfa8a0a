package platform

import (
	"fmt"
	"time"
)

// agreement is the most that the clocks of two tabs may differ by, in milliseconds.
const agreement = 50

// A reading is, in milliseconds, the fine clock before, that of the other tab, and after; and the same of the wall clock.
type reading [6]float64

// clocks has a tab read the clock of another, and of one more.
func (b *bench) clocks() ([]outcome, error) {
	var all []reading
	for i, t := range []*tab{b.b, b.shy} {
		if err := run(t, `lab.tell("clock%d")`, i); err != nil {
			return nil, err
		}
		r, err := eval[[]reading](b.a, `lab.ask("clock%d", 400)`, i)
		if err != nil {
			return nil, err
		}
		if err := run(t, `lab.stop("clock%d")`, i); err != nil {
			return nil, err
		}
		all = append(all, r...)
	}
	return []outcome{judgeClocks(all)}, nil
}

// judgeClocks bounds what the clocks differ by: the other one was read between the two readings of the own one.
func judgeClocks(all []reading) outcome {
	worst, fine := 0.0, 0.0
	for _, r := range all {
		worst = max(worst, r[3]-r[4], r[4]-r[5])
		fine = max(fine, r[0]-r[1], r[1]-r[2])
	}
	return held("clock/agree", worst <= agreement, len(all),
		"of %d readings of Date.now between two own ones, none is outside by more than %.0f ms; of the fine clock by %.1f ms", len(all),
		max(worst, 0), max(fine, 0))
}

// A beating is what a page with a heartbeat tells.
type beating struct {
	Made, Now float64
	Fired     []float64
	State     string
}

// gap returns the longest time without a heartbeat, the one that still lasts included, and how long was looked.
func (h beating) gap() (longest, all float64) {
	last := h.Made
	for _, at := range append(h.Fired, h.Now) {
		longest = max(longest, at-last)
		last = at
	}
	return longest / 1000, (h.Now - h.Made) / 1000
}

// enough is how long a heartbeat is looked at: until it would be taken for dead.
const enough = 12 * time.Second

// hidden looks at a tab that has been in the background since the check began.
func (b *bench) hidden() ([]outcome, error) {
	h, err := b.beaten(b.home, b.shy)
	if err != nil {
		return nil, err
	}
	return []outcome{judgeBeats("clock/hidden", h, "")}, nil
}

// hiddenLong does the same in a browser that does early what others do after five minutes.
func (b *bench) hiddenLong() ([]outcome, error) {
	if b.lateErr != nil {
		return nil, b.lateErr
	}
	h, err := b.beaten(b.late, b.lateShy)
	if err != nil {
		return nil, err
	}
	return []outcome{judgeLongBeats(h)}, nil
}

// beaten waits until a heartbeat has been looked at for long enough.
func (b *bench) beaten(h *house, t *tab) (v beating, err error) {
	for {
		v, err = eval[beating](t, `lab.look("beat")`)
		if err != nil || v.Now-v.Made > float64(enough.Milliseconds()) {
			return v, err
		}
		h.sleep(200 * time.Millisecond)
		if h.ctx.Err() != nil {
			return v, h.ctx.Err()
		}
	}
}

func judgeBeats(id string, h beating, how string) outcome {
	longest, all := h.gap()
	if h.State != "hidden" {
		return failed(id, fmt.Errorf("the page is %s", h.State))
	}
	return held(id, longest <= 10, max(len(h.Fired), 1), "%d heartbeats in %.0f s%s, the longest gap %.1f s", len(h.Fired), all, how,
		longest)
}

// judgeLongBeats does not take a tab that beats as before for one that would do so after five minutes: the browser may not know the switch.
func judgeLongBeats(h beating) outcome {
	o := judgeBeats("clock/hidden-long", h, " in a browser that was told to begin with it after 1 s")
	if o.verdict == Holds {
		o = beyond(o.id, "the check is shorter than five minutes, and the browser does not begin earlier when told to ("+o.evidence+")")
	}
	return o
}
