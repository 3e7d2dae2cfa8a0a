package platform

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A departure is what became of one page that left.
type departure struct {
	Way, Shut           string
	Log                 string // what it noted, in order
	Bulk, Frames, Stale int
	There               map[string]bool // which of its last writes
}

// bulk is how many values of 4 KiB a page writes in pagehide.
const bulk = 20

// ways are the ways out of a page.
func (b *bench) ways() map[string]func(*tab) error {
	return map[string]func(*tab) error{
		"close":               func(t *tab) error { _, err := call(t, page.Close, cdp.Empty{}); return err },
		"reload":              (*tab).reload,
		"go to a page":        func(t *tab) error { return t.visit(b.here.origin + "/away.html") },
		"go to a page abroad": func(t *tab) error { return t.visit(b.there.origin + "/away.html") },
	}
}

// leaves has pages leave in each way, which close their channel at once or later, while another one listens.
func (b *bench) leaves() ([]outcome, error) {
	if err := run(b.d, `lab.witness("leave")`); err != nil {
		return nil, err
	}
	var all []departure
	ways := b.ways()
	for _, shut := range []string{"now", "task"} {
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			for range 3 {
				d, err := b.depart(fmt.Sprint("leaver", len(all)), shut, ways[way])
				if err != nil {
					return judgeLeaves(all), err
				}
				d.Way, d.Shut = way, shut
				all = append(all, d)
			}
		}
	}
	return judgeLeaves(all), run(b.d, `lab.stop("leave")`)
}

func (b *bench) depart(id, shut string, way func(*tab) error) (d departure, err error) {
	t, err := b.home.tab(b.here.origin + "/")
	if err != nil {
		return d, err
	}
	defer t.stop()
	if err := run(t, `lab.leave("leave", %q, %q)`, id, shut); err != nil {
		return d, err
	}
	if err := way(t); err != nil {
		return d, err
	}
	return eval[departure](b.d, `lab.left("leave", %q)`, id)
}

func judgeLeaves(all []departure) []outcome {
	var ordered, whole, micro, heard, stale, timers int
	frames, of := map[string]int{}, map[string]int{}
	orders, odd := map[string]int{}, ""
	for _, d := range all {
		orders[d.Log]++
		if events := strings.Fields(d.Log); strings.Count(d.Log, "pagehide") == 1 && strings.HasPrefix(events[0], "pagehide") {
			ordered++
		} else if odd == "" {
			odd = fmt.Sprintf("; first otherwise: %s: %q", d.Way, d.Log)
		}
		if d.There["last"] && d.Bulk == bulk {
			whole++
		}
		if d.There["micro"] && d.There["promise"] {
			micro++
		}
		if d.There["timer"] {
			timers++
		}
		of[d.Shut]++
		frames[d.Shut] += d.Frames
		heard += d.Frames
		stale += d.Stale
	}
	n := len(all)
	var ways []string
	for _, log := range slices.Sorted(maps.Keys(orders)) {
		ways = append(ways, fmt.Sprintf("%d times %s", orders[log], strings.ReplaceAll(log, " ", ", ")))
	}
	return []outcome{
		held("page/events", ordered == n, n, "%d of %d pages that closed, reloaded or went elsewhere had pagehide once and first: %s%s",
			ordered, n, strings.Join(ways, "; "), odd),
		held("page/writes", whole == n, n, "%d of %d pages left all %d values of 4 KiB and the last one", whole, n, bulk),
		held("page/microtasks", micro == n, n, "%d of %d pages ran theirs; %d ran a timer of 0 ms as well, which is not assumed", micro, n,
			timers),
		held("page/frames", frames["now"] == of["now"], of["now"], "%d of %d arrived", frames["now"], of["now"]),
		held("page/frames-later", frames["task"] == of["task"], of["task"], "%d of %d arrived", frames["task"], of["task"]),
		held("page/order", stale == 0, heard, "%d of %d frames came before what the page had written", stale, heard),
	}
}

// died counts pages whose process ended right after a write and a post.
type died struct{ N, Stored, Heard, Hid int }

// crashes has pages write, post and die.
func (b *bench) crashes() ([]outcome, error) {
	d := died{N: 4}
	if err := run(b.d, `lab.witness("crash")`); err != nil {
		return nil, err
	}
	for i := range d.N {
		t, err := b.home.tab(b.here.origin + "/")
		if err != nil {
			return nil, err
		}
		err = run(t, `lab.crash("crash", "c%d")`, i)
		if err == nil {
			// A process that dies does not answer.
			ctx, cancel := context.WithTimeout(t.ctx, 200*time.Millisecond)
			_, _ = chromedp.Call(ctx, page.Crash, cdp.Empty{})
			cancel()
		}
		t.stop()
		if err != nil {
			return nil, err
		}
		l, err := eval[departure](b.d, `lab.left("crash", "c%d")`, i)
		if err != nil {
			return nil, err
		}
		if l.There["last"] {
			d.Stored++
		}
		if l.There["timer"] {
			d.Hid++
		}
		d.Heard += l.Frames
	}
	return []outcome{judgeDeaths(d)}, run(b.d, `lab.stop("crash")`)
}

func judgeDeaths(d died) outcome {
	if d.Hid > 0 {
		return failed("page/crash", fmt.Errorf("%d of %d pages ended with pagehide", d.Hid, d.N))
	}
	return held("page/crash", d.Stored == d.N && d.Heard == d.N, d.N, "of %d pages whose process was made to crash right after, %d "+
		"writes were stored and %d frames arrived", d.N, d.Stored, d.Heard)
}
