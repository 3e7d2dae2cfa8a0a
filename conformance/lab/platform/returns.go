package platform

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// An absence is what became of a page that was left and gone back to.
type absence struct {
	Open     bool // it left its channel open
	Returned bool // it is the page that left
	Log      string
	Reasons  []string // why the browser did not keep it
	Gone     float64  // milliseconds from the last beat before to its return
	Beats    int      // beats within that time
	Frames   int      // heard after its return of what was posted meanwhile
	After    int      // heard of what was posted after it
	Fresh    bool     // it read in pageshow what was written meanwhile
}

// returns has pages go elsewhere and come back, with their channel closed or open, while others write and post.
func (b *bench) returns() ([]outcome, error) {
	const n = 3
	var all []absence
	for i := range 2 * n {
		a, err := b.absent(fmt.Sprint("absent", i), i >= n)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return judgeReturns(all), nil
}

// absent has one page go and return, and posts meanwhile and afterwards.
func (b *bench) absent(id string, open bool) (a absence, err error) {
	a.Open = open
	var mu sync.Mutex
	var reasons []string
	t, err := b.home.tab(b.here.origin+"/", chromedp.WithListener(func(event any) {
		if e, ok := event.(*page.EventBackForwardCacheNotUsed); ok {
			mu.Lock()
			defer mu.Unlock()
			for _, r := range e.NotRestoredExplanations {
				reasons = append(reasons, string(r.Reason))
			}
		}
	}))
	if err != nil {
		return a, err
	}
	defer t.stop()
	shut := "now"
	if open {
		shut = "never"
	}
	if err := run(t, `lab.leave(%q, "x", %q)`, id, shut); err != nil {
		return a, err
	}
	b.home.sleep(100 * time.Millisecond)
	if err := t.visit(b.here.origin + "/away.html"); err != nil {
		return a, err
	}
	b.home.sleep(100 * time.Millisecond)
	// In this window the page is away: what is posted on either channel is not for it.
	if err := run(b.a, `(localStorage.setItem("%s:meanwhile", 7), lab.post(%q, 1, 3), lab.post("%s:while", 1, 3))`, id, id, id); err != nil {
		return a, err
	}
	b.home.sleep(150 * time.Millisecond)
	if err := t.back(); err != nil {
		return a, err
	}
	if !b.home.until(t, `typeof lab === "object" && document.readyState === "complete"`) {
		return a, fmt.Errorf("the page that was gone back to does not come")
	}
	b.home.sleep(100 * time.Millisecond)
	err = b.reunion(t, id, &a)
	mu.Lock()
	defer mu.Unlock()
	a.Reasons = slices.Clone(reasons)
	return a, err
}

// reunited is what a page tells that is there again: its timer's turns, and when it came back and how many frames it has heard since.
type reunited struct {
	Beats []float64
	Again *struct {
		At     float64
		Frames int
	}
}

// reunion asks a page that is there again how it was.
func (b *bench) reunion(t *tab, id string, a *absence) (err error) {
	if a.Returned, err = eval[bool](t, `lab.has(%q)`, id); err != nil || !a.Returned {
		return err
	}
	l, err := eval[reunited](t, `lab.look(%q)`, id)
	if err != nil || l.Again == nil {
		return err
	}
	a.Frames = l.Again.Frames
	last := 0.0
	for i, at := range l.Beats {
		if i > 0 && at-l.Beats[i-1] > a.Gone {
			a.Gone, last = at-l.Beats[i-1], l.Beats[i-1]
		}
	}
	for _, at := range l.Beats {
		if at > last && at < l.Again.At-tolerance && at > l.Again.At-100 {
			a.Beats++
		}
	}
	if err := run(b.a, `lab.post("%s:while", 1, 5)`, id); err != nil {
		return err
	}
	b.home.sleep(100 * time.Millisecond)
	if l, err = eval[reunited](t, `lab.look(%q)`, id); err != nil {
		return err
	}
	a.After = l.Again.Frames - a.Frames
	a.Log, err = eval[string](b.a, `localStorage.getItem("%s:x:log").trim()`, id)
	a.Fresh = strings.Contains(a.Log, "pageshow+persisted=7")
	return err
}

func judgeReturns(all []absence) []outcome {
	var closed, back, open, openBack, asleep, heard, after, fresh int
	reasons := map[string]bool{}
	shortest, orders := 0.0, map[string]bool{}
	for _, a := range all {
		if a.Open {
			open++
			if a.Returned {
				openBack++
			}
			for _, r := range a.Reasons {
				reasons[r] = true
			}
			continue
		}
		closed++
		if !a.Returned || !strings.Contains(a.Log, "pagehide+persisted") || !strings.Contains(a.Log, "pageshow+persisted") {
			continue
		}
		back++
		orders[a.Log] = true
		if a.Beats == 0 {
			asleep++
		}
		if shortest == 0 || a.Gone < shortest {
			shortest = a.Gone
		}
		heard += a.Frames
		after += a.After
		if a.Fresh {
			fresh++
		}
	}
	why := strings.Join(slices.Sorted(maps.Keys(reasons)), ", ")
	return []outcome{
		held("cache/returns", back == closed, closed, "%d of %d returned, with: %s", back, closed,
			strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(orders)), "; "), " ", ", ")),
		held("cache/asleep", asleep == back, back, "%d of %d pages with a timer of 20 ms had no turn; the shortest gap is %.0f ms", asleep,
			back, shortest),
		held("cache/missed", heard == 0 && after == 5*back, back, "pages whose channel pageshow opened again heard %d of %d frames that "+
			"were posted while they were away, and %d of %d that were posted later", heard, 3*back, after, 5*back),
		held("cache/fresh", fresh == back, back, "%d of %d read in pageshow what another process had written 150 ms before", fresh, back),
		seen("cache/open-channel", openBack < open, open, "%d of %d returned although frames had been posted to them; the browser's "+
			"reason for the others: %s", openBack, open, or(why)),
	}
}
