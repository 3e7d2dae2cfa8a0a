package report

import "strings"

// mdEscape returns clean text so that Markdown shows it as it is: no emphasis, link, image, HTML, table
// cell, mention or automatic link comes of it.
func mdEscape(s string) string {
	var b strings.Builder
	// At the beginning of a line these would start a list.
	if digits := strings.TrimLeft(s, "0123456789"); strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		b.WriteByte('\\')
	} else if len(digits) < len(s) && len(digits) > 0 && strings.ContainsRune(".)", rune(digits[0])) && strings.TrimLeft(digits[1:min(2, len(digits))], " ") == "" {
		b.WriteString(s[:len(s)-len(digits)] + `\`)
		s = digits
	}
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '<', '>', '#', '!', '|', '~', '$', '&':
			b.WriteByte('\\')
		case ':':
			if strings.HasPrefix(s[i:], "://") {
				b.WriteByte('\\')
			}
		case '.':
			if i >= 3 && strings.EqualFold(s[i-3:i], "www") {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		if r == '@' && (i == 0 || !isWord(s[i-1])) {
			// An empty comment parts the sign from the name: nobody is called to a report.
			b.WriteString("<!-- -->")
		}
	}
	return b.String()
}

// mdCode returns clean text as a code span. The fence is longer than any run of backticks in the text.
func mdCode(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" || s[0] == ' ' && s[len(s)-1] == ' ' {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// mdCell returns clean text as code for a cell of a table, where a bar would end the cell even inside a
// code span.
func mdCell(s string) string {
	if s == "" {
		return ""
	}
	return "<code>" + mdEscape(s) + "</code>"
}

// mdFence returns a fence for a code block that no line of the lines can end.
func mdFence(lines []string) string {
	n := 3
	for _, l := range lines {
		n = max(n, longestRun(l, '`')+1)
	}
	return strings.Repeat("`", n)
}

func longestRun(s string, c byte) int {
	best, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			best = max(best, run)
		} else {
			run = 0
		}
	}
	return best
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
