package corpus_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/corpus"
)

func TestUnquote(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, ""},
		{`SEND\nx:a\r\n\n\0`, "SEND\nx:a\r\n\n\x00"},
		{`\\n`, `\n`},
		{`\\\n`, "\\\n"},
		{`\00`, "\x000"},
		{`\x00\xff\xC3\xa9`, "\x00\xff\xc3\xa9"},
		{`\t"'é`, "\t\"'\xc3\xa9"},
	} {
		got, err := corpus.Unquote(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("Unquote(%s) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}

func TestUnquoteRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`a\`:     "lone backslash",
		`a\\\`:   "lone backslash",
		`\q`:     `unknown escape \q at 0`,
		`ab\c`:   `unknown escape \c at 2`,
		`\x`:     "lacks its two digits",
		`\x4`:    "lacks its two digits",
		`\xg0`:   "two hexadecimal digits",
		`\x+1`:   "two hexadecimal digits",
		`\u00e9`: `unknown escape \u`,
	} {
		got, err := corpus.Unquote(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Unquote(%s) = %q, %v; want an error with %q", in, got, err, want)
		}
	}
}

func TestQuoteIsTheReverseOfUnquote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "octets")
		s := corpus.Quote(b)
		for i := range len(s) {
			if s[i] < ' ' || s[i] > '~' {
				t.Fatalf("Quote(%q) = %q is not printable ASCII", b, s)
			}
		}
		back, err := corpus.Unquote(s)
		if err != nil || !bytes.Equal(back, b) {
			t.Fatalf("Unquote(%s) = %q, %v; want %q", s, back, err, b)
		}
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add(`SEND\nx:\\t\0`)
	f.Add(`\x`)
	f.Fuzz(func(t *testing.T, s string) {
		b, err := corpus.Unquote(s)
		if err != nil {
			return
		}
		if again, err := corpus.Unquote(corpus.Quote(b)); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q was read as %q and after writing as %q, %v", s, b, again, err)
		}
	})
}

func ExampleQuote() {
	fmt.Println(corpus.Quote([]byte("SEND\r\nx:a\\cb\n\n\xc3\xa9\x00")))
	// Output: SEND\r\nx:a\\cb\n\n\xc3\xa9\0
}
