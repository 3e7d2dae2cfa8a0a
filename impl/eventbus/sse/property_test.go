package sse_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// slowly is the standard read aloud: the whole stream is decoded, then cut into lines, then taken line by line.
func slowly(stream string) (all []heard, id string) {
	text := decode([]byte(stream))
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(text, "\n")
	var data, kind, buffer string
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			id = buffer
			if data != "" {
				if kind == "" {
					kind = "message"
				}
				all = append(all, heard{id, kind, strings.TrimSuffix(data, "\n")})
			}
			data, kind = "", ""
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data += value + "\n"
		case "event":
			kind = value
		case "id":
			if !strings.Contains(value, "\x00") {
				buffer = value
			}
		}
	}
	return all, id
}

// decode is the UTF-8 decoder of the Encoding standard, octet by octet.
func decode(b []byte) string {
	var out strings.Builder
	var point rune
	need, low, high := 0, byte(0x80), byte(0xbf)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if need == 0 {
			low, high = 0x80, 0xbf
			switch {
			case c < 0x80:
				out.WriteByte(c)
			case c >= 0xc2 && c <= 0xdf:
				need, point = 1, rune(c&0x1f)
			case c >= 0xe0 && c <= 0xef:
				if c == 0xe0 {
					low = 0xa0
				}
				if c == 0xed {
					high = 0x9f
				}
				need, point = 2, rune(c&0xf)
			case c >= 0xf0 && c <= 0xf4:
				if c == 0xf0 {
					low = 0x90
				}
				if c == 0xf4 {
					high = 0x8f
				}
				need, point = 3, rune(c&0x7)
			default:
				out.WriteRune('\uFFFD')
			}
			continue
		}
		if c < low || c > high {
			need = 0
			out.WriteRune('\uFFFD')
			i--
			continue
		}
		low, high = 0x80, 0xbf
		point = point<<6 | rune(c&0x3f)
		if need--; need == 0 {
			out.WriteRune(point)
		}
	}
	if need > 0 {
		out.WriteRune('\uFFFD')
	}
	return out.String()
}

// cuts draws a way to cut a stream.
func cut(stream []byte, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var parts [][]byte
	for len(stream) > 0 {
		k := min(1+r.IntN(1+r.IntN(40)), len(stream))
		parts = append(parts, stream[:k:k])
		stream = stream[k:]
	}
	return parts
}

func read(p *sse.Parser, parts [][]byte) []heard {
	var all []heard
	for _, part := range parts {
		p.Feed(bytes.Clone(part))
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			all = append(all, heard{m.ID, m.Type, string(m.Data)})
		}
	}
	return all
}

var piece = rapid.SampledFrom([]string{
	"data", "event", "id", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", " ", "a", "x", "{\"v\":1}", "\x00", "é", "日", "😀",
	"\xef\xbb\xbf", "\xef", "\xbb", "\xbf", "\xe2\x82", "\xf0\x9f\x98", "\xff", "\xc0\x80", "\xe0\x80", "\xe0\xa0", "\xf0\x80\x80", "\xf4\x8f", "\xf4\x90", "\xed\x9f", "\xed\xa0\x80", "data: a\n\n", "data: a\n", "data\n", "data:\n", "id: 5\n", "id\n", "event: t\n", "event\n", "12",
})

func TestParserAgreesWithTheStandardReadAloud(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		same(t, stream, rapid.Uint64().Draw(t, "cuts"))
	})
}

func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, stream string, seed uint64,
) {
	t.Helper()
	want, id := slowly(stream)
	p, _ := sse.NewParser(sse.Limits{}, "")
	got := read(p, cut([]byte(stream), seed))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q: (-standard +parser)\n%s", stream, diff)
	}
	if p.LastEventID() != id {
		t.Fatalf("%q: last event id %q, want %q", stream, p.LastEventID(), id)
	}
}

