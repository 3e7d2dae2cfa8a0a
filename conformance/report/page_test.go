package report_test

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The page holds what a target said as text only: no tag, attribute or script comes of it, and the data blocks are
// whole JSON.
func TestPageHoldsHostileTextAsText(t *testing.T) {
	out := write(t, "html", hostile(), mixed("Alpha"))
	if n := strings.Count(strings.ToLower(out), "<script"); n != 4 {
		t.Errorf("%d script elements, want the law data, two blocks of cases and our script", n)
	}
	body := regexp.MustCompile(`(?s)<script type="application/json".*?</script>`).ReplaceAllString(out, "")
	for _, bad := range []string{"<img", "<!--", "onerror=alert(1)>\"", "href=\"javascript", "http://", "https://", "@import", "url("} {
		if bad == "http://" {
			body = strings.ReplaceAll(body, "![y](http://x.test/z)", "") // as text
		}
		if strings.Contains(body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, block := range regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`).FindAllStringSubmatch(out, -1) {
		if !json.Valid([]byte(block[1])) {
			t.Error("a data block is no JSON")
		}
		if strings.ContainsAny(block[1], "<>&\u2028\u2029") {
			t.Error("a data block holds a character that could end it")
		}
	}
	if !strings.Contains(out, "default-src &#39;none&#39;; script-src &#39;sha256-") {
		t.Error("the policy is missing")
	}
}

// The page's own scripts never parse a string as HTML or code.
func TestPageScriptsMakeTextOnly(t *testing.T) {
	for _, name := range []string{"filter.js", "wire.js", "detail.js"} {
		data, err := os.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(", "XMLHttp", "import("} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s uses %s", name, bad)
			}
		}
	}
}

// Text is readable in both schemes: at least 4.5 to 1.
func TestPageContrast(t *testing.T) {
	data, err := os.ReadFile("page/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, ok := strings.Cut(string(data), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("no dark scheme")
	}
	dark, _, _ := strings.Cut(rest, "* { box-sizing")
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`).FindAllStringSubmatch(text, -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		pairs := [][2]string{{"ink", "bg"}, {"ink", "surface"}, {"ink", "soft"}, {"muted", "bg"}, {"muted", "surface"}, {"muted", "soft"}, {"accent", "bg"}, {"accent", "surface"}}
		for _, v := range []string{"fail", "lax", "inconclusive", "blocked", "unsupported", "info", "pass", "notrun"} {
			pairs = append(pairs, [2]string{v, v + "-bg"}, [2]string{v, "surface"}, [2]string{v, "bg"}, [2]string{"muted", v + "-bg"})
		}
		for _, p := range pairs {
			a, okA := colour[p[0]]
			b, okB := colour[p[1]]
			if !okA || !okB {
				t.Errorf("%s: %v is not defined", scheme, p)
				continue
			}
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s: %s on %s has contrast %.2f", scheme, p[0], p[1], ratio)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
