package frame_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

var anyVersion = rapid.SampledFrom([]frame.Version{frame.V10, frame.V11, frame.V12})

var (
	plainNames   = []string{"a", "x", "destination", "content-lengths", "Content-Length", "é", "version", " pad ", "a\\cb", "n\\\\"}
	plainValues  = []string{"", "v", "1.1", "1.2", "1.0", " 2 ", "中文", "text of more than eight octets", "a\tb"}
	escapeValues = []string{"\\c\\n\\\\", "escaped\\ctext\\\\of some length", "\\n"}
	lengths      = []string{"0", "1", "3", "0003", "5"}
	badLines     = []string{
		"nocolon", ":v", "\r", "a\x00:b", "a:tail\\", "a:\\r", "a:\\t", "a:b:c", "a:\xc3", "a:a\rb", "a:b\r", "content-length:-1",
		"content-length: 2 ", "content-length:99", "content-length:18446744073709551617", "content-length:",
	}
	bodied   = []string{"SEND", "MESSAGE", "ERROR"}
	bodiless = []string{
		"CONNECT", "CONNECTED", "STOMP", "ACK", "NACK", "SUBSCRIBE", "BEGIN", "RECEIPT", "UNSUBSCRIBE", "DISCONNECT", "COMMIT", "ABORT",
	}
)

// anyStream draws text near the grammar for version v: mostly legal frames, and in some streams lines that break one
// rule, stray octets and a cut, so that every rule is met and most streams get past it once.
func anyStream(t *rapid.T, v frame.Version) string {
	pick := func(from []string, what string) string { return rapid.SampledFrom(from).Draw(t, what) }
	spoiled := rapid.IntRange(0, 2).Draw(t, "spoiled") == 2
	rarely := func() bool { return spoiled && rapid.IntRange(0, 9).Draw(t, "rarely") == 9 }
	var b strings.Builder
	line := func(s string) {
		b.WriteString(s)
		if v == frame.V12 && rapid.IntRange(0, 3).Draw(t, "crlf") == 3 {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	for range rapid.IntRange(1, 5).Draw(t, "frames") {
		for range rapid.IntRange(0, 2).Draw(t, "beats") {
			line("")
		}
		if rarely() {
			b.WriteString(pick([]string{"\x00", "\r", ":", "\\", "é", "\xff", "S", "send\n", "a:b\n"}, "stray"))
		}
		body, commands := "", bodiless
		if rapid.Bool().Draw(t, "bodied") || rarely() {
			body = pick([]string{"x", "abc", "12345", "body\xff", "\r\n\\"}, "body")
		}
		if body != "" && !rarely() {
			commands = bodied
		}
		line(pick(commands, "command"))
		for range rapid.IntRange(0, 4).Draw(t, "headers") {
			value := pick(plainValues, "value")
			if rapid.Bool().Draw(t, "escaped") {
				value += pick(escapeValues, "escapes")
			}
			line(pick(plainNames, "name") + ":" + value)
		}
		switch {
		case rarely():
			line(pick(badLines, "bad line"))
		case rarely():
			line("content-length:" + pick(lengths, "length"))
		case rapid.Bool().Draw(t, "counted"):
			if len(body) == 3 {
				body = "a\x00b"
			}
			line("content-length:" + strconv.Itoa(len(body)))
		}
		line("")
		b.WriteString(body + "\x00")
	}
	s := b.String()
	if rarely() {
		return s[:len(s)-rapid.IntRange(0, len(s)-1).Draw(t, "cut")]
	}
	return s
}

// anyPieces cuts the stream at random places, empty pieces included.
func anyPieces(t *rapid.T, stream string) [][]byte {
	cuts := rapid.SliceOfN(rapid.IntRange(0, len(stream)), 0, 8).Draw(t, "cuts")
	cuts = append(cuts, 0, len(stream))
	slices.Sort(cuts)
	var pieces [][]byte
	for i := range len(cuts) - 1 {
		pieces = append(pieces, []byte(stream[cuts[i]:cuts[i+1]]))
	}
	return pieces
}

// The decoder agrees with the slow twin on every stream, however it is cut, owned and borrowed.
func TestDecoderAgreesWithTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyVersion.Draw(t, "version")
		stream := anyStream(t, v)
		limits := rapid.SampledFrom([]frame.Limits{
			frame.DefaultLimits(), {Line: 22, Headers: 3, Body: 4, Events: 1024}, {Line: 40, Headers: 128, Body: 0, Events: 1024},
		}).Draw(t, "limits")
		pieces := anyPieces(t, stream)
		want := (&twin{v: v, limits: limits}).run([]byte(stream))
		for _, borrow := range []bool{false, true} {
			cfg := frame.DecoderConfig{Version: v, Limits: limits, Borrow: borrow}
			if got := decode(t, cfg, pieces...); got != want {
				t.Fatalf("version %s, limits %+v, borrow %t, pieces %q\n got %s\nwant %s", v, limits, borrow, pieces, got, want)
			}
		}
	})
}

