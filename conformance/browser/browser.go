// Package browser opens pages in an installed Chromium, without a window, for tests of pages: it runs code in them, looks at
// what they show, and tells whatever a quiet page does not do.
package browser

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// limit is how long a browser may run for one test.
const limit = 2 * time.Minute

// Options are those of a browser that shows no window and asks nobody for anything by itself.
func Options() []chromedp.ExecAllocatorOption {
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun)
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	return options
}

// Start starts a browser that ends with the test, or skips the test unless ASSAY_LAB is 1.
func Start(t testing.TB) context.Context {
	t.Helper()
	if os.Getenv("ASSAY_LAB") != "1" {
		t.Skip("needs a browser: set ASSAY_LAB=1 on a machine that has Chromium")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(Options(), chromedp.UserDataDir(t.TempDir()))...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}
