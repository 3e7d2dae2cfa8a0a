package frame_test

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// twin is the slow, obvious reading of the laws: one octet at a time over the whole stream, no chunks, no reuse. The
// event limit is left out, since it belongs to feeds.
type twin struct {
	v      frame.Version
	limits frame.Limits

	out     []string
	line    []byte
	start   int // of the line
	f       *frame.Frame
	inBody  bool
	want    int // declared length, or -1
	offset  int
	failure string
}

// run renders the stream as decode does.
func (w *twin) run(stream []byte) string {
	for _, c := range stream {
		if w.inBody {
			w.bodyOctet(c)
		} else {
			w.lineOctet(c)
		}
		if w.failure != "" {
			return w.failure
		}
		w.offset++
	}
	if w.f != nil || len(w.line) > 0 {
		w.fail("truncated", w.offset)
		return strings.Join(append(w.out, w.failure), " ")
	}
	return strings.Join(append(w.out, "."), " ")
}

func (w *twin) fail(rule string, at int) {
	if w.failure == "" {
		w.failure = fmt.Sprintf("!%s@%d", rule, at)
	}
}

func (w *twin) lineOctet(c byte) {
	switch {
	case c == 0: // STOMP-FRAME-009
		w.fail("nul-in-line", w.offset)
	case c == '\n':
		line := string(w.line)
		w.endLine(line)
		w.line, w.start = nil, w.offset+1
	case len(w.line) == w.limits.Line: // STOMP-LIMIT-002
		w.fail("line-limit", w.offset)
	default:
		w.line = append(w.line, c)
	}
}

// endLine checks in the order of STOMP-FRAME-016.
func (w *twin) endLine(line string) {
	if w.v == frame.V12 {
		line = strings.TrimSuffix(line, "\r")
	}
	if w.v != frame.V10 {
		for i, r := range line {
			if _, n := utf8.DecodeRuneInString(line[i:]); r == utf8.RuneError && n == 1 {
				w.fail("utf8", w.start+i)
				return
			}
		}
	}
	if i := strings.IndexByte(line, '\r'); w.v == frame.V12 && i >= 0 {
		w.fail("bare-cr", w.start+i)
		return
	}
	switch {
	case w.f == nil && line == "":
		w.out = append(w.out, "~")
	case w.f == nil:
		c, ok := frame.ParseCommand(line)
		if !ok || w.v == frame.V10 && (line == "NACK" || line == "STOMP") {
			w.fail("unknown-command", w.start)
			return
		}
		w.f = &frame.Frame{Command: c}
	case line == "":
		w.endHead()
	default:
		w.header(line)
	}
}

func (w *twin) header(line string) {
	if len(w.f.Headers) == w.limits.Headers {
		w.fail("header-limit", w.start)
		return
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" {
		w.fail("header-shape", w.start)
		return
	}
	if w.v != frame.V10 && w.f.Command != frame.CONNECT && w.f.Command != frame.CONNECTED {
		at := w.start + len(name) + 1
		if i := strings.IndexByte(value, ':'); i >= 0 {
			w.fail("raw-colon", at+i)
			return
		}
		name, value = w.unescape(name, w.start), w.unescape(value, at)
	}
	w.f.Headers = append(w.f.Headers, frame.Header{Name: name, Value: value})
}

func (w *twin) unescape(s string, at int) string {
	table := map[string]string{`\n`: "\n", `\c`: ":", `\\`: "\\"}
	if w.v == frame.V12 {
		table[`\r`] = "\r"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		plain, ok := table[s[i:min(i+2, len(s))]]
		if !ok {
			w.fail("escape", at+i)
			return ""
		}
		b.WriteString(plain)
		i++
	}
	return b.String()
}

func (w *twin) endHead() {
	w.inBody, w.want = true, -1
	value, ok := w.f.Get("content-length")
	if !ok {
		return
	}
	if w.v == frame.V10 {
		value = strings.Trim(value, " ")
	}
	if value == "" || strings.Trim(value, "0123456789") != "" {
		w.fail("content-length", w.offset)
		return
	}
	n, _ := new(big.Int).SetString(value, 10)
	if n.Cmp(big.NewInt(int64(w.limits.Body))) > 0 {
		w.fail("body-limit", w.offset)
		return
	}
	w.want = int(n.Int64())
}

func (w *twin) bodyOctet(c byte) {
	switch have := len(w.f.Body); {
	case w.want >= 0 && have < w.want:
		w.f.Body = append(w.f.Body, c)
	case c == 0:
		w.endFrame()
	case w.want >= 0:
		w.fail("terminator", w.offset)
	case have == w.limits.Body:
		w.fail("body-limit", w.offset)
	default:
		w.f.Body = append(w.f.Body, c)
	}
}

func (w *twin) endFrame() {
	c := w.f.Command
	if len(w.f.Body) > 0 && w.v != frame.V10 && c != frame.SEND && c != frame.MESSAGE && c != frame.ERROR {
		w.fail("body-forbidden", w.offset)
		return
	}
	w.out = append(w.out, show(w.f))
	if c == frame.CONNECTED {
		s, ok := w.f.Get("version")
		if v, known := frame.ParseVersion(s); known {
			w.v = v
		} else if !ok {
			w.v = frame.V10
		}
	}
	w.f, w.inBody, w.start = nil, false, w.offset+1
}
