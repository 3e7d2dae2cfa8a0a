package platform

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/seed-6f28358b/assay/conformance/browser"
	"github.com/seed-6f28358b/assay/conformance/lab"
)

// names are those of the programs that are tried, in this order.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell", "chrome"}

// find returns the path of a Chromium, or a *lab.NotInstalledError.
func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &lab.NotInstalledError{
		Name: "Chromium", Missing: "program " + strings.Join(names, ", "), Install: "conformance/lab/install.sh chromium-eventsource",
	}
}

// A house is one running browser.
type house struct {
	ctx     context.Context
	stop    func()
	product string
	// before is a script that each page of a new tab runs first; empty: none.
	before string
}

// start starts a browser that treats pages as it does at a desk: those in the background are slowed down.
func start(ctx context.Context, path, dir string, more ...chromedp.ExecAllocatorOption) (*house, error) {
	options := append(browser.Options(), chromedp.ExecPath(path), chromedp.UserDataDir(dir))
	for _, flag := range []string{
		"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		"disable-ipc-flooding-protection",
	} {
		options = append(options, chromedp.Flag(flag, false))
	}
	ctx, cancelAll := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	h := &house{ctx: ctx, stop: func() {
		cancel()
		cancelAll()
		_ = chromedp.Cancel(ctx)
	}}
	if err := chromedp.Do(ctx); err != nil {
		h.stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	v, err := chromedp.CallBrowser(ctx, protocol.GetVersion, cdp.Empty{})
	if err != nil {
		h.stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	h.product = v.Product
	return h, nil
}

// A tab is one open page that the check steers.
type tab struct {
	ctx  context.Context
	stop func()
	id   target.ID
}

// tab opens a page in a window and a process of its own.
func (h *house) tab(url string, o ...chromedp.ContextOption) (*tab, error) {
	ctx, cancel := chromedp.NewContext(h.ctx, o...)
	t := &tab{ctx: ctx, stop: cancel}
	// The context of the first run is that of the tab's whole life.
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	t.id = chromedp.FromContext(ctx).Target.TargetID
	if h.before != "" {
		if _, err := call(t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: h.before}); err != nil {
			cancel()
			return nil, err
		}
	}
	if url != "" {
		if err := t.visit(url); err != nil {
			cancel()
			return nil, err
		}
	}
	return t, nil
}

// background opens a page that another tab of the same window hides.
func (h *house) background(url string) (*tab, error) {
	t, err := h.tab(url, chromedp.WithNewWindow(false))
	if err != nil {
		return nil, err
	}
	if _, err := h.tab(url, chromedp.WithNewWindow(false)); err != nil {
		return nil, err
	}
	return t, nil
}

// patience is how long one call of a tab may take: longer than a page waits for another, and short enough that what hangs does not
// use up the time of all.
const patience = 15 * time.Second

// visit goes to an address and waits until the page has loaded.
func (t *tab) visit(url string) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return fmt.Errorf("go to %s: %w", url, err)
	}
	return nil
}

func (t *tab) reload() error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, chromedp.Reload())
}

// eval evaluates an expression, or the promise that it yields, in a tab.
func eval[T any](t *tab, expression string, a ...any) (T, error) {
	if len(a) > 0 {
		expression = fmt.Sprintf(expression, a...)
	}
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		err = fmt.Errorf("%.80s: %w", expression, err)
	}
	return v, err
}

// run evaluates an expression for what it does.
func run(t *tab, expression string, a ...any) error {
	_, err := eval[any](t, expression, a...)
	return err
}

// call sends a command of the browser's protocol to a tab.
func call[P, R any](t *tab, cmd cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Call(ctx, cmd, params)
}

func (t *tab) freeze() error { return t.life(page.SetWebLifecycleStateStateFrozen) }
func (t *tab) thaw() error   { return t.life(page.SetWebLifecycleStateStateActive) }

func (t *tab) life(state page.SetWebLifecycleStateState) error {
	_, err := call(t, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
	return err
}

// back goes one page back, without waiting: a page that returns does not load.
func (t *tab) back() error {
	h, err := call(t, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return err
	}
	if h.CurrentIndex < 1 {
		return fmt.Errorf("there is no page to go back to")
	}
	_, err = call(t, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: h.Entries[h.CurrentIndex-1].ID})
	return err
}

// sleep waits, as long as the check goes on.
func (h *house) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-h.ctx.Done():
	}
}

// until asks a tab every 20 ms for a condition, for ten seconds at most.
func (h *house) until(t *tab, condition string) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && h.ctx.Err() == nil; {
		if ok, err := eval[bool](t, condition); err == nil && ok {
			return true
		}
		h.sleep(20 * time.Millisecond)
	}
	return false
}
