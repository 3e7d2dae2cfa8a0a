package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Limit is how long a check may take. What has not been measured by then is undecided.
const Limit = 5 * time.Minute

// A Config is how to check. Its zero value is the whole check with the Chromium that is found.
type Config struct {
	// Browser is the path of the browser; empty: the first one that is found.
	Browser string
	// Tell is told what is measured now; nil: nobody is.
	Tell func(what string)
}

// An area is measured in one go, and decides some assumptions.
type area struct {
	name    string
	measure func(b *bench) ([]outcome, error)
	ids     []string
}

// areas are all that is measured, in this order: a hidden tab and a second browser, which are watched while the rest goes on, come first,
// and are looked at last.
func areas() []area {
	return []area{
		{"clocks", (*bench).clocks, []string{"clock/agree"}},
		{"writes that are seen", (*bench).visibility, []string{
			"storage/own-write", "storage/same-process", "storage/other-process", "storage/still", "storage/in-order",
		}},
		{"writes at once", (*bench).writers, []string{"storage/last-wins", "storage/whole", "storage/no-lock"}},
		{"enumeration", (*bench).keys, []string{"storage/keys"}},
		{"the limit of storage", (*bench).limit, []string{"storage/refusal", "storage/accepted"}},
		{"session storage", (*bench).sessions, []string{
			"session/reload", "session/opener", "session/noopener", "session/opener-reload", "session/duplicate",
		}},
		{"frames", (*bench).frames, []string{"channel/fifo", "channel/across", "channel/causal"}},
		{"channels", (*bench).channels, []string{
			"channel/no-echo", "channel/clone", "channel/greeting", "channel/close-sends", "channel/close-hears", "channel/turns",
		}},
		{"frames against writes", (*bench).orders, []string{
			"order/same-process", "order/other-process", "order/hidden", "order/third",
			"order/before-flush",
		}},
		{"pages that leave", (*bench).leaves, []string{
			"page/events", "page/writes", "page/microtasks", "page/frames", "page/frames-later", "page/order",
		}},
		{"pages that die", (*bench).crashes, []string{"page/crash"}},
		{"pages that return", (*bench).returns, []string{"cache/returns", "cache/asleep", "cache/missed", "cache/fresh", "cache/open-channel"}},
		{"frozen pages", (*bench).freezes, []string{"frozen/timers", "frozen/frames", "frozen/fresh"}},
		{"hidden pages", (*bench).hidden, []string{"clock/hidden"}},
		{"pages that are hidden for long", (*bench).hiddenLong, []string{"clock/hidden-long"}},
	}
}

// Run checks the platform. It takes about a minute and at most [Limit]. It returns *lab.NotInstalledError if there is no Chromium, the
// error of a browser that does not start, and that of ctx. Whatever fails later is a finding that is undecided.
func Run(ctx context.Context, c Config) (*Report, error) {
	began := time.Now()
	if c.Browser == "" {
		path, err := find()
		if err != nil {
			return nil, err
		}
		c.Browser = path
	}
	dir, err := os.MkdirTemp("", "assay-platform-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bounded, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	b, err := setUp(bounded, c.Browser, dir)
	if err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	defer b.close()
	outcomes := map[string]outcome{}
	for _, a := range areas() {
		if c.Tell != nil {
			c.Tell(a.name)
		}
		for _, o := range measured(b, a) {
			outcomes[o.id] = o
		}
	}
	r := &Report{Browser: b.home.product, System: runtime.GOOS + "/" + runtime.GOARCH, Took: time.Since(began)}
	for _, a := range Assumptions() {
		o := outcomes[a.ID]
		r.Findings = append(r.Findings, Finding{Assumption: a, Verdict: o.verdict, Trials: o.trials, Evidence: o.evidence, Fault: o.fault})
	}
	return r, ctx.Err()
}

// measured returns an outcome for each assumption of an area, whatever happens.
func measured(b *bench, a area) []outcome {
	out, err := a.measure(b)
	if err == nil && b.home.ctx.Err() != nil {
		err = fmt.Errorf("the time was over: %w", b.home.ctx.Err())
	}
	have := map[string]bool{}
	for _, o := range out {
		have[o.id] = true
	}
	for _, id := range a.ids {
		if !have[id] {
			if err == nil {
				err = errors.New("it said nothing of it")
			}
			out = append(out, failed(id, err))
		}
	}
	return out
}
