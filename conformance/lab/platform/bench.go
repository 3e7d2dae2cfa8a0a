package platform

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// A bench is what everything is measured on: two origins, a browser with four tabs, each in a process of its own, one that is in the
// background, and a second browser that does early what browsers do to tabs that are hidden for long.
type bench struct {
	here, there *site
	home        *house
	a, b, c, d  *tab
	shy         *tab
	late        *house
	lateShy     *tab
	lateErr     error
}

// grace makes a browser slow hidden tabs down as it does after five minutes, after one second. It stands beside what chromedp enables.
const grace = "NetworkService,NetworkServiceInProcess,IntensiveWakeUpThrottling:grace_period_seconds/1"

func setUp(ctx context.Context, path, dir string) (b *bench, err error) {
	b = &bench{}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	for _, s := range []**site{&b.here, &b.there} {
		if *s, err = serve(); err != nil {
			return b, err
		}
	}
	if b.home, err = start(ctx, path, filepath.Join(dir, "home")); err != nil {
		return b, err
	}
	if b.shy, err = b.home.background(b.here.origin + "/"); err != nil {
		return b, err
	}
	if _, err = eval[bool](b.shy, `lab.beat("beat", 3000)`); err != nil {
		return b, err
	}
	b.late, b.lateErr = start(ctx, path, filepath.Join(dir, "late"), chromedp.Flag("enable-features", grace))
	if b.lateErr == nil {
		b.lateShy, b.lateErr = b.late.background(b.here.origin + "/")
	}
	if b.lateErr == nil {
		_, b.lateErr = eval[bool](b.lateShy, `lab.beat("beat", 3000)`)
	}
	return b, b.tabs()
}

// tabs opens the four tabs.
func (b *bench) tabs() (err error) {
	for _, t := range []**tab{&b.a, &b.b, &b.c, &b.d} {
		if *t, err = b.home.tab(b.here.origin + "/"); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) close() {
	for _, h := range []*house{b.home, b.late} {
		if h != nil {
			h.stop()
		}
	}
	for _, s := range []*site{b.here, b.there} {
		if s != nil {
			s.close()
		}
	}
}

// soon is the moment, on the clock of the pages, at which tabs that are told now begin together.
func soon() int64 { return time.Now().Add(300 * time.Millisecond).UnixMilli() }

// together evaluates an expression in each of some tabs at once, and returns the first error.
func together(do ...func() error) error {
	errs := make([]error, len(do))
	var wait sync.WaitGroup
	for i, f := range do {
		wait.Go(func() { errs[i] = f() })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
