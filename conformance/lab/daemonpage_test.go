package lab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/browser"
	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

// A house is a daemon that serves on loopback until the test ends.
type house struct {
	t   *testing.T
	url string
}

func open(t *testing.T, cfg daemon.Config) *house {
	t.Helper()
	d, err := daemon.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	t.Cleanup(d.Close) // before the server, which waits for the streams
	return &house{t: t, url: server.URL}
}

// ask sends a request and returns what the JSON says.
func (h *house) ask(method, path, body string) map[string]any {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var v map[string]any
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal(text, &v) != nil {
		h.t.Fatalf("%s %s: %s %q %v", method, path, answer.Status, text, err)
	}
	return v
}

// publish publishes n events of type "t".
func (h *house) publish(session string, n int) {
	h.t.Helper()
	list := strings.TrimSuffix(strings.Repeat(`{"type":"t","data":{"a":[1]}},`, n), ",")
	if v := h.ask("POST", session+"/publish", "["+list+"]"); v["events"] != float64(n) {
		h.t.Fatalf("publish %d: %v", n, v)
	}
}

// visit opens one of the daemon's addresses, from which a page may ask the daemon alone.
func (h *house) visit(parent context.Context, path string, width, height int64, dark bool) *browser.Tab {
	h.t.Helper()
	return browser.Open(h.t, parent, browser.Page{URL: h.url + path, Allow: h.url + "/", Width: width, Height: height, Dark: dark})
}

// The browser's own EventSource gets every event once, over a cut, and asks for what it missed only.
func TestBrowserEventSource(t *testing.T) {
	parent := browser.Start(t)
	for _, d := range []eventbus.Dialect{eventbus.Seed, eventbus.Later} {
		t.Run(d.String(), func(t *testing.T) {
			h := open(t, daemon.Config{Dialect: d})
			session := "/session/" + h.ask("POST", "/session", "")["sessionId"].(string)
			v := h.visit(parent, "/health", 800, 600, false)
			v.Run(fmt.Sprintf(`window.got = []; window.opens = 0;
			window.source = new EventSource(%q);
			source.onopen = () => opens++;
			source.onmessage = e => got.push('message ' + e.lastEventId);
			for (const type of ['t', 'replay_complete', 'state_resync_required']) source.addEventListener(type, e => got.push(type + ' ' + e.lastEventId + ' ' + (JSON.parse(e.data).id ?? '')))`, session+"/events"))
			v.Until("the stream is open", "opens === 1")
			h.publish(session, 3)
			v.Until("live events come", "got.length === 3")
			h.ask("POST", session+"/cut", "")
			h.publish(session, 2)
			// EVENTBUS-SSE-003: three seconds after the cut.
			v.Until("the browser connects again", "opens === 2")
			h.publish(session, 1)
			v.Until("the missed events and the next one come", "got.length === 7")
			if got := browser.Eval[string](v, "got.join(', ')"); got != "t 1 1, t 2 2, t 3 3, t 4 4, t 5 5, replay_complete 5 , t 6 6" {
				t.Errorf("got %s", got)
			}
			h.ask("POST", session+"/cut", "")
			v.Until("the browser connects a third time", "opens === 3 && got.length === 8")
			if got := browser.Eval[string](v, "got[7]"); got != "replay_complete 6 " {
				t.Errorf("the third connection brings %s, want replay_complete only", got)
			}
			v.Run("source.close()")
			v.Quiet()
		})
	}
}

const burst = `document.querySelector('#burst input[name=count]').value = %d; document.querySelector('#burst button').click()`

