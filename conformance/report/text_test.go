package report

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/conformance"
)

func TestCleanShowsEverythingOnOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "octets")) + rapid.String().Draw(t, "text")
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		got := clean(s, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not valid UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) || r == utf8.RuneError && !strings.ContainsRune(s, utf8.RuneError) {
				t.Fatalf("%q holds %U", got, r)
			}
		}
		// The longest spelling of one character and the mark of a cut may go past the limit.
		if len(got) > limit+40 {
			t.Fatalf("%d octets, limit %d", len(got), limit)
		}
		if again := clean(got, len(got)); again != got {
			t.Fatalf("cleaning twice changes %q to %q", got, again)
		}
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(got)); err != nil || strings.ContainsRune(b.String(), '\ufffd') && !strings.ContainsRune(s, '\ufffd') {
			t.Fatalf("%q is no XML text", got)
		}
	})
}

func TestCleanExamples(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                           "plain",
		"a\r\n\tb\x00":                    `a\r\n\tb\0`,
		"\x1b[31mred":                     `\x1b[31mred`,
		"\xff\xc3(":                       `\xff\xc3(`,
		"\u202egpj":                       `\u{202e}gpj`,
		"\u0085\u2028":                    `\u{85}\u{2028}`,
		"größer 漢字 🙂":                     "größer 漢字 🙂",
		`already \x1b \n`:                 `already \x1b \n`,
		"a" + strings.Repeat("\u0301", 6): "a" + strings.Repeat("\u0301", 4) + `\u{301}\u{301}`,
	} {
		if got := clean(in, 1000); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := clean(strings.Repeat("x", 50), 10); got != "xxxxxxxxxx… (50 octets)" {
		t.Errorf("a cut is shown as %q", got)
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{"tcp://127.0.0.1:1": "tcp://127.0.0.1:1", "": "''", "a b": "'a b'", "it's $(x)": `'it'\''s $(x)'`} {
		if got := shellQuote(in); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

// A fence of code must be longer than any fence inside, and a span must not end early.
func TestMarkdownCodeCannotBeLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := clean(rapid.StringOf(rapid.RuneFrom([]rune("`ab| "))).Draw(t, "text"), 200)
		if s == "" {
			return
		}
		code := mdCode(s)
		n := longestRun(s, '`') + 1
		fence := strings.Repeat("`", n)
		inner := strings.TrimSuffix(strings.TrimPrefix(code, fence), fence)
		if strings.Contains(inner, fence) || strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") {
			t.Fatalf("%q can be left early: %q", s, code)
		}
	})
}

func TestMarkdownEscapes(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":              `a\|b`,
		"<b>":              `\<b\>`,
		"[x](y)":           `\[x\](y)`,
		"@someone x@1.2":   `@<!-- -->someone x@1.2`,
		"http://x":         `http\://x`,
		"www.x":            `www\.x`,
		"- item":           `\- item`,
		"1. item":          `1\. item`,
		"1.2, 1.1":         `1.2, 1.1`,
		"&lt; `c` *e* _f_": "\\&lt; \\`c\\` \\*e\\* \\_f\\_",
	} {
		if got := mdEscape(in); got != want {
			t.Errorf("mdEscape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLawGroupNeverNamesAnotherFile(t *testing.T) {
	for in, want := range map[string]string{
		"STOMP-ACK-001": "STOMP-ACK", "../../x-A-001": "OTHER", "A-B-1": "OTHER", "A/B-C-001": "OTHER", "a-B-001": "OTHER", "A-B-001-": "OTHER", "": "OTHER",
	} {
		if got := lawGroup(in); got != want {
			t.Errorf("lawGroup(%q) = %q, want %q", in, got, want)
		}
	}
}

// A page is headed by what the suite says of itself, and by its name where an older result does not hold that.
func TestASuiteIsTitled(t *testing.T) {
	for want, h := range map[string]conformance.Header{
		"Event bus": {Suite: "eventbus", Title: "Event bus"}, "STOMP": {Suite: "stomp"}, "SSE client": {Suite: "sse-client"},
	} {
		if got := suiteTitle(h); got != want {
			t.Errorf("%+v: %q, want %q", h, got, want)
		}
	}
}
