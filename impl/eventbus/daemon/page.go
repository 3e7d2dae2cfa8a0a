package daemon

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed page.html
var pageHTML string

// page is the live page. It runs its own script and style only, and talks to the daemon only.
type page struct{ policy string }

func newPage() page {
	hash := func(element string) string {
		_, rest, _ := strings.Cut(pageHTML, "<"+element+">")
		text, _, ok := strings.Cut(rest, "</"+element+">")
		if !ok {
			panic("daemon: the page has no " + element)
		}
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return page{policy: "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'; script-src " + hash("script") + "; style-src " + hash("style")}
}

func (p page) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	// A peer that went away has no need of it.
	_, _ = w.Write([]byte(pageHTML))
}
