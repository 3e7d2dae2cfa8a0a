package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/browser"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/spec"
)

// open opens a page that may ask for nothing but itself.
func open(t *testing.T, parent context.Context, file, hash string, width, height int64, dark bool) *browser.Tab {
	t.Helper()
	return browser.Open(t, parent, browser.Page{URL: "file://" + file + hash, Allow: "file:", Width: width, Height: height, Dark: dark})
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
	parent := browser.Start(t)
	laws, results := large(t, 8, 500)
	file := writePage(t, laws, results...)
	v := open(t, parent, file, "", 1280, 900, false)
	v.Shot("matrix-1280")
	all := browser.Eval[int](v, visibleRows)
	if all < 100 {
		t.Fatalf("%d rows, want every cited law", all)
	}
	v.Want("nothing scrolls sideways", `document.documentElement.scrollWidth <= innerWidth`)
	v.Want("eight targets fit beside the law", `document.getElementById('box').scrollWidth <= document.getElementById('box').clientWidth`)

	v.Keys("#q", "ack client")
	text := browser.Eval[int](v, visibleRows)
	if text == 0 || text >= all {
		t.Errorf("text filter leaves %d of %d rows", text, all)
	}
	v.Want("the count is told", fmt.Sprintf(`document.getElementById('count').textContent === '%d of %d laws'`, text, all))
	// The chips are reached and pressed by keyboard alone, and join the text by "and".
	v.Keys(`[data-verdict="fail"]`, " ")
	both := browser.Eval[int](v, visibleRows)
	if both == 0 || both >= text {
		t.Errorf("text and verdict leave %d rows, text alone %d", both, text)
	}
	v.Want("the chip says that it is pressed", `document.querySelector('[data-verdict="fail"]').getAttribute('aria-pressed') === 'true'`)
	v.Want("every row left has a fail", `[...document.querySelectorAll('#matrix tr[data-law]')].filter(r => r.checkVisibility()).every(r => r.querySelector('.v-fail'))`)
	v.Keys(`[data-level="SHOULD"]`, kb.Enter)
	if n := browser.Eval[int](v, visibleRows); n != 0 {
		t.Errorf("%d SHOULD laws fail, but only a MUST can", n)
	}
	v.Want("an empty table says so", `document.getElementById('none').checkVisibility()`)
	v.Keys("#reset", kb.Enter)
	if n := browser.Eval[int](v, visibleRows); n != all {
		t.Errorf("after clearing %d rows, want %d", n, all)
	}

	// A failing cell: the law's text, the finding and the transcript, opened on demand.
	v.JS(`document.querySelector('.cell.v-fail').click()`)
	law := browser.Eval[string](v, `document.querySelector('.cell.v-fail').dataset.law`)
	l, _ := laws.Law(law)
	if got := browser.Eval[string](v, `document.querySelector('#detail .statement').textContent`); got != l.Statement {
		t.Errorf("law text %q, want %q", got, l.Statement)
	}
	v.Want("the finding is there", `document.querySelector('#detail .finding').textContent.includes('clients rely on it')`)
	v.Want("every part is text or an element", `!document.body.textContent.includes('[object')`)
	v.Want("expected and seen are told", `document.querySelector('#detail .finding').textContent.includes('ERROR, then the end of the connection')`)
	v.Want("the transcript is lazy", `!document.querySelector('#detail .wire')`)
	v.JS(`document.querySelector('#detail .transcript').open = true`)
	v.Want("directions are words too", `document.querySelector('#detail .wire').textContent.includes('from the target')`)
	v.Want("lines are lines", `document.querySelectorAll('#detail .wire pre')[0].textContent.startsWith('CONNECT\\n\naccept-version')`)
	v.JS(`document.getElementById('laws').scrollIntoView(); document.getElementById('detail').scrollTop = 380`)
	v.Shot("detail-1280")
	v.JS(`document.querySelectorAll('#detail .wirebar .chip')[1].click()`)
	v.Want("hexdump", `document.querySelector('#detail .hex').textContent.startsWith('0000  43 4f 4e 4e 45 43 54')`)
	v.Want("a line of the hexdump fits", `[...document.querySelectorAll('#detail .hex')].every(e => e.scrollWidth <= e.clientWidth)`)
	v.Shot("hexdump-1280")

	// The address holds the whole state.
	v.JS(`document.querySelector('[data-verdict="fail"]').click()`)
	hash := browser.Eval[string](v, "location.hash")
	rows := browser.Eval[int](v, visibleRows)
	again := open(t, parent, file, hash, 1280, 900, true)
	if n := browser.Eval[int](again, visibleRows); n != rows {
		t.Errorf("shared address shows %d rows, want %d", n, rows)
	}
	if got := browser.Eval[string](again, `document.querySelector('#detail .statement').textContent`); got != l.Statement {
		t.Errorf("shared address shows law %q, want %q", got, l.Statement)
	}
	again.JS(`document.querySelector('#detail .transcript').open = true; document.getElementById('laws').scrollIntoView()`)
	again.Shot("shared-dark-1280")
	// Arrow keys move in the table; the table is one tab stop.
	again.Want("one tab stop", `document.querySelectorAll('#matrix button[tabindex="0"]').length === 1`)
	again.Keys(`#matrix button[tabindex="0"]`, kb.ArrowDown, kb.ArrowRight, kb.Enter)
	again.Want("the arrows chose another cell", `document.querySelector('#detail .statement').textContent !== `+fmt.Sprintf("%q", l.Statement)+` && document.activeElement.matches('#matrix button[aria-current]')`)
	again.Do(chromedp.KeyEvent(kb.Escape))
	again.Settle()
	again.Want("escape closes", `!document.querySelector('#detail .statement') && !location.hash.includes('law=')`)
	v.Quiet()
	again.Quiet()
}

