package platform

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// inherited is what a page tells of its session storage: that of a page that was opened in some way, before and after it wrote, and
// after it reloaded.
type inherited struct {
	ID          string // what it found
	Opener      bool
	Theirs      string // what the page that opened it has, when this one has written
	Reloaded    string // what this one has after a reload
	StillOpener bool   // whether it has an opener after a reload
}

// sessions opens pages from a page with session storage in each of three ways.
func (b *bench) sessions() ([]outcome, error) {
	if err := run(b.a, `sessionStorage.setItem("id", "first")`); err != nil {
		return nil, err
	}
	var opener, apart []inherited
	for range 3 {
		for _, how := range []string{`window.open("/", "_blank", "popup") !== null`, `window.open("/", "_blank", "popup,noopener") === null`} {
			t, err := b.opened(b.a, how)
			if err != nil {
				return nil, err
			}
			i, err := b.inherit(t)
			t.stop()
			if err != nil {
				return nil, err
			}
			if i.Opener || i.ID != "" {
				opener = append(opener, i)
			} else {
				apart = append(apart, i)
			}
		}
		t, err := b.home.tab(b.here.origin + "/")
		if err != nil {
			return nil, err
		}
		i, err := b.inherit(t)
		t.stop()
		if err != nil {
			return nil, err
		}
		apart = append(apart, i)
	}
	return judgeSessions(opener, apart), nil
}

// inherit looks at a page, has it write, and reloads it.
func (b *bench) inherit(t *tab) (i inherited, err error) {
	if !b.home.until(t, `typeof lab === "object"`) {
		return i, errors.New("an opened page does not load")
	}
	const id, opener = `sessionStorage.getItem("id") ?? ""`, `opener !== null`
	steps := []func() error{
		func() (err error) { i.ID, err = eval[string](t, id); return err },
		func() (err error) { i.Opener, err = eval[bool](t, opener); return err },
		func() error { return run(t, `sessionStorage.setItem("id", "second")`) },
		func() (err error) { i.Theirs, err = eval[string](b.a, id); return err },
		t.reload,
		func() (err error) { i.Reloaded, err = eval[string](t, id); return err },
		func() (err error) { i.StillOpener, err = eval[bool](t, opener); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return i, err
		}
	}
	return i, nil
}

func judgeSessions(opener, apart []inherited) []outcome {
	var copied, separate, kept, still, none int
	for _, i := range opener {
		if i.ID == "first" && i.Opener {
			copied++
		}
		if i.StillOpener {
			still++
		}
	}
	for _, i := range apart {
		if i.ID == "" && !i.Opener {
			none++
		}
	}
	all := append(append([]inherited{}, opener...), apart...)
	for _, i := range all {
		if i.Theirs == "first" {
			separate++
		}
		if i.Reloaded == "second" {
			kept++
		}
	}
	n, m := len(opener), len(apart)
	return []outcome{
		held("session/reload", kept == len(all), len(all), "%d of %d pages had after a reload what they had written", kept, len(all)),
		held("session/opener", copied == n && separate == len(all), n,
			"%d of %d pages that another opened had a copy and saw their opener; %d of %d wrote without changing that of the first page", copied,
			n, separate, len(all)),
		held("session/noopener", none == m && m > n, m, "%d of %d pages that were opened with noopener or by the user had neither", none, m),
		held("session/opener-reload", still == 0, n, "%d of %d pages with an opener have it still after a reload, and what they then "+
			"find is their own", still, n),
		beyond("session/duplicate", "no command of the browser's protocol duplicates a tab"),
	}
}

// opened evaluates an expression that opens a page, and attaches to that.
func (b *bench) opened(from *tab, expression string) (*tab, error) {
	ctx, cancel := context.WithTimeout(from.ctx, patience)
	defer cancel()
	found := chromedp.WaitNewTarget(ctx, func(*target.Info) bool { return true })
	if ok, err := eval[bool](from, expression); err != nil || !ok {
		return nil, errors.Join(err, errors.New("no page was opened by "+expression))
	}
	select {
	case id := <-found:
		return b.home.tab("", chromedp.WithTargetID(id))
	case <-time.After(5 * time.Second):
		return nil, errors.New("no page was opened within 5s by " + expression)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
