package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Page is what to open, and how.
type Page struct {
	URL string
	// Allow is how the addresses begin that the page may ask for, besides those of the scheme data.
	Allow string
	// Width and Height are those of the view, in CSS pixels.
	Width, Height int64
	// Dark prefers dark colours.
	Dark bool
}

// A Tab is one open page and everything that went wrong in it. What fails in a method ends the test.
type Tab struct {
	t     testing.TB
	ctx   context.Context
	allow string

	mu     sync.Mutex
	faults []string
}

// Open opens a page, with motion reduced, in the browser that Start returned; it is closed when the test ends.
func Open(t testing.TB, browser context.Context, p Page) *Tab {
	t.Helper()
	v := &Tab{t: t, allow: p.Allow}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithListener(v.listen))
	t.Cleanup(cancel)
	v.ctx = ctx
	scheme := "light"
	if p.Dark {
		scheme = "dark"
	}
	v.Do()
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
				},
			})
			return err
		},
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	v.Do(chromedp.EmulateViewport(p.Width, p.Height), chromedp.Navigate(p.URL))
	return v
}

// listen keeps whatever a quiet page does not do.
func (v *Tab) listen(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		v.faults = append(v.faults, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		v.faults = append(v.faults, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		v.faults = append(v.faults, "log: "+e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		v.faults = append(v.faults, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, v.allow) && !strings.HasPrefix(e.Request.URL, "data:") {
			v.faults = append(v.faults, "request: "+e.Request.URL)
		}
	}
}

// Do carries out actions on the page.
func (v *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// Eval evaluates an expression that yields JSON of T, or a promise of it.
func Eval[T any](v *Tab, expression string) T {
	v.t.Helper()
	out, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// Run runs statements.
func (v *Tab) Run(code string) {
	v.t.Helper()
	Eval[bool](v, "(() => {"+code+"; return true})()")
}

// JS runs statements and settles.
func (v *Tab) JS(code string) {
	v.t.Helper()
	v.Run(code)
	v.Settle()
}

// Settle waits for two frames, so that events and layout have caught up.
func (v *Tab) Settle() {
	v.t.Helper()
	Eval[bool](v, "new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(() => ok(true))))")
}

// Keys focuses an element, types and settles.
func (v *Tab) Keys(selector string, keys ...string) {
	v.t.Helper()
	v.JS("document.querySelector(" + fmt.Sprintf("%q", selector) + ").focus()")
	for _, k := range keys {
		v.Do(chromedp.KeyEvent(k))
	}
	v.Settle()
}

// Until waits for a condition, at which the page itself looks every 20 ms for 20 s.
func (v *Tab) Until(why, condition string) {
	v.t.Helper()
	if !Eval[bool](v, fmt.Sprintf(
		`new Promise(ok => { const end = performance.now() + 20000; const look = () => (%s) ? ok(true) : performance.now() > end ? ok(false) : setTimeout(look, 20); look(); })`, condition)) {
		v.t.Fatalf("%s: %s does not become true; the page says %q", why, condition, Eval[string](v, "document.body.innerText"))
	}
}

// Want fails the test, which goes on, unless an expression is true.
func (v *Tab) Want(why, expression string) {
	v.t.Helper()
	if !Eval[bool](v, expression) {
		v.t.Errorf("%s: %s is false", why, expression)
	}
}

// Quiet fails the test for each exception, dialog, line of console or log, and request for what is not allowed.
func (v *Tab) Quiet() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.faults {
		v.t.Errorf("the page is not quiet: %s", f)
	}
}

// Shot keeps a picture, NAME.png, when ASSAY_SCREENSHOTS names a folder.
func (v *Tab) Shot(name string) {
	v.t.Helper()
	dir := os.Getenv("ASSAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		v.t.Error(err)
	}
}
