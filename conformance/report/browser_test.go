package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/spec"
)

// browser starts one headless Chromium for a test, or skips it.
func browser(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv("ASSAY_LAB") != "1" {
		t.Skip("needs a browser: set ASSAY_LAB=1 on a machine that has Chromium")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.NoFirstRun)
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// A view is one open page and everything that went wrong in it.
type view struct {
	t   *testing.T
	ctx context.Context
	url string

	mu     sync.Mutex
	faults []string
}

func open(t *testing.T, parent context.Context, file, hash string, width, height int64, dark bool) *view {
	t.Helper()
	v := &view{t: t, url: "file://" + file}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithListener(v.listen))
	t.Cleanup(cancel)
	v.ctx = ctx
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	v.do()
	v.call(func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err })
	v.call(func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err })
	v.call(func() error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
	v.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(v.url+hash))
	return v
}

// listen keeps whatever a quiet page does not do.
func (v *view) listen(event any) {
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
		if !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "data:") {
			v.faults = append(v.faults, "request: "+e.Request.URL)
		}
	}
}

func (v *view) call(f func() error) {
	v.t.Helper()
	if err := f(); err != nil {
		v.t.Fatal(err)
	}
}

func (v *view) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// eval evaluates an expression that yields JSON of T.
func eval[T any](v *view, expression string) T {
	v.t.Helper()
	out, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// js runs statements and waits for two frames, so that events and layout have caught up.
func (v *view) js(code string) {
	v.t.Helper()
	eval[bool](v, "(() => {"+code+"; return true})()")
	v.settle()
}

func (v *view) settle() {
	v.t.Helper()
	_, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool]("new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(() => ok(true))))", chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatal(err)
	}
}

// keys focuses an element and types.
func (v *view) keys(selector string, keys ...string) {
	v.t.Helper()
	v.js("document.querySelector(" + fmt.Sprintf("%q", selector) + ").focus()")
	for _, k := range keys {
		v.do(chromedp.KeyEvent(k))
	}
	v.settle()
}

func (v *view) want(why, expression string) {
	v.t.Helper()
	if !eval[bool](v, expression) {
		v.t.Errorf("%s: %s is false", why, expression)
	}
}

func (v *view) quiet() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.faults {
		v.t.Errorf("the page is not quiet: %s", f)
	}
}

