package stomptest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A header is one header entry, decoded.
type header struct{ Name, Value string }

// A wireFrame is a frame as the suite builds or sees it. The suite has a codec of its own, tolerant
// where a target may err: a fault of the reference codec must not blind the suite to itself.
type wireFrame struct {
	Command string
	Headers []header
	Body    []byte
	// Uncounted leaves out the content-length that Encode adds to a body.
	Uncounted bool

	At     time.Time // arrival of the last octet, for a received frame
	Raw    []byte    // the octets as received, at most 4 KiB of them
	Faults []fault   // what is malformed about a received frame
}

// A fault is one way in which a received frame is malformed, and the law that says so.
type fault struct{ Law, Text string }

// frameOf returns a frame with the given header names and values.
func frameOf(command string, kv ...string) *wireFrame {
	if len(kv)%2 != 0 {
		panic("odd number of header strings")
	}
	f := &wireFrame{Command: command}
	for i := 0; i < len(kv); i += 2 {
		f.Headers = append(f.Headers, header{kv[i], kv[i+1]})
	}
	return f
}

// With returns f with one more header.
func (f *wireFrame) With(name, value string) *wireFrame {
	f.Headers = append(f.Headers, header{name, value})
	return f
}

// Carrying returns f with a body.
func (f *wireFrame) Carrying(body string) *wireFrame {
	f.Body = []byte(body)
	return f
}

// Get returns the first value of a header, empty if it is absent (STOMP-HDR-009).
func (f *wireFrame) Get(name string) string {
	v, _ := f.Lookup(name)
	return v
}

// Lookup returns the first value of a header and whether there is one.
func (f *wireFrame) Lookup(name string) (string, bool) {
	for _, h := range f.Headers {
		if h.Name == name {
			return h.Value, true
		}
	}
	return "", false
}

// quoted shows at most limit octets of a text in quotes, with what is not printable escaped once.
func quoted(text string, limit int) string {
	return `"` + conformance.EscapeMax([]byte(text), limit) + `"`
}

// String shows the frame on one line for a report.
func (f *wireFrame) String() string {
	if f == nil {
		return "nothing"
	}
	var b strings.Builder
	b.WriteString(f.Command)
	for _, h := range f.Headers {
		fmt.Fprintf(&b, " %s:%s", conformance.EscapeMax([]byte(h.Name), 80), conformance.EscapeMax([]byte(h.Value), 120))
	}
	if len(f.Body) > 0 {
		b.WriteString(" body " + quoted(string(f.Body), 120))
	}
	return b.String()
}

// Encode writes f by the rules of a version: CONNECT and CONNECTED verbatim (STOMP-ESC-007), all
// else escaped by the version's table, a body counted unless it is marked Uncounted.
func (f *wireFrame) Encode(version string) []byte {
	var b bytes.Buffer
	b.WriteString(f.Command)
	b.WriteByte('\n')
	raw := version == "1.0" || f.Command == "CONNECT" || f.Command == "CONNECTED"
	for _, h := range f.Headers {
		if raw {
			b.WriteString(h.Name + ":" + h.Value + "\n")
		} else {
			b.WriteString(escape(h.Name, version) + ":" + escape(h.Value, version) + "\n")
		}
	}
	if _, given := f.Lookup("content-length"); !given && len(f.Body) > 0 && !f.Uncounted {
		b.WriteString("content-length:" + strconv.Itoa(len(f.Body)) + "\n")
	}
	b.WriteByte('\n')
	b.Write(f.Body)
	b.WriteByte(0)
	return b.Bytes()
}

func escape(s, version string) string {
	pairs := []string{`\`, `\\`, "\n", `\n`, ":", `\c`}
	if version == "1.2" {
		pairs = append(pairs, "\r", `\r`)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// unescape decodes a header name or value; ok is false when it holds an escape that the version
// does not define (STOMP-ESC-001, -002, -003).
func unescape(s, version string) (decoded string, ok bool) {
	if version == "1.0" || !strings.Contains(s, `\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i == len(s):
			return s, false
		case s[i] == 'n':
			b.WriteByte('\n')
		case s[i] == 'c':
			b.WriteByte(':')
		case s[i] == '\\':
			b.WriteByte('\\')
		case s[i] == 'r' && version == "1.2":
			b.WriteByte('\r')
		default:
			return s, false
		}
	}
	return b.String(), true
}
