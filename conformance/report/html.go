package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/seed-6f28358b/assay/conformance"
)

//go:embed page/page.tmpl
var pageTemplate string

//go:embed page/style.css
var pageStyle string

//go:embed page/filter.js
var pageFilter string

//go:embed page/wire.js
var pageWire string

//go:embed page/detail.js
var pageDetail string

// HTML writes one self-contained page: targets, laws and targets with filters, law text and evidence
// beside a chosen verdict, deviations, open choices side by side, the portable subset, and how to
// reproduce. It needs no network and no other file, and works from a file address.
//
// Three walls keep what a target said from acting in the page: html/template escapes by context, scripts
// of the page make text nodes only, and a content security policy allows the page's own script and style
// by hash and nothing else.
func HTML(w io.Writer, o Options, results ...*conformance.Result) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, newPage(o.join(results...))); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func pageScript() string { return pageFilter + pageWire + pageDetail }

// pagePolicy allows nothing but the given script and style.
func pagePolicy(script, style string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}