// shot keeps a picture when ASSAY_SCREENSHOTS names a folder.
func (v *view) shot(name string) {
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

func writePage(t *testing.T, laws *spec.Catalogue, results ...*conformance.Result) string {
	t.Helper()
	var b bytes.Buffer
	start := time.Now()
	if err := report.HTML(&b, report.Options{Laws: laws}, results...); err != nil {
		t.Fatal(err)
	}
	t.Logf("page of %d octets in %v", b.Len(), time.Since(start))
	file := filepath.Join(t.TempDir(), "result.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const visibleRows = `[...document.querySelectorAll('#matrix tr[data-law]')].filter(r => r.checkVisibility()).length`

func TestBrowserMatrix(t *testing.T) {
	parent := browser(t)
	laws, results := large(t, 8, 500)
	file := writePage(t, laws, results...)
	v := open(t, parent, file, "", 1280, 900, false)
	v.shot("matrix-1280")
	all := eval[int](v, visibleRows)
	if all < 100 {
		t.Fatalf("%d rows, want every cited law", all)
	}
	v.want("nothing scrolls sideways", `document.documentElement.scrollWidth <= innerWidth`)
	v.want("eight targets fit beside the law", `document.getElementById('box').scrollWidth <= document.getElementById('box').clientWidth`)

	v.keys("#q", "ack client")
	text := eval[int](v, visibleRows)
	if text == 0 || text >= all {
		t.Errorf("text filter leaves %d of %d rows", text, all)
	}
	v.want("the count is told", fmt.Sprintf(`document.getElementById('count').textContent === '%d of %d laws'`, text, all))
	// The chips are reached and pressed by keyboard alone, and join the text by "and".
	v.keys(`[data-verdict="fail"]`, " ")
	both := eval[int](v, visibleRows)
	if both == 0 || both >= text {
		t.Errorf("text and verdict leave %d rows, text alone %d", both, text)
	}
	v.want("the chip says that it is pressed", `document.querySelector('[data-verdict="fail"]').getAttribute('aria-pressed') === 'true'`)
	v.want("every row left has a fail", `[...document.querySelectorAll('#matrix tr[data-law]')].filter(r => r.checkVisibility()).every(r => r.querySelector('.v-fail'))`)
	v.keys(`[data-level="SHOULD"]`, kb.Enter)
	if n := eval[int](v, visibleRows); n != 0 {
		t.Errorf("%d SHOULD laws fail, but only a MUST can", n)
	}
	v.want("an empty table says so", `document.getElementById('none').checkVisibility()`)
	v.keys("#reset", kb.Enter)
	if n := eval[int](v, visibleRows); n != all {
		t.Errorf("after clearing %d rows, want %d", n, all)
	}

	// A failing cell: the law's text, the finding and the transcript, opened on demand.
	v.js(`document.querySelector('.cell.v-fail').click()`)
	law := eval[string](v, `document.querySelector('.cell.v-fail').dataset.law`)
	l, _ := laws.Law(law)
	if got := eval[string](v, `document.querySelector('#detail .statement').textContent`); got != l.Statement {
		t.Errorf("law text %q, want %q", got, l.Statement)
	}
	v.want("the finding is there", `document.querySelector('#detail .finding').textContent.includes('clients rely on it')`)
	v.want("every part is text or an element", `!document.body.textContent.includes('[object')`)
	v.want("expected and seen are told", `document.querySelector('#detail .finding').textContent.includes('ERROR, then the end of the connection')`)
	v.want("the transcript is lazy", `!document.querySelector('#detail .wire')`)
	v.js(`document.querySelector('#detail .transcript').open = true`)
	v.want("directions are words too", `document.querySelector('#detail .wire').textContent.includes('from the target')`)
	v.want("lines are lines", `document.querySelectorAll('#detail .wire pre')[0].textContent.startsWith('CONNECT\\n\naccept-version')`)
	v.js(`document.getElementById('laws').scrollIntoView(); document.getElementById('detail').scrollTop = 380`)
	v.shot("detail-1280")
	v.js(`document.querySelectorAll('#detail .wirebar .chip')[1].click()`)
	v.want("hexdump", `document.querySelector('#detail .hex').textContent.startsWith('0000  43 4f 4e 4e 45 43 54')`)
	v.want("a line of the hexdump fits", `[...document.querySelectorAll('#detail .hex')].every(e => e.scrollWidth <= e.clientWidth)`)
	v.shot("hexdump-1280")

	// The address holds the whole state.
	v.js(`document.querySelector('[data-verdict="fail"]').click()`)
	hash := eval[string](v, "location.hash")
	rows := eval[int](v, visibleRows)
	again := open(t, parent, file, hash, 1280, 900, true)
	if n := eval[int](again, visibleRows); n != rows {
		t.Errorf("shared address shows %d rows, want %d", n, rows)
	}
	if got := eval[string](again, `document.querySelector('#detail .statement').textContent`); got != l.Statement {
		t.Errorf("shared address shows law %q, want %q", got, l.Statement)
	}
	again.js(`document.querySelector('#detail .transcript').open = true; document.getElementById('laws').scrollIntoView()`)
	again.shot("shared-dark-1280")
	// Arrow keys move in the table; the table is one tab stop.
	again.want("one tab stop", `document.querySelectorAll('#matrix button[tabindex="0"]').length === 1`)
	again.keys(`#matrix button[tabindex="0"]`, kb.ArrowDown, kb.ArrowRight, kb.Enter)
	again.want("the arrows chose another cell", `document.querySelector('#detail .statement').textContent !== `+fmt.Sprintf("%q", l.Statement)+` && document.activeElement.matches('#matrix button[aria-current]')`)
	again.do(chromedp.KeyEvent(kb.Escape))
	again.settle()
	again.want("escape closes", `!document.querySelector('#detail .statement') && !location.hash.includes('law=')`)
	v.quiet()
	again.quiet()
}

func TestBrowserSections(t *testing.T) {
	parent := browser(t)
	laws, results := large(t, 8, 500)
	v := open(t, parent, writePage(t, laws, results...), "", 1280, 900, false)
	for _, id := range []string{"deviations", "silent", "portable", "reproduce"} {
		v.js(fmt.Sprintf(`document.querySelectorAll('#%s > details')[0]?.setAttribute('open', ''); document.getElementById('%s').scrollIntoView()`, id, id))
		v.shot(id + "-1280")
	}
	v.js(`document.querySelector('#deviations a[data-law]').click()`)
	v.want("a deviation leads to its evidence", `document.querySelector('#detail .statement') !== null && location.hash.includes('law=')`)
	v.quiet()
}

func TestBrowserNarrow(t *testing.T) {
	parent := browser(t)
	laws, results := large(t, 8, 500)
	for _, dark := range []bool{false, true} {
		v := open(t, parent, writePage(t, laws, results...), "", 390, 844, dark)
		name := map[bool]string{false: "light", true: "dark"}[dark]
		v.shot("narrow-top-" + name)
		v.want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth`)
		v.want("the matrix scrolls in its box", `document.getElementById('box').scrollWidth > document.getElementById('box').clientWidth`)
		v.js(`document.getElementById('laws').scrollIntoView(); document.getElementById('box').scrollLeft = 200; document.getElementById('box').scrollTop = 300`)
		v.want("the law stays in sight", `Math.abs(document.querySelector('#matrix tbody th.law').getBoundingClientRect().left - document.getElementById('box').getBoundingClientRect().left) <= 2`)
		v.shot("narrow-matrix-" + name)
		v.js(`document.querySelector('.cell.v-fail').click()`)
		v.js(`document.querySelector('#detail .transcript').open = true`)
		v.shot("narrow-detail-" + name)
		v.js(`document.querySelector('#detail').scrollTop = 500; document.querySelectorAll('#detail .wirebar .chip')[1].click()`)
		v.shot("narrow-wire-" + name)
		v.want("the panel fits", `document.getElementById('detail').scrollWidth <= innerWidth && document.documentElement.scrollWidth <= innerWidth`)
		v.js(`document.querySelector('#detail .close').click()`)
		v.want("closing gives the focus back", `document.activeElement.matches('#matrix button') && !document.getElementById('detail').checkVisibility()`)
		v.js(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		v.want("no sideways scroll with everything open", `document.documentElement.scrollWidth <= innerWidth`)
		v.js(`document.getElementById('deviations').scrollIntoView()`)
		v.shot("narrow-deviations-" + name)
		v.quiet()
	}
}

func TestBrowserSingle(t *testing.T) {
	parent := browser(t)
	laws, results := large(t, 1, 500)
	v := open(t, parent, writePage(t, laws, results...), "", 1280, 900, false)
	v.shot("single-1280")
	v.want("words stand in the cells of a small matrix", `document.querySelector('.cell .word').getBoundingClientRect().width > 10`)
	v.js(`document.querySelector('#matrix th button').click()`)
	v.want("choosing a law is choosing its only target", `document.querySelector('#detail .case') !== null`)
	v.quiet()
}

// Whatever a target says is text: nothing runs, nothing is fetched, nothing is parsed as a tag.
func TestBrowserHostile(t *testing.T) {
	parent := browser(t)
	for _, width := range []int64{1280, 390} {
		v := open(t, parent, writePage(t, catalogue(t), hostile(), mixed("Alpha")), "", width, 844, false)
		v.js(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		rows := eval[int](v, `document.querySelectorAll('#matrix button').length`)
		for i := range rows {
			v.js(fmt.Sprintf(`document.querySelectorAll('#matrix button')[%d].click(); document.querySelectorAll('#detail details').forEach(d => { d.open = true })`, i))
		}
		v.js(`document.querySelectorAll('#detail details').forEach(d => { d.open = true })`)
		v.want("no element came from a text", `document.querySelectorAll('img, iframe, object, embed, [onerror], [onload], a[href^="javascript"]').length === 0`)
		v.want("only our scripts", `[...document.scripts].every(s => s.type === 'application/json' || s === document.scripts[document.scripts.length - 1])`)
		v.want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth`)
		v.shot(fmt.Sprintf("hostile-%d", width))
		v.quiet()
	}
}
