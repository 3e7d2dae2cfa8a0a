package daemon_test

import (
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
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
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

// A tab is one open page, what it asked the daemon for, and everything that went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu     sync.Mutex
	faults []string
}

func visit(t *testing.T, parent context.Context, url string, width, height int64, dark bool) *tab {
	t.Helper()
	base, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	v := &tab{t: t, url: "http://" + base + "/"}
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
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	})
	v.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	return v
}

func (v *tab) listen(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		v.faults = append(v.faults, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		v.faults = append(v.faults, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		v.faults = append(v.faults, "log: "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, v.url) && !strings.HasPrefix(e.Request.URL, "data:") {
			v.faults = append(v.faults, "request: "+e.Request.URL)
		}
	}
}

func (v *tab) call(f func() error) {
	v.t.Helper()
	if err := f(); err != nil {
		v.t.Fatal(err)
	}
}

func (v *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// evaluate evaluates an expression that yields JSON of T.
func evaluate[T any](v *tab, expression string) T {
	v.t.Helper()
	out, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// until waits for a condition, which the page itself looks at before each frame that it paints.
func (v *tab) until(why, condition string) {
	v.t.Helper()
	ok, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool](fmt.Sprintf(
		`new Promise(ok => { const end = performance.now() + 20000; const look = () => (%s) ? ok(true) : performance.now() > end ? ok(false) : setTimeout(look, 20); look(); })`, condition), chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v", why, err)
	}
	if !ok {
		v.t.Fatalf("%s: %s does not become true; the page says %q", why, condition, evaluate[string](v, "document.body.innerText"))
	}
}

func (v *tab) js(code string) {
	v.t.Helper()
	evaluate[bool](v, "(() => {"+code+"; return true})()")
}

func (v *tab) want(why, expression string) {
	v.t.Helper()
	if !evaluate[bool](v, expression) {
		v.t.Errorf("%s: %s is false", why, expression)
	}
}

func (v *tab) quiet() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.faults {
		v.t.Errorf("the page is not quiet: %s", f)
	}
}

// shot keeps a picture when ASSAY_SCREENSHOTS names a folder.
func (v *tab) shot(name string) {
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

// The browser's own EventSource gets every event once, over a cut, and asks for what it missed only.
func TestBrowserEventSource(t *testing.T) {
	parent := browser(t)
	for _, d := range dialects {
		h := start(t, daemon.Config{Dialect: d})
		session := h.open()
		v := visit(t, parent, h.url+"/health", 800, 600, false)
		v.js(fmt.Sprintf(`window.got = []; window.opens = 0;
			window.source = new EventSource(%q);
			source.onopen = () => opens++;
			source.onmessage = e => got.push('message ' + e.lastEventId);
			for (const type of ['t', 'replay_complete', 'state_resync_required']) source.addEventListener(type, e => got.push(type + ' ' + e.lastEventId + ' ' + (JSON.parse(e.data).id ?? '')))`, session+"/events"))
		v.until("the stream is open", "opens === 1")
		h.publish(session, 3)
		v.until("live events come", "got.length === 3")
		h.ask("POST", session+"/cut", "")
		h.publish(session, 2)
		// EVENTBUS-SSE-003: three seconds after the cut.
		v.until("the browser connects again", "opens === 2")
		h.publish(session, 1)
		v.until("the missed events and the next one come", "got.length === 7")
		if got := evaluate[string](v, "got.join(', ')"); got != "t 1 1, t 2 2, t 3 3, t 4 4, t 5 5, replay_complete 5 , t 6 6" {
			t.Errorf("%v: got %s", d, got)
		}
		h.ask("POST", session+"/cut", "")
		v.until("the browser connects a third time", "opens === 3 && got.length === 8")
		if got := evaluate[string](v, "got[7]"); got != "replay_complete 6 " {
			t.Errorf("%v: the third connection brings %s, want replay_complete only", d, got)
		}
		v.js("source.close()")
		v.quiet()
		h.stop()
	}
}

const burst = `document.querySelector('#burst input[name=count]').value = %d; document.querySelector('#burst button').click()`

// The page shows the stream, the ring, the queues, a warning and an eviction as they happen.
func TestBrowserPage(t *testing.T) {
	parent := browser(t)
	h := start(t, daemon.Config{Dialect: eventbus.Later, RingSize: 100})
	v := visit(t, parent, h.url+"/", 1280, 900, false)
	v.until("the page streams", `document.getElementById('status').dataset.state === 'open' && document.querySelectorAll('[data-subscriber]').length === 1`)
	v.js(`document.querySelector('#publish input').value = 'made_up_type'; document.querySelector('#publish textarea').value = '{"text":"<b>hello</b>"}'; document.querySelector('#publish button').click()`)
	v.until("what is published comes back", `document.querySelector('#events li strong')?.textContent === 'made_up_type'`)
	v.want("text is text", `document.querySelector('#events li code').textContent === '{"text":"<b>hello</b>"}' && !document.querySelector('#events li code b')`)
	v.js(`document.querySelector('#publish textarea').value = '{'; document.querySelector('#publish button').click()`)
	v.until("bad JSON is told", `document.getElementById('trouble').textContent.includes('not JSON')`)

	v.js(`document.querySelector('#slow select').value = '5000'; document.querySelector('#slow button').click()`)
	v.until("a slow reader is a subscriber", `document.querySelectorAll('[data-subscriber]').length === 2 && document.querySelectorAll('.reader').length === 1`)
	v.js(fmt.Sprintf(burst, 1))
	v.until("the reader took one", `document.querySelector('.reader').textContent.includes('took 1')`)
	v.js(fmt.Sprintf(burst, 13))
	v.until("a warning is shown", `[...document.querySelectorAll('#notices li')].some(li => li.className === 'warn' && li.textContent.includes('queueSize 12'))`)
	v.until("the subscriber is marked", `[...document.querySelectorAll('[data-subscriber]')].some(r => r.textContent.includes('warned') && r.querySelector('.bar.warm'))`)
	v.shot("bus-warning-1280")
	v.js(fmt.Sprintf(burst, 40))
	v.until("an eviction is shown", `[...document.querySelectorAll('#notices li')].some(li => li.className === 'end' && li.textContent.includes('queue_overflow'))`)
	v.until("the evicted one is gone", `document.querySelectorAll('[data-subscriber]').length === 1`)
	v.until("the page itself got all", `document.getElementById('got').textContent === '55 events'`)
	v.until("the ring is told", `document.getElementById('last').textContent === '55' && document.getElementById('fill').textContent === '55.0 % of 100'`)
	v.js(fmt.Sprintf(burst, 100))
	v.until("a full ring", `document.getElementById('first').textContent === '56' && document.getElementById('length').textContent === '100'`)
	v.shot("bus-evicted-1280")
	v.js(`document.querySelector('.reader button').click()`)
	v.until("the reader is off the list", `document.querySelectorAll('.reader').length === 0`)

	v.js(`document.getElementById('cut').click()`)
	v.until("a cut is shown", `document.getElementById('status').dataset.state === 'connecting' && document.getElementById('status').textContent.includes('after 155')`)
	v.until("and its end", `document.getElementById('status').dataset.state === 'open' && document.getElementById('events').textContent.includes('resumed after 155')`)
	v.want("nothing scrolls sideways", `document.documentElement.scrollWidth <= innerWidth`)
	v.want("every control has a name", `[...document.querySelectorAll('input, select, textarea')].every(e => e.labels.length === 1) && [...document.querySelectorAll('button')].every(e => e.textContent)`)

	session := "/session/" + evaluate[string](v, "location.hash.slice(1)")
	again := visit(t, parent, h.url+"/#"+strings.TrimPrefix(session, "/session/"), 1280, 900, true)
	again.until("the address is the session", `document.getElementById('last').textContent === '155' && document.querySelectorAll('[data-subscriber]').length === 2`)
	again.shot("bus-dark-1280")
	v.quiet()
	h.ask("DELETE", session, "")
	v.until("the end of the session is shown", `document.getElementById('status').textContent === 'the session has ended' && document.querySelector('#events li strong').textContent === 'session_closed'`)
	v.want("nothing more can be done", `[...document.querySelectorAll('button')].every(b => b.disabled)`)
}

func TestBrowserNarrow(t *testing.T) {
	parent := browser(t)
	for _, dark := range []bool{false, true} {
		h := start(t, daemon.Config{})
		v := visit(t, parent, h.url+"/", 390, 844, dark)
		v.until("the page streams", `document.getElementById('status').dataset.state === 'open'`)
		v.js(`document.querySelector('#slow button').click()`)
		v.until("a slow reader is there", `document.querySelectorAll('[data-subscriber]').length === 2`)
		long := strings.Repeat("W", 110)
		v.js(fmt.Sprintf(`document.querySelector('#publish input').value = %q; document.querySelector('#publish textarea').value = JSON.stringify(%q.repeat(9)); document.querySelector('#publish button').click()`, long, long))
		v.until("a long type comes", `document.querySelector('#events li strong')?.textContent.length === 110`)
		v.js(fmt.Sprintf(burst, 60))
		v.until("an eviction", `!!document.querySelector('#notices li.end')`)
		v.want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth`)
		if out := evaluate[string](v, `[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('code')).map(e => e.outerHTML.slice(0, 80)).join('; ')`); out != "" {
			t.Errorf("these stick out: %s", out)
		}
		name := map[bool]string{false: "light", true: "dark"}[dark]
		v.shot("bus-narrow-" + name)
		v.js(`scrollTo(0, 900)`)
		v.shot("bus-narrow-lower-" + name)
		v.quiet()
		h.stop()
	}
}