func TestBrowserSections(t *testing.T) {
	parent := browser.Start(t)
	laws, results := large(t, 8, 500)
	v := open(t, parent, writePage(t, laws, results...), "", 1280, 900, false)
	for _, id := range []string{"deviations", "silent", "portable", "reproduce"} {
		v.JS(fmt.Sprintf(`document.querySelectorAll('#%s > details')[0]?.setAttribute('open', ''); document.getElementById('%s').scrollIntoView()`, id, id))
		v.Shot(id + "-1280")
	}
	v.JS(`document.querySelector('#deviations a[data-law]').click()`)
	v.Want("a deviation leads to its evidence", `document.querySelector('#detail .statement') !== null && location.hash.includes('law=')`)
	v.Quiet()
}

func TestBrowserNarrow(t *testing.T) {
	parent := browser.Start(t)
	laws, results := large(t, 8, 500)
	for _, dark := range []bool{false, true} {
		v := open(t, parent, writePage(t, laws, results...), "", 390, 844, dark)
		name := map[bool]string{false: "light", true: "dark"}[dark]
		v.Shot("narrow-top-" + name)
		v.Want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth`)
		v.Want("the matrix scrolls in its box", `document.getElementById('box').scrollWidth > document.getElementById('box').clientWidth`)
		v.JS(`document.getElementById('laws').scrollIntoView(); document.getElementById('box').scrollLeft = 200; document.getElementById('box').scrollTop = 300`)
		v.Want("the law stays in sight", `Math.abs(document.querySelector('#matrix tbody th.law').getBoundingClientRect().left - document.getElementById('box').getBoundingClientRect().left) <= 2`)
		v.Shot("narrow-matrix-" + name)
		v.JS(`document.querySelector('.cell.v-fail').click()`)
		v.JS(`document.querySelector('#detail .transcript').open = true`)
		v.Shot("narrow-detail-" + name)
		v.JS(`document.querySelector('#detail').scrollTop = 500; document.querySelectorAll('#detail .wirebar .chip')[1].click()`)
		v.Shot("narrow-wire-" + name)
		v.Want("the panel fits", `document.getElementById('detail').scrollWidth <= innerWidth && document.documentElement.scrollWidth <= innerWidth`)
		v.JS(`document.querySelector('#detail .close').click()`)
		v.Want("closing gives the focus back", `document.activeElement.matches('#matrix button') && !document.getElementById('detail').checkVisibility()`)
		v.JS(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		v.Want("no sideways scroll with everything open", `document.documentElement.scrollWidth <= innerWidth`)
		v.JS(`document.getElementById('deviations').scrollIntoView()`)
		v.Shot("narrow-deviations-" + name)
		v.Quiet()
	}
}

func TestBrowserSingle(t *testing.T) {
	parent := browser.Start(t)
	laws, results := large(t, 1, 500)
	v := open(t, parent, writePage(t, laws, results...), "", 1280, 900, false)
	v.Shot("single-1280")
	v.Want("words stand in the cells of a small matrix", `document.querySelector('.cell .word').getBoundingClientRect().width > 10`)
	v.JS(`document.querySelector('#matrix th button').click()`)
	v.Want("choosing a law is choosing its only target", `document.querySelector('#detail .case') !== null`)
	v.Quiet()
}

// Whatever a target says is text: nothing runs, nothing is fetched, nothing is parsed as a tag.
func TestBrowserHostile(t *testing.T) {
	parent := browser.Start(t)
	for _, width := range []int64{1280, 390} {
		v := open(t, parent, writePage(t, catalogue(t), hostile(), mixed("Alpha")), "", width, 844, false)
		v.JS(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		rows := browser.Eval[int](v, `document.querySelectorAll('#matrix button').length`)
		for i := range rows {
			v.JS(fmt.Sprintf(`document.querySelectorAll('#matrix button')[%d].click(); document.querySelectorAll('#detail details').forEach(d => { d.open = true })`, i))
		}
		v.JS(`document.querySelectorAll('#detail details').forEach(d => { d.open = true })`)
		v.Want("no element came from a text", `document.querySelectorAll('img, iframe, object, embed, [onerror], [onload], a[href^="javascript"]').length === 0`)
		v.Want("only our scripts", `[...document.scripts].every(s => s.type === 'application/json' || s === document.scripts[document.scripts.length - 1])`)
		v.Want("no sideways scroll", `document.documentElement.scrollWidth <= innerWidth`)
		v.Shot(fmt.Sprintf("hostile-%d", width))
		v.Quiet()
	}
}