// The page shows the stream, the ring, the queues, a warning and an eviction as they happen.
func TestBrowserPage(t *testing.T) {
	parent := browser.Start(t)
	h := open(t, daemon.Config{Dialect: eventbus.Later, RingSize: 100})
	v := h.visit(parent, "/", 1280, 900, false)
	v.Until("the page streams", `document.getElementById('status').dataset.state === 'open' && document.querySelectorAll('[data-subscriber]').length === 1`)
	v.Run(`document.querySelector('#publish input').value = 'made_up_type'; document.querySelector('#publish textarea').value = '{"text":"<b>hello</b>"}'; document.querySelector('#publish button').click()`)
	v.Until("what is published comes back", `document.querySelector('#events li strong')?.textContent === 'made_up_type'`)
	v.Want("text is text", `document.querySelector('#events li code').textContent === '{"text":"<b>hello</b>"}' && !document.querySelector('#events li code b')`)
	// What is told stands until the page has asked for the state again, which may be at once.
	v.Run(`window.told = []; new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(n => told.push(n.textContent)))).observe(document.getElementById('trouble'), { childList: true })`)
	v.Run(`document.querySelector('#publish textarea').value = '{'; document.querySelector('#publish button').click()`)
	v.Until("bad JSON is told", `told.some(text => text.includes('not JSON'))`)

	v.Run(`document.querySelector('#slow select').value = '5000'; document.querySelector('#slow button').click()`)
	v.Until("a slow reader is a subscriber", `document.querySelectorAll('[data-subscriber]').length === 2 && document.querySelectorAll('.reader').length === 1`)
	v.Run(fmt.Sprintf(burst, 1))
	v.Until("the reader took one", `document.querySelector('.reader').textContent.includes('took 1')`)
	v.Run(fmt.Sprintf(burst, 13))
	v.Until("a warning is shown", `[...document.querySelectorAll('#notices li')].some(li => li.className === 'warn' && li.textContent.includes('queueSize 12'))`)
	v.Until("the subscriber is marked", `[...document.querySelectorAll('[data-subscriber]')].some(r => r.textContent.includes('warned') && r.querySelector('.bar.warm'))`)
	v.Shot("bus-warning-1280")
	v.Run(fmt.Sprintf(burst, 40))
	v.Until("an eviction is shown", `[...document.querySelectorAll('#notices li')].some(li => li.className === 'end' && li.textContent.includes('queue_overflow'))`)
	v.Until("the evicted one is gone", `document.querySelectorAll('[data-subscriber]').length === 1`)
	v.Until("the page itself got all", `document.getElementById('got').textContent === '55 events'`)
	v.Until("the ring is told", `document.getElementById('last').textContent === '55' && document.getElementById('fill').textContent === '55.0 % of 100'`)
	v.Run(fmt.Sprintf(burst, 100))
	v.Until("a full ring", `document.getElementById('first').textContent === '56' && document.getElementById('length').textContent === '100'`)
	v.Shot("bus-evicted-1280")
	v.Run(`document.querySelector('.reader button').click()`)
	v.Until("the reader is off the list", `document.querySelectorAll('.reader').length === 0`)

	v.Run(`document.getElementById('cut').click()`)
	v.Until("a cut is shown", `document.getElementById('status').dataset.state === 'connecting' && document.getElementById('status').textContent.includes('after 155')`)
	v.Until("and its end", `document.getElementById('status').dataset.state === 'open' && document.getElementById('events').textContent.includes('resumed after 155')`)
	v.Want("nothing scrolls sideways", `document.documentElement.scrollWidth <= innerWidth`)
	v.Want("every control has a name", `[...document.querySelectorAll('input, select, textarea')].every(e => e.labels.length === 1) && [...document.querySelectorAll('button')].every(e => e.textContent)`)

	session := "/session/" + browser.Eval[string](v, "location.hash.slice(1)")
	again := h.visit(parent, "/#"+strings.TrimPrefix(session, "/session/"), 1280, 900, true)
	again.Until("the address is the session", `document.getElementById('last').textContent === '155' && document.querySelectorAll('[data-subscriber]').length === 2`)
	again.Shot("bus-dark-1280")
	v.Quiet()
	h.ask("DELETE", session, "")
	v.Until("the end of the session is shown", `document.getElementById('status').textContent === 'the session has ended' && document.querySelector('#events li strong').textContent === 'session_closed'`)
	v.Want("nothing more can be done", `[...document.querySelectorAll('button')].every(b => b.disabled)`)
}

func TestBrowserNarrow(t *testing.T) {
	parent := browser.Start(t)
	for _, dark := range []bool{false, true} {
		name := map[bool]string{false: "light", true: "dark"}[dark]
		t.Run(name, func(t *testing.T) {
			h := open(t, daemon.Config{})
			v := h.visit(parent, "/", 390, 844, dark)
			v.Until("the page streams", `document.getElementById('status').dataset.state === 'open'`)
			v.Run(`document.querySelector('#slow button').click()`)
			v.Until("a slow reader is there", `document.querySelectorAll('[data-subscriber]').length === 2`)
			long := strings.Repeat("W", 110)
			v.Run(fmt.Sprintf(`document.querySelector('#publish input').value = %q; document.querySelector('#publish textarea').value = JSON.stringify(%q.repeat(9)); document.querySelector('#publish button').click()`, long, long))
			v.Until("a long type comes", `document.querySelector('#events li strong')?.textContent.length === 110`)
			v.Run(fmt.Sprintf(burst, 60))
			v.Until("an eviction", `!!document.querySelector('#notices li.end')`)
			v.Want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth`)
			if out := browser.Eval[string](v, `[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('code')).map(e => e.outerHTML.slice(0, 80)).join('; ')`); out != "" {
				t.Errorf("these stick out: %s", out)
			}
			v.Shot("bus-narrow-" + name)
			v.Run(`scrollTo(0, 900)`)
			v.Shot("bus-narrow-lower-" + name)
			v.Quiet()
		})
	}
}
