// Command sse-browser is the adapter of the EventSource of an installed Chromium, without a window, for the suite
// sse-client. The browser is found as chromedp finds it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/conformance/browser"
)

func main() {
	b, err := start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := sseclient.Main(sseclient.Library{
		Software: b.software,
		Absent: map[string]string{
			sseclient.Envelope:   "reads any stream of events",
			sseclient.StartingID: "the constructor of EventSource takes none",
			sseclient.Headers:    "the constructor of EventSource takes none",
		},
		Run: b.run,
	})
	b.stop()
	os.Exit(status)
}

// A chromium is one browser with one page, which is of a loopback origin so that it may ask others of that kind.
type chromium struct {
	ctx      context.Context
	stop     func()
	software string
	shown    chan string // what the page tells, in order
}

func start(ctx context.Context) (*chromium, error) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><title>EventSource</title><link rel=icon href=data:,>")
	}))
	b := &chromium{shown: make(chan string, 100_000)}
	ctx, cancelAll := chromedp.NewExecAllocator(ctx, browser.Options()...)
	ctx, cancelPage := chromedp.NewContext(ctx, chromedp.WithListener(func(event any) {
		if e, ok := event.(*runtime.EventBindingCalled); ok {
			b.shown <- e.Payload
		}
	}))
	b.ctx, b.stop = ctx, func() { cancelPage(); cancelAll(); page.Close() }
	err := chromedp.Do(ctx, chromedp.Navigate(page.URL))
	if err == nil {
		_, err = chromedp.Call(ctx, runtime.AddBinding, runtime.AddBindingParams{Name: "assay"})
	}
	if err == nil {
		b.software, err = chromedp.Run(ctx, chromedp.Evaluate[string](`"EventSource of " + navigator.userAgent.match(/Headless\S*|Chrom\S*/)[0]`))
	}
	if err != nil {
		b.stop()
	}
	return b, err
}

// script opens a source that tells what it shows through the binding. An error of the source is an event of type error,
// too, but has no data.
const script = `(() => {
	const order = %s, source = globalThis.source = new EventSource(order.url);
	const tell = what => assay(JSON.stringify({ url: order.url, state: ["connecting", "open", "closed"][source.readyState], ...what }));
	const show = e => e.data !== undefined ? tell({ event: { type: e.type, data: e.data, id: e.lastEventId } }) : tell({ error: e.type === "error" ? "error" : "" });
	for (const type of new Set(["open", "error", "message", ...order.types])) source.addEventListener(type, show);
	return true;
})()`

// run opens an EventSource and passes on what it shows until ctx ends.
func (b *chromium) run(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
	in, err := json.Marshal(map[string]any{"url": order.URL, "types": order.Types})
	if err == nil {
		_, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(script, in)))
	}
	for err == nil {
		select {
		case text := <-b.shown:
			var told struct {
				URL, State, Error string
				Event             *sseclient.Event
			}
			if err := json.Unmarshal([]byte(text), &told); err != nil {
				return err
			}
			// One of another address comes from a source that was closed meanwhile.
			if told.URL != order.URL {
				continue
			}
			if told.Event != nil {
				source.Event(*told.Event)
			} else if told.Error != "" {
				source.Fail(told.Error)
			}
			source.State(told.State)
		case <-ctx.Done():
			_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`(source.close(), true)`))
			return err
		}
	}
	return err
}