// With limits, too, where the stream is cut makes no difference, and what is held is bounded.
func TestLimitsDoNotDependOnCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := []byte(strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), ""))
		limits := sse.Limits{MaxLine: rapid.IntRange(1, 30).Draw(t, "line"), MaxEvent: rapid.IntRange(1, 60).Draw(t, "event")}
		whole, _ := sse.NewParser(limits, "")
		parts, _ := sse.NewParser(limits, "")
		want := read(whole, [][]byte{stream})
		var got []heard
		for _, c := range cut(stream, rapid.Uint64().Draw(t, "cuts")) {
			got = append(got, read(parts, [][]byte{c})...)
			if n := parts.Buffered(); n > 3*(limits.MaxLine+limits.MaxEvent) {
				t.Fatalf("%d octets held with limits %+v", n, limits)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: (-whole +cut)\n%s", stream, diff)
		}
		if diff := cmp.Diff(whole.Err(), parts.Err()); diff != "" {
			t.Fatalf("%q: (-whole +cut)\n%s", stream, diff)
		}
	})
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab: \n\r\x00é日😀\u2028\ufeff")))
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want []heard
		id := ""
		for range rapid.IntRange(1, 6).Draw(t, "messages") {
			m := sse.Message{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), Data: []byte(text.Draw(t, "data"))}
			next, err := sse.AppendMessage(stream, m)
			if bad := strings.ContainsAny(m.ID, "\r\n\x00") || strings.ContainsAny(m.Type, "\r\n"); bad != (err != nil) {
				t.Fatalf("%q: %v", m, err)
			}
			if err != nil {
				if len(next) != len(stream) {
					t.Fatalf("%q: an error and %d octets", m, len(next)-len(stream))
				}
				continue
			}
			stream = sse.AppendComment(next, text.Draw(t, "comment"))
			if m.ID != "" {
				id = m.ID
			}
			if m.Type == "" {
				m.Type = "message"
			}
			data := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(m.Data))
			want = append(want, heard{id, m.Type, data})
		}
		p, _ := sse.NewParser(sse.Limits{}, "")
		if diff := cmp.Diff(want, read(p, cut(stream, rapid.Uint64().Draw(t, "cuts")))); diff != "" {
			t.Fatalf("%q: (-written +read)\n%s", stream, diff)
		}
	})
}

// A comment is one line of UTF-8, whatever its text: also where no other character tells that it needs a look.
func TestComments(t *testing.T) {
	for text, want := range map[string]string{
		"":       ": \n\n",
		"a b":    ": a b\n\n",
		"\r":     ": \ufffd\n\n",
		"\n\n":   ": \ufffd\ufffd\n\n",
		"\x80":   ": \ufffd\n\n",
		"é\r\na": ": é\ufffd\ufffda\n\n",
	} {
		if got := string(sse.AppendComment(nil, text)); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, s := range []string{
		"", "data: a\n\n", "\ufeffid: 1\r\nevent: x\r\ndata: \xf0\x9f\r\r: c\rid:\rdata: q\r\r\n", "retry: 1\ndata\n\ndata:\xe2\x82\n\r\n",
	} {
		f.Add(s, uint64(len(s)))
	}
	f.Fuzz(func(t *testing.T, stream string, seed uint64) { same(t, stream, seed) })
}

func FuzzMessage(f *testing.F) {
	f.Add("1", "x", "a\nb", uint64(1))
	f.Add("", "", "", uint64(2))
	f.Add(" \ufeff", ":", "\r\n\xff\r", uint64(3))
	f.Fuzz(func(t *testing.T, id, kind, data string, seed uint64) {
		out, err := sse.AppendMessage(nil, sse.Message{ID: id, Type: kind, Data: []byte(data)})
		if err != nil {
			return
		}
		p, _ := sse.NewParser(sse.Limits{}, "")
		got := read(p, cut(out, seed))
		if kind == "" {
			kind = "message"
		}
		data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
		want := []heard{{decode([]byte(id)), decode([]byte(kind)), decode([]byte(data))}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: (-written +read)\n%s", out, diff)
		}
	})
}