// STOMP-FRAME-012
func TestEveryCutGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := frame.DecoderConfig{Version: anyVersion.Draw(t, "version")}
		stream := anyStream(t, cfg.Version)
		want := decode(t, cfg, []byte(stream))
		for i := range len(stream) + 1 {
			cfg.Borrow = !cfg.Borrow
			if got := decode(t, cfg, []byte(stream[:i]), []byte(stream[i:])); got != want {
				t.Fatalf("STOMP-FRAME-012: %q cut at %d\n got %s\nwant %s", stream, i, got, want)
			}
		}
	})
}

// Whatever arrives, a feed does not panic, an error spends, and what is held stays within the limits.
func TestFeedIsBounded(t *testing.T) {
	limits := frame.Limits{Line: 12, Headers: 3, Body: 20, Events: 5}
	rapid.Check(t, func(t *rapid.T) {
		cfg := frame.DecoderConfig{
			Version: anyVersion.Draw(t, "version"), Limits: limits, Borrow: rapid.Bool().Draw(t, "borrow"),
		}
		d := newDecoder(t, cfg)
		chunk := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 30),
			rapid.Custom(func(t *rapid.T) []byte {
				s := anyStream(t, cfg.Version)
				return []byte(s[:rapid.IntRange(0, len(s)).Draw(t, "cut")])
			}),
		)
		failed := false
		for range rapid.IntRange(1, 8).Draw(t, "feeds") {
			events, err := d.Feed(chunk.Draw(t, "chunk"))
			if failed && err == nil {
				t.Fatal("STOMP-FRAME-018: a feed succeeded after an error")
			}
			failed = failed || err != nil
			line, headers, body := d.Pending()
			if line > limits.Line || headers > limits.Headers || body > limits.Body || len(events) > limits.Events {
				t.Fatalf("holds %d line octets, %d headers, %d body octets, %d events", line, headers, body, len(events))
			}
			if failed && line+headers+body+len(events) != 0 {
				t.Fatal("STOMP-FRAME-018: an error left something held")
			}
		}
	})
}

// STOMP-FRAME-023: what the encoder accepts comes back the same but for an automatic content-length, and nothing else
// comes with it; what it refuses gives no octets.
func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(
		rapid.StringOfN(rapid.SampledFrom([]rune("ab:\\\r\n\t ;é中😀\x01\x7f")), 0, 24, -1),
		rapid.String(),
		rapid.SampledFrom([]string{"content-length", "0", "3", "destination", "a plain value of some length"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		v := anyVersion.Draw(t, "version")
		f := &frame.Frame{Command: frame.Command(rapid.IntRange(1, 15).Draw(t, "command"))}
		for range rapid.IntRange(0, 5).Draw(t, "headers") {
			f.Headers = append(f.Headers, frame.Header{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")})
		}
		if rapid.Bool().Draw(t, "with body") {
			f.Body = rapid.SliceOfN(rapid.Byte(), 0, 4096).Draw(t, "body")
		}
		out, err := frame.Append(nil, v, f)
		if err != nil {
			if len(out) != 0 {
				t.Fatal("a refused frame left octets")
			}
			if reason := refusable(v, f); !reason {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		if refusable(v, f) {
			t.Fatalf("accepted %s in %s", show(f), v)
		}
		want := f.Clone()
		if _, ok := f.Get("content-length"); !ok && len(f.Body) > 0 {
			want.Headers = append(want.Headers, frame.Header{Name: "content-length", Value: strconv.Itoa(len(f.Body))})
		}
		cfg := frame.DecoderConfig{Version: v, Borrow: rapid.Bool().Draw(t, "borrow")}
		if got := decode(t, cfg, anyPieces(t, string(out))...); got != show(want)+" ." {
			t.Fatalf("STOMP-FRAME-023 in %s: %q\n got %s\nwant %s .", v, out, got, show(want))
		}
		// STOMP-FRAME-021
		if head, _, _ := bytes.Cut(out, []byte("\n\n")); v == frame.V12 && bytes.Contains(head, []byte("\r")) {
			t.Fatalf("STOMP-ESC-005: a raw CR in %q", head)
		}
	})
}

// refusable says whether some law keeps version v from carrying the frame.
func refusable(v frame.Version, f *frame.Frame) bool {
	c := f.Command
	if v == frame.V10 && (c == frame.NACK || c == frame.STOMP) {
		return true
	}
	handshake := c == frame.CONNECT || c == frame.CONNECTED
	bodied := c == frame.SEND || c == frame.MESSAGE || c == frame.ERROR
	if len(f.Body) > 0 && !bodied && (v != frame.V10 || c == frame.RECEIPT) {
		return true
	}
	for _, h := range f.Headers {
		both := h.Name + h.Value
		switch {
		case h.Name == "" || strings.Contains(both, "\x00"),
			(handshake || v == frame.V10) && (strings.Contains(both, "\n") || strings.Contains(h.Name, ":")),
			handshake && strings.Contains(both, "\r"),
			v == frame.V10 && h.Value == "",
			v == frame.V10 && strings.ContainsFunc(both, func(r rune) bool { return r >= 0x80 }),
			!utf8.ValidString(both):
			return true
		}
	}
	if value, ok := f.Get("content-length"); ok {
		return strings.Trim(value, "0123456789") != "" || value == "" ||
			strings.TrimLeft(value, "0") != strings.TrimLeft(strconv.Itoa(len(f.Body)), "0")
	}
	return false
}
